/*
 * claim: what a thread that nobody joins wrote, and main reads before it returns, is reported in every plain run
 * build: -O0
 * build: -O2
 * run: x 20
 * run: --budget=max x 5
 * expect: data-race on result at WRITE and RETURN [write read]
 */
#include <pthread.h>
#include <unistd.h>

static int result = 5;

static void *work(void *arg)
{
    result = 0; /* race: WRITE */
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    usleep(200000); /* the thread has run by then, also on a busy machine */
    return result; /* race: RETURN */
}
