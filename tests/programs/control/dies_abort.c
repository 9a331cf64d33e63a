/*
 * claim: a thread that aborts in every schedule, while main holds a lock
 * build: -O1
 * ends: signal ABRT
 */
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *arg)
{
    abort();
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_mutex_lock(&lock);
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
    pthread_mutex_unlock(&lock);
    return 1;
}
