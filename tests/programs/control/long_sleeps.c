/*
 * claim: sleeps of 100 seconds take no real time
 * build: -O1
 * build: -O1 -DPOLLING
 * ends: exit 0
 * real-time: no
 */
#include <pthread.h>
#include <semaphore.h>
#include <poll.h>
#include <sys/select.h>
#include <time.h>
#include <unistd.h>

#ifndef SECONDS
#define SECONDS 100
#endif

static sem_t never;

#ifndef POLLING

static void *calls_sleep(void *arg)
{
    sleep(SECONDS);
    return arg;
}

static void *calls_usleep(void *arg)
{
    usleep(SECONDS * 1000000u);
    return arg;
}

static void *calls_nanosleep(void *arg)
{
    struct timespec length = {.tv_sec = SECONDS};
    nanosleep(&length, NULL);
    return arg;
}

static void *calls_clock_nanosleep(void *arg)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += SECONDS;
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
    return arg;
}

static void *waits(void *arg)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += SECONDS;
    return sem_timedwait(&never, &until) == 0 ? &never : arg;
}

#else

static void *calls_select(void *arg)
{
    struct timeval length = {.tv_sec = SECONDS};
    select(0, NULL, NULL, NULL, &length);
    return arg;
}

static void *calls_poll(void *arg)
{
    poll(NULL, 0, SECONDS * 1000);
    return arg;
}

#endif

int main(void)
{
#ifdef POLLING
    void *(*const work[])(void *) = {calls_select, calls_poll};
#else
    void *(*const work[])(void *) = {calls_sleep, calls_usleep, calls_nanosleep,
                                     calls_clock_nanosleep, waits};
#endif
    enum { THREADS = sizeof work / sizeof *work };
    pthread_t threads[THREADS];
    sem_init(&never, 0, 0);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work[i], NULL);
    for (int i = 0; i < THREADS; i++) {
        void *result;
        pthread_join(threads[i], &result);
        if (result != NULL)
            return 1;
    }
    return 0;
}
