/* Condition variables, barriers, semaphores and once: threads that wait for each other. */
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <threads.h>
#include <time.h>

#include "runtime/intercept.h"

/* A wait gives the mutex back and takes it again: nothing changes in the list of locks held, for
 * nobody looks at it meanwhile. */

DARN_INTERCEPT(int, pthread_cond_wait, pthread_cond_t *cond, pthread_mutex_t *mutex)
{
    return DARN_WAITING(DARN_REAL(pthread_cond_wait)(cond, mutex));
}

DARN_INTERCEPT(int, pthread_cond_timedwait, pthread_cond_t *cond, pthread_mutex_t *mutex,
               const struct timespec *until)
{
    return DARN_WAITING(DARN_REAL(pthread_cond_timedwait)(cond, mutex, until));
}

DARN_INTERCEPT(int, pthread_cond_clockwait, pthread_cond_t *cond, pthread_mutex_t *mutex,
               clockid_t clock, const struct timespec *until)
{
    return DARN_WAITING(DARN_REAL(pthread_cond_clockwait)(cond, mutex, clock, until));
}

DARN_INTERCEPT(int, pthread_cond_signal, pthread_cond_t *cond)
{
    darn_noise_at_call(darn_thread_self());
    return DARN_REAL(pthread_cond_signal)(cond);
}

DARN_INTERCEPT(int, pthread_cond_broadcast, pthread_cond_t *cond)
{
    darn_noise_at_call(darn_thread_self());
    return DARN_REAL(pthread_cond_broadcast)(cond);
}

DARN_INTERCEPT(int, cnd_wait, cnd_t *cond, mtx_t *mutex)
{
    return DARN_WAITING(DARN_REAL(cnd_wait)(cond, mutex));
}

DARN_INTERCEPT(int, cnd_timedwait, cnd_t *cond, mtx_t *mutex, const struct timespec *until)
{
    return DARN_WAITING(DARN_REAL(cnd_timedwait)(cond, mutex, until));
}

DARN_INTERCEPT(int, cnd_signal, cnd_t *cond)
{
    darn_noise_at_call(darn_thread_self());
    return DARN_REAL(cnd_signal)(cond);
}

DARN_INTERCEPT(int, cnd_broadcast, cnd_t *cond)
{
    darn_noise_at_call(darn_thread_self());
    return DARN_REAL(cnd_broadcast)(cond);
}

DARN_INTERCEPT(int, pthread_barrier_wait, pthread_barrier_t *barrier)
{
    return DARN_WAITING(DARN_REAL(pthread_barrier_wait)(barrier));
}

/* The function that runs once is the program's own: it is no wait. */
DARN_INTERCEPT(int, pthread_once, pthread_once_t *once, void (*run)(void))
{
    darn_noise_at_call(darn_thread_self());
    return DARN_REAL(pthread_once)(once, run);
}

DARN_INTERCEPT(void, call_once, once_flag *once, void (*run)(void))
{
    darn_noise_at_call(darn_thread_self());
    DARN_REAL(call_once)(once, run);
}

DARN_INTERCEPT(int, sem_wait, sem_t *semaphore)
{
    return DARN_WAITING(DARN_REAL(sem_wait)(semaphore));
}

DARN_INTERCEPT(int, sem_trywait, sem_t *semaphore)
{
    darn_noise_at_call(darn_thread_self());
    return DARN_REAL(sem_trywait)(semaphore);
}

DARN_INTERCEPT(int, sem_timedwait, sem_t *semaphore, const struct timespec *until)
{
    return DARN_WAITING(DARN_REAL(sem_timedwait)(semaphore, until));
}

DARN_INTERCEPT(int, sem_clockwait, sem_t *semaphore, clockid_t clock, const struct timespec *until)
{
    return DARN_WAITING(DARN_REAL(sem_clockwait)(semaphore, clock, until));
}

DARN_INTERCEPT(int, sem_post, sem_t *semaphore)
{
    darn_noise_at_call(darn_thread_self());
    return DARN_REAL(sem_post)(semaphore);
}
