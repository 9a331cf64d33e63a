/*
 * claim: a sequence lock over relaxed atomics is never reported
 * build: -O0
 * build: -O2
 * run: --budget=max --noise=random:50/20 x 10
 * run: x 5
 * predict: hb
 * expect: none
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

enum { ROUNDS = 500 };

static atomic_uint sequence;
static atomic_long first, second;

static void publish(long value)
{
    unsigned odd = atomic_load_explicit(&sequence, memory_order_relaxed) + 1;
    atomic_store_explicit(&sequence, odd, memory_order_relaxed);
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&first, value, memory_order_relaxed);
    atomic_store_explicit(&second, -value, memory_order_relaxed);
    atomic_store_explicit(&sequence, odd + 1, memory_order_release);
}

static long snapshot(void)
{
    unsigned before, after;
    long a, b;
    do {
        before = atomic_load_explicit(&sequence, memory_order_acquire);
        a = atomic_load_explicit(&first, memory_order_relaxed);
        b = atomic_load_explicit(&second, memory_order_relaxed);
        atomic_thread_fence(memory_order_acquire);
        after = atomic_load_explicit(&sequence, memory_order_relaxed);
        if (before % 2)
            sched_yield();
    } while (before % 2 || before != after);
    return a + b;
}

static void *reader(void *arg)
{
    (void)arg;
    long broken = 0;
    for (int i = 0; i < ROUNDS; i++)
        broken |= snapshot();
    return (void *)broken;
}

int main(void)
{
    pthread_t threads[2];
    void *broken[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, reader, NULL);
    for (int i = 0; i < ROUNDS; i++)
        publish(i);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], &broken[i]);
    return broken[0] != NULL || broken[1] != NULL;
}
