/*
 * claim: a vectorized loop against a write to one of its elements is reported
 * tsan: no
 * build: -O1
 * build: -O3
 * build: -O3 -march=native
 * run: --budget=max --noise=random:500/50 x 20
 * expect: data-race on cells[] or cells at SWEEP and POKE
 */
#include <pthread.h>

enum { CELLS = 64, ROUNDS = 20 };

static pthread_barrier_t start;
static int cells[CELLS];

static void *sweep(void *arg)
{
    pthread_barrier_wait(&start);
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < CELLS; i++)
            cells[i] += round; /* race: SWEEP */
    }
    return arg;
}

static void *poke(void *arg)
{
    pthread_barrier_wait(&start);
    for (int i = 0; i < 4 * ROUNDS; i++) {
        cells[i % CELLS] = 0; /* race: POKE */
    }
    return arg;
}

int main(void)
{
    pthread_t threads[2];
    pthread_barrier_init(&start, NULL, 2);
    pthread_create(&threads[0], NULL, sweep, NULL);
    pthread_create(&threads[1], NULL, poke, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
