/*
 * claim: a counter behind a mutex of any kind is never reported
 * build: -O0
 * build: -O2
 * run: --budget=max --noise=random:50/20 x 10
 * run: x 5
 * predict: hb
 * expect: none
 */
#define _GNU_SOURCE
#include <pthread.h>

enum { KINDS = 5, ROUNDS = 300 };

static pthread_mutex_t locks[KINDS];
static long counters[KINDS];

static void *work(void *arg)
{
    (void)arg;
    for (int i = 0; i < ROUNDS; i++) {
        for (int kind = 0; kind < KINDS; kind++) {
            pthread_mutex_lock(&locks[kind]);
            counters[kind]++;
            pthread_mutex_unlock(&locks[kind]);
        }
    }
    return NULL;
}

/* The recursive one is taken twice: the inner unlock must not count as the end of the section. */
static void *work_recursive(void *arg)
{
    (void)arg;
    for (int i = 0; i < ROUNDS; i++) {
        pthread_mutex_lock(&locks[1]);
        pthread_mutex_lock(&locks[1]);
        counters[1]++;
        pthread_mutex_unlock(&locks[1]);
        counters[1]++;
        pthread_mutex_unlock(&locks[1]);
    }
    return NULL;
}

int main(void)
{
    static const int types[KINDS] = {PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_RECURSIVE,
                                     PTHREAD_MUTEX_ERRORCHECK, PTHREAD_MUTEX_ADAPTIVE_NP,
                                     PTHREAD_MUTEX_DEFAULT};
    for (int kind = 0; kind < KINDS; kind++) {
        pthread_mutexattr_t attr;
        pthread_mutexattr_init(&attr);
        pthread_mutexattr_settype(&attr, types[kind]);
        if (kind == KINDS - 1)
            pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
        pthread_mutex_init(&locks[kind], &attr);
        pthread_mutexattr_destroy(&attr);
    }

    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, i == 2 ? work_recursive : work, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);

    for (int kind = 0; kind < KINDS; kind++) {
        if (counters[kind] != (kind == 1 ? 4 : 2) * ROUNDS)
            return 1;
        pthread_mutex_destroy(&locks[kind]);
    }
    return 0;
}
