/*
 * claim: a join or detach that libc refuses gives the same error as without darn, and waits for nobody
 * build: -O1
 * ends: exit 0
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <threads.h>
#include <time.h>

static sem_t leave;

static void *wait_for_main(void *arg)
{
    sem_wait(&leave);
    return arg;
}

/* While it waits for what main does last. */
static int join_detached(pthread_t thread)
{
    static const struct timespec past;

    return pthread_join(thread, NULL) == EINVAL && thrd_join(thread, NULL) == thrd_error &&
           pthread_timedjoin_np(thread, NULL, &past) == EINVAL &&
           pthread_clockjoin_np(thread, NULL, CLOCK_MONOTONIC, &past) == EINVAL &&
           pthread_tryjoin_np(thread, NULL) == EBUSY && pthread_detach(thread) == EINVAL;
}

static int join_again(pthread_t thread)
{
    return pthread_join(thread, NULL) == ESRCH && thrd_join(thread, NULL) == thrd_error &&
           pthread_detach(thread) == ESRCH;
}

int main(void)
{
    static const pthread_t none;
    pthread_t thread, joined;

    sem_init(&leave, 0, 0);
    if (pthread_join(none, NULL) != ESRCH || pthread_detach(none) != ESRCH)
        return 1;
    if (pthread_join(pthread_self(), NULL) != EDEADLK ||
        thrd_join(thrd_current(), NULL) != thrd_error)
        return 2;
    if (pthread_create(&thread, NULL, wait_for_main, NULL) || pthread_detach(thread))
        return 3;
    if (!join_detached(thread))
        return 4;
    if (pthread_create(&joined, NULL, wait_for_main, NULL))
        return 5;
    if (pthread_tryjoin_np(joined, NULL) != EBUSY)
        return 6;
    sem_post(&leave);
    sem_post(&leave);
    if (pthread_join(joined, NULL) != 0)
        return 7;
    return join_again(joined) ? 0 : 8;
}
