/*
 * claim: what is remembered is not forgotten because somebody allocates and frees a large block
 * build: -O0
 * build: -O2
 * run: x 20
 * run: --budget=max x 3
 * expect: data-race on total at EARLY and LATE [write write]
 */
#include <pthread.h>
#include <stdlib.h>

#include "../unseen.h"

enum { LARGE = 8 << 20 };

static long total;

static void *early(void *arg)
{
    total = 1; /* race: EARLY */
    unseen_tell();
    return arg;
}

static void *late(void *arg)
{
    char *volatile block;

    unseen_wait();
    block = malloc(LARGE);
    if (!block)
        return &total;
    block[LARGE / 2] = 1;
    free(block);
    total = 2; /* race: LATE */
    return arg;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, early, NULL);
    pthread_create(&threads[1], NULL, late, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return total == 0;
}
