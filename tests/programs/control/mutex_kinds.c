/*
 * claim: recursive, error-checking, robust, inheriting and adaptive mutexes keep their own rules
 * build: -O1
 * ends: exit 0
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>

enum { RECURSIVE, ERRORCHECK, ADAPTIVE, INHERIT, ROBUST, KINDS };

static pthread_mutex_t locks[KINDS];
static int counters[KINDS];

static int make(int kind)
{
    pthread_mutexattr_t attributes;
    int error = pthread_mutexattr_init(&attributes);
    if (kind == RECURSIVE)
        error |= pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
    else if (kind == ERRORCHECK)
        error |= pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
    else if (kind == ADAPTIVE)
        error |= pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ADAPTIVE_NP);
    else if (kind == INHERIT)
        error |= pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT);
    else
        error |= pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    error |= pthread_mutex_init(&locks[kind], &attributes);
    error |= pthread_mutexattr_destroy(&attributes);
    return error;
}

static void *count(void *arg)
{
    for (int kind = 0; kind < KINDS; kind++) {
        if (pthread_mutex_lock(&locks[kind]) != 0)
            return &locks[kind];
        counters[kind]++;
        pthread_mutex_unlock(&locks[kind]);
    }
    return arg;
}

static int recursive(void)
{
    pthread_mutex_t *lock = &locks[RECURSIVE];
    return pthread_mutex_lock(lock) != 0 || pthread_mutex_lock(lock) != 0 ||
           pthread_mutex_trylock(lock) != 0 || pthread_mutex_unlock(lock) != 0 ||
           pthread_mutex_unlock(lock) != 0 || pthread_mutex_unlock(lock) != 0 ||
           pthread_mutex_unlock(lock) != EPERM;
}

static void *not_mine(void *arg)
{
    int wrong = pthread_mutex_unlock(&locks[ERRORCHECK]) != EPERM ||
                pthread_mutex_trylock(&locks[ERRORCHECK]) != EBUSY;
    return wrong ? &locks[ERRORCHECK] : arg;
}

static int error_checking(void)
{
    pthread_t thread;
    void *result;
    if (pthread_mutex_lock(&locks[ERRORCHECK]) != 0 ||
        pthread_mutex_lock(&locks[ERRORCHECK]) != EDEADLK)
        return 1;
    pthread_create(&thread, NULL, not_mine, NULL);
    pthread_join(thread, &result);
    return result != NULL || pthread_mutex_unlock(&locks[ERRORCHECK]) != 0;
}

static void *die_with_it(void *arg)
{
    pthread_mutex_lock(&locks[ROBUST]);
    return arg;
}

static int robust(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, die_with_it, NULL);
    pthread_join(thread, NULL);
    return pthread_mutex_lock(&locks[ROBUST]) != EOWNERDEAD ||
           pthread_mutex_consistent(&locks[ROBUST]) != 0 ||
           pthread_mutex_unlock(&locks[ROBUST]) != 0 || pthread_mutex_lock(&locks[ROBUST]) != 0 ||
           pthread_mutex_unlock(&locks[ROBUST]) != 0;
}

int main(void)
{
    pthread_t threads[2];
    for (int kind = 0; kind < KINDS; kind++) {
        if (make(kind) != 0)
            return 1;
    }
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, count, NULL);
    for (int i = 0; i < 2; i++) {
        void *result;
        pthread_join(threads[i], &result);
        if (result != NULL)
            return 2;
    }
    for (int kind = 0; kind < KINDS; kind++) {
        if (counters[kind] != 2)
            return 3;
    }
    if (recursive())
        return 4;
    if (error_checking())
        return 5;
    return robust() ? 6 : 0;
}
