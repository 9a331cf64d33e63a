/*
 * claim: a signal to a condition variable with waiters for two predicates may wake the wrong one
 * build: -O0
 * build: -O2
 * predict: notify
 * expect: notification at SIGNAL and FULL and EMPTY with reason=wrong-waiter
 */
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int full, empty, waiting, seen;

static void *wait_full(void *arg)
{
    pthread_mutex_lock(&mutex);
    waiting++;
    while (!full)
        pthread_cond_wait(&changed, &mutex); /* wait: FULL */
    seen++;
    pthread_mutex_unlock(&mutex);
    return arg;
}

static void *wait_empty(void *arg)
{
    pthread_mutex_lock(&mutex);
    waiting++;
    while (!empty)
        pthread_cond_wait(&changed, &mutex); /* wait: EMPTY */
    seen++;
    pthread_mutex_unlock(&mutex);
    return arg;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, wait_full, NULL);
    pthread_create(&threads[1], NULL, wait_empty, NULL);
    for (int count = 0; count < 2; usleep(1000)) {
        pthread_mutex_lock(&mutex);
        count = waiting;
        pthread_mutex_unlock(&mutex);
    }
    pthread_mutex_lock(&mutex);
    empty = 1;
    pthread_cond_signal(&changed); /* signal: SIGNAL */
    pthread_mutex_unlock(&mutex);
    usleep(10000);
    pthread_mutex_lock(&mutex);
    full = 1;
    pthread_cond_broadcast(&changed); /* whoever still waits */
    pthread_mutex_unlock(&mutex);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return seen != 2;
}
