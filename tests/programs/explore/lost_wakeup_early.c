/*
 * claim: a wait without a condition to look at sleeps for ever when the signal has come before it
 * build: -O1
 * bug: deadlock
 * within: 20
 * fixed: yes
 * compiler: is not in a loop
 */
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t finished = PTHREAD_COND_INITIALIZER;
static int result;

static void *work(void *arg)
{
    usleep(30000); /* usually main waits by then */
    pthread_mutex_lock(&lock);
    result = 42;
    pthread_cond_signal(&finished);
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t thread;
    int seen;
#ifdef FIXED
    pthread_mutex_lock(&lock);
    pthread_create(&thread, NULL, work, NULL);
    while (result == 0)
        pthread_cond_wait(&finished, &lock);
#else
    pthread_create(&thread, NULL, work, NULL);
    pthread_mutex_lock(&lock);
    pthread_cond_wait(&finished, &lock);
#endif
    seen = result;
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    return seen != 42;
}
