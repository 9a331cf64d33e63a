/*
 * claim: data behind test-and-set and test-and-test-and-set locks is never reported
 * build: -O0
 * build: -O2
 * run: --budget=max --noise=random:20/20 x 10
 * run: x 5
 * predict: hb
 * expect: none
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

enum { ROUNDS = 500 };

static atomic_int tas, ttas;
static long first, second;

static void lock_tas(void)
{
    while (atomic_exchange_explicit(&tas, 1, memory_order_acquire))
        sched_yield();
}

static void lock_ttas(void)
{
    do {
        while (atomic_load_explicit(&ttas, memory_order_relaxed))
            sched_yield();
    } while (atomic_exchange_explicit(&ttas, 1, memory_order_acquire));
}

static void *work(void *arg)
{
    (void)arg;
    for (int i = 0; i < ROUNDS; i++) {
        lock_tas();
        first++;
        atomic_store_explicit(&tas, 0, memory_order_release);
        lock_ttas();
        second++;
        atomic_store_explicit(&ttas, 0, memory_order_release);
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
    return first != 3 * ROUNDS || second != 3 * ROUNDS;
}
