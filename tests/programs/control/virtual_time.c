/*
 * claim: all clocks agree that a sleep took its time, and never run backwards
 * build: -O1
 * ends: exit 0
 * real-time: no
 */
#include <pthread.h>
#include <stdint.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#ifndef SECONDS
#define SECONDS 5
#endif

enum { CLOCKS = 5, SECOND = 1000000000 };

static int64_t of_clock(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return now.tv_sec * (int64_t)SECOND + now.tv_nsec;
}

static void look(int64_t clocks[CLOCKS])
{
    struct timeval day;
    struct timespec utc;
    gettimeofday(&day, NULL);
    timespec_get(&utc, TIME_UTC);
    clocks[0] = of_clock(CLOCK_REALTIME);
    clocks[1] = of_clock(CLOCK_MONOTONIC);
    clocks[2] = of_clock(CLOCK_BOOTTIME);
    clocks[3] = day.tv_sec * (int64_t)SECOND + day.tv_usec * 1000;
    clocks[4] = utc.tv_sec * (int64_t)SECOND + utc.tv_nsec;
}

/* Each thread sleeps for another time; they need not wake in order, but none wakes too early. */
static void *sleeper(void *arg)
{
    int64_t before[CLOCKS], after[CLOCKS];
    unsigned seconds = (unsigned)(long)arg;
    time_t coarse = time(NULL);
    look(before);
    sleep(seconds);
    look(after);
    for (int i = 0; i < CLOCKS; i++) {
        if (after[i] - before[i] < (int64_t)seconds * SECOND - 1000) /* microseconds are rounded */
            return arg;
    }
    return time(NULL) - coarse + 1 < (time_t)seconds ? arg : NULL; /* it is late by a tick */
}

int main(void)
{
    pthread_t threads[3];
    int64_t before = of_clock(CLOCK_MONOTONIC), after;
    int wrong = 0;
    for (long i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, sleeper, (void *)(SECONDS + i));
    for (int i = 0; i < 3; i++) {
        void *result;
        pthread_join(threads[i], &result);
        wrong += result != NULL;
    }
    after = of_clock(CLOCK_MONOTONIC);
    return wrong != 0 || after - before < (SECONDS + 2) * (int64_t)SECOND;
}
