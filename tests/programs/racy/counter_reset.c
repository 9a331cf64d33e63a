/*
 * claim: an atomic counter that is set back by a plain store is a race, and is no lock
 * build: -O0
 * build: -O2
 * run: x 5
 * predict: hb
 * expect: data-race on hits at COUNT and RESET
 */
#include <pthread.h>
#include <stddef.h>

#include "../unseen.h"

static int hits;

static void *count(void *arg)
{
    __atomic_fetch_add(&hits, 1, __ATOMIC_SEQ_CST); /* race: COUNT */
    unseen_tell();
    return arg;
}

int main(void)
{
    pthread_t thread;

    pthread_create(&thread, NULL, count, NULL);
    unseen_wait();
    hits = 0; /* race: RESET */
    pthread_join(thread, NULL);
    return hits;
}
