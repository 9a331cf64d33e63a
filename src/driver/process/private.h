/*
 * The private directory of a command: all that it keeps for itself, and for the programs that it
 * starts, lies there. It is made in TMPDIR (or /tmp) when it is first needed, with a name that
 * nobody can guess, for its owner alone, and goes when the command ends. One that a killed command
 * has left is removed when the next one is made, with all that is in it.
 *
 * Not for threads: the first who needs it is the main thread.
 */
#ifndef DARN_DRIVER_PRIVATE_H
#define DARN_DRIVER_PRIVATE_H

#include <stddef.h>

#include "driver/process/listener.h"

/* An absolute path, or NULL after a refusal. */
const char *darn_private_directory(struct darn_listener *listener);

/* The path of a file there. 0 or DARN_REFUSED. */
int darn_private_file(struct darn_listener *listener, const char *name, char *path, size_t size);

/* Removes those of our user whose commands do not live any more. */
void darn_private_sweep(void);

#endif
