/*
 * claim: a handler at exit takes a lock that a thread uses, and waits for that thread to end
 * build: -O1
 * ends: exit 0
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_t thread;
static bool stop, stopped;

static void *work(void *arg)
{
    pthread_mutex_lock(&lock);
    while (!stop)
        pthread_cond_wait(&changed, &lock);
    stopped = true;
    pthread_mutex_unlock(&lock);
    return arg;
}

static void at_exit(void)
{
    pthread_mutex_lock(&lock);
    stop = true;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    if (!stopped)
        _exit(1);
}

int main(void)
{
    atexit(at_exit);
    pthread_create(&thread, NULL, work, NULL);
    return 0;
}
