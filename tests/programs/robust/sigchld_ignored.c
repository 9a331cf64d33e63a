/*
 * claim: a program that ignores SIGCHLD gets one report of one race
 * tsan: no
 * build: -O1
 * run: --noise=var:counter:1000/1000 x 10
 * expect: data-race on counter at COUNT and COUNT
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_barrier_t start;
static long counter;

static void *work(void *arg)
{
    for (int i = 0; i < 20; i++) {
        pthread_barrier_wait(&start);
        counter++; /* race: COUNT */
    }
    return arg;
}

static void race(void)
{
    pthread_t threads[2];
    pthread_barrier_init(&start, NULL, 2);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
}

int main(void)
{
    signal(SIGCHLD, SIG_IGN);
    race();
    return 0;
}
