/*
 * claim: main destroys a lock that three threads still take
 * build: -O1
 * fails: deadlock
 * kind: data-race
 * heals: yes
 */
#include <pthread.h>
#include <stdlib.h>

#include "usually.h"

#define VISITORS 3

static int count;

static void *visit(void *to)
{
    pthread_mutex_t *room = to;

    slow(1);
    if (pthread_mutex_lock(room)) /* order: USE */
        return NULL;              /* what glibc says of a lock that is destroyed */
    count++;
    pthread_mutex_unlock(room);
    return NULL;
}

int main(void)
{
    pthread_mutex_t *room = malloc(sizeof(*room));
    pthread_t threads[VISITORS];

    pthread_mutex_init(room, NULL);
    for (int i = 0; i < VISITORS; i++)
        pthread_create(&threads[i], NULL, visit, room);
#ifdef FIXED
    for (int i = 0; i < VISITORS; i++)
        pthread_join(threads[i], NULL);
#else
    usually_late();
#endif
    pthread_mutex_destroy(room); /* order: END */
    free(room);
#ifndef FIXED
    for (int i = 0; i < VISITORS; i++)
        pthread_join(threads[i], NULL);
#endif
    return count != VISITORS;
}
