/*
 * claim: memset against a read in the middle of its range is reported
 * build: -O0
 * build: -O2
 * run: --halt-on-error --report-unknown-origin=0 --noise=site:@PEEK:1000/2000 x 20
 * expect: data-race on * at CLEAR and PEEK [write read]
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROUNDS = 300, SIZE = 1000 };

static pthread_barrier_t start;

/* Once the other thread stands before its access. */
static void meet(void)
{
    pthread_barrier_wait(&start);
    usleep(300);
}

static void *clear(void *arg)
{
    char *buffer = arg;
    for (int i = 0; i < ROUNDS; i++) {
        meet();
        memset(buffer, i, SIZE); /* race: CLEAR */
    }
    return NULL;
}

static void *peek(void *arg)
{
    char *buffer = arg;
    long sum = 0;
    for (int i = 0; i < ROUNDS; i++) {
        pthread_barrier_wait(&start);
        sum += buffer[777]; /* race: PEEK */
    }
    return (void *)sum;
}

int main(void)
{
    pthread_t threads[2];
    char *buffer = calloc(1, SIZE);
    pthread_barrier_init(&start, NULL, 2);
    pthread_create(&threads[0], NULL, clear, buffer);
    pthread_create(&threads[1], NULL, peek, buffer);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    free(buffer);
    return 0;
}
