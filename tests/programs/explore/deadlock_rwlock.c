/*
 * claim: a reader that reads again, a writer that came in between, and a lock that prefers writers
 * build: -O1
 * bug: deadlock
 * within: 20
 * fixed: yes
 */
#define _GNU_SOURCE
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;
static int value, sum;

static int get(void)
{
    int seen;
    pthread_rwlock_rdlock(&lock);
    seen = value;
    pthread_rwlock_unlock(&lock);
    return seen;
}

static void *read_twice(void *arg)
{
#ifdef FIXED
    sum = get();
#else
    pthread_rwlock_rdlock(&lock);
    sum = get();
    pthread_rwlock_unlock(&lock);
#endif
    return arg;
}

static void *write_it(void *arg)
{
    pthread_rwlock_wrlock(&lock);
    value = 1;
    pthread_rwlock_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, read_twice, NULL);
    pthread_create(&threads[1], NULL, write_it, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return sum > 1;
}
