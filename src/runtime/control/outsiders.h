/*
 * Those whom a controlled run does not control and who may act upon it all the same: child
 * processes, threads that libc makes by itself (for timers), timers that send signals, and
 * processes that share memory with this one: daemons, and whoever else can.
 */
#ifndef DARN_RUNTIME_OUTSIDERS_H
#define DARN_RUNTIME_OUTSIDERS_H

#include <stdbool.h>
#include <stdint.h>

/* Whether there is a child process or a timer: cheap. */
bool darn_outsiders_are_known(void);

/* The same, and threads that nobody has seen begin, and processes that share what is waited for.
 * Asked before anything is called a deadlock. */
bool darn_outsiders_may_act(void);

/* A timer was made (1) or deleted (-1). */
void darn_outsiders_timer(int count);

/* A thread that is not controlled wakes those who wait for a condition variable: played by us, they
 * would not notice. */
void darn_outsiders_wake(const volatile void *cond);

/* The next condition variable of which this was said; 0: there is none. By the one with the turn.
 */
uint64_t darn_outsiders_woken(void);

#endif
