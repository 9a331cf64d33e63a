/*
 * claim: data ordered by relaxed atomics and fences is never reported (TSan does not know fences)
 * tsan: no
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

enum { ROUNDS = 600 };

static atomic_int turn;
static long data[2];

static void *work(void *arg)
{
    int me = (int)(long)arg;
    for (int i = 0; i < ROUNDS; i++) {
        while (atomic_load_explicit(&turn, memory_order_relaxed) != me)
            sched_yield();
        atomic_thread_fence(memory_order_acquire);
        data[0]++;
        data[1] += data[0];
        atomic_thread_fence(memory_order_release);
        atomic_store_explicit(&turn, !me, memory_order_relaxed);
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return data[0] != 2 * ROUNDS || data[1] != (long)ROUNDS * (2 * ROUNDS + 1);
}
