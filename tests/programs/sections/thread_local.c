/*
 * claim: what belongs to one thread has no sections, or none that anybody could violate
 * build: -O0
 * build: -O1
 * build: -O2
 * sections: infer --kind=load-and-store,test-and-use
 * nosection: own
 * nosection: local
 * nosection: table
 * runs: 5
 * expect: none
 */
#include "meet.h"

static const long table[4] = {1, 2, 3, 4};
static _Thread_local long own;
static _Thread_local long lent;
static long results[2][MEETINGS];

/* Sees a pointer, and cannot know whose variable it is. */
__attribute__((noinline)) static void add(long *sum, long amount)
{
    if (*sum >= 0) {
        usleep(20);
        *sum += amount;
    }
}

static long work(long seed)
{
    long local = 0, shown = 0;
    own = 0;
    lent = 0;
    for (int i = 0; i < 4; i++) {
        if (own >= 0) {
            usleep(20);
            own += table[(seed + i) % 4];
        }
        local += own;
        add(&shown, own);
        add(&lent, own);
    }
    return local == shown && shown == lent ? own : -1;
}

static void *first(void *arg)
{
    results[0][(long)arg] = work(0);
    return NULL;
}

static void *second(void *arg)
{
    results[1][(long)arg] = work((long)arg);
    return NULL;
}

int main(void)
{
    meet(first, second);
    for (int i = 0; i < MEETINGS; i++)
        if (results[0][i] != 10 || results[1][i] != 10)
            return 1;
    return 0;
}
