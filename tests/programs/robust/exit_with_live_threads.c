/*
 * claim: exit while other threads stand in windows ends at once, with the program's own status
 * build: -O1
 * run: --budget=max --noise=random:1000/1000 x 8
 * run: x 8
 * exit: 3
 * tsan: no
 * expect: none
 */
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static long cells[4];

static void *work(void *arg)
{
    for (long i = 0;; i++)
        *(volatile long *)arg = i;
    return NULL;
}

static void *leave(void *arg)
{
    usleep(5000);
    exit(3);
    return arg;
}

int main(void)
{
    pthread_t thread;
    for (int i = 0; i < 4; i++)
        pthread_create(&thread, NULL, work, &cells[i]);
    pthread_create(&thread, NULL, leave, NULL);
    pthread_join(thread, NULL);
    return 4;
}
