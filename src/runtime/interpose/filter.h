/*
 * Filters on system calls (seccomp) that the program puts on itself. What darn does not see coming,
 * such as one that was there before the program, it cannot take into account.
 */
#ifndef DARN_RUNTIME_FILTER_H
#define DARN_RUNTIME_FILTER_H

/* Before the call with this number and these arguments; nothing but SYS_seccomp and SYS_prctl is of
 * interest. */
void darn_filter_notice(long number, long first, long second);

#endif
