/*
 * claim: semaphores hand over what was posted, once for each post
 * build: -O1
 * ends: exit 0
 */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>

enum { SLOTS = 2, ITEMS = 4 };

static sem_t empty, full, guard;
static int slots[SLOTS], put, taken, sum;

static void *produce(void *arg)
{
    for (int i = 1; i <= ITEMS; i++) {
        sem_wait(&empty);
        sem_wait(&guard);
        slots[put++ % SLOTS] = i;
        sem_post(&guard);
        sem_post(&full);
    }
    return arg;
}

static void *consume(void *arg)
{
    for (int i = 0; i < ITEMS / 2; i++) {
        sem_wait(&full);
        sem_wait(&guard);
        sum += slots[taken++ % SLOTS];
        sem_post(&guard);
        sem_post(&empty);
    }
    return arg;
}

int main(void)
{
    pthread_t threads[3];
    int value;
    sem_init(&empty, 0, SLOTS);
    sem_init(&full, 0, 0);
    sem_init(&guard, 0, 1);
    if (sem_trywait(&full) == 0 || errno != EAGAIN)
        return 1;
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, i == 0 ? produce : consume, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    if (sem_getvalue(&empty, &value) != 0 || value != SLOTS)
        return 2;
    return sum != ITEMS * (ITEMS + 1) / 2;
}
