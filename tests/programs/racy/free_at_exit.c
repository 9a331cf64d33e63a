/*
 * claim: what is freed last in a function that the C library calls, as at exit, is freed by this function
 * build: -O0
 * build: -O2
 * run: x 20
 * run: --budget=max x 3
 * expect: data-race on * at USE and FREE
 */
#include <pthread.h>
#include <stdlib.h>

#include "../unseen.h"

static int *volatile numbers;

static void drop(void)
{
    free(numbers); /* race: FREE */
}

static void *use(void *arg)
{
    numbers[1] = 1; /* race: USE */
    unseen_tell();
    pause();
    return arg;
}

int main(void)
{
    pthread_t thread;

    numbers = calloc(4, sizeof(*numbers));
    if (!numbers || atexit(drop) || pthread_create(&thread, NULL, use, NULL))
        return 2;
    unseen_wait();
    return 0;
}
