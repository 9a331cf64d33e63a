/*
 * claim: a spin lock by atomics in ignored functions orders what is done under it
 * tsan: no
 * build: -O0
 * build: -O2
 * run: x 10
 * run: --budget=max x 10
 * predict: hb x 2
 * expect: none
 */
#include <darn.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

enum { ROUNDS = 500, THREADS = 3 };

static atomic_int busy;
static long counter, squares;

DARN_IGNORE_FUNCTION static void lock(void)
{
    while (atomic_exchange_explicit(&busy, 1, memory_order_acquire))
        sched_yield();
}

DARN_IGNORE_FUNCTION static void unlock(void)
{
    atomic_store_explicit(&busy, 0, memory_order_release);
}

static void *work(void *arg)
{
    for (int i = 0; i < ROUNDS; i++) {
        lock();
        squares += counter * counter;
        counter++;
        unlock();
    }
    return arg;
}

int main(void)
{
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    long n = THREADS * ROUNDS;
    return counter != n || squares != (n - 1) * n * (2 * n - 1) / 6;
}
