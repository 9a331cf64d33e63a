/*
 * claim: a thousand threads at once, and a thousand in turn, work and are told apart
 * build: -O1
 * run: --budget=max --noise=random:100/50 x 2
 * run: x 2
 * timeout: 60
 * tsan: no
 * expect: none
 */
#include <pthread.h>

enum { THREADS = 1000 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t all;
static long counter, own[THREADS];

static void *work(void *arg)
{
    long *mine = arg;
    for (int i = 0; i < 5; i++)
        ++*mine;
    pthread_mutex_lock(&lock);
    counter++;
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *work_together(void *arg)
{
    pthread_barrier_wait(&all);
    return work(arg);
}

int main(void)
{
    static pthread_t threads[THREADS];
    pthread_attr_t attr;
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, 128 * 1024);
    pthread_barrier_init(&all, NULL, THREADS);
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], &attr, work_together, &own[i]) != 0)
            return 2;
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < THREADS; i++) {
        if (pthread_create(&threads[i], &attr, work, &own[i]) != 0)
            return 3;
        pthread_join(threads[i], NULL);
    }
    for (int i = 0; i < THREADS; i++)
        if (own[i] != 10)
            return 4;
    return counter != 2 * THREADS;
}
