/*
 * claim: accesses that are all atomic are never reported, whatever their order and size
 * build: -O0
 * build: -O2 -mcx16
 * run: --budget=max --noise=random:50/20 x 10
 * run: x 5
 * predict: hb
 * expect: none
 */
#include <pthread.h>
#include <stdatomic.h>

enum { ROUNDS = 800 };

static _Atomic char small;
static _Atomic short medium;
static atomic_int normal;
static atomic_llong large;
static _Atomic(void *) pointer;
static _Atomic double real;

static void *work(void *arg)
{
    (void)arg;
    for (int i = 0; i < ROUNDS; i++) {
        atomic_fetch_add_explicit(&small, 1, memory_order_relaxed);
        atomic_fetch_xor_explicit(&medium, 3, memory_order_relaxed);
        atomic_store_explicit(&normal, atomic_load_explicit(&normal, memory_order_relaxed) + 1,
                              memory_order_relaxed);
        long long seen = atomic_load_explicit(&large, memory_order_relaxed);
        while (!atomic_compare_exchange_weak(&large, &seen, seen + 1))
            continue;
        atomic_exchange_explicit(&pointer, &normal, memory_order_relaxed);
        real += 1.0;
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return large != 2 * ROUNDS || real != 2.0 * ROUNDS || pointer != &normal;
}
