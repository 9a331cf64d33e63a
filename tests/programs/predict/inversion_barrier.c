/*
 * claim: both orders, kept apart by a barrier: nothing is predicted
 * build: -O0
 * build: -O2
 * predict: deadlock
 * expect: none
 */
#include <pthread.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t between;
static int count;

static void both(pthread_mutex_t *outer, pthread_mutex_t *inner)
{
    pthread_mutex_lock(outer);
    pthread_mutex_lock(inner);
    count++;
    pthread_mutex_unlock(inner);
    pthread_mutex_unlock(outer);
}

static void *first(void *arg)
{
    both(&a, &b);
    pthread_barrier_wait(&between);
    return arg;
}

static void *second(void *arg)
{
    pthread_barrier_wait(&between);
    both(&b, &a);
    return arg;
}

int main(void)
{
    pthread_t threads[2];
    pthread_barrier_init(&between, NULL, 2);
    pthread_create(&threads[0], NULL, first, NULL);
    pthread_create(&threads[1], NULL, second, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return count != 2;
}
