/*
 * claim: two locks in both orders by threads that never meet in time are predicted
 * build: -O0
 * build: -O2
 * predict: deadlock
 * expect: deadlock at WANTS_B and WANTS_A
 */
#include <pthread.h>
#include "../unseen.h"

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static int from, to;

static void *first(void *arg)
{
    pthread_mutex_lock(&a);
    from++;
    pthread_mutex_lock(&b); /* lock: WANTS_B */
    to++;
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    unseen_tell();
    return arg;
}

static void *second(void *arg)
{
    pthread_mutex_lock(&b);
    to++;
    pthread_mutex_lock(&a); /* lock: WANTS_A */
    from++;
    pthread_mutex_unlock(&a);
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
    return from != 2 || to != 2;
}
