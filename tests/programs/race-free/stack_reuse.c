/*
 * claim: stacks that later threads reuse are never reported
 * build: -O0
 * build: -O2
 * run: --budget=max --noise=random:100/30 x 8
 * run: x 4
 * predict: hb
 * expect: none
 */
#include <pthread.h>

enum { ROUNDS = 20, THREADS = 4 };

static void fill(int *values, int seed)
{
    for (int i = 0; i < 16; i++)
        values[i] = seed + i;
}

static void *work(void *arg)
{
    int values[16]; /* escapes to fill(): watched */
    long sum = 0;
    fill(values, (int)(long)arg);
    for (int i = 0; i < 16; i++)
        sum += values[i];
    return (void *)sum;
}

int main(void)
{
    for (long round = 0; round < ROUNDS; round++) {
        pthread_t threads[THREADS];
        for (int i = 0; i < THREADS; i++)
            pthread_create(&threads[i], NULL, work, (void *)round);
        for (int i = 0; i < THREADS; i++) {
            void *sum;
            pthread_join(threads[i], &sum);
            if ((long)sum != 16 * round + 120)
                return 1;
        }
    }
    return 0;
}
