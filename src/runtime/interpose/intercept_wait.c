/* Condition variables, barriers, semaphores and once: threads that wait for each other. */
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <threads.h>
#include <time.h>

#include "runtime/control/outsiders.h"
#include "runtime/control/vtime.h"
#include "runtime/heal/gates.h"
#include "runtime/heal/heal_closed.h"
#include "runtime/interpose/intercept.h"
#include "runtime/os/glibc.h"
#include "runtime/record/record.h"
#include "runtime/state.h"
#include "runtime/thread/waits.h"
#include "runtime/watch/sampler.h"

#define FRAME __builtin_frame_address(0)

/*
 * A wait gives the mutex back and takes it again. Nothing changes in the list of locks held but for
 * the deadlock detector: nobody else looks at it meanwhile. In a trace both are events, and in this
 * order: before the mutex is really given back, and after it is really ours again.
 */
static void begin_wait(struct darn_thread *thread, const volatile void *cond,
                       const volatile void *mutex, enum darn_wait_kind kind, const void *frame)
{
    struct darn_event event = {
        .kind = DARN_EVENT_WAIT, .target = (uintptr_t)cond, .extra = (uintptr_t)mutex};

    if (!thread)
        return;
    darn_noise_at_call(thread);
    darn_heal_waits(thread);
    if (kind != DARN_WAIT_COND)
        event.flags = DARN_EVENT_TRY;
    if (darn_recording) {
        darn_record_event(thread, &event, thread->wait_site, frame);
        darn_record(thread, DARN_EVENT_RELEASE, mutex, NULL, 0, frame);
    }
    thread->wait_site = NULL;
    __atomic_store_n(&thread->waits_with, (uintptr_t)mutex, __ATOMIC_RELEASE);
    darn_gate_wait(thread, mutex, true);
    darn_wait_begin(thread, kind, cond, frame);
    /* Whoever is alone waits in vain, unless another process signals it: nothing is started then.
     */
    if (kind == DARN_WAIT_COND && !darn_cond_is_shared((const pthread_cond_t *)(uintptr_t)cond))
        darn_sampler_start();
}

/* The mutex may have been closed while the thread was waiting: then the wait takes longer. */
static int reopen(struct darn_thread *thread, const volatile void *mutex, int result,
                  bool timed_out, const void *frame)
{
    int again = 0;

    if (result == 0 || timed_out)
        again = darn_mutex_reopen(thread, (pthread_mutex_t *)(uintptr_t)mutex, frame);
    return again ? again : result;
}

/* The same in a controlled run, where all of the wait is ours. */
static int play_wait(struct darn_thread *thread, pthread_cond_t *cond, pthread_mutex_t *mutex,
                     uint64_t deadline, const void *frame)
{
    int result = darn_turn_cond_wait(thread->slot, cond, mutex, deadline, frame);

    return reopen(thread, mutex, result, result == ETIMEDOUT, frame);
}

static int end_wait(struct darn_thread *thread, const volatile void *cond,
                    const volatile void *mutex, int result, bool timed_out, const void *frame)
{
    darn_wait_end(thread);
    if (!thread)
        return result;
    result = reopen(thread, mutex, result, timed_out, frame);
    __atomic_store_n(&thread->waits_with, 0, __ATOMIC_RELEASE);
    darn_gate_wait(thread, mutex, false);
    darn_record(thread, DARN_EVENT_ACQUIRE, mutex, NULL, 0, frame);
    darn_record(thread, DARN_EVENT_WAKE, cond, mutex, timed_out ? DARN_EVENT_TIMEOUT : 0, frame);
    return result;
}

DARN_INTERCEPT_OFTEN(int, pthread_cond_wait, pthread_cond_t *cond, pthread_mutex_t *mutex)
{
    struct darn_thread *thread = darn_thread_self();

    if (darn_turn_mine(thread))
        return play_wait(thread, cond, mutex, DARN_NO_DEADLINE, FRAME);
    begin_wait(thread, cond, mutex, DARN_WAIT_COND, FRAME);
    return end_wait(thread, cond, mutex, DARN_REAL(pthread_cond_wait)(cond, mutex), false, FRAME);
}

DARN_INTERCEPT_OFTEN(int, pthread_cond_timedwait, pthread_cond_t *cond, pthread_mutex_t *mutex,
                     const struct timespec *until)
{
    struct darn_thread *thread = darn_thread_self();
    int result;

    if (darn_turn_mine(thread))
        return play_wait(thread, cond, mutex, darn_vtime_of(darn_cond_clock(cond), until), FRAME);
    begin_wait(thread, cond, mutex, DARN_WAIT_OTHER, FRAME);
    result = DARN_REAL(pthread_cond_timedwait)(cond, mutex, until);
    return end_wait(thread, cond, mutex, result, result == ETIMEDOUT, FRAME);
}

DARN_INTERCEPT_OFTEN(int, pthread_cond_clockwait, pthread_cond_t *cond, pthread_mutex_t *mutex,
                     clockid_t clock, const struct timespec *until)
{
    struct darn_thread *thread = darn_thread_self();
    int result;

    if (darn_turn_mine(thread))
        return play_wait(thread, cond, mutex, darn_vtime_of(clock, until), FRAME);
    begin_wait(thread, cond, mutex, DARN_WAIT_OTHER, FRAME);
    result = DARN_REAL(pthread_cond_clockwait)(cond, mutex, clock, until);
    return end_wait(thread, cond, mutex, result, result == ETIMEDOUT, FRAME);
}

/* A call that lets others go: the event comes first. */
static struct darn_thread *before_call(enum darn_event_kind kind, const volatile void *target,
                                       const void *frame)
{
    struct darn_thread *thread = darn_thread_self();

    darn_noise_at_call(thread);
    darn_record(thread, kind, target, NULL, 0, frame);
    return thread;
}

/* Whether the one who signals is controlled. One who is not tells those who are, then libc. */
static bool is_played(const struct darn_thread *thread, const volatile void *cond)
{
    if (darn_turn_mine(thread))
        return true;
    if (darn_turns && !(thread && thread->slot))
        darn_outsiders_wake(cond);
    return false;
}

DARN_INTERCEPT_OFTEN(int, pthread_cond_signal, pthread_cond_t *cond)
{
    struct darn_thread *thread = before_call(DARN_EVENT_SIGNAL, cond, FRAME);

    if (is_played(thread, cond)) {
        darn_turn_cond_wake(thread->slot, cond, false, FRAME);
        if (!darn_cond_is_shared(cond))
            return 0;
    }
    return DARN_REAL(pthread_cond_signal)(cond);
}

DARN_INTERCEPT_OFTEN(int, pthread_cond_broadcast, pthread_cond_t *cond)
{
    struct darn_thread *thread = before_call(DARN_EVENT_BROADCAST, cond, FRAME);

    if (is_played(thread, cond)) {
        darn_turn_cond_wake(thread->slot, cond, true, FRAME);
        if (!darn_cond_is_shared(cond))
            return 0;
    }
    return DARN_REAL(pthread_cond_broadcast)(cond);
}

DARN_INTERCEPT_OFTEN(int, cnd_wait, cnd_t *cond, mtx_t *mutex)
{
    struct darn_thread *thread = darn_thread_self();

    if (darn_turn_mine(thread))
        return play_wait(thread, (pthread_cond_t *)cond, (pthread_mutex_t *)mutex, DARN_NO_DEADLINE,
                         FRAME)
                   ? thrd_error
                   : thrd_success;
    begin_wait(thread, cond, mutex, DARN_WAIT_COND, FRAME);
    return end_wait(thread, cond, mutex, DARN_REAL(cnd_wait)(cond, mutex), false, FRAME);
}

DARN_INTERCEPT(int, cnd_timedwait, cnd_t *cond, mtx_t *mutex, const struct timespec *until)
{
    struct darn_thread *thread = darn_thread_self();
    int result;

    if (darn_turn_mine(thread)) {
        result = play_wait(thread, (pthread_cond_t *)cond, (pthread_mutex_t *)mutex,
                           darn_vtime_of(CLOCK_REALTIME, until), FRAME);
        return result == ETIMEDOUT ? thrd_timedout : result ? thrd_error : thrd_success;
    }
    begin_wait(thread, cond, mutex, DARN_WAIT_OTHER, FRAME);
    result = DARN_REAL(cnd_timedwait)(cond, mutex, until);
    return end_wait(thread, cond, mutex, result, result == thrd_timedout, FRAME);
}

DARN_INTERCEPT_OFTEN(int, cnd_signal, cnd_t *cond)
{
    struct darn_thread *thread = before_call(DARN_EVENT_SIGNAL, cond, FRAME);

    if (is_played(thread, cond)) {
        darn_turn_cond_wake(thread->slot, (pthread_cond_t *)cond, false, FRAME);
        return thrd_success;
    }
    return DARN_REAL(cnd_signal)(cond);
}

DARN_INTERCEPT_OFTEN(int, cnd_broadcast, cnd_t *cond)
{
    struct darn_thread *thread = before_call(DARN_EVENT_BROADCAST, cond, FRAME);

    if (is_played(thread, cond)) {
        darn_turn_cond_wake(thread->slot, (pthread_cond_t *)cond, true, FRAME);
        return thrd_success;
    }
    return DARN_REAL(cnd_broadcast)(cond);
}

DARN_INTERCEPT(int, pthread_barrier_init, pthread_barrier_t *barrier,
               const pthread_barrierattr_t *attributes, unsigned count)
{
    int result = DARN_REAL(pthread_barrier_init)(barrier, attributes, count);
    int shared = PTHREAD_PROCESS_PRIVATE;

    if (attributes)
        pthread_barrierattr_getpshared(attributes, &shared);
    if (result == 0 && darn_state.mode == DARN_MODE_CONTROL)
        darn_turn_barrier_init(barrier, shared == PTHREAD_PROCESS_PRIVATE ? count : 0);
    return result;
}

DARN_INTERCEPT_OFTEN(int, pthread_barrier_wait, pthread_barrier_t *barrier)
{
    struct darn_thread *thread = before_call(DARN_EVENT_ARRIVE, barrier, FRAME);
    int result;

    if (darn_turn_mine(thread)) {
        if (darn_turn_plays_barrier(barrier))
            return darn_turn_barrier_wait(thread->slot, barrier, FRAME);
        return DARN_WAITING(DARN_REAL(pthread_barrier_wait)(barrier));
    }
    darn_wait_begin(thread, DARN_WAIT_BARRIER, barrier, FRAME);
    result = DARN_REAL(pthread_barrier_wait)(barrier);
    darn_wait_end(thread);
    darn_record(thread, DARN_EVENT_DEPART, barrier, NULL, 0, FRAME);
    return result;
}

/*
 * The function that runs once is the program's own: it is no wait. What it did is sent when it has
 * ended, before any other thread may return; so it is called by us.
 */
static __thread void (*once_run)(void) __attribute__((tls_model("initial-exec")));
static __thread const volatile void *once_of __attribute__((tls_model("initial-exec")));

static void run_once(void)
{
    const volatile void *once = once_of;

    once_run();
    darn_record(darn_thread_self(), DARN_EVENT_SEND, once, NULL, 0, FRAME);
}

/* A function that ends by an exception or a cancellation has not run: the next one tries. */
static void end_once(volatile void **once)
{
    darn_turn_once_end(*once);
}

DARN_INTERCEPT_OFTEN(int, pthread_once, pthread_once_t *once, void (*run)(void))
{
    struct darn_thread *thread = darn_thread_self();
    int result;

    darn_noise_at_call(thread);
    if (darn_turn_mine(thread)) {
        volatile void *running __attribute__((cleanup(end_once), unused)) = once;

        darn_turn_once_begin(thread->slot, once, FRAME);
        return DARN_REAL(pthread_once)(once, run);
    }
    if (!darn_recording)
        return DARN_REAL(pthread_once)(once, run);
    once_run = run;
    once_of = once;
    result = DARN_REAL(pthread_once)(once, run_once);
    darn_record(thread, DARN_EVENT_RECEIVE, once, NULL, 0, FRAME);
    return result;
}

DARN_INTERCEPT(void, call_once, once_flag *once, void (*run)(void))
{
    struct darn_thread *thread = darn_thread_self();

    darn_noise_at_call(thread);
    if (darn_turn_mine(thread)) {
        volatile void *running __attribute__((cleanup(end_once), unused)) = once;

        darn_turn_once_begin(thread->slot, once, FRAME);
        DARN_REAL(call_once)(once, run);
        return;
    }
    if (!darn_recording) {
        DARN_REAL(call_once)(once, run);
        return;
    }
    once_run = run;
    once_of = once;
    DARN_REAL(call_once)(once, run_once);
    darn_record(thread, DARN_EVENT_RECEIVE, once, NULL, 0, FRAME);
}

/* After a semaphore was taken. */
static int took(struct darn_thread *thread, sem_t *semaphore, int result, const void *frame)
{
    if (result == 0)
        darn_record(thread, DARN_EVENT_TAKE, semaphore, NULL, 0, frame);
    return result;
}

DARN_INTERCEPT_OFTEN(int, sem_wait, sem_t *semaphore)
{
    struct darn_thread *thread = darn_thread_self();

    if (darn_turn_mine(thread))
        return took(thread, semaphore,
                    darn_turn_sem_wait(thread->slot, semaphore, DARN_NO_DEADLINE, FRAME), FRAME);
    return took(thread, semaphore, DARN_WAITING(DARN_REAL(sem_wait)(semaphore)), FRAME);
}

DARN_INTERCEPT_OFTEN(int, sem_trywait, sem_t *semaphore)
{
    struct darn_thread *thread = darn_thread_self();

    darn_noise_at_call(thread);
    if (darn_turn_mine(thread)) {
        int result;

        darn_turn_pass(thread->slot, DARN_STEP_TRYLOCK, semaphore, FRAME);
        result = DARN_REAL(sem_trywait)(semaphore);
        thread->slot->yielded = result != 0;
        return result;
    }
    return took(thread, semaphore, DARN_REAL(sem_trywait)(semaphore), FRAME);
}

DARN_INTERCEPT(int, sem_timedwait, sem_t *semaphore, const struct timespec *until)
{
    struct darn_thread *thread = darn_thread_self();

    if (darn_turn_mine(thread))
        return took(thread, semaphore,
                    darn_turn_sem_wait(thread->slot, semaphore,
                                       darn_vtime_of(CLOCK_REALTIME, until), FRAME),
                    FRAME);
    return took(thread, semaphore, DARN_WAITING(DARN_REAL(sem_timedwait)(semaphore, until)), FRAME);
}

DARN_INTERCEPT(int, sem_clockwait, sem_t *semaphore, clockid_t clock, const struct timespec *until)
{
    struct darn_thread *thread = darn_thread_self();

    if (darn_turn_mine(thread))
        return took(thread, semaphore,
                    darn_turn_sem_wait(thread->slot, semaphore, darn_vtime_of(clock, until), FRAME),
                    FRAME);
    return took(thread, semaphore, DARN_WAITING(DARN_REAL(sem_clockwait)(semaphore, clock, until)),
                FRAME);
}

DARN_INTERCEPT_OFTEN(int, sem_post, sem_t *semaphore)
{
    struct darn_thread *thread = before_call(DARN_EVENT_POST, semaphore, FRAME);

    if (darn_turn_mine(thread)) {
        int result;

        darn_turn_pass(thread->slot, DARN_STEP_POST, semaphore, FRAME);
        result = DARN_REAL(sem_post)(semaphore);
        darn_turn_changed(thread->slot->target);
        return result;
    }
    return DARN_REAL(sem_post)(semaphore);
}
