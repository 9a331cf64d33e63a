/*
 * claim: a thread that has disabled cancellation goes on until it enables it again
 * build: -O1
 * ends: exit 0
 */
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

static sem_t started, cancelled;
static int steps;

static void *work(void *arg)
{
    int old;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old);
    sem_post(&started);
    sem_wait(&cancelled);
    usleep(100);
    pthread_testcancel();
    steps = 1; /* it comes to here */
    pthread_setcancelstate(old, NULL);
    pthread_testcancel();
    steps = 2; /* but not to here */
    return arg;
}

int main(void)
{
    pthread_t thread;
    void *result;
    sem_init(&started, 0, 0);
    sem_init(&cancelled, 0, 0);
    pthread_create(&thread, NULL, work, NULL);
    sem_wait(&started);
    pthread_cancel(thread);
    sem_post(&cancelled);
    pthread_join(thread, &result);
    return result != PTHREAD_CANCELED || steps != 1;
}
