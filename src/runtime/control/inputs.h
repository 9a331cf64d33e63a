/*
 * Inputs of a controlled run that would differ from run to run: recorded in the control block, and
 * fed back in a replay.
 */
#ifndef DARN_RUNTIME_INPUTS_H
#define DARN_RUNTIME_INPUTS_H

#include <stddef.h>
#include <sys/types.h>

#include "schedule/block.h"

/* The program is about to be given these bytes: records them, or replaces them by those of the run
 * that is being replayed. */
void darn_input(enum darn_input kind, void *bytes, size_t length);

/* The program has read from the file. Random devices are recorded; what else comes from outside is
 * only named. */
void darn_input_read(int fd, void *bytes, long length);

void darn_input_not_recorded(enum darn_input kind);

/* The real process id where the program names the one it was told (intercept_input.c). */
pid_t darn_real_pid(pid_t pid);

#endif
