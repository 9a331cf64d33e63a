/*
 * claim: a break leaves the section
 * build: -O0
 * build: -O1
 * build: -O2
 * sections: infer --kind=load-and-store,test-and-use
 * inferred: load-and-store on count from ENTRY to END
 * runs: 5
 * expect: none
 */
#include "left.h"

static long count;

enum { ENTER = 1, LEAVE = 2 };

__attribute__((noinline)) static void step(int how)
{
    for (int i = 0; i < 1; i++) {
        long seen = 0;
        if (how & ENTER)
            seen = count; /* access: ENTRY */
        pthread_testcancel();
        if (how & LEAVE)
            break;
        count = seen + 1; /* access: END */
    }
}

static void leaves(void)
{
    step(ENTER | LEAVE);
}

static void ends(void)
{
    step(0);
}

static void writes(void)
{
    count = 100;
}

int main(void)
{
    left_play(leaves, ends, writes);
    return count != 1;
}
