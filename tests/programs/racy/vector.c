/*
 * claim: a vectorized loop against a write to one of its elements is reported
 * tsan: no
 * build: -O1
 * build: -O3
 * build: -O3 -march=native
 * run: --halt-on-error --report-unknown-origin=0 --budget=max --noise=random:1000/100 x 20
 * expect: data-race on * at SWEEP and POKE
 */
#include <pthread.h>
#include <stdatomic.h>

enum { CELLS = 64, ROUNDS = 100 };

static atomic_int done;
static int cells[CELLS];

static void *sweep(void *arg)
{
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < CELLS; i++)
            cells[i] += round; /* race: SWEEP */
        pthread_testcancel();  /* a call that the compiler cannot look through */
    }
    atomic_store(&done, 1);
    return arg;
}

/* Stands before the same cell nearly all of the time. Pokes also if the other is done by then. */
static void *poke(void *arg)
{
    do
        cells[CELLS / 2 + 1] = 0; /* race: POKE */
    while (!atomic_load(&done));
    return arg;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, sweep, NULL);
    pthread_create(&threads[1], NULL, poke, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
