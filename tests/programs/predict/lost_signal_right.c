/*
 * claim: a signal that nobody waits for is not lost if the one who comes later asks first
 * build: -O0
 * build: -O2
 * predict: notify
 * expect: none
 */
#include <pthread.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t done = PTHREAD_COND_INITIALIZER;
static int result;

static void *worker(void *arg)
{
    pthread_mutex_lock(&mutex);
    result = 42;
    pthread_cond_signal(&done);
    pthread_mutex_unlock(&mutex);
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    usleep(40000);
    pthread_mutex_lock(&mutex);
    while (result == 0)
        pthread_cond_wait(&done, &mutex);
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, NULL);
    return result != 42;
}
