/*
 * claim: a block that is freed while another thread reads it is reported
 * build: -O0
 * build: -O2
 * run: --halt-on-error --report-unknown-origin=0 --budget=max --noise=site:@USE:1000/2000 x 20
 * expect: data-race on * at USE and FREE [read free]
 */
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

enum { ROUNDS = 100, SIZE = 2000 };

static pthread_barrier_t start;
static char *blocks[ROUNDS]; /* allocated before the threads run: freed blocks stay mapped */

static void *use(void *arg)
{
    long sum = 0;
    for (int i = 0; i < ROUNDS; i++) {
        char *block = blocks[i];
        pthread_barrier_wait(&start);
        sum += block[SIZE / 2]; /* race: USE */
    }
    return (void *)(sum ? arg : NULL);
}

static void *release(void *arg)
{
    for (int i = 0; i < ROUNDS; i++) {
        pthread_barrier_wait(&start);
        usleep(300);     /* the other thread stands before its access by now */
        free(blocks[i]); /* race: FREE */
    }
    return arg;
}

int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < ROUNDS; i++)
        blocks[i] = calloc(1, SIZE);
    pthread_barrier_init(&start, NULL, 2);
    pthread_create(&threads[0], NULL, use, NULL);
    pthread_create(&threads[1], NULL, release, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
