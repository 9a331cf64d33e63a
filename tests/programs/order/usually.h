/*
 * The order of nearly every run: what comes after usually_late() comes after what others do at
 * once. In a controlled run it takes no time.
 */
#ifndef USUALLY_H
#define USUALLY_H

#include <stdlib.h>
#include <unistd.h>

/* LATE=1: of every run, on a busy machine as well. LATE=0: of none. LATE=-1: the other one, nearly always. */
static inline void usually_late(void)
{
    const char *late = getenv("LATE");

    if (!late || atoi(late) > 0)
        usleep(late ? 400000 : 20000);
}

/* With LATE=-1 what comes after it comes too late. */
static inline void slow(unsigned milliseconds)
{
    const char *late = getenv("LATE");

    if (late && atoi(late) < 0)
        usleep(1000 * milliseconds);
}

#endif
