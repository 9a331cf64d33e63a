/*
 * Waiting for one who is in a section: never without bound, and never in a circle.
 *
 * Whoever waits looks again and again whether the other one waits for it in turn, over mutexes,
 * read-write locks, joins, and other waits of this kind. Then it goes on without waiting: a lost
 * cure is better than a deadlock.
 */
#define _GNU_SOURCE
#include <stddef.h>

#include "runtime/control/turn_sync.h"
#include "runtime/control/vtime.h"
#include "runtime/heal/heal.h"
#include "runtime/heal/hold.h"
#include "runtime/os/os.h"
#include "runtime/report/counters.h"
#include "runtime/state.h"
#include "runtime/thread/waitfor.h"

/* Looks at the list without sleeping, before the first sleep: sections are short. */
#define GLANCES 200

/* A sleep lasts no longer than this: the circle may close meanwhile. Nanoseconds. */
#define SLICE UINT64_C(1000000)

/* After this others shall let it go first. */
#define HUNGRY UINT64_C(1000000)

/* How long those who come wait for one who is hungry, and how long they need not do it again. */
#define OWN_TIME UINT64_C(2000000)
#define POLITE   UINT64_C(50000)

/* A thread that has run for so long since its last hook has made its access. In a virtual machine
 * the time in which the processor was taken away counts, too: so it is long. */
#define RUN_ON UINT64_C(5000000)

/* How often a thread yields to one who is inside, by `yield` and `priority`. */
#define YIELDS 32

/* How long one is waited for who waits for a condition, or at a barrier. */
#define HOPELESS UINT64_C(5000000)

/* No wait lasts longer than so many bounds, however many threads take turns. */
#define IN_ALL 100

/* A cure that so many waits came to nothing for is given up, or fewer that took long in all. */
#define IN_VAIN  10
#define WEIGHT   4   /* of one of them against a wait that ended well */
#define RARE     100 /* with so many good waits for each, what they cost does not matter */
#define SHORTEST UINT64_C(1000000)

/* Waits that may close a circle. Those with a timeout, too: until it ends, nobody would go on. */
#define COUNTS                                                                                     \
    (DARN_WAITFOR_LOCKS | DARN_WAITFOR(DARN_WAIT_JOIN) | DARN_WAITFOR(DARN_WAIT_COND) |            \
     DARN_WAITFOR(DARN_WAIT_OTHER) | DARN_WAITFOR(DARN_WAIT_HEAL))

/* Whether the thread, which waits for the other one, has to go on without waiting. Of several in
 * the circle that could, one is enough: the one with the highest number. */
static bool is_circle(struct darn_thread *self, struct darn_thread *other)
{
    struct darn_waiter waiters[DARN_WAITFOR_FEW];
    struct darn_waitfor graph = {
        .waiters = waiters, .most = DARN_WAITFOR_FEW, .kinds = COUNTS, .guesses = true};
    struct darn_wait wait;

    if (!darn_wait_read(&other->wait, &wait))
        return false;
    darn_waitfor_look(&graph);
    wait = (struct darn_wait){.kind = DARN_WAIT_HEAL, .target = (uintptr_t)other};
    if (!darn_waitfor_is_cycle(&graph, self, &wait))
        return false;
    for (uint32_t i = 0; i < graph.length; i++) {
        if (graph.way[i]->kind == DARN_WAIT_HEAL && graph.way[i]->thread->number > self->number)
            return false;
    }
    return true;
}

/* ---- holds whose end nobody tells ---- */

struct lingering {
    uint32_t serial;
    struct darn_hold *hold;
    uint64_t run; /* time that its thread had run when it was seen first */
};

/* Whether the thread must have made its access by now. */
static bool has_run_on(struct lingering *seen, const struct darn_clash *clash)
{
    struct darn_thread *thread = clash->healer->thread;
    struct darn_wait wait;
    uint64_t run;

    if (darn_wait_read(&thread->wait, &wait) || darn_os_syscall_of(thread->tid) >= 0)
        return true; /* it is in another call already */
    run = darn_os_thread_time(thread->tid);
    if (seen->hold != clash->hold || seen->serial != clash->serial) {
        *seen = (struct lingering){clash->serial, clash->hold, run};
        return run == UINT64_MAX;
    }
    return run == UINT64_MAX || run - seen->run > RUN_ON;
}

/* ---- waiting ---- */

enum end { GO_ON, GIVE_UP_CIRCLE, GIVE_UP_BOUND, GIVE_UP_LATE };

static void count_good(struct darn_cure *cure)
{
    uint64_t most = (uint64_t)darn_state.options.heal_bound * 1000000;
    uint64_t bound = atomic_load_explicit(&cure->bound, memory_order_relaxed);
    uint32_t bad = atomic_load_explicit(&cure->in_vain, memory_order_relaxed);

    atomic_fetch_add_explicit(&cure->healed, 1, memory_order_relaxed);
    if (bound < most)
        atomic_store_explicit(&cure->bound, 2 * bound < most ? 2 * bound : most,
                              memory_order_relaxed);
    if (bad)
        atomic_compare_exchange_weak(&cure->in_vain, &bad, bad - 1);
}

/* A section that is worth it has many good waits for each that comes to nothing. */
static void count_expired(struct darn_cure *cure, uint64_t waited)
{
    uint64_t budget = IN_VAIN * 2 * (uint64_t)darn_state.options.heal_bound * 1000000;
    uint64_t bound = atomic_load_explicit(&cure->bound, memory_order_relaxed);
    uint64_t lost = atomic_fetch_add(&cure->lost, waited) + waited;
    uint64_t expired = atomic_fetch_add(&cure->expired, 1) + 1;

    if (atomic_fetch_add(&cure->in_vain, WEIGHT) + WEIGHT >= IN_VAIN * WEIGHT ||
        (lost > budget && expired * RARE > cure->healed))
        atomic_store(&cure->given_up, true);
    atomic_store_explicit(&cure->bound, bound / 2 > SHORTEST ? bound / 2 : SHORTEST,
                          memory_order_relaxed);
}

static void count_end(struct darn_cure *cure, enum end end, uint64_t waited)
{
    uint64_t longest = atomic_load_explicit(&cure->longest, memory_order_relaxed);

    atomic_fetch_add_explicit(&cure->waited, waited, memory_order_relaxed);
    while (waited > longest && !atomic_compare_exchange_weak(&cure->longest, &longest, waited)) {
    }
    if (end == GO_ON)
        count_good(cure);
    else if (end == GIVE_UP_BOUND)
        count_expired(cure, waited);
    else if (end == GIVE_UP_CIRCLE)
        atomic_fetch_add(&cure->cycles, 1);
}

struct waiting {
    struct darn_hold *hold;
    struct darn_thread *thread;
    struct darn_cure *cure; /* of the one who is waited for, or else our own */
    uint64_t since, bound;
    uint64_t run;  /* how long its thread had run then */
    uint64_t from; /* when the hold that is in the way now was first seen there */
    const struct darn_hold *now;
    uint32_t serial;
    uint32_t glances;
    struct lingering lingering;
};

/* Whoever waits for a condition or at a barrier inside of a section may wait for those who it keeps
 * out: which thread will come is not known. */
static bool waits_for_anybody(const struct darn_thread *thread)
{
    struct darn_wait wait;

    return darn_wait_read(&thread->wait, &wait) &&
           (wait.kind == DARN_WAIT_COND || wait.kind == DARN_WAIT_BARRIER);
}

/* Whether the thread could go on, and only had no processor: on a busy machine. The kernel knows
 * that best: one that was woken at a barrier, or is about to see that it waits in a circle, says
 * that it waits until it runs again. */
static bool is_held_up(struct waiting *waiting, const struct darn_clash *clash)
{
    struct darn_thread *thread = clash->healer->thread;
    uint64_t run = darn_os_thread_time(thread->tid);
    struct darn_wait wait;
    int call;

    if (run == UINT64_MAX || run - waiting->run > waiting->bound / 2)
        return false;
    call = darn_os_syscall_of(thread->tid);
    return call == DARN_OS_RUNS ||
           (call == DARN_OS_UNKNOWN && !darn_wait_read(&thread->wait, &wait));
}

/*
 * The bound is for one hold that does not end. Many threads that take turns may need longer in all,
 * but not for ever.
 */
static bool is_too_long(struct waiting *waiting, const struct darn_clash *clash, uint64_t time)
{
    uint64_t bound = waiting->bound;

    if (bound > HOPELESS && waits_for_anybody(clash->healer->thread))
        bound = HOPELESS;
    if (waiting->now != clash->hold || waiting->serial != clash->serial) {
        waiting->now = clash->hold;
        waiting->serial = clash->serial;
        waiting->from = time;
        waiting->run = darn_os_thread_time(clash->healer->thread->tid);
    }
    if (time > waiting->since + IN_ALL * waiting->bound)
        return true;
    return time > waiting->from + bound && darn_hold_stands(clash) && !is_held_up(waiting, clash);
}

/* The thread's own end of waiting, which is no fault of the cure. */
static bool is_late(const struct darn_hold *hold, uint64_t time)
{
    return hold->until && time >= hold->until;
}

static uint64_t slice_of(const struct darn_hold *hold, uint64_t time)
{
    return hold->until && hold->until - time < SLICE ? hold->until - time : SLICE;
}

/* One look at what stands in the way, and a pause. */
static enum end wait_once(struct waiting *waiting, const struct darn_clash *clash)
{
    uint64_t time;

    if (waiting->glances++ < GLANCES) {
        __builtin_ia32_pause();
        if (waiting->glances % 64 == 0)
            darn_os_yield();
        return GO_ON;
    }
    darn_wait_redirect(waiting->thread, clash->healer->thread);
    if (is_circle(waiting->thread, clash->healer->thread) && darn_hold_stands(clash))
        return GIVE_UP_CIRCLE;
    time = darn_os_now();
    if (is_late(waiting->hold, time))
        return GIVE_UP_LATE;
    if (is_too_long(waiting, clash, time))
        return GIVE_UP_BOUND;
    if (clash->lingers && has_run_on(&waiting->lingering, clash))
        darn_hold_pass(clash);
    else
        darn_hold_await(clash, slice_of(waiting->hold, time), time > waiting->since + HUNGRY);
    return GO_ON;
}

static enum end wait_freely(struct waiting *waiting, struct darn_clash *clash)
{
    enum end end = GO_ON;

    do {
        end = wait_once(waiting, clash);
        darn_wait_redirect(waiting->thread, NULL); /* who has got it must not seem to wait */
    } while (end == GO_ON && !darn_hold_try(waiting->hold, clash));
    if (end == GIVE_UP_BOUND)
        darn_hold_expire(clash);
    return end;
}

static bool is_enabled(void *hold)
{
    return darn_hold_is_enabled(hold);
}

void darn_hold_unwait(struct darn_thread *thread)
{
    if (thread->wait.kind == DARN_WAIT_HEAL)
        darn_wait_end(thread);
    if (thread->slot && thread->slot->ready == is_enabled)
        thread->slot->ready = NULL;
}

/* In a controlled run it is a step that is enabled when the other one has left. The bound is one
 * of virtual time, which goes on when nobody else can: the one for all turns that others take,
 * since their sleeps take no time. */
static bool wait_controlled(struct waiting *waiting, struct darn_slot *slot, const void *frame)
{
    struct darn_clash clash;

    do {
        uint64_t bound = darn_vtime_now() + IN_ALL * waiting->bound, until = waiting->hold->until;

        if (!darn_turn_call(slot, waiting->hold, is_enabled, waiting->hold,
                            until && until < bound ? until : bound, frame)) {
            if (!is_late(waiting->hold, darn_vtime_now()))
                atomic_fetch_add(&waiting->cure->expired, 1);
            return false;
        }
    } while (!darn_hold_try(waiting->hold, &clash));
    return true;
}

static bool wait_for(struct darn_hold *hold, struct darn_clash *clash, const void *frame)
{
    struct darn_thread *thread = hold->healer->thread;
    struct darn_cure *cure = clash->cure ? clash->cure : hold->cure;
    struct darn_slot *slot = darn_turn_mine(thread);
    struct darn_wait before = thread->wait;
    struct waiting waiting = {.hold = hold, .thread = thread, .cure = cure};
    enum end end;

    if (!cure) /* two single accesses: neither harms the other */
        return false;
    if (atomic_load_explicit(&cure->given_up, memory_order_relaxed))
        return false;
    waiting.bound = atomic_load_explicit(&cure->bound, memory_order_relaxed);
    waiting.since = darn_os_now();
    if (slot)
        return wait_controlled(&waiting, slot, frame);
    darn_heal_show(thread);
    darn_wait_begin(thread, DARN_WAIT_HEAL, NULL, frame);
    end = wait_freely(&waiting, clash);
    darn_wait_return(thread, &before);
    count_end(cure, end, darn_os_now() - waiting.since);
    return end == GO_ON;
}

/* Not each time: to wake somebody takes longer than many sections do. */
static void give_way(struct darn_healer *healer)
{
    uint64_t time = darn_os_now();

    if (time < healer->gave_way + OWN_TIME)
        return;
    darn_os_sleep(POLITE);
    healer->gave_way = darn_os_now();
}

/* Gives way to one who is inside, for a while: its section may be over by then. */
static void meet_softly(struct darn_hold *hold, struct darn_clash *clash)
{
    for (uint32_t times = 0; times < YIELDS; times++) {
        darn_os_yield();
        if (darn_hold_try(hold, clash))
            return;
    }
    darn_hold_force(hold);
}

bool darn_hold_take(struct darn_hold *hold, const void *frame)
{
    struct darn_clash clash;

    if (darn_hold_is_wanted(hold) && !darn_turn_mine(hold->healer->thread))
        give_way(hold->healer);
    if (darn_hold_try(hold, &clash))
        return true;
    if (!hold->soft && !clash.soft)
        return wait_for(hold, &clash, frame);
    meet_softly(hold, &clash);
    return true;
}
