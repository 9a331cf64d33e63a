/*
 * claim: two atomic variables in one word tell nothing of each other
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
static _Alignas(8) struct {
    atomic_int ready, other;
} word;

static void *work(void *arg)
{
    before = 1;
    atomic_store(&word.ready, 1);
    later = 1; /* race: WRITE */
    atomic_store(&word.other, 1);
    unseen_tell();
    return arg;
}

int main(void)
{
    pthread_t thread;
    int sum;

    pthread_create(&thread, NULL, work, NULL);
    unseen_wait(); /* the other one is done by then */
    while (!atomic_load(&word.ready))
        continue;
    sum = before + later; /* race: READ */
    pthread_join(thread, NULL);
    return sum < 1;
}
