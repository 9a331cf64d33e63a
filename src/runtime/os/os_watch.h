/*
 * Whether the program looks at anything outside of itself: by a system call, the processor's
 * clock or its random numbers, in its own code or in that of any library. The kernel tells. It
 * cannot be undone.
 */
#ifndef DARN_RUNTIME_OS_WATCH_H
#define DARN_RUNTIME_OS_WATCH_H

#include <stdint.h>

struct sigaction;

typedef int darn_os_set_action(int number, const struct sigaction *action, struct sigaction *old);

/*
 * Calls back, in a signal handler, before a system call of any thread is made that is neither ours
 * nor one that only manages memory, signals and the threads of the process; should that return, the
 * call is made (of three arguments at most). 0, or negative where there is no such thing.
 * `set_action` is the sigaction of libc.
 */
int darn_os_watch_calls(void (*asks)(void), darn_os_set_action *set_action);

/* Calls back, too, before the calling thread reads the clock: by rdtsc, which the vdso does. */
int darn_os_watch_clock(void);

/* Calls back, too, before code in these pages is run: the vdso reads some clocks without rdtsc, and
 * instructions that make random numbers trap nowhere. */
int darn_os_watch_code(uintptr_t start, uintptr_t end);

#endif
