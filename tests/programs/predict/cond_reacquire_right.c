/*
 * claim: a wait inside of its own mutex only: nothing is predicted
 * build: -O0
 * build: -O2
 * predict: deadlock
 * expect: none
 */
#include <pthread.h>
#include "../unseen.h"

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ready, count;

static void *first(void *arg)
{
    pthread_mutex_lock(&a);
    unseen_tell();
    while (!ready)
        pthread_cond_wait(&changed, &a);
    pthread_mutex_lock(&b);
    count++;
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    return arg;
}

static void *second(void *arg)
{
    pthread_mutex_lock(&a);
    ready = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_lock(&b);
    count++;
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    return arg;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, first, NULL);
    unseen_wait(); /* the other one waits, or is about to */
    pthread_create(&threads[1], NULL, second, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return count != 2;
}
