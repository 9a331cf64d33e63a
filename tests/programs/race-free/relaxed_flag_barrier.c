/*
 * claim: a relaxed flag with a barrier for the compiler at either side counts as order
 * tsan: racy
 * build: -O0
 * build: -O2
 * build: -O2 -DBEHIND
 * build: -O2 -DSIGNAL_FENCE
 * build: -O2 -DSIGNAL_FENCE -DBEHIND
 * run: x 5
 * run: --budget=max x 5
 * expect: none
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>

#ifdef SIGNAL_FENCE
#define BARRIER atomic_signal_fence(memory_order_seq_cst)
#else
#define BARRIER __asm__ volatile("" ::: "memory")
#endif

static int data;
static atomic_int ready;

static void *work(void *arg)
{
    data = 1;
#ifndef BEHIND
    BARRIER;
#endif
    atomic_store_explicit(&ready, 1, memory_order_relaxed);
    return arg;
}

int main(void)
{
    pthread_t thread;
    int result;

    pthread_create(&thread, NULL, work, NULL);
    while (!atomic_load_explicit(&ready, memory_order_relaxed))
        sched_yield();
#ifdef BEHIND
    BARRIER;
#endif
    result = data;
    pthread_join(thread, NULL);
    return result != 1;
}
