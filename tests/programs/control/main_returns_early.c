/*
 * claim: main returns while threads sleep, wait for ever or yield for ever: that is no hang, and no deadlock
 * build: -O1
 * ends: exit 0
 */
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <unistd.h>

static sem_t never;

static void *wait_for_ever(void *arg)
{
    sem_wait(&never);
    return arg;
}

static void *sleep_for_ever(void *arg)
{
    for (;;)
        usleep(1000);
    return arg;
}

static void *yield_for_ever(void *arg)
{
    for (;;)
        sched_yield();
    return arg;
}

int main(void)
{
    static void *(*const work[])(void *) = {wait_for_ever, sleep_for_ever, yield_for_ever};
    sem_init(&never, 0, 0);
    for (int i = 0; i < 3; i++) {
        pthread_t thread;
        pthread_create(&thread, NULL, work[i], NULL);
        pthread_detach(thread);
    }
    return 0;
}
