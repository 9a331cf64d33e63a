/*
 * claim: what a fast thread does between two meetings at a barrier is not ordered with what a slow one does there
 * build: -O1
 * run: x 20
 * expect: data-race on count at FAST and SLOW
 */
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static pthread_barrier_t barrier;
static long count;

/* Counts, and waits at the barrier again, before the other has left it: that one is interrupted when it is about to. */
static void *fast(void *arg)
{
    pthread_barrier_wait(&barrier);
    count++; /* race: FAST */
    pthread_barrier_wait(&barrier);
    return arg;
}

static void *slow(void *arg)
{
    pthread_barrier_wait(&barrier);
    count++; /* race: SLOW */
    pthread_barrier_wait(&barrier);
    return arg;
}

int main(void)
{
    pthread_t threads[2];

    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&threads[0], NULL, slow, NULL);
    usleep(10000); /* it sleeps in the barrier, and takes longer to come out */
    pthread_create(&threads[1], NULL, fast, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
