/* Which sites share memory: learned in controlled runs, kept in the control block. */
#ifndef DARN_RUNTIME_LEARNING_H
#define DARN_RUNTIME_LEARNING_H

#include <stdint.h>

#include "runtime/watch/touch.h"

/* An access while more than one thread is alive. */
void darn_learning_access(uint32_t thread, const struct darn_touch *touch);

/* A block is given back by the thread. */
void darn_learning_freed(uint32_t thread, const struct darn_touch *touch);

/* What was at these addresses is gone. */
void darn_learning_forget(uintptr_t address, uint64_t size);

#endif
