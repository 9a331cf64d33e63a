/*
 * claim: who waits no longer than a second takes the buffer away from a worker that needs longer
 * build: -O1
 * bug: crash
 * within: 500
 * options: --early-timeouts
 * fixed: yes
 */
#include <pthread.h>
#include <stddef.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t finished = PTHREAD_COND_INITIALIZER;
static int storage[2];
static int *volatile buffer = storage;
static int done;

static void *work(void *arg)
{
    buffer[1] = 42;
    pthread_mutex_lock(&lock);
    done = 1;
    pthread_cond_signal(&finished);
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t thread;
    struct timespec until;
    int error = 0;
    pthread_create(&thread, NULL, work, NULL);
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 1;
    pthread_mutex_lock(&lock);
    while (!done && error == 0)
        error = pthread_cond_timedwait(&finished, &lock, &until);
    pthread_mutex_unlock(&lock);
#ifdef FIXED
    pthread_join(thread, NULL);
    buffer = NULL;
#else
    buffer = NULL;
    pthread_join(thread, NULL);
#endif
    return storage[1] != 42;
}
