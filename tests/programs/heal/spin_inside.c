/*
 * claim: a section that waits by hand for whoever is kept out of it goes on when the bound is over
 * build: -O1
 * alone: right
 * bound: 20
 * heals: current
 * counts: block: expired
 */
#include "crowd.h"

enum { ROUNDS = 30 };

static int one = 1, two = 2;
static int *volatile current = &one;
static _Atomic int is_inside, is_changed;
static long sum;

__attribute__((noinline)) static void await(_Atomic int *what, int round)
{
    while (*what != round)
        sched_yield();
}

static void use(int round)
{
    if (current != NULL) {
        is_inside = round;
        await(&is_changed, round);
        sum += *current;
    }
}

static void *uses(void *arg)
{
    crowd_begin();
    for (int i = 1; i <= ROUNDS; i++)
        use(i);
    return arg;
}

static void *changes(void *arg)
{
    crowd_begin();
    for (int i = 1; i <= ROUNDS; i++) {
        await(&is_inside, i);
        current = i % 2 ? &two : &one;
        is_changed = i;
    }
    return arg;
}

int main(void)
{
    couple(uses, changes);
    return sum != ROUNDS / 2 * (1 + 2);
}
