/*
 * claim: a function that calls itself inside its section does not wait for itself, and others wait for the outermost
 * build: -O0
 * build: -O1
 * alone: right
 * bound: 20000
 * heals: depth
 */
#include "crowd.h"

enum { ROUNDS = 40, DEPTH = 50 };

static volatile long depth;

__attribute__((noinline)) static long dive(int levels)
{
    long seen = depth;
    long below = levels > 0 ? dive(levels - 1) : 0;
    depth = seen + 1;
    return below + 1;
}

static void *dives(void *arg)
{
    crowd_begin();
    for (int i = 0; i < ROUNDS; i++)
        if (dive(DEPTH) != DEPTH + 1)
            abort();
    return arg;
}

int main(void)
{
    crowd(2, dives);
    return depth < 1;
}
