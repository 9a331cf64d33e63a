/*
 * claim: a thread that computes for ever, without a single synchronization, is ended by a limit
 * build: -O1
 * build: -O1 -DSHARED
 * ends: never
 */
#include <pthread.h>

#ifdef SHARED
static volatile long cell; /* main reads it: a scheduling point if it is armed */
#else
static _Thread_local volatile long cell;
#endif

static void *work(void *arg)
{
    for (;;)
        cell = cell + 1;
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    if (cell < 0)
        return 1;
    pthread_join(thread, NULL);
    return 0;
}
