/*
 * claim: both orders by one and the same thread: nothing is predicted
 * build: -O0
 * build: -O2
 * predict: deadlock
 * expect: none
 */
#include <pthread.h>
#include "../unseen.h"

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void *first(void *arg)
{
    for (int i = 0; i < 10; i++) {
        pthread_mutex_lock(i % 2 ? &a : &b);
        pthread_mutex_lock(i % 2 ? &b : &a);
        count++;
        pthread_mutex_unlock(&a);
        pthread_mutex_unlock(&b);
    }
    unseen_tell();
    return arg;
}

static void *second(void *arg)
{
    pthread_mutex_lock(&a);
    count++;
    pthread_mutex_unlock(&a);
    pthread_mutex_lock(&b);
    pthread_mutex_unlock(&b);
    return arg;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, first, NULL);
    unseen_wait(); /* they never meet */
    pthread_create(&threads[1], NULL, second, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return count != 11;
}
