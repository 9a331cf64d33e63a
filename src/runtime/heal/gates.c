#include "runtime/heal/gates.h"

#include <stdatomic.h>
#include <stddef.h>

#include "runtime/control/turn_sync.h"
#include "runtime/control/vtime.h"
#include "runtime/heal/gates_private.h"
#include "runtime/heal/quarantine.h"
#include "runtime/os/os.h"
#include "runtime/report/tell.h"
#include "runtime/state.h"
#include "runtime/thread/waits.h"

/* A thread that waits looks this often whether it waits in vain, in nanoseconds. */
#define SLICE 1000000

/* Who has waited so long is hungry; those who come wait so long for one who is. Nanoseconds. */
#define HUNGRY UINT64_C(1000000)
#define POLITE UINT64_C(50000)

/* A gate is dropped when not one wait was right, after so many that were useless and took so long
 * together (nanoseconds), or after so many that reached the bound. */
#define MOST_USELESS 50
#define MOST_WAITED  UINT64_C(5000000)
#define MOST_EXPIRED 10

bool darn_gates_on, darn_gates_of_ends, darn_gates_of_locks;
uint8_t darn_gate_marks[DARN_GATE_MARKS];
struct darn_gate *darn_gates;
uint32_t darn_gate_count;

/* The thread that changes occupants, counts and waiters of the gates; NULL: none. A lock that knows
 * its owner: a signal handler may end the thread or jump out while it has it. Other calls of a
 * handler see that the thread is `in_gate`, and stay out. Nothing nests inside. */
static struct darn_thread *_Atomic owner;

void darn_gates_take(struct darn_thread *thread)
{
    struct darn_thread *nobody = NULL;

    for (int tries = 0; !atomic_compare_exchange_weak_explicit(
             &owner, &nobody, thread, memory_order_acquire, memory_order_relaxed);
         tries++) {
        nobody = NULL;
        if (tries < 32)
            darn_os_yield();
        else
            darn_os_sleep(20000);
    }
}

void darn_gates_give(void)
{
    atomic_store_explicit(&owner, NULL, memory_order_release);
}

static uint64_t now(void)
{
    return darn_turns ? darn_vtime_now() : darn_os_now();
}

/* ---- occupants ---- */

static void occupy(const struct darn_asking *asking)
{
    for (uint64_t left = asking->gates; left; left &= left - 1) {
        uint32_t number = (uint32_t)__builtin_ctzll(left);
        struct darn_gate *gate = &darn_gates[number];

        if (gate->until) {
            darn_gate_occupy_order(gate, asking, asking->positions[number]);
            continue;
        }
        if (gate->occupant_count == DARN_GATE_OCCUPANTS) {
            gate->unseen++;
            continue;
        }
        gate->occupants[gate->occupant_count++] = (struct darn_occupant){
            .thread = asking->thread, .lock = asking->lock, .positions = asking->positions[number]};
        asking->thread->gates++;
    }
}

void darn_gate_open(struct darn_gate *gate)
{
    __atomic_fetch_add(&gate->changes, 1, __ATOMIC_RELEASE);
    if (gate->waiting)
        darn_os_wake(&gate->changes, DARN_GATE_OCCUPANTS);
}

/* Takes away what the thread occupies with this lock; with 0, all. */
void darn_gates_vacate(struct darn_thread *thread, uintptr_t lock)
{
    for (uint32_t i = 0; i < darn_gate_count && (thread->gates || !lock); i++) {
        struct darn_gate *gate = &darn_gates[i];
        uint32_t kept = 0, count = gate->occupant_count;
        bool stays = gate->until == DARN_UNTIL_GONE;

        if (stays && lock)
            continue;

        for (uint32_t j = 0; j < count; j++) {
            const struct darn_occupant *occupant = &gate->occupants[j];

            if (occupant->thread == thread && (!lock || occupant->lock == lock) &&
                !(lock && darn_gate_goes_on(gate, occupant)))
                thread->gates -= !stays;
            else
                gate->occupants[kept++] = *occupant;
        }
        gate->occupant_count = kept;
        gate->done |= kept < count;
        if (kept < count)
            darn_gate_open(gate);
    }
}

void darn_gate_gone(struct darn_thread *thread, const volatile void *lock)
{
    if (thread->in_gate || darn_lock_find(&thread->locks, (uintptr_t)lock))
        return;
    thread->in_gate = true;
    darn_gates_take(thread);
    darn_gates_vacate(thread, (uintptr_t)lock);
    darn_gates_give();
    thread->in_gate = false;
}

void darn_gate_away(struct darn_thread *thread, const volatile void *lock, bool away)
{
    if (thread->in_gate)
        return;
    thread->in_gate = true;
    darn_gates_take(thread);
    for (uint32_t i = 0; i < darn_gate_count; i++) {
        struct darn_gate *gate = &darn_gates[i];

        for (uint32_t j = 0; j < gate->occupant_count; j++) {
            struct darn_occupant *occupant = &gate->occupants[j];

            if (occupant->thread != thread || occupant->lock != (uintptr_t)lock)
                continue;
            if (gate->until == DARN_UNTIL_GONE)
                continue;
            occupant->away = away;
            gate->done |= away;
            if (away)
                darn_gate_open(gate);
        }
    }
    darn_gates_give();
    thread->in_gate = false;
}

/* ---- what became of a gate ---- */

static void say_dropped(const struct darn_gate *gate)
{
    struct darn_say say;

    darn_say_start(&say);
    darn_say_text(&say, gate->until ? "darn: heal: the gate of the order in line "
                                    : "darn: heal: the gate against the deadlock in line ");
    darn_say_number(&say, gate->line);
    darn_say_text(&say, " of the repository only slows the program down (");
    darn_say_number(&say, gate->avoided);
    darn_say_text(&say, " waits, ");
    darn_say_number(&say, gate->waited / 1000000);
    darn_say_text(&say, " ms, none was needed): it is dropped for the rest of this run");
    darn_say_end(&say);
}

enum end { END_OPEN, END_EXPIRED, END_CYCLE };

static void account(struct darn_gate *gate, enum end end, bool right, bool is_neutral,
                    uint64_t waited)
{
    gate->waited += waited;
    if (waited > gate->longest)
        gate->longest = waited;
    gate->right += right;
    gate->cycles += end == END_CYCLE;
    gate->expired += end == END_EXPIRED;
    if (end == END_EXPIRED && gate->patience > 1)
        gate->patience /= 2;
    if (end == END_EXPIRED && gate->until >= DARN_UNTIL_GONE)
        darn_gate_give_up(gate);
    gate->useless += end == END_OPEN && !right && !is_neutral;
    if (gate->right || gate->dropped)
        return;
    gate->dropped = (gate->useless >= MOST_USELESS && gate->waited >= MOST_WAITED) ||
                    gate->expired >= MOST_EXPIRED;
    if (gate->dropped)
        say_dropped(gate);
}

/* ---- waiting ---- */

static struct darn_gate *shut_gate(const struct darn_asking *asking)
{
    for (uint64_t left = asking->gates; left; left &= left - 1) {
        uint32_t number = (uint32_t)__builtin_ctzll(left);

        if (darn_gate_is_shut(&darn_gates[number], asking->thread, asking->lock,
                              asking->positions[number]))
            return &darn_gates[number];
    }
    return NULL;
}

/* For the scheduler, called by whoever has the turn. */
static bool may_pass(void *argument)
{
    const struct darn_asking *asking = argument;
    const struct darn_gate *gate = shut_gate(asking);

    return !gate || darn_gate_is_vain(gate, asking->thread);
}

const struct darn_gate *darn_gate_of(const struct darn_thread *thread)
{
    const struct darn_slot *slot = thread->slot;

    return slot && slot->ready == may_pass ? shut_gate(slot->argument) : NULL;
}

/* In a controlled run the wait is a step, and nobody else is here. To take a lock lets no
 * cancellation happen: a thread that is cancelled passes. */
static enum end wait_by_turn(struct darn_slot *slot, struct darn_asking *asking, uint64_t deadline,
                             struct darn_gate *gate, const void *frame)
{
    darn_turn_step(slot, DARN_STEP_CALL, &gate->changes, frame);
    slot->ready = may_pass;
    slot->argument = asking;
    slot->deadline = deadline;
    slot->timed = true;
    darn_turn_take(slot);
    while (!may_pass(asking) && !slot->timed_out && !slot->cancelled)
        darn_turn_again(slot);
    slot->ready = NULL;
    gate = shut_gate(asking);
    return !gate ? END_OPEN : darn_gate_is_vain(gate, asking->thread) ? END_CYCLE : END_EXPIRED;
}

/*
 * How many bounds long the wait may be. A deadlock is worse than any wait: so it is more than one
 * at first, and always when it is known that the circle would close. With each wait that reaches
 * its end the gate loses half of its patience.
 */
static uint64_t patience_of(const struct darn_gate *gate, const struct darn_gate_waiter *waiter)
{
    return waiter && waiter->right ? DARN_GATE_PATIENCE : gate->patience;
}

/* Sleeps for a while, without the lock; how much of the bound that takes. On a busy machine those who
 * are waited for get no processor either: what comes late on top does not count. */
static uint64_t sleep_at(struct darn_gate *gate, uint32_t changes, uint64_t left)
{
    uint64_t asked = left < SLICE ? left : SLICE, start = darn_os_now(), slept;

    darn_os_wait(&gate->changes, changes, asked);
    slept = darn_os_now() - start;
    return slept < asked ? slept : asked;
}

/* Begins and ends with the lock. */
static enum end wait_freely(struct darn_asking *asking, uint64_t bound, struct darn_gate *gate,
                            struct darn_gate_waiter *waiter)
{
    enum end end = END_OPEN;
    uint64_t spent = 0;

    while (end == END_OPEN && gate) {
        uint32_t changes = __atomic_load_n(&gate->changes, __ATOMIC_ACQUIRE);
        uint64_t most = bound * patience_of(gate, waiter);

        if (darn_gate_is_vain(gate, asking->thread)) {
            end = END_CYCLE;
        } else if (spent >= most) {
            end = END_EXPIRED;
        } else {
            darn_gate_waiter_pause(waiter, gate, spent >= HUNGRY);
            darn_gates_give();
            spent += sleep_at(gate, changes, most - spent);
            darn_gates_take(asking->thread);
            darn_gate_waiter_resume(waiter, asking->thread);
            gate = shut_gate(asking);
            if (gate)
                darn_wait_redirect(asking->thread, gate);
        }
    }
    return end;
}

/* The gate is shut. Begins and ends with the lock. */
static void wait_at(struct darn_asking *asking, struct darn_gate *gate, const void *frame)
{
    struct darn_thread *thread = asking->thread;
    uint64_t start = now(), bound = (uint64_t)darn_state.options.heal_bound * 1000000;
    struct darn_slot *slot = darn_turn_mine(thread);
    bool is_neutral = darn_gate_holds(gate, asking->lock);
    struct darn_gate_waiter *waiter = darn_gate_waiter_add(thread, gate, asking->lock);
    struct darn_wait before = thread->wait;
    enum end end;

    gate->avoided++;
    if (slot) {
        darn_gates_give();
        end = wait_by_turn(slot, asking, start + bound, gate, frame);
        darn_gates_take(thread);
    } else {
        darn_wait_begin(thread, DARN_WAIT_GATE, gate, frame);
        end = wait_freely(asking, bound, gate, waiter);
        darn_wait_return(thread, &before);
    }
    account(gate, end, gate->until ? end == END_OPEN : waiter && waiter->right, is_neutral,
            now() - start);
    darn_gate_waiter_drop(waiter, thread);
}

/* ---- what the interceptors call ---- */

/* How deep the stacks are that begin with this return address; 0: there is none. */
static uint32_t depth_needed(uintptr_t pc)
{
    uint32_t depth = 0;

    for (uint32_t i = 0; i < darn_gate_count; i++) {
        for (uint32_t j = 0; j < darn_gates[i].count; j++) {
            const struct darn_gate_position *position = &darn_gates[i].positions[j];

            if (position->pcs[0] == pc && position->depth > depth)
                depth = position->depth;
        }
    }
    return depth;
}

bool darn_gates_find(struct darn_asking *asking, const struct darn_stack *stack)
{
    for (uint32_t i = 0; i < darn_gate_count; i++) {
        asking->positions[i] = darn_gate_fits(&darn_gates[i], stack->pcs, stack->depth);
        if (asking->positions[i] && !darn_gates[i].dropped)
            asking->gates |= UINT64_C(1) << i;
    }
    return asking->gates;
}

bool darn_gates_find_at(struct darn_asking *asking, const void *frame)
{
    struct darn_stack stack = {1, {((const uintptr_t *)frame)[1]}};
    uint32_t depth = depth_needed(stack.pcs[0]);

    if (depth > 1)
        stack.depth = darn_stack_walk_into(stack.pcs, depth, asking->thread, frame);
    return depth && darn_gates_find(asking, &stack);
}

/* Without it, a thread that gives a lock back and takes it again at once is always the first. */
static bool is_wanted(const struct darn_asking *asking)
{
    for (uint64_t left = asking->gates; left; left &= left - 1) {
        if (darn_gates[__builtin_ctzll(left)].hungry)
            return true;
    }
    return false;
}

void darn_gates_pass(struct darn_asking *asking, const void *frame)
{
    struct darn_gate *gate;

    darn_gates_take(asking->thread);
    if (is_wanted(asking) && !darn_turns) {
        darn_gates_give();
        darn_os_sleep(POLITE);
        darn_gates_take(asking->thread);
    }
    for (uint64_t left = asking->gates; left; left &= left - 1)
        darn_gates[__builtin_ctzll(left)].passed++;
    gate = shut_gate(asking);
    if (gate)
        wait_at(asking, gate, frame);
    occupy(asking);
    darn_gates_give();
}

void darn_gate_ask(struct darn_thread *thread, const volatile void *lock, const void *frame)
{
    struct darn_asking asking = {.thread = thread, .lock = (uintptr_t)lock};

    if (thread->in_gate || darn_lock_find(&thread->locks, (uintptr_t)lock))
        return;
    thread->in_gate = true;
    if (thread->gates && darn_gate_waiters) {
        darn_gates_take(thread);
        darn_gate_waiters_tell(thread, asking.lock);
        darn_gates_give();
    }
    if (darn_gate_marks[darn_gate_mark(((const uintptr_t *)frame)[1])] &&
        darn_gates_find_at(&asking, frame))
        darn_gates_pass(&asking, frame);
    thread->in_gate = false;
}

/* ---- ends ---- */

/* The thread does not come back to where it waits, if it does; the lock may be its own. */
static void leave_gate(struct darn_thread *thread)
{
    if (atomic_load(&owner) != thread)
        darn_gates_take(thread);
    darn_gate_waiters_forget(thread);
    thread->in_gate = false;
}

void darn_gates_thread_end(struct darn_thread *thread)
{
    if (!darn_gate_count || !thread)
        return;
    leave_gate(thread);
    darn_gates_vacate(thread, 0);
    thread->orders = 0;
    darn_gates_give();
}

void darn_gates_jump(void)
{
    struct darn_thread *thread = darn_gate_count ? darn_thread_peek() : NULL;

    if (!thread || !thread->in_gate)
        return;
    leave_gate(thread);
    darn_gates_give();
    if (thread->slot && thread->slot->ready == may_pass)
        thread->slot->ready = NULL; /* what it asks for is no more */
    if (thread->wait.kind == DARN_WAIT_GATE)
        darn_wait_end(thread);
}

void darn_gates_after_fork(bool child)
{
    const struct darn_thread *self = darn_thread_peek();

    if (!child || !darn_gate_count)
        return;
    atomic_store(&owner, NULL);
    darn_quarantine_after_fork();
    darn_gate_waiters_forget(NULL);
    for (uint32_t i = 0; i < darn_gate_count; i++) {
        struct darn_gate *gate = &darn_gates[i];
        uint32_t kept = 0;

        for (uint32_t j = 0; j < gate->occupant_count; j++) {
            if (gate->occupants[j].thread == self)
                gate->occupants[kept++] = gate->occupants[j];
        }
        gate->occupant_count = kept;
        gate->waiting = gate->hungry = 0;
        gate->passed = gate->avoided = gate->right = gate->useless = 0;
        gate->expired = gate->cycles = gate->unseen = gate->used = 0;
        gate->waited = gate->longest = 0;
    }
}
