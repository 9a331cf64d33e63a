/*
 * claim: a block that another thread frees long after it was used, with nothing that orders the two, is reported in every plain run
 * build: -O0
 * build: -O2
 * run: x 20
 * run: --budget=max x 5
 * expect: data-race on * at USE and FREE [write free]
 */
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { USED = 0123 };

static void *use(void *arg)
{
    long *block = arg;
    block[3] = 1; /* race: USE */
    umask(USED);
    return NULL;
}

static void *release(void *arg)
{
    while (umask(0) != USED) /* not before: nothing else that is known orders the two */
        usleep(1000);
    usleep(10000);
    free(arg); /* race: FREE */
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
