/*
 * claim: elements published one by one are never reported, even if a loop touches them all
 * build: -O0
 * build: -O1
 * build: -O2
 * build: -O3
 * run: --budget=max --noise=random:50/30 x 8
 * run: x 4
 * predict: hb
 * expect: none
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

enum { CELLS = 300 };

static int forward[CELLS];
static atomic_int published;
static int guarded[CELLS];
static pthread_mutex_t locks[8];

/* A check of the whole range in front of the loop would be wrong: the cells become ours one by one.
 */
static void *follow(void *arg)
{
    long sum = 0;
    (void)arg;
    for (int i = 0; i < CELLS; i++) {
        while (atomic_load_explicit(&published, memory_order_acquire) <= i)
            sched_yield();
        sum += forward[i]++;
    }
    for (int i = 0; i < CELLS; i++) {
        pthread_mutex_lock(&locks[i % 8]);
        guarded[i]++;
        pthread_mutex_unlock(&locks[i % 8]);
    }
    return (void *)sum;
}

int main(void)
{
    pthread_t thread;
    void *sum;
    for (int i = 0; i < 8; i++)
        pthread_mutex_init(&locks[i], NULL);
    pthread_create(&thread, NULL, follow, NULL);
    for (int i = 0; i < CELLS; i++) {
        forward[i] = i;
        atomic_store_explicit(&published, i + 1, memory_order_release);
    }
    for (int i = CELLS - 1; i >= 0; i--) {
        pthread_mutex_lock(&locks[i % 8]);
        guarded[i]++;
        pthread_mutex_unlock(&locks[i % 8]);
    }
    pthread_join(thread, &sum);
    for (int i = 0; i < CELLS; i++)
        if (guarded[i] != 2 || forward[i] != i + 1)
            return 1;
    return (long)sum != (long)CELLS * (CELLS - 1) / 2;
}
