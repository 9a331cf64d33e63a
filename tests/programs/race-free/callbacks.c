/*
 * claim: instrumented callbacks of libraries that were not recompiled are never reported
 * build: -O1
 * run: --budget=max --noise=random:50/20 x 8
 * run: x 4
 * predict: hb
 * expect: none
 */
#include <pthread.h>
#include <search.h>
#include <stdlib.h>

enum { CELLS = 200 };

static __thread long compared;

static int compare(const void *left, const void *right)
{
    int a = *(const int *)left, b = *(const int *)right;
    compared++;
    return (a > b) - (a < b);
}

static void *work(void *arg)
{
    int values[CELLS], key = 77;
    unsigned seed = (unsigned)(long)arg;
    for (int i = 0; i < CELLS; i++)
        values[i] = rand_r(&seed) % 1000;
    values[CELLS / 2] = key;
    qsort(values, CELLS, sizeof(int), compare);
    for (int i = 1; i < CELLS; i++)
        if (values[i - 1] > values[i])
            return arg;
    if (bsearch(&key, values, CELLS, sizeof(int), compare) == NULL || compared == 0)
        return arg;
    return NULL;
}

int main(void)
{
    pthread_t threads[3];
    void *broken[3];
    for (long i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, work, (void *)(i + 1));
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], &broken[i]);
    return broken[0] != NULL || broken[1] != NULL || broken[2] != NULL;
}
