/*
 * claim: darn adds no cancellation points: a thread is cancelled only where it would be without
 * build: -O0
 * build: -O2
 * run: --budget=max --noise=random:500/200 x 8
 * run: x 4
 * modes: record heal only
 * expect: none
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

enum { ROUNDS = 10 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long pairs[2]; /* always equal, whenever the lock is free */
static atomic_int inside;
static long cleaned;

static void clean(void *arg)
{
    ++*(long *)arg;
}

static void *work(void *arg)
{
    pthread_cleanup_push(clean, &cleaned);
    for (;;) {
        pthread_mutex_lock(&lock); /* not a cancellation point, nor are the accesses */
        atomic_store(&inside, 1);
        for (int i = 0; i < 10; i++) {
            pairs[0]++;
            pairs[1]++;
        }
        pthread_mutex_unlock(&lock);
        pthread_testcancel();
    }
    pthread_cleanup_pop(0);
    return arg;
}

int main(void)
{
    for (int i = 0; i < ROUNDS; i++) {
        pthread_t thread;
        void *result;
        atomic_store(&inside, 0);
        pthread_create(&thread, NULL, work, NULL);
        while (!atomic_load(&inside))
            continue;
        pthread_cancel(thread);
        pthread_join(thread, &result);
        if (result != PTHREAD_CANCELED || pthread_mutex_trylock(&lock) != 0)
            return 1;
        bool broken = pairs[0] != pairs[1];
        pthread_mutex_unlock(&lock);
        if (broken || cleaned != i + 1)
            return 2;
    }
    return 0;
}
