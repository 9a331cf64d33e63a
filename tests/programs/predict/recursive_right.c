/*
 * claim: a recursive mutex that is taken again under another lock never waits: nothing is predicted
 * build: -O0
 * build: -O2
 * predict: deadlock
 * expect: none
 */
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t a, b;
static int count;

static void *first(void *arg)
{
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b);
    pthread_mutex_lock(&a); /* held already: not from b to a */
    count++;
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    return arg;
}

static void *second(void *arg)
{
    return first(arg);
}

int main(void)
{
    pthread_t threads[2];
    pthread_mutexattr_t recursive;
    pthread_mutexattr_init(&recursive);
    pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&a, &recursive);
    pthread_mutex_init(&b, &recursive);
    pthread_create(&threads[0], NULL, first, NULL);
    usleep(40000);
    pthread_create(&threads[1], NULL, second, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return count != 2;
}
