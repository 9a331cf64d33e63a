/* Somebody who is quick in a section many times, and slow when others ask for it. */
#ifndef DARN_TESTS_SLOW_H
#define DARN_TESTS_SLOW_H

#include "crowd.h"

enum { QUIET = 8000 };

static volatile int is_slow, is_inside; /* plain: no synchronization in the section */
static _Atomic long progress;

/* In the section. */
static inline void be_slow(void)
{
    if (is_slow) {
        is_inside = 1;
        dawdle(5000000);
    }
}

/* Until it is inside, and slow. */
static void await_slow(void)
{
    while (progress < QUIET)
        usleep(100);
    is_slow = 1;
    while (!is_inside)
        usleep(10);
}

#endif
