/*
 * claim: a write lock held while waiting for the other read lock, both ways, is predicted
 * build: -O0
 * build: -O2
 * predict: deadlock
 * expect: deadlock at WANTS_B and WANTS_A
 */
#include <pthread.h>
#include "../unseen.h"

static pthread_rwlock_t a = PTHREAD_RWLOCK_INITIALIZER, b = PTHREAD_RWLOCK_INITIALIZER;
static int count[2];

static void *first(void *arg)
{
    pthread_rwlock_wrlock(&a);
    pthread_rwlock_rdlock(&b); /* lock: WANTS_B */
    count[0]++;
    pthread_rwlock_unlock(&b);
    pthread_rwlock_unlock(&a);
    unseen_tell();
    return arg;
}

static void *second(void *arg)
{
    pthread_rwlock_wrlock(&b);
    pthread_rwlock_rdlock(&a); /* lock: WANTS_A */
    count[1]++;
    pthread_rwlock_unlock(&a);
    pthread_rwlock_unlock(&b);
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
    return count[0] + count[1] != 2;
}
