/*
 * claim: a signal handler may touch the variable of the section that it interrupts, and that of a thread that waits
 * build: -O1
 * build: -O2
 * alone: right
 * bound: 20000
 * heals: ticks
 */
#include "crowd.h"

#include <signal.h>
#include <string.h>
#include <sys/time.h>

enum { ROUNDS = 3000 };

static volatile long ticks, alarms;

__attribute__((noinline)) static void tick(void)
{
    long seen = ticks;
    dawdle(100);
    ticks = seen + 1;
}

/* As a section, and as two accesses alone. */
static void on_signal(int number)
{
    (void)number;
    tick();
    if (ticks > 1000000)
        ticks = 0;
    alarms = alarms + 1;
}

static void *both(void *arg)
{
    crowd_begin();
    for (int i = 0; i < ROUNDS; i++) {
        tick();
        if (i % 100 == 0)
            raise(SIGALRM);
    }
    return arg;
}

/* The signals come to either thread, wherever it is: also while it waits for the other one. */
int main(void)
{
    struct sigaction action;
    struct itimerval every = {{0, 200}, {0, 200}}, never = {{0, 0}, {0, 0}};
    memset(&action, 0, sizeof action);
    action.sa_handler = on_signal;
    action.sa_flags = SA_RESTART;
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &every, NULL);
    crowd(2, both);
    setitimer(ITIMER_REAL, &never, NULL);
    return ticks < 1 || alarms < 1;
}
