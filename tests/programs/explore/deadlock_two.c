/*
 * claim: two threads that take two locks in opposite order wait for each other
 * build: -O1
 * bug: deadlock
 * within: 20
 * fixed: yes
 */
#include <pthread.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static int visits;

static void visit(pthread_mutex_t *outer, pthread_mutex_t *inner)
{
    pthread_mutex_lock(outer);
    pthread_mutex_lock(inner);
    visits++;
    pthread_mutex_unlock(inner);
    pthread_mutex_unlock(outer);
}

static void *first(void *arg)
{
    visit(&a, &b);
    return arg;
}

static void *second(void *arg)
{
#ifdef FIXED
    visit(&a, &b);
#else
    visit(&b, &a);
#endif
    return arg;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, first, NULL);
    pthread_create(&threads[1], NULL, second, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return visits != 2;
}
