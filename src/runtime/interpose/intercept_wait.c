/* Condition variables, barriers, semaphores and once: threads that wait for each other. */
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <threads.h>
#include <time.h>

#include "runtime/control/outsiders.h"
#include "runtime/coverage/covering.h"
#include "runtime/control/vtime.h"
#include "runtime/heal/heal_closed.h"
#include "runtime/interpose/intercept.h"
#include "runtime/interpose/lockops.h"
#include "runtime/order/barriers.h"
#include "runtime/os/glibc.h"
#include "runtime/record/record.h"
#include "runtime/state.h"
#include "runtime/thread/misuse.h"
#include "runtime/thread/waits.h"
#include "runtime/watch/sampler.h"

#define FRAME __builtin_frame_address(0)

static void begin_wait(struct darn_thread *thread, pthread_cond_t *cond, pthread_mutex_t *mutex,
                       bool is_limited, const void *frame)
{
    struct darn_event event = {.kind = DARN_EVENT_WAIT,
                               .target = (uintptr_t)cond,
                               .extra = (uintptr_t)mutex,
                               .flags = is_limited ? DARN_EVENT_TRY : 0};

    darn_noise_at_call(thread);
    darn_heal_waits(thread);
    if (darn_events_wanted())
        darn_record_event(thread, &event, thread->wait_site, frame);
    thread->wait_site = NULL;
    darn_lock_lend(thread, mutex, frame);
    darn_signals_wait(thread, cond);
    darn_wait_begin(thread, is_limited ? DARN_WAIT_OTHER : DARN_WAIT_COND, cond, frame);
    /* Whoever is alone waits in vain, unless another process signals it: nothing is started then.
     */
    if (!is_limited && !darn_cond_is_shared(cond))
        darn_sampler_start();
}

static int end_wait(struct darn_thread *thread, pthread_cond_t *cond, pthread_mutex_t *mutex,
                    int result, const void *frame)
{
    unsigned flags = result == ETIMEDOUT ? DARN_EVENT_TIMEOUT : 0;

    darn_wait_end(thread);
    result = darn_lock_regain(thread, mutex, result, frame);
    darn_record(thread, DARN_EVENT_WAKE, cond, mutex, flags, frame);
    if (result == 0 || result == ETIMEDOUT)
        darn_coverage_wake(result == ETIMEDOUT, frame);
    return result;
}

/* The same in a controlled run, where all of the wait is ours. */
static int play_wait(struct darn_thread *thread, pthread_cond_t *cond, pthread_mutex_t *mutex,
                     const struct darn_limit *limit, const void *frame)
{
    int result = darn_turn_cond_wait(thread->slot, cond, mutex, &darn_mutexes,
                                     darn_turn_deadline(limit), frame);

    return darn_lock_regain_open(thread, mutex, result, frame);
}

static int real_wait(pthread_cond_t *cond, pthread_mutex_t *mutex, const struct darn_limit *limit);

/* `limit`: until when; NULL: without an end. C11's are pthread's. */
static int wait_for(pthread_cond_t *cond, pthread_mutex_t *mutex, const struct darn_limit *limit,
                    const void *frame)
{
    struct darn_thread *thread = darn_thread_self();

    if (darn_turn_mine(thread))
        return play_wait(thread, cond, mutex, limit, frame);
    if (!thread)
        return real_wait(cond, mutex, limit);
    begin_wait(thread, cond, mutex, limit, frame);
    return end_wait(thread, cond, mutex, real_wait(cond, mutex, limit), frame);
}

DARN_INTERCEPT_OFTEN(int, pthread_cond_wait, pthread_cond_t *cond, pthread_mutex_t *mutex)
{
    return wait_for(cond, mutex, NULL, FRAME);
}

DARN_INTERCEPT_OFTEN(int, pthread_cond_timedwait, pthread_cond_t *cond, pthread_mutex_t *mutex,
                     const struct timespec *until)
{
    return wait_for(cond, mutex, &(struct darn_limit){darn_cond_clock(cond), until}, FRAME);
}

DARN_INTERCEPT_OFTEN(int, pthread_cond_clockwait, pthread_cond_t *cond, pthread_mutex_t *mutex,
                     clockid_t clock, const struct timespec *until)
{
    return wait_for(cond, mutex, &(struct darn_limit){clock, until}, FRAME);
}

DARN_INTERCEPT_OFTEN(int, cnd_wait, cnd_t *cond, mtx_t *mutex)
{
    return darn_thrd_result(
        wait_for((pthread_cond_t *)cond, (pthread_mutex_t *)mutex, NULL, FRAME));
}

DARN_INTERCEPT(int, cnd_timedwait, cnd_t *cond, mtx_t *mutex, const struct timespec *until)
{
    return darn_thrd_result(wait_for((pthread_cond_t *)cond, (pthread_mutex_t *)mutex,
                                     &(struct darn_limit){CLOCK_REALTIME, until}, FRAME));
}

static int real_wait(pthread_cond_t *cond, pthread_mutex_t *mutex, const struct darn_limit *limit)
{
    if (!limit)
        return DARN_REAL(pthread_cond_wait)(cond, mutex);
    if (limit->clock == darn_cond_clock(cond))
        return DARN_REAL(pthread_cond_timedwait)(cond, mutex, limit->until);
    return DARN_REAL(pthread_cond_clockwait)(cond, mutex, limit->clock, limit->until);
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

/* Whether libc is to be told, too: always of what other processes may wait for. Then `told` comes
 * after it. */
static bool wake(pthread_cond_t *cond, bool all, const void *frame)
{
    struct darn_thread *thread =
        before_call(all ? DARN_EVENT_BROADCAST : DARN_EVENT_SIGNAL, cond, frame);

    if (!is_played(thread, cond)) {
        if (!darn_cond_has_waiters(cond))
            darn_coverage_missed(frame);
        darn_signals_begin(cond);
        return true;
    }
    darn_turn_cond_wake(thread->slot, cond, all, frame);
    return darn_cond_is_shared(cond);
}

static int told(const pthread_cond_t *cond, int result)
{
    darn_signals_end(cond);
    return result;
}

DARN_INTERCEPT_OFTEN(int, pthread_cond_signal, pthread_cond_t *cond)
{
    return wake(cond, false, FRAME) ? told(cond, DARN_REAL(pthread_cond_signal)(cond)) : 0;
}

DARN_INTERCEPT_OFTEN(int, pthread_cond_broadcast, pthread_cond_t *cond)
{
    return wake(cond, true, FRAME) ? told(cond, DARN_REAL(pthread_cond_broadcast)(cond)) : 0;
}

DARN_INTERCEPT_OFTEN(int, cnd_signal, cnd_t *cond)
{
    return wake((pthread_cond_t *)cond, false, FRAME)
               ? told((pthread_cond_t *)cond, DARN_REAL(cnd_signal)(cond))
               : thrd_success;
}

DARN_INTERCEPT_OFTEN(int, cnd_broadcast, cnd_t *cond)
{
    return wake((pthread_cond_t *)cond, true, FRAME)
               ? told((pthread_cond_t *)cond, DARN_REAL(cnd_broadcast)(cond))
               : thrd_success;
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
    if (result == 0 && darn_state.mode == DARN_MODE_WATCH)
        darn_barrier_init((uintptr_t)barrier, shared == PTHREAD_PROCESS_PRIVATE ? count : 0);
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

/* One that ends by an exception or a cancellation has not run: the next one tries, after it. */
static void send_once(const volatile void **once)
{
    darn_record(darn_thread_self(), DARN_EVENT_SEND, *once, NULL, 0, FRAME);
}

static void run_once(void)
{
    const volatile void *once __attribute__((cleanup(send_once))) = once_of;

    darn_record(darn_thread_self(), DARN_EVENT_RECEIVE, once, NULL, 0, FRAME);
    once_run();
}

/* A function that ends by an exception or a cancellation has not run: the next one tries. */
static void end_once(volatile void **once)
{
    darn_turn_once_end(*once);
}

static int call(pthread_once_t *once, void (*run)(void), const void *frame);

DARN_INTERCEPT_OFTEN(int, pthread_once, pthread_once_t *once, void (*run)(void))
{
    return call(once, run, FRAME);
}

DARN_INTERCEPT(void, call_once, once_flag *once, void (*run)(void))
{
    call((pthread_once_t *)once, run, FRAME); /* it is nothing else */
}

static int play_once(struct darn_slot *slot, pthread_once_t *once, void (*run)(void),
                     const void *frame)
{
    volatile void *running __attribute__((cleanup(end_once), unused)) = once;

    darn_turn_once_begin(slot, once, frame);
    return DARN_REAL(pthread_once)(once, run);
}

static int call(pthread_once_t *once, void (*run)(void), const void *frame)
{
    struct darn_thread *thread = darn_thread_self();
    int result;

    darn_noise_at_call(thread);
    if (darn_turn_mine(thread))
        return play_once(thread->slot, once, run, frame);
    if (!darn_events_wanted())
        return DARN_REAL(pthread_once)(once, run);
    once_run = run;
    once_of = once;
    result = DARN_REAL(pthread_once)(once, run_once);
    darn_record(thread, DARN_EVENT_RECEIVE, once, NULL, 0, frame);
    return result;
}

static int wait_semaphore(sem_t *semaphore, const struct darn_limit *limit, const void *frame);

DARN_INTERCEPT_OFTEN(int, sem_wait, sem_t *semaphore)
{
    return wait_semaphore(semaphore, NULL, FRAME);
}

DARN_INTERCEPT(int, sem_timedwait, sem_t *semaphore, const struct timespec *until)
{
    return wait_semaphore(semaphore, &(struct darn_limit){CLOCK_REALTIME, until}, FRAME);
}

DARN_INTERCEPT(int, sem_clockwait, sem_t *semaphore, clockid_t clock, const struct timespec *until)
{
    return wait_semaphore(semaphore, &(struct darn_limit){clock, until}, FRAME);
}

DARN_INTERCEPT_OFTEN(int, sem_trywait, sem_t *semaphore)
{
    struct darn_thread *thread = darn_thread_self();
    struct darn_slot *slot = darn_turn_mine(thread);
    int result;

    darn_noise_at_call(thread);
    if (slot)
        darn_turn_pass(slot, DARN_STEP_TRYLOCK, semaphore, FRAME);
    result = DARN_REAL(sem_trywait)(semaphore);
    if (slot)
        slot->yielded = result != 0;
    if (result == 0)
        darn_record(thread, DARN_EVENT_TAKE, semaphore, NULL, 0, FRAME);
    return result;
}

static int real_wait_semaphore(sem_t *semaphore, const struct darn_limit *limit)
{
    if (!limit)
        return DARN_REAL(sem_wait)(semaphore);
    if (limit->clock == CLOCK_REALTIME)
        return DARN_REAL(sem_timedwait)(semaphore, limit->until);
    return DARN_REAL(sem_clockwait)(semaphore, limit->clock, limit->until);
}

/* Not a lock: nobody holds it, and anybody may give it back. */
static int wait_semaphore(sem_t *semaphore, const struct darn_limit *limit, const void *frame)
{
    struct darn_thread *thread = darn_thread_self();
    struct darn_slot *slot = darn_turn_mine(thread);
    int result = slot ? darn_turn_sem_wait(slot, semaphore, darn_turn_deadline(limit), frame)
                      : DARN_WAITING_IN(frame, real_wait_semaphore(semaphore, limit));

    if (result == 0)
        darn_record(thread, DARN_EVENT_TAKE, semaphore, NULL, 0, frame);
    return result;
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
