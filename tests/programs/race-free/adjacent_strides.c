/*
 * claim: interleaved strides over one array are never reported, also when vectorized
 * build: -O1
 * build: -O3
 * build: -O3 -march=native
 * build: -O3 -march=native -mprefer-vector-width=512
 * run: --budget=max --noise=random:50/30 x 8
 * run: x 4
 * predict: hb
 * expect: none
 */
#include <pthread.h>

enum { CELLS = 96, ROUNDS = 30 };

static int pairs[2 * CELLS], triples[3 * CELLS];
static unsigned char bytes[2 * CELLS];
static struct {
    float x, y;
} points[CELLS];

static void even(void)
{
    for (int i = 0; i < CELLS; i++)
        pairs[2 * i] += i;
    for (int i = 0; i < CELLS; i++)
        triples[3 * i] = triples[3 * i + 2] + i;
    for (int i = 0; i < CELLS; i++)
        bytes[2 * i] ^= 0x55;
    for (int i = 0; i < CELLS; i++)
        points[i].x = points[i].x * 0.5f + 1;
}

static void odd(void)
{
    for (int i = 0; i < CELLS; i++)
        pairs[2 * i + 1] -= i;
    for (int i = 0; i < CELLS; i++)
        triples[3 * i + 1] = triples[3 * i + 2] - i;
    for (int i = 0; i < CELLS; i++)
        bytes[2 * i + 1] ^= 0xaa;
    for (int i = 0; i < CELLS; i++)
        points[i].y = points[i].y * 0.5f - 1;
}

static void *work(void *arg)
{
    for (int round = 0; round < ROUNDS; round++)
        if (arg != NULL)
            odd();
        else
            even();
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, i ? &pairs : NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < CELLS; i++)
        if (pairs[2 * i] != ROUNDS * i || pairs[2 * i + 1] != -ROUNDS * i || triples[3 * i] != i ||
            triples[3 * i + 1] != -i || points[i].x != -points[i].y)
            return 1;
    return 0;
}
