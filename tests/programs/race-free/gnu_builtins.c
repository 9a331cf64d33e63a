/*
 * claim: data behind locks made of __atomic and __sync builtins is never reported
 * build: -O0
 * build: -O2
 * run: --budget=max --noise=random:30/20 x 10
 * run: x 5
 * predict: hb
 * expect: none
 */
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>

enum { ROUNDS = 400 };

static int atomic_lock, sync_lock;
static bool byte_lock;
static long counters[3];

static void *work(void *arg)
{
    (void)arg;
    for (int i = 0; i < ROUNDS; i++) {
        int expected = 0;
        while (!__atomic_compare_exchange_n(&atomic_lock, &expected, 1, true, __ATOMIC_ACQUIRE,
                                            __ATOMIC_RELAXED)) {
            expected = 0;
            sched_yield();
        }
        counters[0]++;
        __atomic_store_n(&atomic_lock, 0, __ATOMIC_RELEASE);

        while (__sync_lock_test_and_set(&sync_lock, 1))
            sched_yield();
        counters[1]++;
        __sync_lock_release(&sync_lock);

        while (__atomic_test_and_set(&byte_lock, __ATOMIC_ACQUIRE))
            sched_yield();
        counters[2]++;
        __atomic_clear(&byte_lock, __ATOMIC_RELEASE);
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
    return counters[0] != 2 * ROUNDS || counters[1] != 2 * ROUNDS || counters[2] != 2 * ROUNDS;
}
