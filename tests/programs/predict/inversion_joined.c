/*
 * claim: both orders, but the second thread starts after the first was joined: nothing is predicted
 * build: -O0
 * build: -O2
 * predict: deadlock
 * expect: none
 */
#include <pthread.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
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
    return arg;
}

static void *second(void *arg)
{
    both(&b, &a);
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, first, NULL);
    pthread_join(thread, NULL);
    pthread_create(&thread, NULL, second, NULL);
    pthread_join(thread, NULL);
    return count != 2;
}
