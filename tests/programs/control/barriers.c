/*
 * claim: a barrier is used again and again; each round has one serial thread, and nobody is ahead
 * build: -O1
 * ends: exit 0
 */
#include <pthread.h>

enum { THREADS = 3, ROUNDS = 3 };

static pthread_barrier_t barrier;
static int rounds[THREADS], serial[THREADS];

static void *work(void *arg)
{
    int me = (int)(long)arg;
    for (int i = 1; i <= ROUNDS; i++) {
        int wrong = 0;
        rounds[me] = i;
        serial[me] += pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD;
        for (int j = 0; j < THREADS; j++)
            wrong += rounds[j] != i;
        if (wrong != 0)
            return &barrier;
        pthread_barrier_wait(&barrier);
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    int sum = 0;
    pthread_barrier_init(&barrier, NULL, THREADS);
    for (long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, (void *)i);
    for (int i = 0; i < THREADS; i++) {
        void *result;
        pthread_join(threads[i], &result);
        if (result != NULL)
            return 1;
        sum += serial[i];
    }
    return pthread_barrier_destroy(&barrier) != 0 || sum != ROUNDS;
}
