/*
 * claim: a copy and a store into its source, and a copy and a load from its target, are reported
 * build: -O0
 * build: -O2
 * run: --noise=site:@STORE:1000/2000 --noise=site:@LOAD:1000/2000 x 20
 * expect: data-race on * at COPY and STORE [read write]
 * expect: data-race on * at COPY and LOAD [write read]
 */
#include <pthread.h>
#include <string.h>
#include <unistd.h>

enum { ROUNDS = 10, SIZE = 200 };

static pthread_barrier_t start;
static char from[SIZE], to[SIZE];
static volatile size_t size = SIZE; /* not known to the compiler */

/* Once the other thread stands before its access. */
static void meet(void)
{
    pthread_barrier_wait(&start);
    usleep(300);
}

static void *copy(void *arg)
{
    for (int i = 0; i < ROUNDS; i++) {
        meet();
        memcpy(to, from, size); /* race: COPY */
        meet();
        memcpy(to, from, size); /* race: COPY */
    }
    return arg;
}

static void *touch(void *arg)
{
    long sum = 0;
    for (int i = 0; i < ROUNDS; i++) {
        pthread_barrier_wait(&start);
        from[SIZE - 1] = (char)i; /* race: STORE */
        pthread_barrier_wait(&start);
        sum += to[SIZE / 2]; /* race: LOAD */
    }
    return sum ? arg : NULL;
}

int main(void)
{
    pthread_t threads[2];
    pthread_barrier_init(&start, NULL, 2);
    pthread_create(&threads[0], NULL, copy, NULL);
    pthread_create(&threads[1], NULL, touch, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
