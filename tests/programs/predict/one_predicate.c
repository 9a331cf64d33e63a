/*
 * claim: many waiters for one predicate may be signalled one by one: nothing is predicted
 * build: -O0
 * build: -O2
 * predict: notify
 * expect: none
 */
#include <pthread.h>
#include <unistd.h>

enum { WORKERS = 3, JOBS = 30 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static int jobs, closed, done;

static void *worker(void *arg)
{
    pthread_mutex_lock(&mutex);
    for (;;) {
        while (jobs == 0 && !closed)
            pthread_cond_wait(&filled, &mutex);
        if (jobs == 0)
            break;
        jobs--;
        done++;
    }
    pthread_mutex_unlock(&mutex);
    return arg;
}

int main(void)
{
    pthread_t threads[WORKERS];
    for (int i = 0; i < WORKERS; i++)
        pthread_create(&threads[i], NULL, worker, NULL);
    for (int i = 0; i < JOBS; i++) {
        pthread_mutex_lock(&mutex);
        jobs++;
        pthread_cond_signal(&filled);
        pthread_mutex_unlock(&mutex);
        if (i % 8 == 0)
            usleep(1000);
    }
    pthread_mutex_lock(&mutex);
    closed = 1;
    pthread_cond_broadcast(&filled);
    pthread_mutex_unlock(&mutex);
    for (int i = 0; i < WORKERS; i++)
        pthread_join(threads[i], NULL);
    return done != JOBS;
}
