/*
 * What /proc says about the threads of this process, and about others. One at a time, like darn_os_read_file: under
 * the findings' lock.
 */
#ifndef DARN_RUNTIME_PROC_H
#define DARN_RUNTIME_PROC_H

#include <stdbool.h>
#include <stddef.h>

/* The name of a thread; empty when it is not known. */
void darn_proc_name(int tid, char *name, size_t size);

/* Its state, as ps shows it: 'S' for asleep; 0 when it is not known. */
char darn_proc_state(int tid);

/* How many threads the process has, known to us or not. */
int darn_proc_threads(void);

/* Whether `is` says so of any process. */
bool darn_proc_any(bool (*is)(int pid, const void *argument), const void *argument);

#endif
