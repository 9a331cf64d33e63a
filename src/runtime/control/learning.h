/* Which sites share memory: learned in controlled runs, kept in the control block. */
#ifndef DARN_RUNTIME_LEARNING_H
#define DARN_RUNTIME_LEARNING_H

#include <stdint.h>

#include "runtime/watch/touch.h"

/* An access while more than one thread is alive. */
void darn_learning_access(uint32_t thread, const struct darn_touch *touch);

/* A block is given back by the thread. */
void darn_learning_freed(uint32_t thread, const struct darn_touch *touch);

/* Another thread has the turn now. */
void darn_learning_turn(uint32_t thread);

/* What was at these addresses is gone, and who frees it is not to be told from its next owner; or
 * somebody has them anew. */
void darn_learning_forget(uintptr_t address, uint64_t size);

#endif
