/*
 * claim: data ordered by sem_timedwait and sem_clockwait is never reported
 * tsan: no
 * build: -O1
 * run: --budget=max --noise=random:50/20 x 10
 * run: x 5
 * predict: hb
 * expect: none
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

enum { ROUNDS = 800 };

static sem_t mine, yours;
static long data;

static void wait_for(sem_t *semaphore, clockid_t clock)
{
    struct timespec when;
    do {
        clock_gettime(clock, &when);
        when.tv_nsec += 300000;
        if (when.tv_nsec >= 1000000000) {
            when.tv_nsec -= 1000000000;
            when.tv_sec++;
        }
    } while ((clock == CLOCK_REALTIME ? sem_timedwait(semaphore, &when)
                                      : sem_clockwait(semaphore, clock, &when)) != 0);
}

static void *partner(void *arg)
{
    (void)arg;
    for (int i = 0; i < ROUNDS; i++) {
        wait_for(&yours, CLOCK_REALTIME);
        data++;
        sem_post(&mine);
    }
    return NULL;
}

int main(void)
{
    pthread_t thread;
    sem_init(&mine, 0, 1);
    sem_init(&yours, 0, 0);
    pthread_create(&thread, NULL, partner, NULL);
    for (int i = 0; i < ROUNDS; i++) {
        wait_for(&mine, CLOCK_MONOTONIC);
        data++;
        sem_post(&yours);
    }
    pthread_join(thread, NULL);
    return data != 2 * ROUNDS;
}
