/*
 * claim: a lock that was taken by trylock can be waited for all the same
 * build: -O0
 * build: -O2
 * predict: deadlock
 * expect: deadlock at WANTS_B and WANTS_A
 */
#include <pthread.h>
#include "../unseen.h"

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void *first(void *arg)
{
    if (pthread_mutex_trylock(&a) == 0) {
        pthread_mutex_lock(&b); /* lock: WANTS_B */
        count++;
        pthread_mutex_unlock(&b);
        pthread_mutex_unlock(&a);
    }
    unseen_tell();
    return arg;
}

static void *second(void *arg)
{
    pthread_mutex_lock(&b);
    pthread_mutex_lock(&a); /* lock: WANTS_A */
    count++;
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
    return count < 1 || count > 2;
}
