#include "runtime/control/turn.h"

#include <stdatomic.h>
#include <stddef.h>

#include "runtime/control/busy.h"
#include "runtime/control/capture.h"
#include "runtime/control/control.h"
#include "runtime/control/decide.h"
#include "runtime/control/followed.h"
#include "runtime/control/enabled.h"
#include "runtime/control/livelock.h"
#include "runtime/control/vtime.h"
#include "runtime/heal/heal.h"
#include "runtime/os/os.h"
#include "runtime/state.h"

bool darn_turns;

enum { GO_WAIT, GO_STEP, GO_KEEP }; /* values of `go` */

/* A thread that waits in a system call, and after so long, in nanoseconds, still does, is passed by. */
#define STUCK_FOR UINT64_C(100000000)

static uint64_t orders;   /* handed out so far */
static uint32_t unjoined; /* threads that have ended, but for those that were joined */
static int leaving;       /* tid of a thread that has ended and is not gone yet; 0: none */

/* Index + 1 of the slot that has the turn; 0: nobody has, whoever comes back takes it. */
static _Atomic uint32_t holder;

/* Nobody else is alive and nothing is waited for: no step worth telling. */
static bool is_alone(const struct darn_slot *slot)
{
    return darn_slots_alive == 1 && !darn_fair && slot->op != DARN_STEP_CREATE && slot->op != DARN_STEP_CALL &&
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
    for (int tries = 0; leaving && tries < 300 && !darn_os_thread_is_gone(leaving); tries++) {
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

    while (!(count = darn_decide_find(since ? darn_os_now() - since : 0))) {
        if (!since)
            since = darn_os_now();
        darn_control->idle = 1;
        darn_os_sleep(pause);
        if (pause < 1000000)
            pause *= 2;
    }
    next = darn_decide_pick(count, false);
    darn_decide_make(next);
    if (next == self) {
        self->state = DARN_STATE_RUNNING;
        return true;
    }
    give(next, GO_STEP);
    return false;
}

/* The holder comes back as from the outside. True: the turn is ours now. */
static bool pass_by(struct darn_slot *other, const struct darn_slot *self)
{
    uint8_t running = DARN_STATE_RUNNING;

    if (!__atomic_compare_exchange_n(&other->state, &running, DARN_STATE_OUTSIDE, false,
                                     __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
        return false;
    atomic_store(&holder, self->index + 1);
    return true;
}

/* The holder makes no steps and waits in a system call; or it makes none and we would end the
 * process, which need not wait for anybody. */
static bool pass_by_stuck(struct darn_slot *self)
{
    uint32_t index = atomic_load(&holder);
    struct darn_slot *stuck = index ? &darn_slots[index - 1] : NULL;
    uint64_t before = darn_control->progress;
    bool ends = self->op == DARN_STEP_FINISH;
    int call;

    if (!stuck || stuck == self || !stuck->tid)
        return false;
    if (!ends && darn_os_syscall_of(stuck->tid) < 0) {
        darn_busy_look(stuck);
        return false;
    }
    darn_os_sleep(STUCK_FOR);
    call = darn_os_syscall_of(stuck->tid);
    if ((!ends && call < 0) || before != darn_control->progress || atomic_load(&holder) != index ||
        !pass_by(stuck, self))
        return false;
    if (call < 0)
        return true;
    darn_control->result.stuck++;
    darn_control->result.stuck_call = (uint32_t)call + 1;
    darn_control->result.stuck_thread = stuck->number;
    return true;
}

/* Whether this one of the waiting threads looks after the one that runs. */
static bool is_watchman(const struct darn_slot *self)
{
    for (uint32_t i = 0; i < self->index; i++) {
        if (darn_slots[i].state == DARN_STATE_READY)
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
        darn_os_wait(&self->go, GO_WAIT, darn_busy_patience());
        if (self->go == GO_WAIT && seen == darn_control->progress &&
            (is_watchman(self) || self->op == DARN_STEP_FINISH) && pass_by_stuck(self) &&
            decide_as(self))
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
    uint32_t count = darn_decide_collect(false);

    if (count && !darn_followed_awaits(0)) {
        struct darn_slot *next = darn_decide_pick(count, false);

        darn_decide_make(next);
        give(next, GO_STEP);
        return;
    }
    for (uint32_t i = 0; i < darn_slot_end; i++) {
        if (&darn_slots[i] != self && darn_slots[i].state == DARN_STATE_READY) {
            give(&darn_slots[i], GO_KEEP);
            return;
        }
    }
    darn_control->idle = 1;
    atomic_store(&holder, 0);
    /* Somebody may have come back between the look and the store, and found us in charge. */
    for (uint32_t i = 0; i < darn_slot_end; i++) {
        uint32_t nobody = 0;

        if (&darn_slots[i] != self && darn_slots[i].state == DARN_STATE_READY &&
            atomic_compare_exchange_strong(&holder, &nobody, i + 1)) {
            give(&darn_slots[i], GO_KEEP);
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
    darn_busy_follow(slot);
    /* In a call, the access before it was made. */
    if (slot->thread->lingers && !darn_step_is_access(op) && op != DARN_STEP_SPIN)
        darn_heal_done(slot->thread, NULL);
    slot->inside = true;
    slot->op = (uint8_t)op;
    slot->object = (uint64_t)(uintptr_t)object;
    slot->target = object && !darn_step_names_thread(op) ? darn_object(object) : NULL;
    slot->place = frame ? ((const uint64_t *)frame)[1] : 0;
    slot->frame = frame;
    slot->site = NULL;
    slot->size = 0;
    slot->mutex = slot->deadline = slot->order = slot->used = 0;
    slot->what = DARN_OBJECT_NONE;
    slot->timed = slot->timed_out = slot->signaled = slot->tried = slot->interrupted = false;
    slot->interrupts = DARN_WAITS_ON;
    slot->atomic = slot->is_volatile = slot->is_assertion = slot->yielded = false;
    slot->ready = NULL;
}

void darn_turn_handled(bool restarts)
{
    struct darn_thread *thread = darn_thread_peek();
    struct darn_slot *slot = darn_turns && thread ? thread->slot : NULL;

    if (slot && slot->interrupts > (restarts ? DARN_MAY_RESTART : DARN_WAITS_ON))
        slot->interrupted = true;
}

void darn_turn_take(struct darn_slot *self)
{
    if (!self->site || !(self->site->flags & DARN_SITE_SPIN))
        self->spin_count = 0;
    if (darn_fair)
        darn_livelock_stand(self);
    if (atomic_load(&holder) != self->index + 1) {
        come_back(self);
    } else if (!is_alone(self) || !darn_step_is_enabled(self)) {
        if (darn_control_wants(DARN_RUN_RACES))
            darn_capture_races(self);
        self->go = GO_WAIT; /* whoever has jumped out of its wait may not have seen it */
        self->state = DARN_STATE_READY;
        if (!decide_as(self))
            wait_for_turn(self);
    }
    if (darn_fair)
        darn_livelock_go(self);
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

void darn_turn_jump(struct darn_slot *slot, uintptr_t to, const void *frame)
{
    if (!slot->inside || !darn_stack_is_left(slot->thread, (uintptr_t)slot->frame, to))
        return;
    darn_turn_step(slot, DARN_STEP_YIELD, NULL, frame);
    darn_turn_take(slot);
}

int darn_turn_holder(void)
{
    uint32_t index = atomic_load(&holder);

    return index ? darn_slots[index - 1].tid : 0;
}

bool darn_turn_has_others(void)
{
    return darn_slots_alive > 1;
}

bool darn_turn_has_unjoined(void)
{
    return unjoined;
}

void darn_turn_joined(void)
{
    if (unjoined)
        unjoined--;
}

uint64_t darn_turn_next_order(void)
{
    return ++orders;
}

/* ---- threads ---- */

void darn_turn_begin(void)
{
    struct darn_thread *thread = darn_thread_self();
    struct darn_slot *first;

    if (!thread)
        return;
    darn_vtime_begin(darn_control->request.time);
    darn_control->result.time = darn_vtime_start();
    first = darn_slot_take(thread);
    darn_decide_begin(first);
    first->tid = thread->tid;
    first->state = DARN_STATE_RUNNING;
    first->op = DARN_STEP_START;
    atomic_store(&holder, first->index + 1);
    darn_control->result.threads_made = 1;
    darn_turns = true;
}

bool darn_turn_add(struct darn_thread *thread)
{
    struct darn_slot *slot = darn_slot_take(thread);

    if (!slot)
        darn_control_end(DARN_END_THREADS);
    darn_control_pin();
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
    darn_slots_alive--;
}

void darn_turn_start(struct darn_thread *thread)
{
    if (!darn_turns || !thread->slot)
        return;
    thread->slot->tid = thread->tid;
    wait_for_turn(thread->slot); /* darn_turn_started lets it be controlled */
}

void darn_turn_started(struct darn_thread *thread)
{
    if (thread->slot)
        thread->slot->inside = false;
}

/* So many steps others may make before the process ends, where they are to be seen. */
#define PATIENCE 1000

void darn_turn_finish(const void *frame)
{
    struct darn_slot *slot = darn_turn_mine(darn_thread_peek());

    if (!slot)
        return;
    darn_turn_step(slot, DARN_STEP_FINISH, NULL, frame);
    slot->yielded = darn_decide_ends_late();
    slot->patience = slot->yielded ? PATIENCE : 0;
    darn_turn_take(slot);
    darn_decide_cut_off();
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
    darn_slots_alive--;
    unjoined++;
    leaving = slot->tid == darn_state.pid ? 0 : slot->tid;
    hand_on(slot);
}

void darn_turn_after_fork(void)
{
    struct darn_thread *thread = darn_thread_peek();

    darn_turns = false;
    if (thread)
        thread->slot = NULL;
}
