/*
 * claim: a race in a callback of code without frame pointers is reported, with a stack that is true
 * build: -O0
 * build: -O2
 * build: -O2 -fomit-frame-pointer
 * run: --halt-on-error --report-unknown-origin=0 --noise=var:compared:1000/200 x 20
 * expect: data-race on compared at COMPARE and COMPARE
 */
#include <pthread.h>
#include <stdlib.h>

static pthread_barrier_t start;
static long compared;

static int compare(const void *left, const void *right)
{
    int a = *(const int *)left, b = *(const int *)right;
    compared++; /* race: COMPARE */
    return (a > b) - (a < b);
}

static void *sort(void *arg)
{
    int values[16];
    for (int round = 0; round < 30; round++) {
        for (int i = 0; i < 16; i++)
            values[i] = i * 7 % 16;
        pthread_barrier_wait(&start);
        qsort(values, 16, sizeof(int), compare);
    }
    return values[0] == 0 ? arg : NULL;
}

int main(void)
{
    pthread_t threads[2];
    int sorted = 0;
    pthread_barrier_init(&start, NULL, 2);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, sort, &start);
    for (int i = 0; i < 2; i++) {
        void *result;
        pthread_join(threads[i], &result);
        sorted += result != NULL;
    }
    return sorted != 2;
}
