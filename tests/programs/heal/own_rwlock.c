/*
 * claim: the same with a lock for readers and writers: who wants to write waits for a reader
 * build: -O1
 * alone: right
 * bound: 100
 * heals: state
 * counts: block: cycles
 */
#include "crowd.h"

#include <semaphore.h>

enum { ROUNDS = 40 };

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static sem_t is_inside, is_locked;
static volatile int state;
static long steps; /* written under the lock for writing */

static void notice(void)
{
    int seen = state;
    sem_post(&is_inside);
    sem_wait(&is_locked);
    pthread_rwlock_wrlock(&lock);
    steps++;
    pthread_rwlock_unlock(&lock);
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
        sem_wait(&is_inside);
        pthread_rwlock_rdlock(&lock);
        sem_post(&is_locked);
        state = 7;
        pthread_rwlock_unlock(&lock);
    }
    return arg;
}

int main(void)
{
    sem_init(&is_inside, 0, 0);
    sem_init(&is_locked, 0, 0);
    couple(notices, changes);
    return steps != ROUNDS;
}
