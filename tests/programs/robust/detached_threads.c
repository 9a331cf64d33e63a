/*
 * claim: waves of detached threads come and go without a trace
 * build: -O1
 * run: --budget=max --noise=random:100/50 x 4
 * run: x 3
 * expect: none
 */
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>

enum { WAVES = 20, THREADS = 10 };

static sem_t done;
static long own[THREADS];

static void *work(void *arg)
{
    for (int i = 0; i < 10; i++)
        ++*(long *)arg;
    sem_post(&done); /* the last thing that touches the shared memory of the program */
    return NULL;
}

int main(void)
{
    pthread_attr_t attr;
    pthread_attr_init(&attr);
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    sem_init(&done, 0, 0);
    for (int wave = 0; wave < WAVES; wave++) {
        pthread_t thread;
        for (int i = 0; i < THREADS; i++)
            if (pthread_create(&thread, &attr, work, &own[i]) != 0)
                return 2;
        for (int i = 0; i < THREADS; i++)
            sem_wait(&done);
    }
    for (int i = 0; i < THREADS; i++)
        if (own[i] != 10 * WAVES)
            return 1;
    return 0;
}
