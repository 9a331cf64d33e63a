/*
 * claim: what a thread does after it has given a lock back is not ordered with what the next one does that took it by a test-and-set loop
 * build: -O0
 * build: -O2
 * build: -O2 -DTAKE=atomic_flag_test_and_set_explicit(&taken,memory_order_acquire)
 * run: x 20
 * expect: data-race on later at WRITE and READ [write read]
 * never: inside
 */
#include <pthread.h>
#include <stdatomic.h>
#include "../unseen.h"

#ifndef TAKE
#define TAKE atomic_flag_test_and_set(&taken)
#endif

static int inside, later;
static atomic_flag taken = ATOMIC_FLAG_INIT;

static void lock(void)
{
    while (TAKE)
        continue;
}

static void unlock(void)
{
    atomic_flag_clear_explicit(&taken, memory_order_release);
}

static void *work(void *arg)
{
    lock();
    inside = 1;
    unlock();
    later = 1; /* race: WRITE */
    unseen_tell();
    return arg;
}

int main(void)
{
    pthread_t thread;
    int sum;

    pthread_create(&thread, NULL, work, NULL);
    unseen_wait(); /* the other one is done by then */
    lock();
    sum = inside;
    unlock();
    sum += later; /* race: READ */
    pthread_join(thread, NULL);
    return sum < 1;
}
