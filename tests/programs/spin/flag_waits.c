/*
 * claim: all ways to pass the time in a spin loop are recognised
 * build: -O0 -DVAR=
 * build: -O0 -DVAR=volatile
 * build: -O0 -DVAR=_Atomic
 * build: -O2 -DVAR=
 * build: -O2 -DVAR=volatile
 * build: -O2 -DVAR=_Atomic
 * predict: hb
 * expect: none
 * spin: EMPTY from SET
 * spin: PAUSES from SET
 * spin: YIELDS from SET
 * spin: SLEEPS from SET
 * spin: NAPS from SET
 * spin: COUNTS from SET
 * tsan: racy without _Atomic
 */
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <time.h>
#include <unistd.h>
#include "order.h"

enum { WAYS = 6 };

static sem_t started;
static VAR int flags[WAYS];
static long data[WAYS];
static struct {
    int way;
    long sum;
} shared;

static void wait_empty(VAR int *flag)
{
    while (!*flag) /* spin: EMPTY */
        ORDER();
}

static void wait_pause(VAR int *flag)
{
    while (!*flag) { /* spin: PAUSES */
        PAUSE();
        ORDER();
    }
}

static void wait_yield(VAR int *flag)
{
    do {
        ORDER();
        sched_yield();
    } while (*flag == 0); /* spin: YIELDS */
}

static void wait_usleep(VAR int *flag)
{
    while (!*flag) { /* spin: SLEEPS */
        usleep(20);
        ORDER();
    }
}

static void wait_nanosleep(VAR int *flag)
{
    const struct timespec nap = {0, 20000};
    for (;;) {
        if (*flag) /* spin: NAPS */
            break;
        nanosleep(&nap, NULL);
        ORDER();
    }
}

/* Spins for a while, and is polite afterwards. */
static void wait_adaptive(VAR int *flag)
{
    for (int rounds = 0; !*flag; rounds++) { /* spin: COUNTS */
        if (rounds < 100)
            PAUSE();
        else
            sched_yield();
        ORDER();
    }
}

static void (*const waits[WAYS])(VAR int *) = {wait_empty,  wait_pause,     wait_yield,
                                               wait_usleep, wait_nanosleep, wait_adaptive};

static void *waiter(void *arg)
{
    long self = (long)arg;
    sem_post(&started);
    waits[self](&flags[self]);
    ORDER();
    shared.sum += data[self] + shared.way;
    return NULL;
}

int main(void)
{
    sem_init(&started, 0, 0);
    for (long i = 0; i < WAYS; i++) { /* one after the other: some of them burn a processor */
        pthread_t thread;
        pthread_create(&thread, NULL, waiter, (void *)i);
        while (sem_wait(&started) != 0)
            continue;
        usleep(20000);
        data[i] = i;
        shared.way = i;
        ORDER();
        flags[i] = 1; /* spin: SET */
        pthread_join(thread, NULL);
    }
    return shared.sum != WAYS * (WAYS - 1);
}
