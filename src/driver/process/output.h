/*
 * Whether a file could be written, found out without touching it.
 */
#ifndef DARN_DRIVER_OUTPUT_H
#define DARN_DRIVER_OUTPUT_H

/* 0, or the negative errno that opening the file for writing would give. */
int darn_output_check(const char *path);

/* The same for new files that begin with this path: PATH.PID. */
int darn_output_check_prefix(const char *path);

#endif
