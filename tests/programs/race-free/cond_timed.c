/*
 * claim: data handed over with pthread_cond_timedwait and _clockwait is never reported
 * build: -O1
 * run: --budget=max --noise=random:50/20 x 10
 * run: x 5
 * predict: hb
 * expect: none
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdbool.h>
#include <time.h>

enum { ROUNDS = 400 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static bool full;
static long box, sum;

static void wait_a_little(clockid_t clock)
{
    struct timespec when;
    clock_gettime(clock, &when);
    when.tv_nsec += 200000;
    if (when.tv_nsec >= 1000000000) {
        when.tv_nsec -= 1000000000;
        when.tv_sec++;
    }
    if (clock == CLOCK_REALTIME)
        pthread_cond_timedwait(&changed, &lock, &when);
    else
        pthread_cond_clockwait(&changed, &lock, clock, &when);
}

static void *taker(void *arg)
{
    (void)arg;
    for (int i = 0; i < ROUNDS; i++) {
        pthread_mutex_lock(&lock);
        while (!full)
            wait_a_little(i % 2 ? CLOCK_REALTIME : CLOCK_MONOTONIC);
        sum += box;
        full = false;
        pthread_cond_signal(&changed);
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, taker, NULL);
    for (int i = 0; i < ROUNDS; i++) {
        pthread_mutex_lock(&lock);
        while (full)
            wait_a_little(i % 3 ? CLOCK_REALTIME : CLOCK_MONOTONIC);
        box = i;
        full = true;
        pthread_cond_signal(&changed);
        pthread_mutex_unlock(&lock);
    }
    pthread_join(thread, NULL);
    return sum != (long)ROUNDS * (ROUNDS - 1) / 2;
}
