/*
 * claim: a threaded program that ends by a segmentation fault keeps its exit status
 * tsan: no
 * build: -O1
 * run: --budget=max --noise=random:500/200 x 3
 * run: x 3
 * exit: 139
 * modes: record heal only
 * warning: the run that was to learn has left nothing
 * expect: failure
 */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

static long cells[2];

static void *work(void *arg)
{
    for (long i = 0;; i++)
        *(volatile long *)arg = i;
    return NULL;
}

static void *die(void *argument)
{
    usleep(2000);
    *(volatile int *)argument = 1;
    return argument;
}

int main(void)
{
    pthread_t thread;
    for (int i = 0; i < 2; i++)
        pthread_create(&thread, NULL, work, &cells[i]);
    pthread_create(&thread, NULL, die, NULL);
    pthread_join(thread, NULL);
    return 99;
}
