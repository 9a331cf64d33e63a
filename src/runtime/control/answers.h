/*
 * Code whose result is in no state: the vdso, which tells the time, and pages with an instruction
 * that makes random numbers. The first is no system call, and neither can be trapped.
 */
#ifndef DARN_RUNTIME_ANSWERS_H
#define DARN_RUNTIME_ANSWERS_H

#include <stdbool.h>

/* From now on it is known who runs such code (os_watch.h). False when that cannot be known. */
bool darn_answers_watch(void);

#endif
