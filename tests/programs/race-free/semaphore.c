/*
 * claim: slots of a ring ordered by two semaphores are never reported
 * build: -O0
 * build: -O2
 * run: --budget=max --noise=random:50/20 x 10
 * run: x 5
 * predict: hb
 * expect: none
 */
#include <pthread.h>
#include <semaphore.h>
#include <sched.h>

enum { SLOTS = 4, ITEMS = 1000 };

static sem_t empty, full;
static int ring[SLOTS];

static void *producer(void *arg)
{
    (void)arg;
    for (int i = 0; i < ITEMS; i++) {
        sem_wait(&empty);
        ring[i % SLOTS] = i;
        sem_post(&full);
    }
    return NULL;
}

static void *consumer(void *arg)
{
    (void)arg;
    for (int i = 0; i < ITEMS; i++) {
        while (sem_trywait(&full) != 0)
            sched_yield();
        if (ring[i % SLOTS] != i)
            return ring;
        ring[i % SLOTS] = -1;
        sem_post(&empty);
    }
    return NULL;
}

int main(void)
{
    pthread_t producing, consuming;
    void *broken;
    sem_init(&empty, 0, SLOTS);
    sem_init(&full, 0, 0);
    pthread_create(&producing, NULL, producer, NULL);
    pthread_create(&consuming, NULL, consumer, NULL);
    pthread_join(producing, NULL);
    pthread_join(consuming, &broken);
    return broken != NULL;
}
