/* The life of threads. */
#define _GNU_SOURCE
#include <pthread.h>
#include <threads.h>
#include <time.h>

#include "runtime/intercept.h"
#include "runtime/record.h"
#include "runtime/sampler.h"
#include "runtime/state.h"
#include "runtime/vtime.h"

#define FRAME __builtin_frame_address(0)

static void record_thread(struct darn_thread *thread, enum darn_event_kind kind, uint32_t other,
                          const void *frame)
{
    struct darn_event event = {.kind = (uint8_t)kind, .target = other};

    if (darn_recording && thread)
        darn_record_event(thread, &event, NULL, frame);
}

static void record_join(struct darn_thread *thread, uint32_t other, bool try, const void *frame)
{
    struct darn_event event = {
        .kind = DARN_EVENT_JOIN, .target = other, .flags = try ? DARN_EVENT_TRY : 0};

    if (darn_recording && thread)
        darn_record_event(thread, &event, NULL, frame);
}

/*
 * A join: `call` is the expression. Which thread it is must be known before, for afterwards its id
 * may stand for another one.
 */
#define JOINING(id, wait, deadline, call)                                                          \
    ({                                                                                             \
        struct darn_thread *joining = darn_thread_self();                                          \
        uint32_t joined = 0;                                                                       \
        bool is_known = darn_thread_of_id((unsigned long)(id), &joined);                           \
        int joined_in_time = 0;                                                                    \
        darn_noise_at_call(joining);                                                               \
        if (darn_turn_mine(joining) && is_known)                                                   \
            joined_in_time = darn_turn_join(joining->slot, joined, (deadline), FRAME);             \
        darn_wait_begin(joining, is_known ? (wait) : DARN_WAIT_OTHER,                              \
                        (const volatile void *)(uintptr_t)joined, FRAME);                          \
        int result = joined_in_time ? joined_in_time : (call);                                     \
        darn_wait_end(joining);                                                                    \
        if (result == 0 && is_known)                                                               \
            record_join(joining, joined, (wait) != DARN_WAIT_JOIN, FRAME);                         \
        result;                                                                                    \
    })

/*
 * Where the stack of the thread will be, as far as its creator knows it. The thread could ask libc
 * (pthread_getattr_np), but that allocates: each thread would get an arena of the heap, and 64 MB
 * of addresses, which a program may not have (ulimit -v).
 */
static void prepare_stack(struct darn_thread *thread, const pthread_attr_t *attributes)
{
    pthread_attr_t usual;
    void *start = NULL;
    size_t size = 0;

    if (attributes && pthread_attr_getstack(attributes, &start, &size) == 0 &&
        (uintptr_t)start + size) { /* else there is none: libc computes the start from NULL */
        thread->stack_start = (uintptr_t)start;
        thread->stack_end = (uintptr_t)start + size;
        return;
    }
    if (attributes) {
        (void)pthread_attr_getstacksize(attributes, &thread->stack_size);
    } else if (pthread_attr_init(&usual) == 0) {
        (void)pthread_attr_getstacksize(&usual, &thread->stack_size);
        pthread_attr_destroy(&usual);
    }
}

/* The record of a thread to be, with the stack of its creator; `argument` is what it is given. */
static struct darn_thread *prepare(const pthread_attr_t *attributes, const void *argument,
                                   const void *frame)
{
    struct darn_thread *creator = darn_thread_self();
    struct darn_thread *thread = creator ? darn_thread_new() : NULL;

    darn_noise_at_call(creator);
    if (!thread)
        return NULL;
    thread->parent = creator->number;
    thread->has_parent = true;
    prepare_stack(thread, attributes);
    darn_stack_walk(&thread->created, creator, frame);
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

static void *run_pthread(void *argument)
{
    struct darn_thread *thread = argument;

    darn_thread_start(thread);
    return thread->start.pthread(thread->argument);
}

DARN_INTERCEPT(int, pthread_create, pthread_t *id, const pthread_attr_t *attributes,
               void *(*start)(void *), void *argument)
{
    struct darn_thread *thread = prepare(attributes, argument, FRAME);
    uint32_t number;
    int result;

    if (!thread)
        return DARN_REAL(pthread_create)(id, attributes, start, argument);
    number = thread->number;
    thread->start.pthread = start;
    thread->argument = argument;
    result = DARN_REAL(pthread_create)(id, attributes, run_pthread, thread);
    if (result) {
        darn_turn_drop(thread);
        darn_thread_drop(thread);
    } else {
        darn_thread_name_id((unsigned long)*id, number);
    }
    return result;
}

static int run_c11(void *argument)
{
    struct darn_thread *thread = argument;

    darn_thread_start(thread);
    return thread->start.c11(thread->argument);
}

DARN_INTERCEPT(int, thrd_create, thrd_t *id, thrd_start_t start, void *argument)
{
    struct darn_thread *thread = prepare(NULL, argument, FRAME);
    uint32_t number;
    int result;

    if (!thread)
        return DARN_REAL(thrd_create)(id, start, argument);
    number = thread->number;
    thread->start.c11 = start;
    thread->argument = argument;
    result = DARN_REAL(thrd_create)(id, run_c11, thread);
    if (result != thrd_success) {
        darn_turn_drop(thread);
        darn_thread_drop(thread);
    } else {
        darn_thread_name_id((unsigned long)*id, number);
    }
    return result;
}

/* Joining oneself or joining twice is libc's affair: it says so by an error, and so do we. */

DARN_INTERCEPT(int, pthread_join, pthread_t thread, void **value)
{
    return JOINING(thread, DARN_WAIT_JOIN, DARN_NO_DEADLINE,
                   DARN_REAL(pthread_join)(thread, value));
}

DARN_INTERCEPT(int, pthread_tryjoin_np, pthread_t thread, void **value)
{
    int tried = JOINING(thread, DARN_WAIT_OTHER, 0, DARN_REAL(pthread_tryjoin_np)(thread, value));

    return tried == ETIMEDOUT ? EBUSY : tried;
}

DARN_INTERCEPT(int, pthread_timedjoin_np, pthread_t thread, void **value,
               const struct timespec *until)
{
    return JOINING(thread, DARN_WAIT_OTHER, darn_vtime_of(CLOCK_REALTIME, until),
                   DARN_REAL(pthread_timedjoin_np)(thread, value, until));
}

DARN_INTERCEPT(int, pthread_clockjoin_np, pthread_t thread, void **value, clockid_t clock,
               const struct timespec *until)
{
    return JOINING(thread, DARN_WAIT_OTHER, darn_vtime_of(clock, until),
                   DARN_REAL(pthread_clockjoin_np)(thread, value, clock, until));
}

DARN_INTERCEPT(int, thrd_join, thrd_t thread, int *value)
{
    return JOINING(thread, DARN_WAIT_JOIN, DARN_NO_DEADLINE, DARN_REAL(thrd_join)(thread, value));
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

    darn_noise_at_call(self);
    if (darn_turn_mine(self) && darn_thread_of_id((unsigned long)thread, &number))
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
