/*
 * claim: gathered and scattered elements are never confused with their neighbours
 * build: -O1
 * build: -O3 -march=native
 * run: --budget=max --noise=random:50/30 x 8
 * run: x 4
 * predict: hb
 * expect: none
 */
#include <pthread.h>

enum { CELLS = 128, HALF = CELLS / 2, ROUNDS = 40 };

static int values[CELLS];
static int order[2][HALF]; /* a partition of the cells; read-only once the threads run */

static void *work(void *arg)
{
    const int *mine = arg;
    for (int round = 0; round < ROUNDS; round++)
        for (int i = 0; i < HALF; i++)
            values[mine[i]] += i;
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    int used[2] = {0, 0};
    for (int i = 0; i < CELLS; i++) {
        int cell = i * 37 % CELLS, half = (cell / 3 + cell) % 2;
        if (used[half] == HALF)
            half = !half;
        order[half][used[half]++] = cell;
    }
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, order[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    for (int half = 0; half < 2; half++)
        for (int i = 0; i < HALF; i++)
            if (values[order[half][i]] != ROUNDS * i)
                return 1;
    return 0;
}
