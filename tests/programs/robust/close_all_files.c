/*
 * claim: a program that closes all files and leaves its directory is still reported
 * build: -O1
 * run: --noise=var:counter:1000/1000 x 5
 * run: --budget=max --noise=random:1000/1000 x 5
 * tsan: no
 * expect: data-race on counter at COUNT and COUNT
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <unistd.h>

enum { ROUNDS = 20 };

static pthread_barrier_t start;
static long counter;

static void *work(void *arg)
{
    for (int i = 0; i < ROUNDS; i++) {
        pthread_barrier_wait(&start);
        counter++; /* race: COUNT */
    }
    return arg;
}

int main(void)
{
    pthread_t threads[2];
    for (int file = 0; file < 1024; file++)
        close(file);
    if (chdir("/") != 0)
        return 2;
    pthread_barrier_init(&start, NULL, 2);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
