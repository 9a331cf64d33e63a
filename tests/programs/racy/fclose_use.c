/*
 * claim: a stream that is closed in one thread and used in another, before or after, with nothing that orders the two, is reported in every plain run
 * build: -O0
 * build: -O2
 * build: -O2 -DAFTER
 * run: x 20
 * run: --budget=max x 5
 * predict: hb x 1
 * expect: data-race on * at PRINT and CLOSE
 * tsan: no
 */
#include <pthread.h>
#include <stdio.h>
#include "../unseen.h"

#ifndef AFTER
#define AFTER 0
#endif

static FILE *out;

static void *use(void *arg)
{
    if (AFTER)
        unseen_wait();
    fflush(out); /* race: PRINT */
    if (!AFTER)
        unseen_tell();
    return arg;
}

static void *stop(void *arg)
{
    if (!AFTER)
        unseen_wait();
    fclose(out); /* race: CLOSE */
    if (AFTER)
        unseen_tell();
    return arg;
}

int main(void)
{
    pthread_t threads[2];
    out = fopen("/dev/null", "w");
    if (!out)
        return 1;
    pthread_create(&threads[0], NULL, use, NULL);
    pthread_create(&threads[1], NULL, stop, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
