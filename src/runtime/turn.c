#define _GNU_SOURCE
#include "runtime/turn.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#include "runtime/control.h"
#include "runtime/coverage.h"
#include "runtime/os.h"
#include "runtime/scene.h"
#include "runtime/state.h"
#include "runtime/vtime.h"

bool darn_turns;

enum { GO_WAIT, GO_STEP, GO_KEEP }; /* values of `go` */

/* A thread that has made no step for so long is asked whether it waits in a system call. */
#define LOOK_AFTER UINT64_C(200000000)

/* Timers go off in virtual time when nobody else can go on. Whoever is outside gets this long, in
 * real time, to come back first. */
#define OUTSIDE_GETS UINT64_C(5000000)

/* A program that handles signals gets this long, in real time, to be sent one. */
#define SIGNALS_GET UINT64_C(100000000)

/* Reads of a spin in a row, while nobody else can go on, until that is a hang. */
#define FRUITLESS 100000

static struct darn_slot slots[DARN_SLOTS];
static uint32_t slot_end; /* all that are in use lie below */
static uint32_t alive;

static struct darn_strategy strategy;
static struct darn_choice choices[DARN_SLOTS];
static struct darn_slot *last; /* the one that ran last */
static uint64_t steps;         /* made so far */
static uint64_t orders;        /* handed out so far */
static uint32_t fruitless;
static bool handlers; /* the program handles signals */
static int leaving;   /* tid of a thread that has ended and is not gone yet; 0: none */

/* Index + 1 of the slot that has the turn; 0: nobody has, whoever comes back takes it. */
static _Atomic uint32_t holder;

static bool is_in_use(const struct darn_slot *slot)
{
    return slot->state != DARN_STATE_NONE && slot->state != DARN_STATE_ENDED;
}

static struct darn_slot *take_slot(struct darn_thread *thread)
{
    for (uint32_t i = 0; i < DARN_SLOTS; i++) {
        struct darn_slot *slot = &slots[i];

        if (is_in_use(slot))
            continue;
        memset(slot, 0, sizeof(*slot));
        slot->index = i;
        slot->thread = thread;
        slot->number = thread->number;
        slot->state = DARN_STATE_READY;
        thread->slot = slot;
        if (i >= slot_end)
            slot_end = i + 1;
        alive++;
        return slot;
    }
    return NULL;
}

struct darn_slot *darn_turn_slot_of(uint32_t number)
{
    for (uint32_t i = 0; i < slot_end; i++) {
        if (is_in_use(&slots[i]) && slots[i].number == number)
            return &slots[i];
    }
    return NULL;
}

void darn_turn_each(void (*visit)(struct darn_slot *slot, void *argument), void *argument)
{
    for (uint32_t i = 0; i < slot_end; i++) {
        if (is_in_use(&slots[i]))
            visit(&slots[i], argument);
    }
}

/* ---- whether a step is possible ---- */

/* A lock that prefers writers, and one of them waits: no reader gets it any more. */
static bool is_kept_for_writer(const struct darn_slot *slot)
{
    const pthread_rwlock_t *lock = (const void *)(uintptr_t)slot->object;

    if (lock->__data.__flags != PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP ||
        !slot->target->depth)
        return false;
    for (uint32_t i = 0; i < slot_end; i++) {
        if (slots[i].state == DARN_STATE_READY && slots[i].op == DARN_STEP_WRITELOCK &&
            slots[i].object == slot->object)
            return true;
    }
    return false;
}

static bool lock_is_possible(const struct darn_slot *slot)
{
    const struct darn_object *object = slot->target;

    if (slot->tried && slot->version == object->version)
        return false;
    if (slot->op == DARN_STEP_WRITELOCK && !object->holder && object->depth)
        return false; /* readers */
    if (slot->op == DARN_STEP_READLOCK && is_kept_for_writer(slot))
        return false;
    return !object->holder || object->holder == slot->number + 1;
}

static uint64_t load(uintptr_t address, uint32_t size)
{
    uint64_t value = 0;

    memcpy(&value, (const void *)address, size);
    return value;
}

static bool spin_has_changed(const struct darn_slot *slot)
{
    for (uint32_t i = 0; i < slot->spin_count; i++) {
        const struct darn_spin_read *read = &slot->spins[i];

        if (load(read->address, read->size) != read->value)
            return true;
    }
    return false;
}

static bool semaphore_is_up(const struct darn_slot *slot)
{
    int value = 0;

    return sem_getvalue((sem_t *)(uintptr_t)slot->object, &value) || value > 0;
}

static bool lets_cancel(enum darn_step_op op)
{
    return op == DARN_STEP_WAIT || op == DARN_STEP_JOIN || op == DARN_STEP_TAKE ||
           op == DARN_STEP_SLEEP || op == DARN_STEP_CALL;
}

/* Whether what it waits for has come. */
static bool has_come(const struct darn_slot *slot)
{
    switch (slot->op) {
    case DARN_STEP_LOCK:
    case DARN_STEP_RELOCK:
    case DARN_STEP_WRITELOCK:
    case DARN_STEP_READLOCK:
    case DARN_STEP_ONCE:
        return lock_is_possible(slot);
    case DARN_STEP_WAIT:
    case DARN_STEP_BARRIER:
        return !slot->order || slot->signaled; /* order: it has begun to wait */
    case DARN_STEP_TAKE:
        return semaphore_is_up(slot);
    case DARN_STEP_JOIN:
        return !darn_turn_slot_of((uint32_t)slot->object);
    case DARN_STEP_CALL:
        return !slot->ready || slot->ready(slot->argument);
    case DARN_STEP_SPIN:
        return spin_has_changed(slot);
    default:
        return true;
    }
}

static bool is_out_of_time(const struct darn_slot *slot)
{
    return slot->timed &&
           (slot->deadline <= darn_vtime_now() || darn_control_wants(DARN_RUN_EARLY));
}

static bool is_possible(const struct darn_slot *slot)
{
    return (slot->cancelled && lets_cancel(slot->op)) || is_out_of_time(slot) || has_come(slot);
}

/* ---- who could go on ---- */

static void describe(const struct darn_slot *slot, struct darn_choice *choice)
{
    *choice = (struct darn_choice){
        .thread = slot->number,
        .slot = slot->index,
        .own = slot->own,
        .op = slot->op,
        .yielded = slot->yielded,
        .atomic = slot->atomic || (slot->is_volatile && !darn_state.options.report_volatile),
        .locks = (uint8_t)slot->thread->locks.count,
        .size = slot->size,
        .object = slot->object,
        .place = slot->place,
        .writer = slot->target ? slot->target->writer : 0,
    };
}

static uint32_t collect(bool spins)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < slot_end; i++) {
        struct darn_slot *slot = &slots[i];

        if (slot->state != DARN_STATE_READY)
            continue;
        if (is_possible(slot) || (spins && slot->op == DARN_STEP_SPIN))
            describe(slot, &choices[count++]);
    }
    return count;
}

/* The one whose time comes first; whether there is one. */
static bool set_off_timer(void)
{
    struct darn_slot *first = NULL;

    for (uint32_t i = 0; i < slot_end; i++) {
        struct darn_slot *slot = &slots[i];

        if (slot->state == DARN_STATE_READY && slot->timed &&
            (!first || slot->deadline < first->deadline))
            first = slot;
    }
    if (!first)
        return false;
    darn_vtime_jump(first->deadline);
    return true;
}

/* libc's own words say that a lock is free which we believe to be held: it was given back by code
 * that nobody sees, or destroyed and made anew. Looked at before anything is called a deadlock. */
static bool is_really_free(const struct darn_slot *slot)
{
    const void *lock = (const void *)(uintptr_t)slot->object;

    switch (slot->op) {
    case DARN_STEP_LOCK:
    case DARN_STEP_RELOCK:
        if (slot->size == sizeof(pthread_mutex_t)) {
            const pthread_mutex_t *mutex = lock;

            return !(mutex->__data.__lock & 0x3fffffff);
        }
        return slot->size == sizeof(pthread_spinlock_t) && *(const int *)lock != 1;
    case DARN_STEP_WRITELOCK:
    case DARN_STEP_READLOCK: {
        const pthread_rwlock_t *rwlock = lock;

        return !rwlock->__data.__readers && !rwlock->__data.__cur_writer;
    }
    default:
        return false;
    }
}

static bool correct_locks(void)
{
    bool any = false;

    for (uint32_t i = 0; i < slot_end; i++) {
        struct darn_slot *slot = &slots[i];

        if (slot->state != DARN_STATE_READY || !slot->target || !is_really_free(slot))
            continue;
        slot->target->holder = 0;
        slot->target->depth = 0;
        slot->tried = false;
        any = true;
    }
    return any;
}

/* Whether somebody may come back from the outside, or something come in from there. */
static bool is_outside_busy(void)
{
    for (uint32_t i = 0; i < slot_end; i++) {
        const struct darn_slot *slot = &slots[i];

        if (slot->state == DARN_STATE_OUTSIDE ||
            (slot->state == DARN_STATE_READY && slot->op == DARN_STEP_CALL && slot->ready))
            return true;
    }
    return false;
}

static bool has_spinner(void)
{
    for (uint32_t i = 0; i < slot_end; i++) {
        if (slots[i].state == DARN_STATE_READY && slots[i].op == DARN_STEP_SPIN)
            return true;
    }
    return false;
}

/* Fills in the choices. 0: nobody can go on now, but the outside is busy. */
static uint32_t find_choices(uint64_t waited)
{
    uint32_t count = collect(false);

    if (count) {
        fruitless = 0;
        return count;
    }
    if (correct_locks())
        return collect(false);
    if (is_outside_busy() && waited < OUTSIDE_GETS)
        return 0;
    if (set_off_timer())
        return collect(false);
    if (has_spinner() && fruitless++ < FRUITLESS)
        return collect(true);
    if (is_outside_busy() || (handlers && waited < SIGNALS_GET))
        return 0;
    darn_control_end(DARN_END_DEADLOCK);
}

/* ---- the decision ---- */

static uint64_t mask_of(uint32_t count)
{
    uint64_t mask = 0;

    for (uint32_t i = 0; i < count; i++)
        mask |= UINT64_C(1) << choices[i].slot % 64;
    return mask;
}

static uint32_t index_of_last(uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (last && choices[i].slot == last->index && choices[i].thread == last->number)
            return i;
    }
    return count;
}

static void note_step(const struct darn_choice *choice, uint32_t count, uint32_t current,
                      bool waking)
{
    struct darn_result *result = &darn_control->result;
    uint8_t flags = count == 1 ? DARN_STEP_ALONE : 0;

    if (!waking && current < count && choices[current].slot != choice->slot &&
        !choices[current].yielded) {
        flags |= DARN_STEP_PREEMPTS;
        result->preemptions++;
    }
    if (slots[choice->slot].timed && !has_come(&slots[choice->slot]))
        flags |= DARN_STEP_TIMED_OUT;
    if (count > 1)
        result->choices++;
    if (steps < DARN_BLOCK_STEPS)
        darn_control->steps[steps] = (struct darn_step){
            .thread = choice->thread,
            .op = waking ? DARN_STEP_WAKE : choice->op,
            .flags = flags,
            .slot = (uint16_t)choice->slot,
            .object = choice->object,
            .place = choice->place,
            .enabled = mask_of(count),
        };
    steps++;
    result->steps = steps;
    result->steps_of[choice->slot]++;
    darn_control->progress = steps;
}

static void deal_with(const struct darn_met *met, uint32_t picked)
{
    if (met->kind == DARN_MET_DIVERGED) {
        darn_control->result.diverged = steps;
        darn_control_end(DARN_END_DIVERGED);
    }
    if (met->kind == DARN_MET_NOTHING)
        return;
    if (met->kind == DARN_MET_TRIPLED) {
        darn_scene_tripled(&slots[choices[met->a].slot], met->step, steps);
        return;
    }
    darn_scene_met((enum darn_met_kind)met->kind, &slots[choices[met->a].slot],
                   &slots[choices[met->b].slot], picked == met->b, steps);
}

/* Asks the strategy. The choices are in place. */
static struct darn_slot *pick(uint32_t count, bool waking)
{
    struct darn_met met = {.kind = DARN_MET_NOTHING};
    struct darn_situation situation = {
        .choices = choices,
        .count = count,
        .current = index_of_last(count),
        .waking = waking,
        .step = steps,
    };
    uint32_t picked = darn_strategy_pick(&strategy, &situation, &met);

    if (picked >= count)
        picked = 0;
    deal_with(&met, picked);
    note_step(&choices[picked], count, situation.current, waking);
    if (darn_control->request.max_steps && steps > darn_control->request.max_steps)
        darn_control_end(DARN_END_STEPS);
    if (darn_control_wants(DARN_RUN_HOLD) && steps == darn_control->request.hold_at + 1)
        darn_scene_hold();
    return &slots[choices[picked].slot];
}

static void make_step(struct darn_slot *slot)
{
    for (uint32_t i = 0; i < slot_end; i++) {
        if (&slots[i] != slot)
            slots[i].yielded = false;
    }
    if (slot->timed && !has_come(slot)) {
        slot->timed_out = true;
        darn_vtime_jump(slot->deadline);
    }
    last = slot;
    slot->own++;
    darn_vtime_step();
    darn_coverage_step(slot);
}

/* Nobody else is alive and nothing is waited for: no step worth telling. */
static bool is_alone(const struct darn_slot *slot)
{
    return alive == 1 && slot->op != DARN_STEP_CREATE && slot->op != DARN_STEP_CALL &&
           slot->op != DARN_STEP_YIELD && slot->op != DARN_STEP_SLEEP;
}

/* ---- passing the turn ---- */

static void give(struct darn_slot *slot, uint32_t go)
{
    atomic_store(&holder, slot->index + 1);
    if (go == GO_STEP)
        slot->state = DARN_STATE_RUNNING;
    __atomic_store_n(&slot->go, go, __ATOMIC_RELEASE);
    darn_os_wake(&slot->go, 1);
}

/* A thread that has ended must be gone before others go on: it still gives its memory back. */
static void await_leaving(void)
{
    for (int tries = 0; leaving && tries < 300 && darn_os_thread_exists(leaving); tries++) {
        if (tries < 100)
            darn_os_yield();
        else
            darn_os_sleep(20000); /* the machine is busy; or it waits for one of us in libc */
    }
    leaving = 0;
}

/* Decides and passes the turn on; true when it stays with us. The caller has it, and is at a
 * scheduling point itself. */
static bool decide_as(struct darn_slot *self)
{
    uint64_t since = 0, pause = 20000;
    uint32_t count;
    struct darn_slot *next;

    while (!(count = find_choices(since ? darn_os_now() - since : 0))) {
        if (!since)
            since = darn_os_now();
        darn_os_sleep(pause);
        if (pause < 1000000)
            pause *= 2;
    }
    next = pick(count, false);
    make_step(next);
    if (next == self) {
        self->state = DARN_STATE_RUNNING;
        return true;
    }
    give(next, GO_STEP);
    return false;
}

/* The holder makes no steps and waits in a system call: it is passed by, and comes back as from the
 * outside. True: the turn is ours now. */
static bool pass_by_stuck(struct darn_slot *self)
{
    uint32_t index = atomic_load(&holder);
    struct darn_slot *stuck = index ? &slots[index - 1] : NULL;
    uint8_t running = DARN_STATE_RUNNING;
    uint64_t before = darn_control->progress;
    int call;

    if (!stuck || stuck == self || !stuck->tid || darn_os_syscall_of(stuck->tid) < 0)
        return false;
    darn_os_sleep(LOOK_AFTER / 2);
    call = darn_os_syscall_of(stuck->tid);
    if (call < 0 || before != darn_control->progress || atomic_load(&holder) != index)
        return false;
    if (!__atomic_compare_exchange_n(&stuck->state, &running, DARN_STATE_OUTSIDE, false,
                                     __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
        return false;
    atomic_store(&holder, self->index + 1);
    darn_control->result.stuck++;
    darn_control->result.stuck_call = (uint32_t)call + 1;
    darn_control->result.stuck_thread = stuck->number;
    return true;
}

/* Whether this one of the waiting threads looks after the one that runs. */
static bool is_watchman(const struct darn_slot *self)
{
    for (uint32_t i = 0; i < self->index; i++) {
        if (slots[i].state == DARN_STATE_READY)
            return false;
    }
    return true;
}

static void wait_for_turn(struct darn_slot *self)
{
    uint64_t seen = 0;

    for (;;) {
        uint32_t go = __atomic_exchange_n(&self->go, GO_WAIT, __ATOMIC_ACQUIRE);

        if (go == GO_STEP)
            break;
        if (go == GO_KEEP) {
            await_leaving();
            if (decide_as(self))
                break;
            continue;
        }
        darn_os_wait(&self->go, GO_WAIT, LOOK_AFTER);
        if (self->go == GO_WAIT && seen == darn_control->progress && is_watchman(self) &&
            pass_by_stuck(self) && decide_as(self))
            break;
        seen = darn_control->progress;
    }
    await_leaving();
}

/* The caller cannot go on: somebody else decides who does. */
static void hand_on(struct darn_slot *self)
{
    /* Before anything is called a deadlock, somebody else looks again: what a thread that ends
     * gives back at its very end (a robust mutex) is free only then. */
    uint32_t count = collect(false);

    if (count) {
        struct darn_slot *next = pick(count, false);

        make_step(next);
        give(next, GO_STEP);
        return;
    }
    for (uint32_t i = 0; i < slot_end; i++) {
        if (&slots[i] != self && slots[i].state == DARN_STATE_READY) {
            give(&slots[i], GO_KEEP);
            return;
        }
    }
    atomic_store(&holder, 0);
    /* Somebody may have come back between the look and the store, and found us in charge. */
    for (uint32_t i = 0; i < slot_end; i++) {
        uint32_t nobody = 0;

        if (&slots[i] != self && slots[i].state == DARN_STATE_READY &&
            atomic_compare_exchange_strong(&holder, &nobody, i + 1)) {
            give(&slots[i], GO_KEEP);
            return;
        }
    }
}

/* ---- scheduling points ---- */

/* Back from the outside, or from a call in which the watchdog passed us by: queue up again. */
static void come_back(struct darn_slot *self)
{
    uint32_t nobody = 0;

    while (self->state == DARN_STATE_RUNNING)
        darn_os_yield(); /* the watchdog is at it */
    __atomic_store_n(&self->state, DARN_STATE_READY, __ATOMIC_SEQ_CST);
    if (atomic_compare_exchange_strong(&holder, &nobody, self->index + 1) && decide_as(self)) {
        await_leaving();
        return;
    }
    wait_for_turn(self);
}

void darn_turn_step(struct darn_slot *slot, enum darn_step_op op, const volatile void *object,
                    const void *frame)
{
    slot->inside = true;
    slot->op = (uint8_t)op;
    slot->object = (uint64_t)(uintptr_t)object;
    slot->target = object && op != DARN_STEP_JOIN ? darn_object(object) : NULL;
    slot->place = frame ? ((const uint64_t *)frame)[1] : 0;
    slot->frame = frame;
    slot->site = NULL;
    slot->size = 0;
    slot->mutex = slot->deadline = slot->order = 0;
    slot->timed = slot->timed_out = slot->signaled = slot->tried = false;
    slot->atomic = slot->is_volatile = slot->yielded = false;
    slot->ready = NULL;
}

void darn_turn_take(struct darn_slot *self)
{
    if (!self->site || !(self->site->flags & DARN_SITE_SPIN))
        self->spin_count = 0;
    if (atomic_load(&holder) != self->index + 1) {
        come_back(self);
    } else if (!is_alone(self) || !is_possible(self)) {
        self->state = DARN_STATE_READY;
        if (!decide_as(self))
            wait_for_turn(self);
    }
    self->inside = false;
}

void darn_turn_again(struct darn_slot *slot)
{
    slot->inside = true;
    slot->tried = true;
    if (slot->target)
        slot->version = slot->target->version;
    darn_turn_take(slot);
}

void darn_turn_changed(struct darn_object *object)
{
    object->version++;
}

void darn_turn_leave(struct darn_slot *slot)
{
    slot->state = DARN_STATE_OUTSIDE;
    hand_on(slot);
}

void darn_turn_return(struct darn_slot *slot)
{
    slot->inside = true;
    slot->ready = NULL;
    come_back(slot);
    slot->inside = false;
}

static bool waits_for(const struct darn_slot *slot, const struct darn_object *object)
{
    return slot->state == DARN_STATE_READY && slot->order && !slot->signaled &&
           slot->object == object->address &&
           (slot->op == DARN_STEP_WAIT || slot->op == DARN_STEP_BARRIER);
}

struct darn_slot *darn_turn_choose_waiter(const struct darn_object *object)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < slot_end; i++) {
        if (waits_for(&slots[i], object))
            describe(&slots[i], &choices[count++]);
    }
    return count == 0 ? NULL : count == 1 ? &slots[choices[0].slot] : pick(count, true);
}

struct darn_slot *darn_turn_first_waiter(const struct darn_object *object)
{
    struct darn_slot *first = NULL;

    for (uint32_t i = 0; i < slot_end; i++) {
        if (waits_for(&slots[i], object) && (!first || slots[i].order < first->order))
            first = &slots[i];
    }
    return first;
}

int darn_turn_holder(void)
{
    uint32_t index = atomic_load(&holder);

    return index ? slots[index - 1].tid : 0;
}

void darn_turn_expect_signals(void)
{
    handlers = true;
}

bool darn_turn_has_others(void)
{
    return alive > 1;
}

uint64_t darn_turn_next_order(void)
{
    return ++orders;
}

/* ---- threads ---- */

void darn_turn_begin(void)
{
    struct darn_thread *thread = darn_thread_self();

    if (!thread)
        return;
    darn_vtime_begin(darn_control->request.time);
    darn_control->result.time = darn_vtime_start();
    darn_strategy_start(&strategy, &darn_control->request.plan, darn_control->follow,
                        darn_control->switches);
    last = take_slot(thread);
    last->tid = thread->tid;
    last->state = DARN_STATE_RUNNING;
    last->op = DARN_STEP_START;
    atomic_store(&holder, last->index + 1);
    darn_control->result.threads_made = 1;
    darn_turns = true;
}

bool darn_turn_add(struct darn_thread *thread)
{
    struct darn_slot *slot = take_slot(thread);

    if (!slot)
        darn_control_end(DARN_END_THREADS);
    slot->op = DARN_STEP_START;
    slot->inside = true;
    slot->place = thread->created.depth ? thread->created.pcs[0] : 0;
    darn_control->result.threads_made++;
    return true;
}

void darn_turn_drop(struct darn_thread *thread)
{
    if (!thread->slot)
        return;
    thread->slot->state = DARN_STATE_NONE;
    thread->slot = NULL;
    alive--;
}

void darn_turn_start(struct darn_thread *thread)
{
    if (!darn_turns || !thread->slot)
        return;
    thread->slot->tid = darn_os_thread_id();
    wait_for_turn(thread->slot); /* darn_turn_started lets it be controlled */
}

void darn_turn_started(struct darn_thread *thread)
{
    if (thread->slot)
        thread->slot->inside = false;
}

struct darn_slot *darn_turn_end(struct darn_thread *thread)
{
    struct darn_slot *slot = thread->slot;

    if (!darn_turns || !slot)
        return NULL;
    darn_turn_step(slot, DARN_STEP_EXIT, NULL, NULL);
    darn_turn_take(slot);
    thread->slot = NULL;
    return slot;
}

void darn_turn_gone(struct darn_slot *slot)
{
    if (!slot)
        return;
    slot->state = DARN_STATE_ENDED;
    alive--;
    leaving = slot->tid == darn_os_process_id() ? 0 : slot->tid;
    hand_on(slot);
}

void darn_turn_after_fork(void)
{
    struct darn_thread *thread = darn_thread_peek();

    darn_turns = false;
    if (thread)
        thread->slot = NULL;
}
