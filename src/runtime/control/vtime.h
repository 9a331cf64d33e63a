/*
 * Virtual time of a controlled run, in nanoseconds since its start: it goes on a little with every
 * step and every look at the clock, and jumps when somebody has slept.
 */
#ifndef DARN_RUNTIME_VTIME_H
#define DARN_RUNTIME_VTIME_H

#include <stdint.h>
#include <time.h>

void darn_vtime_begin(uint64_t start); /* nanoseconds of CLOCK_REALTIME; 0: now */
uint64_t darn_vtime_start(void);
uint64_t darn_vtime_now(void);
void darn_vtime_step(void);
void darn_vtime_jump(uint64_t to); /* never backwards */

/* What the program sees. A thread that only looks at the clock makes it run faster and faster:
 * waiting for a moment by looking takes no real time either. */
uint64_t darn_vtime_look(clockid_t clock);

/* Until when a call of the program waits, by one of its clocks. */
struct darn_limit {
    clockid_t clock;
    const struct timespec *until;
};

/* The moment by darn_os_now, in runs that are not controlled. */
uint64_t darn_limit_by_now(const struct darn_limit *limit);

/* The virtual time of a moment of the clock. */
uint64_t darn_vtime_of(clockid_t clock, const struct timespec *moment);

/* After so long from now. */
uint64_t darn_vtime_after(const struct timespec *span);

/* Tells the runtime where the real clock is (intercept_time.c). */
void darn_time_init(void);

#endif
