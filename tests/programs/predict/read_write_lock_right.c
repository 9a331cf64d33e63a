/*
 * claim: reads under a read lock and writes under the write lock: nothing is predicted
 * build: -O0
 * build: -O2
 * predict: hybrid
 * predict: hb
 * expect: none
 */
#include <pthread.h>
#include "../unseen.h"

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int values[4], sum;

static void *first(void *arg)
{
    for (int i = 0; i < 20; i++) {
        pthread_rwlock_wrlock(&lock);
        values[i % 4]++;
        pthread_rwlock_unlock(&lock);
        pthread_rwlock_rdlock(&lock);
        int seen = values[0] + values[1] + values[2] + values[3];
        pthread_rwlock_unlock(&lock);
        pthread_rwlock_wrlock(&lock);
        sum += seen > 0;
        pthread_rwlock_unlock(&lock);
    }
    unseen_tell();
    return arg;
}

static void *second(void *arg)
{
    return first(arg);
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, first, NULL);
    unseen_wait(); /* they never meet */
    pthread_create(&threads[1], NULL, second, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return sum != 40 || values[3] != 10;
}
