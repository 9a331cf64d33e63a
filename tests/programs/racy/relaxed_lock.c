/*
 * claim: a lock that is taken and given back by relaxed operations orders nothing
 * build: -O0
 * build: -O2
 * run: x 20
 * run: --budget=max x 3
 * expect: data-race on total
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static atomic_int taken;
static long total;

static void *work(void *arg)
{
    for (int i = 0; i < 50; i++) {
        while (atomic_exchange_explicit(&taken, 1, memory_order_relaxed))
            sched_yield();
        total++;
        atomic_store_explicit(&taken, 0, memory_order_relaxed);
    }
    return arg;
}

int main(void)
{
    pthread_t threads[2];

    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return total < 1;
}
