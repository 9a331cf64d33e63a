/*
 * claim: a queue with two condition variables is never reported
 * build: -O0
 * build: -O2
 * run: --budget=max --noise=random:50/20 x 10
 * run: x 5
 * predict: hb
 * expect: none
 */
#include <pthread.h>

enum { SLOTS = 4, ITEMS = 400 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER, not_full = PTHREAD_COND_INITIALIZER;
static int ring[SLOTS], used, head;
static long consumed;

static void *producer(void *arg)
{
    (void)arg;
    for (int i = 1; i <= ITEMS; i++) {
        pthread_mutex_lock(&lock);
        while (used == SLOTS)
            pthread_cond_wait(&not_full, &lock);
        ring[(head + used++) % SLOTS] = i;
        pthread_cond_signal(&not_empty);
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

static void *consumer(void *arg)
{
    (void)arg;
    for (int i = 1; i <= ITEMS; i++) {
        pthread_mutex_lock(&lock);
        while (used == 0)
            pthread_cond_wait(&not_empty, &lock);
        consumed += ring[head];
        head = (head + 1) % SLOTS;
        used--;
        pthread_mutex_unlock(&lock);
        pthread_cond_broadcast(&not_full); /* after the unlock: allowed as well */
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, i % 2 ? consumer : producer, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    return consumed != (long)ITEMS * (ITEMS + 1);
}
