/*
 * claim: the threads that libc makes for a timer are watched, also if they are the only ones and call nothing
 * tsan: no
 * build: -O0
 * build: -O2
 * run: x 20
 * expect: data-race on ticks at TICK and LOOK
 */
#include <signal.h>
#include <stddef.h>
#include <time.h>

#include "../unseen.h"

static int ticks, armed;

static void tick(union sigval unused)
{
    (void)unused;
    ticks = 1; /* race: TICK */
    unseen_tell();
}

int main(void)
{
    struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = tick};
    struct itimerspec once = {.it_value = {.tv_nsec = 1000000}};
    timer_t timer;

    if (timer_create(CLOCK_MONOTONIC, &event, &timer) || timer_settime(timer, 0, &once, NULL))
        return 2;
    armed++; /* what a call may have told is known from here on */
    unseen_wait();
    return ticks != armed; /* race: LOOK */
}
