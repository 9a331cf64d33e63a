/*
 * claim: sections over two variables, one inside the other in either order, do not wait for each other for ever
 * build: -O1
 * build: -O1 -DFORCED
 * build: -O2 -DFORCED
 * alone: right
 * bound: 100
 * runs: 5
 * heals: left
 * heals: right
 * counts: with -DFORCED, block: cycles
 */
#include "crowd.h"

enum { ROUNDS = 20 };

static pthread_barrier_t both;
static volatile long left, right;

/* FORCED: each is in its outer section when it comes to that of the other. */
static void meet(void)
{
#ifdef FORCED
    pthread_barrier_wait(&both);
#endif
}

static void *left_first(void *arg)
{
    crowd_begin();
    for (int i = 0; i < ROUNDS; i++) {
        long seen = left;
        meet();
        right = right + 1;
        left = seen + 1;
    }
    return arg;
}

static void *right_first(void *arg)
{
    crowd_begin();
    for (int i = 0; i < ROUNDS; i++) {
        long seen = right;
        meet();
        left = left + 1;
        right = seen + 1;
    }
    return arg;
}

int main(void)
{
    pthread_barrier_init(&both, NULL, 2);
    couple(left_first, right_first);
    return left > 2 * ROUNDS || right > 2 * ROUNDS || left < 1 || right < 1;
}
