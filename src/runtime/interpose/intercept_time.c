/* The time: virtual in a controlled run, and the same in each replay of it. */
#define _GNU_SOURCE
#include <signal.h>
#include <sys/time.h>
#include <time.h>

#include "runtime/control/outsiders.h"
#include "runtime/control/vtime.h"
#include "runtime/interpose/intercept.h"
#include "runtime/order/ordering.h"
#include "runtime/os/os.h"
#include "runtime/thread/thread.h"
#include "runtime/watch/sampler.h"

#define SECOND UINT64_C(1000000000)

/* Those of processors are real. */
static bool is_virtual(clockid_t clock)
{
    return darn_turn_mine(darn_thread_peek()) && clock >= 0 && clock != CLOCK_PROCESS_CPUTIME_ID &&
           clock != CLOCK_THREAD_CPUTIME_ID;
}

DARN_INTERCEPT(int, clock_gettime, clockid_t clock, struct timespec *now)
{
    uint64_t time;

    if (!is_virtual(clock))
        return DARN_REAL(clock_gettime)(clock, now);
    time = darn_vtime_look(clock);
    *now = (struct timespec){.tv_sec = (time_t)(time / SECOND), .tv_nsec = (long)(time % SECOND)};
    return 0;
}

DARN_INTERCEPT(int, gettimeofday, struct timeval *now, void *zone)
{
    uint64_t time;

    if (!is_virtual(CLOCK_REALTIME))
        return DARN_REAL(gettimeofday)(now, zone);
    time = darn_vtime_look(CLOCK_REALTIME);
    *now = (struct timeval){.tv_sec = (time_t)(time / SECOND),
                            .tv_usec = (suseconds_t)(time % SECOND / 1000)};
    return 0;
}

DARN_INTERCEPT(time_t, time, time_t *now)
{
    time_t time;

    if (!is_virtual(CLOCK_REALTIME))
        return DARN_REAL(time)(now);
    time = (time_t)(darn_vtime_look(CLOCK_REALTIME) / SECOND);
    if (now)
        *now = time;
    return time;
}

DARN_INTERCEPT(int, timespec_get, struct timespec *now, int base)
{
    if (!is_virtual(CLOCK_REALTIME) || base != TIME_UTC)
        return DARN_REAL(timespec_get)(now, base);
    clock_gettime(CLOCK_REALTIME, now);
    return base;
}

/* For the runtime itself, which wants the real one. */
void darn_time_init(void)
{
    darn_os_use_clock(DARN_REAL(clock_gettime));
}

/* libc makes threads for it, and these may come to an access before they come to a call of ours. */
static void expect_threads(const struct sigevent *event)
{
    if (!event || event->sigev_notify != SIGEV_THREAD || !darn_thread_self())
        return;
    darn_order_start();
    darn_sampler_start();
}

/* Timers are real: what they do comes from the outside. */
DARN_INTERCEPT(int, timer_create, clockid_t clock, struct sigevent *event, timer_t *timer)
{
    int result;

    expect_threads(event);
    result = DARN_REAL(timer_create)(clock, event, timer);

    if (result == 0)
        darn_outsiders_timer(1);
    return result;
}

DARN_INTERCEPT(int, timer_delete, timer_t timer)
{
    int result = DARN_REAL(timer_delete)(timer);

    if (result == 0)
        darn_outsiders_timer(-1);
    return result;
}
