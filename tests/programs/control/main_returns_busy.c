/*
 * claim: main returns while a thread computes for ever, without a step: that is no hang
 * build: -O1
 * schedules: 2
 * ends: exit 0
 */
#include <pthread.h>

static volatile unsigned long rounds;

static void *compute(void *arg)
{
    for (;;)
        rounds++;
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, compute, NULL);
    return 0;
}
