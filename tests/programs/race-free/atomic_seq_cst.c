/*
 * claim: a section guarded by Peterson's algorithm with seq_cst atomics is never reported
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

enum { ROUNDS = 400 };

static atomic_int wants[2], last;
static long counter;

static void *work(void *arg)
{
    int me = (int)(long)arg;
    for (int i = 0; i < ROUNDS; i++) {
        atomic_store(&wants[me], 1);
        atomic_store(&last, me);
        while (atomic_load(&wants[!me]) && atomic_load(&last) == me)
            sched_yield();
        counter++;
        atomic_store(&wants[me], 0);
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
    return counter != 2 * ROUNDS;
}
