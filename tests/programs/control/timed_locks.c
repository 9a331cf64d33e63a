/*
 * claim: timed locks of all kinds: who gives up does so after its time, who waits on gets it
 * build: -O1
 * ends: exit 0
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static sem_t semaphore, held, give_back;

static struct timespec in_milliseconds(clockid_t clock, long milliseconds)
{
    struct timespec when;
    clock_gettime(clock, &when);
    when.tv_nsec += milliseconds * 1000000;
    when.tv_sec += when.tv_nsec / 1000000000;
    when.tv_nsec %= 1000000000;
    return when;
}

static bool is_over(clockid_t clock, struct timespec when)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return now.tv_sec > when.tv_sec || (now.tv_sec == when.tv_sec && now.tv_nsec >= when.tv_nsec);
}

static void *hold_all(void *arg)
{
    pthread_mutex_lock(&mutex);
    pthread_rwlock_wrlock(&rwlock);
    sem_wait(&semaphore);
    sem_post(&held);
    sem_wait(&give_back);
    sem_post(&semaphore);
    pthread_rwlock_unlock(&rwlock);
    pthread_mutex_unlock(&mutex);
    return arg;
}

/* All are held until give_back: nothing can be had. */
static int time_out(void)
{
    struct timespec real = in_milliseconds(CLOCK_REALTIME, 10), mono;
    if (pthread_mutex_timedlock(&mutex, &real) != ETIMEDOUT || !is_over(CLOCK_REALTIME, real))
        return 1;
    mono = in_milliseconds(CLOCK_MONOTONIC, 10);
    if (pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &mono) != ETIMEDOUT ||
        !is_over(CLOCK_MONOTONIC, mono))
        return 2;
    real = in_milliseconds(CLOCK_REALTIME, 10);
    if (pthread_rwlock_timedrdlock(&rwlock, &real) != ETIMEDOUT || !is_over(CLOCK_REALTIME, real))
        return 3;
    real = in_milliseconds(CLOCK_REALTIME, 10);
    if (pthread_rwlock_timedwrlock(&rwlock, &real) != ETIMEDOUT || !is_over(CLOCK_REALTIME, real))
        return 4;
    real = in_milliseconds(CLOCK_REALTIME, 10);
    if (sem_timedwait(&semaphore, &real) == 0 || errno != ETIMEDOUT ||
        !is_over(CLOCK_REALTIME, real))
        return 5;
    return 0;
}

/* The holder gives them back at some time. */
static int get_all(void)
{
    struct timespec when;
    int error;
    do {
        when = in_milliseconds(CLOCK_REALTIME, 1000);
        error = pthread_mutex_timedlock(&mutex, &when);
    } while (error == ETIMEDOUT);
    do {
        when = in_milliseconds(CLOCK_REALTIME, 1000);
        error = pthread_rwlock_timedwrlock(&rwlock, &when);
    } while (error == ETIMEDOUT);
    do
        when = in_milliseconds(CLOCK_REALTIME, 1000);
    while (sem_timedwait(&semaphore, &when) != 0 && errno == ETIMEDOUT);
    return error;
}

int main(void)
{
    pthread_t thread;
    int error;
    sem_init(&semaphore, 0, 1);
    sem_init(&held, 0, 0);
    sem_init(&give_back, 0, 0);
    pthread_create(&thread, NULL, hold_all, NULL);
    sem_wait(&held);
    error = time_out();
    if (error != 0)
        return error;
    sem_post(&give_back);
    if (get_all() != 0)
        return 6;
    pthread_join(thread, NULL);
    return 0;
}
