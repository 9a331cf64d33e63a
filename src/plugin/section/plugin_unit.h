/*
 * Annotations that say what is expected to be atomic (darn.h), for traces: functions, and blocks in
 * them. Whoever reads a trace decides what becomes of it (src/engine/atomicity/transactions.h).
 */
#ifndef DARN_PLUGIN_UNIT_H
#define DARN_PLUGIN_UNIT_H

#include "base/map.h"
#include "plugin/core/guard.h"
#include "plugin/name/names.h"
#include "plugin/core/plugin_sites.h"

struct darn_units {
    struct darn_map atomics;     /* functions that are annotated as atomic, */
    struct darn_map not_atomics; /* and as not atomic */
};

void darn_units_init(struct darn_units *units, LLVMModuleRef module);
void darn_units_free(struct darn_units *units);

int darn_units_is_atomic(const struct darn_units *units, LLVMValueRef function);

/* What the site of the function's beginning says about it: enum darn_site_flag. */
uint16_t darn_units_flags(const struct darn_units *units, LLVMValueRef function);

/* Tells where the annotated blocks of a function begin and end. */
void darn_units_instrument(struct darn_guards *guards, struct darn_sites *sites,
                           struct darn_names *names, LLVMValueRef function);

#endif
