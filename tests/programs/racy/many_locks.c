/*
 * claim: a race is reported after thousands of locks: what each of them knows is kept apart
 * build: -O0
 * build: -O2
 * run: x 3
 * expect: data-race on late at LATE and LATE
 */
#include <pthread.h>
#include <stddef.h>

#include "../unseen.h"

/* The second thread takes all locks of the first one after that has ended, and not before. */
enum { LOCKS = 6000 };

static struct {
    pthread_mutex_t lock;
    int value;
} table[LOCKS];

static int late;

static void take_all(void)
{
    for (size_t i = 0; i < LOCKS; i++) {
        pthread_mutex_lock(&table[i].lock);
        table[i].value++;
        pthread_mutex_unlock(&table[i].lock);
    }
}

static void *work(void *arg)
{
    take_all();
    late++; /* race: LATE */
    unseen_tell();
    return arg;
}

int main(void)
{
    pthread_t thread;

    pthread_create(&thread, NULL, work, NULL);
    unseen_wait(); /* the other one is done by then */
    take_all();
    late++; /* race: LATE */
    pthread_join(thread, NULL);
    return late < 1;
}
