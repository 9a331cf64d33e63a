/*
 * claim: recursion as deep as the stack allows works, in main and in threads
 * build: -O0
 * build: -O1
 * run: --budget=max x 2
 * run: x 3
 * tsan: no
 * expect: none
 */
#include <pthread.h>

enum { DEPTH = 40000 };

static __attribute__((noinline)) long descend(long *where, int depth)
{
    long here = depth;
    *where += here & 1;
    if (depth == 0)
        return 0;
    return descend(where, depth - 1) + (*where & 0);
}

static void *work(void *arg)
{
    descend(arg, DEPTH);
    return arg;
}

int main(void)
{
    pthread_t threads[2];
    long sums[3] = {0, 0, 0};
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, &sums[i]);
    work(&sums[2]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return sums[0] != DEPTH / 2 || sums[1] != sums[0] || sums[2] != sums[0];
}
