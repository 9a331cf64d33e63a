/*
 * claim: rows exchanged at a barrier are never reported
 * build: -O0
 * build: -O2
 * build: -O3 -march=native
 * run: --budget=max --noise=random:20/20 x 10
 * run: x 5
 * predict: hb
 * expect: none
 */
#include <pthread.h>

enum { THREADS = 3, CELLS = 16, STEPS = 60 };

static pthread_barrier_t barrier;
static long rows[2][THREADS * CELLS];

/* Each step reads the neighbours' cells of the last step and writes the own ones of this step. */
static void *work(void *arg)
{
    int first = (int)(long)arg * CELLS;
    for (int step = 0; step < STEPS; step++) {
        long *from = rows[step % 2], *to = rows[1 - step % 2];
        for (int i = first; i < first + CELLS; i++) {
            int left = i ? i - 1 : THREADS * CELLS - 1;
            to[i] = from[i] + from[left] % 7;
        }
        pthread_barrier_wait(&barrier);
    }
    return NULL;
}

static long expected(void)
{
    long was[2][THREADS * CELLS];
    long sum = 0;
    for (int i = 0; i < THREADS * CELLS; i++)
        was[0][i] = i;
    for (int step = 0; step < STEPS; step++)
        for (int i = 0; i < THREADS * CELLS; i++)
            was[1 - step % 2][i] =
                was[step % 2][i] + was[step % 2][i ? i - 1 : THREADS * CELLS - 1] % 7;
    for (int i = 0; i < THREADS * CELLS; i++)
        sum += was[STEPS % 2][i];
    return sum;
}

int main(void)
{
    pthread_t threads[THREADS];
    long sum = 0;
    for (int i = 0; i < THREADS * CELLS; i++)
        rows[0][i] = i;
    pthread_barrier_init(&barrier, NULL, THREADS);
    for (long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < THREADS * CELLS; i++)
        sum += rows[STEPS % 2][i];
    return sum != expected();
}
