/* The time that a command measures and limits itself by. */
#ifndef DARN_DRIVER_WALL_CLOCK_H
#define DARN_DRIVER_WALL_CLOCK_H

#include <time.h>

/* Seconds that only go forward. */
static inline double darn_clock(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

#endif
