/*
 * claim: a read that the optimizer has moved out of its loop, or out of two branches, is reported where the source has it
 * build: -O0
 * build: -O1
 * build: -O2
 * run: x 20
 * expect: data-race on bound at WRITE and READ [write read]
 * expect: data-race on chosen
 */
#include <pthread.h>
#include "../unseen.h"

int bound, chosen, left, right;

static void *work(void *arg)
{
    bound = 3; /* race: WRITE */
    chosen = 1;
    unseen_tell();
    return arg;
}

static long sum(int n)
{
    long result = 0;

    for (int i = 0; i < n; i++)
        result += bound; /* race: READ */
    return result;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    long result;

    pthread_create(&thread, NULL, work, NULL);
    unseen_wait(); /* the other one is done by then */
    result = sum(argc);
    if (argv[0][0])
        left = chosen;
    else
        right = chosen;
    pthread_join(thread, NULL);
    return result + left + right < 1;
}
