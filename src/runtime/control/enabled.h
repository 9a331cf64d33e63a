/* Whether the step that a controlled thread is about to make is enabled: can be made now. */
#ifndef DARN_RUNTIME_ENABLED_H
#define DARN_RUNTIME_ENABLED_H

#include "runtime/control/slots.h"

/* What it waits for has come. */
bool darn_step_has_come(const struct darn_slot *slot);

/* That, or its time is over, or it was cancelled. */
bool darn_step_is_enabled(const struct darn_slot *slot);

/* libc's own words say that the lock is free, whatever we believe. */
bool darn_step_lock_is_free(const struct darn_slot *slot);

#endif
