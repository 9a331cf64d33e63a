/*
 * claim: a block freed and allocated again under one lock is never reported
 * build: -O0
 * build: -O2
 * run: --budget=max --noise=random:50/30 x 8
 * run: x 4
 * predict: hb
 * expect: none
 */
#include <pthread.h>
#include <stdlib.h>

enum { ROUNDS = 300 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long *shared;

static void *work(void *arg)
{
    (void)arg;
    for (int i = 0; i < ROUNDS; i++) {
        pthread_mutex_lock(&lock);
        long value = *shared;
        free(shared);
        shared = malloc(sizeof(*shared)); /* most often the same address */
        *shared = value + 1;
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[3];
    shared = calloc(1, sizeof(*shared));
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return *shared != 3 * ROUNDS;
}
