/*
 * claim: 64 threads that are all alive at the same time
 * build: -O1
 * ends: exit 0
 */
#include <pthread.h>

enum { THREADS = 64 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t barrier;
static int counter;

static void *work(void *arg)
{
    pthread_mutex_lock(&lock);
    counter++;
    pthread_mutex_unlock(&lock);
    pthread_barrier_wait(&barrier);
    return counter == THREADS ? NULL : arg; /* nobody counts any more */
}

int main(void)
{
    pthread_t threads[THREADS];
    int wrong = 0;
    pthread_barrier_init(&barrier, NULL, THREADS);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, &wrong);
    for (int i = 0; i < THREADS; i++) {
        void *result;
        pthread_join(threads[i], &result);
        wrong += result != NULL;
    }
    return wrong != 0;
}
