/*
 * claim: what a thread does after it has set an atomic flag is not ordered with what the one does that waited for the flag
 * build: -O0
 * build: -O2
 * run: x 20
 * expect: data-race on later at WRITE and READ [write read]
 * never: before
 */
#include <pthread.h>
#include <stdatomic.h>
#include "../unseen.h"

static int before, later;
static atomic_int ready;

static void *work(void *arg)
{
    before = 1;
    atomic_store(&ready, 1);
    later = 1; /* race: WRITE */
    unseen_tell();
    return arg;
}

int main(void)
{
    pthread_t thread;
    int sum;

    pthread_create(&thread, NULL, work, NULL);
    unseen_wait(); /* the other one is done by then */
    while (!atomic_load(&ready))
        continue;
    sum = before + later; /* race: READ */
    pthread_join(thread, NULL);
    return sum < 1;
}
