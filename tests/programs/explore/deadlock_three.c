/*
 * claim: a cycle of three locks, which no two of the three threads could close
 * build: -O1
 * bug: deadlock
 * within: 500
 * fixed: yes
 */
#include <pthread.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER,
                       c = PTHREAD_MUTEX_INITIALIZER;

static void both(pthread_mutex_t *outer, pthread_mutex_t *inner)
{
    pthread_mutex_lock(outer);
    pthread_mutex_lock(inner);
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
    both(&b, &c);
    return arg;
}

static void *third(void *arg)
{
#ifdef FIXED
    both(&a, &c);
#else
    both(&c, &a);
#endif
    return arg;
}

int main(void)
{
    void *(*const work[])(void *) = {first, second, third};
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, work[i], NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
