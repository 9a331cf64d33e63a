/*
 * claim: both orders, one by main before there are threads and after them: nothing is predicted
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

static void *work(void *arg)
{
    both(&b, &a);
    return arg;
}

int main(void)
{
    pthread_t threads[2];
    both(&a, &b);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    both(&a, &b);
    return count != 4;
}
