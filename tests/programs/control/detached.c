/*
 * claim: threads that nobody joins, detached by attribute, by their creator or by themselves
 * build: -O1
 * ends: exit 0
 */
#include <pthread.h>

enum { THREADS = 3 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t finished = PTHREAD_COND_INITIALIZER;
static int left = THREADS;

static void *work(void *arg)
{
    if (arg != NULL)
        pthread_detach(pthread_self());
    pthread_mutex_lock(&lock);
    if (--left == 0)
        pthread_cond_signal(&finished);
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_attr_t attributes;
    pthread_t thread;
    int error = pthread_attr_init(&attributes);
    error |= pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    error |= pthread_create(&thread, &attributes, work, NULL);
    error |= pthread_create(&thread, NULL, work, NULL);
    error |= pthread_detach(thread);
    error |= pthread_create(&thread, NULL, work, &lock);
    pthread_mutex_lock(&lock);
    while (left > 0)
        pthread_cond_wait(&finished, &lock);
    pthread_mutex_unlock(&lock);
    return error;
}
