/*
 * claim: of two variables that an expression chooses from, only the chosen one is read
 * tsan: no
 * build: -O1
 * build: -O2
 * build: -O3
 * run: --budget=max --noise=random:100/30 x 8
 * predict: hb
 * expect: none
 */
#include <pthread.h>

enum { ROUNDS = 300 };

static long left, right;

/* The optimizer loads both and selects: the load that nobody asked for is no access of the source.
 */
static __attribute__((noinline)) long choose(int which)
{
    return *(which ? &left : &right);
}

static __attribute__((noinline)) long choose_twice(int which, int again)
{
    return *(which ? &left : &right) * 3 + *(again ? &left : &right);
}

static __attribute__((noinline)) long branch(int which)
{
    long value;
    if (which)
        value = left;
    else
        value = right;
    return value * 3;
}

static void *work(void *arg)
{
    int mine = arg != NULL;
    long *own = mine ? &left : &right;
    long sum = 0;
    for (int i = 0; i < ROUNDS; i++) {
        *own = i;
        sum += choose(mine) + choose_twice(mine, mine) + branch(mine);
    }
    return sum ? NULL : &left;
}

int main(void)
{
    pthread_t threads[2];
    int failed = 0;
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, i ? &left : NULL);
    for (int i = 0; i < 2; i++) {
        void *result;
        pthread_join(threads[i], &result);
        failed += result != NULL;
    }
    return failed;
}
