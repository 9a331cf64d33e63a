/* What comes not from a guard but from an interceptor or annotation. */
#ifndef DARN_RUNTIME_HOOK_H
#define DARN_RUNTIME_HOOK_H

#include "runtime/watch/touch.h"
#include "trace/event.h"

/* The sites of a program or shared object that is being loaded: those that shall call always. */
void darn_hook_arm(const struct darn_site *start, const struct darn_site *stop);

/* `frame` is the frame of the function that the program called. */
void darn_hook_touch(const struct darn_touch *touch, const void *frame);

/* Records the beginning or the end of a function, or of an annotated block, which its variable
 * tells from others; NULL for a function. */
void darn_hook_mark(enum darn_event_kind kind, const volatile void *variable,
                    const struct darn_site *site, const void *frame);

#endif
