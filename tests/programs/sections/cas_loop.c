/*
 * claim: a value that is written back only if it is still the same needs no other protection
 * build: -O0
 * build: -O1
 * build: -O2
 * sections: infer --kind=load-and-store,test-and-use
 * runs: 5
 * expect: none
 */
#include <pthread.h>
#include <stdatomic.h>

enum { THREADS = 3, ROUNDS = 100 };

static _Atomic long sum;
static _Atomic long largest;

static void add(long amount)
{
    long old = atomic_load(&sum);
    while (!atomic_compare_exchange_weak(&sum, &old, old + amount))
        ;
}

/* Reads again instead of taking what the failed exchange has read. */
static void raise_to(long value)
{
    for (;;) {
        long old = atomic_load(&largest);
        if (old >= value || atomic_compare_exchange_strong(&largest, &old, value))
            return;
    }
}

static void *adds(void *arg)
{
    for (long i = 1; i <= ROUNDS; i++) {
        add(i);
        raise_to(i * 10 + (long)arg);
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    for (long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, adds, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return sum != THREADS * ROUNDS * (ROUNDS + 1) / 2 || largest != ROUNDS * 10 + THREADS - 1;
}
