/*
 * claim: a loop that waits for a flag, and clears it, is right
 * build: -O0
 * build: -O1
 * build: -O2
 * build: -O0 -DVOLATILE
 * build: -O2 -DVOLATILE
 * sections: infer --kind=load-and-store,test-and-use
 * runs: 5
 * expect: none
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

enum { ROUNDS = 100 };

#ifdef VOLATILE
static volatile int full;
#else
static _Atomic int full;
#endif
static long box, sum;

static void *puts_in(void *arg)
{
    for (long i = 1; i <= ROUNDS; i++) {
        while (full)
            sched_yield();
        box = i;
        atomic_thread_fence(memory_order_seq_cst);
        full = 1;
    }
    return arg;
}

static void *takes_out(void *arg)
{
    for (int i = 0; i < ROUNDS; i++) {
        while (!full)
            sched_yield();
        atomic_thread_fence(memory_order_seq_cst);
        sum += box;
        full = 0;
    }
    return arg;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, puts_in, NULL);
    pthread_create(&threads[1], NULL, takes_out, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return sum != ROUNDS * (ROUNDS + 1) / 2;
}
