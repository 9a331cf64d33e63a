/*
 * claim: a section that takes a lock of the program does not wait for ever for whoever has it
 * build: -O1
 * build: -O1 -DFORCED
 * build: -O2 -DFORCED
 * alone: right
 * bound: 100
 * runs: 5
 * heals: state
 * counts: with -DFORCED, block: cycles
 */
#include "crowd.h"

#include <semaphore.h>

enum { ROUNDS = 40 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t is_inside, is_locked;
static volatile int state;
static long steps; /* guarded by the lock */

/* FORCED: each is where the other must not be when it comes, if sections are held shut: in every round. */
static void tell(sem_t *what)
{
#ifdef FORCED
    sem_post(what);
#endif
    (void)what;
}

static void hear(sem_t *what)
{
#ifdef FORCED
    sem_wait(what);
#endif
    (void)what;
}

static void notice(void)
{
    int seen = state;
    tell(&is_inside);
    hear(&is_locked);
    pthread_mutex_lock(&lock);
    steps++;
    pthread_mutex_unlock(&lock);
    state = seen + 1;
}

static void *notices(void *arg)
{
    crowd_begin();
    for (int i = 0; i < ROUNDS; i++)
        notice();
    return arg;
}

static void *changes(void *arg)
{
    crowd_begin();
    for (int i = 0; i < ROUNDS; i++) {
        hear(&is_inside);
        pthread_mutex_lock(&lock);
        tell(&is_locked);
        state = 7;
        steps++;
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

int main(void)
{
    sem_init(&is_inside, 0, 0);
    sem_init(&is_locked, 0, 0);
    couple(notices, changes);
    return steps != 2 * ROUNDS;
}
