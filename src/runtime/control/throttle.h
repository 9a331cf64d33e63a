/*
 * The kernel frees what is left of dead threads later, and in the background. A server that forks
 * without a pause, on a core of its own, keeps it from that: some gigabytes of stacks came together
 * within a minute. So it pauses now and then; and where the machine is busy with other things, too,
 * until not more than a gigabyte is left, or it has done what it could.
 */
#ifndef DARN_RUNTIME_THROTTLE_H
#define DARN_RUNTIME_THROTTLE_H

/* To be called after each run. */
void darn_throttle(void);

#endif
