#define _GNU_SOURCE
#include "runtime/control/vtime.h"

#include "runtime/control/livelock.h"
#include "runtime/os/os.h"

#define SECOND UINT64_C(1000000000)

#define STEP 1000 /* one step of a thread */

/* CLOCK_MONOTONIC and its relatives start here: programs take 0 for "never". */
#define MONOTONIC (1000 * SECOND)

/* A look costs up to so much, when there are many in a row. */
#define LONGEST_LOOK (SECOND / 100)

static uint64_t start, now, look;

void darn_vtime_begin(uint64_t at)
{
    start = at ? at : darn_os_wall_clock();
    now = 0;
    look = STEP;
}

uint64_t darn_vtime_start(void)
{
    return start;
}

uint64_t darn_vtime_now(void)
{
    return now;
}

void darn_vtime_step(void)
{
    now += STEP;
    look = STEP;
}

void darn_vtime_jump(uint64_t to)
{
    if (to > now)
        now = to;
}

static uint64_t origin(clockid_t clock)
{
    return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_TAI
               ? start
               : MONOTONIC;
}

uint64_t darn_vtime_look(clockid_t clock)
{
    darn_livelock_spoil();
    now += look;
    if (look < LONGEST_LOOK)
        look += look / 8 + 1;
    return origin(clock) + now;
}

static uint64_t nanoseconds(const struct timespec *time)
{
    if (time->tv_sec < 0)
        return 0;
    if ((uint64_t)time->tv_sec > UINT64_MAX / SECOND / 4)
        return UINT64_MAX / 4;
    return (uint64_t)time->tv_sec * SECOND + (uint64_t)time->tv_nsec;
}

uint64_t darn_limit_by_now(const struct darn_limit *limit)
{
    uint64_t at = nanoseconds(limit->until), wall = darn_os_wall_clock();

    if (limit->clock == CLOCK_MONOTONIC)
        return at;
    return darn_os_now() + (at > wall ? at - wall : 0);
}

uint64_t darn_vtime_of(clockid_t clock, const struct timespec *moment)
{
    uint64_t at = nanoseconds(moment);

    return at > origin(clock) ? at - origin(clock) : 0;
}

uint64_t darn_vtime_after(const struct timespec *span)
{
    return now + nanoseconds(span);
}
