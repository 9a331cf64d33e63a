/*
 * The standard input of a program that is run again and again: each run reads the same.
 */
#ifndef DARN_DRIVER_INPUT_H
#define DARN_DRIVER_INPUT_H

#include "driver/process/listener.h"

/* Sets *path to a file that each run may read from its start: the one that is given, or else what
 * is on our own standard input, which is read to its end once. NULL when there is nothing: a
 * terminal, or a device. The file of our own is memory, and lives as long as the process. 0 or
 * DARN_REFUSED. */
int darn_input_keep(struct darn_listener *listener, const char *given, const char **path);

#endif
