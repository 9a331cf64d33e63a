/*
 * claim: a block is given back, or becomes larger elsewhere, between the look at a flag, under a lock, and the only use of the block
 * build: -O0
 * build: -O2
 * build: -O0 -DGROW
 * build: -O2 -DGROW
 * bug: assert
 * within: 100
 * fixed: yes
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int *block;
static int gone;

static void *use(void *arg)
{
    int *mine;
    pthread_mutex_lock(&lock);
    mine = gone ? NULL : block;
#ifndef FIXED
    pthread_mutex_unlock(&lock);
#endif
    if (mine)
        assert(*mine == 7);
#ifdef FIXED
    pthread_mutex_unlock(&lock);
#endif
    return arg;
}

int main(void)
{
    pthread_t thread;
    block = malloc(100 * sizeof(*block));
    *block = 7;
    pthread_create(&thread, NULL, use, NULL);
    pthread_mutex_lock(&lock);
    gone = 1;
    pthread_mutex_unlock(&lock);
#ifdef GROW
    block = realloc(block, 101 * sizeof(*block));
#else
    free(block);
    block = NULL;
#endif
    pthread_join(thread, NULL);
    free(block);
    return 0;
}
