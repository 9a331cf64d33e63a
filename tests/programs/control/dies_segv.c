/*
 * claim: a thread that crashes in every schedule ends the program with SIGSEGV
 * build: -O1
 * ends: signal SEGV
 */
#include <pthread.h>
#include <stddef.h>

static int *volatile nowhere;

static void *work(void *arg)
{
    *nowhere = 1;
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
    return 1;
}
