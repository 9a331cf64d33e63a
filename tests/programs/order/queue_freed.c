/*
 * claim: main frees a queue that seems to be empty, and its consumer looks into it again
 * build: -O1
 * fails: crash
 * kind: data-race
 * heals: yes
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

#include "usually.h"

struct queue {
    pthread_mutex_t *lock;
    bool done;
    int items;
};

static void *consume(void *to)
{
    struct queue *queue = to;
    bool done;

    do {
        pthread_mutex_lock(queue->lock); /* order: USE */
        if (queue->items)
            queue->items--;
        done = queue->done && !queue->items;
        pthread_mutex_unlock(queue->lock);
        usleep(1000); /* on a busy machine it would look a hundred thousand times */
    } while (!done);
    return NULL;
}

int main(void)
{
    struct queue *queue = calloc(1, sizeof(*queue));
    pthread_mutex_t *lock = calloc(1, sizeof(*lock));
    pthread_t consumer;

    pthread_mutex_init(lock, NULL);
    queue->lock = lock;
    queue->items = 3;
    pthread_create(&consumer, NULL, consume, queue);
    pthread_mutex_lock(lock);
    queue->done = true;
    pthread_mutex_unlock(lock);
#ifdef FIXED
    pthread_join(consumer, NULL);
#else
    usually_late(); /* it will be through by then */
#endif
    pthread_mutex_lock(lock);
    queue->lock = NULL;
    pthread_mutex_unlock(lock);
    free(queue); /* order: END */
#ifndef FIXED
    pthread_join(consumer, NULL);
#endif
    pthread_mutex_destroy(lock);
    free(lock);
    return 0;
}
