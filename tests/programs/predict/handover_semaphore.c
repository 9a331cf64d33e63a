/*
 * claim: what is handed over by semaphores, unnamed and named, is never predicted
 * build: -O0
 * build: -O2
 * predict: hb
 * predict: hybrid
 * predict: deadlock,notify
 * expect: none
 */
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <unistd.h>

enum { ITEMS = 40, SLOTS = 4 };

static sem_t filled, *drained;
static long slots[SLOTS], sum;
static struct {
    int last;
    char text[8];
} note;

static void take(sem_t *semaphore)
{
    while (sem_wait(semaphore) != 0)
        continue;
}

static void *producer(void *arg)
{
    for (int i = 0; i < ITEMS; i++) {
        take(drained);
        slots[i % SLOTS] = i;
        if (i == ITEMS - 1) {
            note.last = i;
            note.text[0] = 'x';
        }
        sem_post(&filled);
    }
    return arg;
}

static void *consumer(void *arg)
{
    for (int i = 0; i < ITEMS; i++) {
        take(&filled);
        sum += slots[i % SLOTS];
        slots[i % SLOTS] = 0;
        sem_post(drained);
    }
    sum += note.last + (note.text[0] == 'x');
    return arg;
}

int main(void)
{
    pthread_t threads[2];
    char name[32];
    snprintf(name, sizeof name, "/darn-test-%d", (int)getpid());
    drained = sem_open(name, O_CREAT | O_EXCL, 0600, SLOTS);
    if (drained == SEM_FAILED)
        return 3;
    sem_unlink(name);
    sem_init(&filled, 0, 0);
    pthread_create(&threads[0], NULL, producer, NULL);
    pthread_create(&threads[1], NULL, consumer, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return sum != ITEMS * (ITEMS - 1) / 2 + ITEMS;
}
