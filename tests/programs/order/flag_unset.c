/*
 * claim: a worker reads a table under its lock that main sets up, under the lock, too late
 * build: -O1
 * fails: crash
 * first: SET
 * then: USE
 * heals: yes
 */
#include <pthread.h>
#include <stdlib.h>

#include "usually.h"

struct table {
    int size;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct table *table;
static int size;

static void *work(void *unused)
{
    usually_late(); /* the table is there by then */
    pthread_mutex_lock(&lock);
    size = table->size; /* order: USE */
    pthread_mutex_unlock(&lock);
    return unused;
}

static void set_up(void)
{
    struct table *made = malloc(sizeof(*made));

    slow(1);
    made->size = 8;
    pthread_mutex_lock(&lock);
    table = made; /* order: SET */
    pthread_mutex_unlock(&lock);
}

int main(void)
{
    pthread_t worker;

#ifdef FIXED
    set_up();
#endif
    pthread_create(&worker, NULL, work, NULL);
#ifndef FIXED
    set_up();
#endif
    pthread_join(worker, NULL);
    free(table);
    return size != 8;
}
