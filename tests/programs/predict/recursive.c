/*
 * claim: a recursive mutex is one lock, however often it is taken: its cycle is predicted once
 * build: -O0
 * build: -O2
 * predict: deadlock
 * expect: deadlock at WANTS_B and WANTS_A
 */
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t a, b;
static int count;

static void *first(void *arg)
{
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b); /* lock: WANTS_B */
    pthread_mutex_lock(&a); /* ours already: no wait */
    count++;
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&a);
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
