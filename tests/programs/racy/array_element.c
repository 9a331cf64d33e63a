/*
 * claim: two threads that meet in one element of an array are reported, their own elements not
 * build: -O0
 * build: -O2
 * run: --halt-on-error --report-unknown-origin=0 --noise=var:slots[8]:1000/1000 x 20
 * run: --halt-on-error --report-unknown-origin=0 --budget=max --noise=random:1000/1000 x 20
 * expect: data-race on slots[8] at FILL and FILL
 */
#include <pthread.h>

enum { HALF = 8, ROUNDS = 300 };

static pthread_barrier_t start;
static int slots[2 * HALF]; /* the halves overlap in slots[HALF] */

static void *fill(void *arg)
{
    int *mine = arg;
    for (int round = 0; round < ROUNDS; round++) {
        pthread_barrier_wait(&start);
        for (int i = 0; i < HALF - 1; i++)
            mine[i] = round;
        slots[HALF] = round; /* race: FILL */
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    pthread_barrier_init(&start, NULL, 2);
    pthread_create(&threads[0], NULL, fill, slots);
    pthread_create(&threads[1], NULL, fill, slots + HALF + 1);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
