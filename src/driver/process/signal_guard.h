/*
 * Nothing outlives a command. One that starts programs works in a child of the process that the
 * user knows, which does nothing but wait for it. Whichever of the two is killed, the other one
 * kills all that was started, daemons too: they become children of whoever is left.
 */
#ifndef DARN_DRIVER_SIGNAL_GUARD_H
#define DARN_DRIVER_SIGNAL_GUARD_H

#include <sys/types.h>

/* Returns in the child; the parent ends with its status. Without a second process it returns as
 * well. Before there are threads. */
void darn_guard(void);

/* In a new process that is to execute a program: it dies with the thread of `parent` that has made
 * it. Also when both processes of the command are killed at once. */
void darn_guard_child(pid_t parent);

/* For the handler of a signal that asks a command to end: how often it was asked by now. 0: this
 * signal belongs to the last one. timeout(1) signals its command and then the whole group, and the
 * parent passes on what it is sent. */
int darn_guard_asked(void);

#endif
