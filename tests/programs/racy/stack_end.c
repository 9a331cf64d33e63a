/*
 * claim: a variable on the stack of a thread that has ended, or ends, is reported when another thread uses it, with nothing that orders the two
 * build: -O0
 * build: -O2
 * build: -O2 -DAFTER
 * run: x 20
 * run: --budget=max x 5
 * predict: hb x 1
 * expect: data-race on * at USE and END
 * tsan: no
 */
#include <pthread.h>
#include "../unseen.h"

#ifndef AFTER
#define AFTER 0
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long *shared;

static void *lend(void *arg) /* race: END */
{ /* race: END */
    long local = 1;
    pthread_mutex_lock(&lock);
    shared = &local;
    pthread_mutex_unlock(&lock);
    if (AFTER)
        unseen_tell();
    else
        unseen_wait();
    return arg;
}

static void *use(void *arg)
{
    long *borrowed = NULL;
    if (AFTER) {
        unseen_wait();
        usleep(20000); /* it has ended */
    }
    while (!borrowed) {
        pthread_mutex_lock(&lock);
        borrowed = shared;
        pthread_mutex_unlock(&lock);
    }
    *borrowed = 2; /* race: USE */
    if (!AFTER)
        unseen_tell();
    return arg;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, lend, NULL);
    pthread_create(&threads[1], NULL, use, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
