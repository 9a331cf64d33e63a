/*
 * claim: a relaxed flag orders nothing, however its waiter loads it
 * build: -O0
 * build: -O2
 * build: -O2 -DORDER=memory_order_acquire
 * run: x 5
 * expect: data-race on data at WRITE and READ
 * never: ready
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>

#ifndef ORDER
#define ORDER memory_order_relaxed
#endif

static int data;
static atomic_int ready;

static void *work(void *arg)
{
    data = 1; /* race: WRITE */
    atomic_store_explicit(&ready, 1, memory_order_relaxed);
    return arg;
}

int main(void)
{
    pthread_t thread;
    int result;

    pthread_create(&thread, NULL, work, NULL);
    while (!atomic_load_explicit(&ready, ORDER))
        sched_yield();
    result = data; /* race: READ */
    pthread_join(thread, NULL);
    return result != 1;
}
