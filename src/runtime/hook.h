/* An access that comes not from a guard but from an interceptor or annotation. */
#ifndef DARN_RUNTIME_HOOK_H
#define DARN_RUNTIME_HOOK_H

#include "runtime/touch.h"

/* The sites of a program or shared object that is being loaded: those that shall call always. */
void darn_hook_arm(const struct darn_site *start, const struct darn_site *stop);

/* `frame` is the frame of the function that the program called. */
void darn_hook_touch(const struct darn_touch *touch, const void *frame);

#endif
