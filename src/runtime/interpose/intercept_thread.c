/* The life of threads. */
#define _GNU_SOURCE
#include <pthread.h>
#include <threads.h>
#include <time.h>

#include "runtime/control/vtime.h"
#include "runtime/heal/gates.h"
#include "runtime/interpose/attributes.h"
#include "runtime/interpose/intercept.h"
#include "runtime/order/atomics.h"
#include "runtime/order/ordering.h"
#include "runtime/os/os.h"
#include "runtime/record/record.h"
#include "runtime/state.h"
#include "runtime/thread/ids.h"
#include "runtime/thread/misuse.h"
#include "runtime/watch/sampler.h"

#define FRAME __builtin_frame_address(0)

static void record_thread(struct darn_thread *thread, enum darn_event_kind kind, uint32_t other,
                          const void *frame)
{
    struct darn_event event = {.kind = (uint8_t)kind, .target = other};

    if (darn_events_wanted() && thread)
        darn_record_event(thread, &event, NULL, frame);
}

/* `other`: which thread had the id before the join; NULL: not known. If it is another one now, it
 * may have been that one. */
static void record_join(struct darn_thread *thread, unsigned long id, const uint32_t *other,
                        bool try, const void *frame)
{
    struct darn_event event = {.kind = DARN_EVENT_JOIN, .flags = try ? DARN_EVENT_TRY : 0};
    uint32_t number;

    if (!thread)
        return;
    if (!other || !darn_id_find(id, &number) || number != *other)
        darn_order_after_all(thread); /* somebody has ended */
    if (!other || !darn_events_wanted())
        return;
    event.target = *other;
    darn_record_event(thread, &event, NULL, frame);
}

/* defined below; found before the program runs: to look for it later may wait for a thread that
 * loads a module */
static int (*real_pthread_clockjoin_np)(pthread_t thread, void **value, clockid_t clock,
                                        const struct timespec *until);

#define JOINED (-1) /* no number of an error */

/*
 * Controlled: a join that libc refuses (of a thread that was detached, of oneself) waits for
 * nobody. libc says so, and ETIMEDOUT for a thread that can be joined and has not ended. 0: wait
 * for it. JOINED: it has ended without a word, and that was the join.
 */
static int refuse_join(struct darn_thread *self, uint32_t number, pthread_t thread, void **value)
{
    static const struct timespec past;
    int result;

    if (!darn_turn_mine(self) || !darn_turn_slot_of(number))
        return 0;
    result = real_pthread_clockjoin_np(thread, value, CLOCK_MONOTONIC, &past);
    return result == ETIMEDOUT ? 0 : result ? result : JOINED;
}

/* The same, as thrd_join tells it. */
static int refuse_thrd_join(struct darn_thread *self, uint32_t number, thrd_t thread, int *value)
{
    void *ended = NULL;
    int result = refuse_join(self, number, thread, &ended);

    if (result == JOINED && value)
        *value = (int)(intptr_t)ended;
    return result == 0 || result == JOINED ? result : thrd_error;
}

/*
 * A join: `call` is the expression. Which thread it is must be known before, for afterwards its id
 * may stand for another one. `refused`: what libc says of it before anybody waits.
 */
#define JOINING(id, wait, deadline, refused, call)                                                 \
    ({                                                                                             \
        struct darn_thread *joining = darn_thread_self();                                          \
        uint32_t joined = 0;                                                                       \
        bool is_known = darn_id_find((unsigned long)(id), &joined);                                \
        int joined_in_time = is_known ? (refused) : 0;                                             \
        darn_noise_at_call(joining);                                                               \
        if (darn_turn_mine(joining) && is_known && !joined_in_time)                                \
            joined_in_time = darn_turn_join(joining->slot, joined, (deadline), FRAME);             \
        darn_wait_begin(joining, is_known ? (wait) : DARN_WAIT_OTHER,                              \
                        (const volatile void *)(uintptr_t)joined, FRAME);                          \
        int result = joined_in_time == JOINED ? 0 : joined_in_time ? joined_in_time : (call);      \
        darn_wait_end(joining);                                                                    \
        if (result == 0)                                                                           \
            record_join(joining, (unsigned long)(id), is_known ? &joined : NULL,                   \
                        (wait) != DARN_WAIT_JOIN, FRAME);                                          \
        result;                                                                                    \
    })

/* The record of a thread to be, with the stack of its creator; `argument` is what it is given. */
static struct darn_thread *prepare(const pthread_attr_t *attributes, const void *argument,
                                   const void *frame)
{
    struct darn_thread *creator = darn_thread_self();
    struct darn_thread *thread = creator ? darn_thread_new() : NULL;

    darn_order_start();
    darn_noise_at_call(creator);
    if (!thread)
        return NULL;
    thread->parent = creator->number;
    thread->has_parent = true;
    thread->stack_start = darn_attributes_stack(attributes, &thread->stack_size);
    thread->stack_end = thread->stack_start + (thread->stack_start ? thread->stack_size : 0);
    darn_stack_walk(&thread->created, creator, frame);
    darn_gate_start(creator, thread);
    darn_sampler_start();
    if (darn_turn_mine(creator)) {
        darn_turn_pass(creator->slot, DARN_STEP_CREATE, NULL, frame);
        darn_turn_add(thread);
    }
    if (darn_recording)
        darn_record_pointer(creator, 0, (uintptr_t)argument, frame);
    record_thread(creator, DARN_EVENT_FORK, thread->number, frame);
    return thread;
}

/* It could not be started. */
static void forget(struct darn_thread *thread)
{
    darn_turn_drop(thread);
    darn_gate_unborn(darn_thread_self(), thread);
    darn_thread_drop(thread);
}

/*
 * A signal must not come between the beginning of a thread and the moment when it is known: its
 * handler would be taken for a thread of its own. So threads begin with all signals blocked.
 */
static void start_thread(struct darn_thread *thread)
{
    darn_thread_start(thread);
    darn_os_restore_signals(thread->mask);
}

static void *run_pthread(void *argument)
{
    struct darn_thread *thread = argument;

    thread->top = (uintptr_t)FRAME;
    start_thread(thread);
    return thread->start.pthread(thread->argument);
}

DARN_INTERCEPT(int, pthread_create, pthread_t *id, const pthread_attr_t *attributes,
               void *(*start)(void *), void *argument)
{
    struct darn_thread *thread = prepare(attributes, argument, FRAME);
    pthread_attr_t without;
    uint32_t number;
    uint64_t mask;
    bool copied;
    int result;

    if (!thread)
        return DARN_REAL(pthread_create)(id, attributes, start, argument);
    number = thread->number;
    thread->start.pthread = start;
    thread->argument = argument;
    mask = thread->mask = darn_os_block_signals();
    copied = darn_attributes_without_signals(attributes, &without, &thread->mask);
    result = DARN_REAL(pthread_create)(id, copied ? &without : attributes, run_pthread, thread);
    if (copied)
        pthread_attr_destroy(&without);
    darn_os_restore_signals(mask);
    if (result) {
        forget(thread);
    } else {
        darn_id_name((unsigned long)*id, number);
    }
    return result;
}

static int run_c11(void *argument)
{
    struct darn_thread *thread = argument;

    thread->top = (uintptr_t)FRAME;
    start_thread(thread);
    return thread->start.c11(thread->argument);
}

DARN_INTERCEPT(int, thrd_create, thrd_t *id, thrd_start_t start, void *argument)
{
    struct darn_thread *thread = prepare(NULL, argument, FRAME);
    uint32_t number;
    uint64_t mask;
    int result;

    if (!thread)
        return DARN_REAL(thrd_create)(id, start, argument);
    number = thread->number;
    thread->start.c11 = start;
    thread->argument = argument;
    mask = thread->mask = darn_os_block_signals();
    result = DARN_REAL(thrd_create)(id, run_c11, thread);
    darn_os_restore_signals(mask);
    if (result != thrd_success) {
        forget(thread);
    } else {
        darn_id_name((unsigned long)*id, number);
    }
    return result;
}

/* Joining oneself or joining twice is libc's affair: it says so by an error, and so do we. Nor does
 * a try wait: of a thread that cannot be joined it says EBUSY. */

DARN_INTERCEPT(int, pthread_join, pthread_t thread, void **value)
{
    return JOINING(thread, DARN_WAIT_JOIN, DARN_NO_DEADLINE,
                   refuse_join(joining, joined, thread, value),
                   DARN_REAL(pthread_join)(thread, value));
}

DARN_INTERCEPT(int, pthread_tryjoin_np, pthread_t thread, void **value)
{
    int tried =
        JOINING(thread, DARN_WAIT_OTHER, 0, 0, DARN_REAL(pthread_tryjoin_np)(thread, value));

    return tried == ETIMEDOUT ? EBUSY : tried;
}

DARN_INTERCEPT(int, pthread_timedjoin_np, pthread_t thread, void **value,
               const struct timespec *until)
{
    return JOINING(thread, DARN_WAIT_OTHER, darn_vtime_of(CLOCK_REALTIME, until),
                   refuse_join(joining, joined, thread, value),
                   DARN_REAL(pthread_timedjoin_np)(thread, value, until));
}

DARN_INTERCEPT(int, pthread_clockjoin_np, pthread_t thread, void **value, clockid_t clock,
               const struct timespec *until)
{
    return JOINING(thread, DARN_WAIT_OTHER, darn_vtime_of(clock, until),
                   refuse_join(joining, joined, thread, value),
                   DARN_REAL(pthread_clockjoin_np)(thread, value, clock, until));
}

DARN_INTERCEPT(int, thrd_join, thrd_t thread, int *value)
{
    return JOINING(thread, DARN_WAIT_JOIN, DARN_NO_DEADLINE,
                   refuse_thrd_join(joining, joined, thread, value),
                   DARN_REAL(thrd_join)(thread, value));
}

DARN_INTERCEPT(int, pthread_detach, pthread_t thread)
{
    struct darn_thread *self = darn_thread_self();

    darn_noise_at_call(self);
    if (darn_turn_mine(self))
        darn_turn_pass(self->slot, DARN_STEP_DETACH, NULL, FRAME);
    return DARN_REAL(pthread_detach)(thread);
}

DARN_INTERCEPT(int, thrd_detach, thrd_t thread)
{
    struct darn_thread *self = darn_thread_self();

    darn_noise_at_call(self);
    if (darn_turn_mine(self))
        darn_turn_pass(self->slot, DARN_STEP_DETACH, NULL, FRAME);
    return DARN_REAL(thrd_detach)(thread);
}

DARN_INTERCEPT(int, pthread_cancel, pthread_t thread)
{
    struct darn_thread *self = darn_thread_self();
    uint32_t number;
    bool is_known = darn_id_find((unsigned long)thread, &number);

    darn_noise_at_call(self);
    darn_misuse_cancel();
    if (is_known)
        darn_order_cancel(self, number);
    if (darn_turn_mine(self) && is_known)
        darn_turn_cancel(self->slot, number, FRAME);
    return DARN_REAL(pthread_cancel)(thread);
}

/* Both unwind the stack and end in the destructor of our key (thread.c). */

DARN_INTERCEPT(void, pthread_exit, void *value)
{
    darn_noise_at_call(darn_thread_self());
    DARN_REAL(pthread_exit)(value);
    __builtin_unreachable();
}

DARN_INTERCEPT(void, thrd_exit, int value)
{
    darn_noise_at_call(darn_thread_self());
    DARN_REAL(thrd_exit)(value);
    __builtin_unreachable();
}

DARN_INTERCEPT(void, thrd_yield, void)
{
    struct darn_thread *thread = darn_thread_self();

    darn_noise_at_call(thread);
    if (darn_turn_mine(thread))
        darn_turn_yield(thread->slot, FRAME);
    else
        DARN_REAL(thrd_yield)();
}

/* libstdc++, for std::promise::set_value_at_thread_exit and its kin: the thread will give the value
 * away when its destructors have run, by an atomic store that is not seen. */
DARN_INTERCEPT(void, _ZNSt13__future_base13_State_baseV211_Make_ready6_M_setEv, void *ready)
{
    darn_atomics_outside(darn_thread_self());
    DARN_REAL(_ZNSt13__future_base13_State_baseV211_Make_ready6_M_setEv)(ready);
}
