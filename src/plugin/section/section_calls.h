/* What calls do to a section that they are in, and which globals nobody writes. */
#ifndef DARN_PLUGIN_SECTION_CALLS_H
#define DARN_PLUGIN_SECTION_CALLS_H

#include <llvm-c/Core.h>
#include <stdint.h>

#include "base/map.h"

/* What calls do, for all functions of a module. */
struct darn_call_facts {
    struct darn_map functions; /* function -> enum darn_section_inside | 1 << 16 */
    struct darn_map globals;   /* global -> 1 somebody may write it, 2 nobody does */
};

void darn_call_facts_free(struct darn_call_facts *calls);

/* What the instruction means for a section that it is in: enum darn_section_inside, or-ed. */
uint16_t darn_calls_inside(struct darn_call_facts *calls, LLVMValueRef instruction);

/* Whether the global is only read in this module, and nobody else can know it. */
int darn_calls_is_constant(struct darn_call_facts *calls, LLVMValueRef global);

#endif
