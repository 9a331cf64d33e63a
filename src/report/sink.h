/*
 * Where reports go: the log and files.
 */
#ifndef DARN_REPORT_SINK_H
#define DARN_REPORT_SINK_H

#include <stddef.h>
#include <stdint.h>

/* Opens what log_path names: "stderr" (also NULL and ""), "stdout", or a file, which gets the
 * process id of the program appended as in TSan: "log.4711". Returns a descriptor, or a negative
 * errno. */
int darn_sink_open(const char *log_path, int64_t pid);

/* Writes everything, in one call as far as the system does: reports of processes that run at the
 * same time are not mixed. 0, or a negative errno. */
int darn_sink_write(int fd, const char *text, size_t length);

/* Appends to the file, which is created when it is not there. 0, or a negative errno. */
int darn_sink_append(const char *path, const char *text, size_t length);

#endif
