/*
 * claim: 64 threads on one variable lose nothing, and are done in good time
 * build: -O1
 * build: -O2
 * alone: fails
 * certain: block lock
 * bound: 20000
 * runs: 2
 * heals: count
 */
#include "crowd.h"

enum { THREADS = 64, ADDS = 100 };

static volatile long count;

__attribute__((noinline)) static void add(void)
{
    long seen = count;
    dawdle(300);
    count = seen + 1;
}

static void *adds(void *arg)
{
    crowd_begin();
    for (int i = 0; i < ADDS; i++)
        add();
    return arg;
}

int main(void)
{
    crowd(THREADS, adds);
    return count != THREADS * ADDS;
}
