/*
 * claim: a counter behind trylock, timedlock and clocklock is never reported
 * build: -O1
 * run: --budget=max --noise=random:50/20 x 10
 * run: x 5
 * predict: hb
 * expect: none
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <time.h>

enum { ROUNDS = 900 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long counter;

static struct timespec soon(clockid_t clock)
{
    struct timespec when;
    clock_gettime(clock, &when);
    when.tv_nsec += 200000;
    if (when.tv_nsec >= 1000000000) {
        when.tv_nsec -= 1000000000;
        when.tv_sec++;
    }
    return when;
}

static int try_lock(int how)
{
    struct timespec when;
    switch (how) {
    case 0:
        return pthread_mutex_trylock(&lock);
    case 1:
        when = soon(CLOCK_REALTIME);
        return pthread_mutex_timedlock(&lock, &when);
    default:
        when = soon(CLOCK_MONOTONIC);
        return pthread_mutex_clocklock(&lock, CLOCK_MONOTONIC, &when);
    }
}

static void *work(void *arg)
{
    (void)arg;
    for (int i = 0; i < ROUNDS; i++) {
        while (try_lock(i % 3) != 0)
            sched_yield();
        counter++;
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return counter != 3 * ROUNDS;
}
