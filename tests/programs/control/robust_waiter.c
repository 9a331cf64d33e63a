/*
 * claim: who waits for a robust mutex whose owner ends is woken and told so
 * build: -O1
 * ends: exit 0
 */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>

static pthread_mutex_t lock;
static sem_t locked;

static void *die_with_it(void *arg)
{
    pthread_mutex_lock(&lock);
    sem_post(&locked);
    return arg;
}

static void *inherit(void *arg)
{
    sem_wait(&locked);
    if (pthread_mutex_lock(&lock) == EOWNERDEAD && pthread_mutex_consistent(&lock) == 0 &&
        pthread_mutex_unlock(&lock) == 0)
        return NULL;
    return arg;
}

int main(void)
{
    pthread_mutexattr_t attributes;
    pthread_t threads[2];
    void *result;
    sem_init(&locked, 0, 0);
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&lock, &attributes);
    pthread_create(&threads[0], NULL, inherit, &lock);
    pthread_create(&threads[1], NULL, die_with_it, NULL);
    pthread_join(threads[0], &result);
    pthread_join(threads[1], NULL);
    return result != NULL;
}
