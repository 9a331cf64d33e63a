/*
 * claim: a program that is killed by SIGKILL, which nothing in it can notice
 * build: -O1
 * ends: signal KILL
 */
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

static void *work(void *arg)
{
    kill(getpid(), SIGKILL);
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
    return 1;
}
