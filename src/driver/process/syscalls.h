/*
 * Names of system calls that may wait, for messages.
 */
#ifndef DARN_DRIVER_SYSCALLS_H
#define DARN_DRIVER_SYSCALLS_H

/* NULL when it has none here. */
const char *darn_syscall_name(long number);

#endif
