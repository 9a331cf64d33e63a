/*
 * claim: errors and recursion of mutexes that know their owner are not reported
 * build: -O0
 * build: -O2
 * run: x 3
 * expect: none
 */
#include <errno.h>
#include <pthread.h>

static pthread_mutex_t checks, recursive, robust;
static int count;

static void initialize(pthread_mutex_t *mutex, int type, int robustness)
{
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, type);
    pthread_mutexattr_setrobust(&attributes, robustness);
    pthread_mutex_init(mutex, &attributes);
    pthread_mutexattr_destroy(&attributes);
}

static void *dies_with_lock(void *arg)
{
    pthread_mutex_lock(&robust);
    count++;
    return arg;
}

static void *work(void *arg)
{
    for (int i = 0; i < 20; i++) {
        pthread_mutex_lock(&recursive);
        pthread_mutex_lock(&checks);
        pthread_mutex_lock(&recursive);
        if (pthread_mutex_lock(&checks) != EDEADLK)
            return &checks;
        count++;
        pthread_mutex_unlock(&recursive);
        pthread_mutex_unlock(&checks);
        pthread_mutex_unlock(&recursive);
    }
    return arg;
}

int main(void)
{
    pthread_t threads[3];
    void *result;
    int wrong = 0;
    initialize(&checks, PTHREAD_MUTEX_ERRORCHECK, PTHREAD_MUTEX_STALLED);
    initialize(&recursive, PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_STALLED);
    initialize(&robust, PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_ROBUST);
    pthread_create(&threads[2], NULL, dies_with_lock, NULL);
    pthread_join(threads[2], NULL);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++) {
        pthread_join(threads[i], &result);
        wrong |= result != NULL;
    }
    if (pthread_mutex_lock(&robust) != EOWNERDEAD)
        return 3;
    pthread_mutex_consistent(&robust);
    pthread_mutex_unlock(&robust);
    return wrong || count != 41;
}
