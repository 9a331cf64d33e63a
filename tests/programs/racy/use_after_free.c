/*
 * claim: a block that another thread has freed before it is used, with nothing that orders the two, is reported in every plain run
 * build: -O0
 * build: -O2
 * build: -O2 -DTOUCHED
 * build: -O2 -DSHRUNK
 * run: x 20
 * run: --budget=max x 5
 * expect: data-race on * at FREE and USE [free write]
 */
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FREED = 0123 };

/* libc leaves the block where it is: who has a pointer to the old one may not use it all the same. */
#ifdef SHRUNK
#define END(block) realloc(block, 5 * sizeof(long))
#else
#define END(block) (free(block), NULL)
#endif

static void *volatile kept;

static void *use(void *arg)
{
    long *block = arg;
    while (umask(0) != FREED) /* not before: nothing else that is known orders the two */
        usleep(1000);
    usleep(10000);
    block[3] = 1; /* race: USE */
    return NULL;
}

static void *release(void *arg)
{
#ifdef TOUCHED
    ((long *)arg)[3] = 2;
#endif
    kept = END(arg); /* race: FREE */
    umask(FREED);
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    umask(0);
    long *block = calloc(8, sizeof(long));
    pthread_create(&threads[0], NULL, use, block);
    pthread_create(&threads[1], NULL, release, block);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
