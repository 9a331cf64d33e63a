/* Pointers taken apart: which variable or value they begin with, and how far into it they lead. */
#ifndef DARN_PLUGIN_NAME_PLACE_H
#define DARN_PLUGIN_NAME_PLACE_H

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>
#include <stdint.h>

#include "plugin/name/locals.h"

/*
 * base + offset, with an element chosen at run time if `variable`. In `p[i].tab[j]`, the pointer is
 * stepped by i, and j is inside: LLVM writes the two as different operands as long as nobody has
 * optimized them.
 */
struct darn_place {
    LLVMValueRef base;
    int64_t offset;
    int64_t step; /* the part of the offset that steps the pointer */
    int variable;
    int is_inside;   /* one of those chosen at run time is inside, */
    int is_stepped;  /* one steps the pointer: */
    uint64_t stride; /* by multiples of this */
};

int darn_place_is_gep(LLVMValueRef value);

/* From the base to the value that it was computed from, if it is one of getelementptr. */
void darn_place_step(LLVMTargetDataRef layout, struct darn_place *place);

/* Back to the nearest base that has a name. */
void darn_place_go_back(LLVMTargetDataRef layout, const struct darn_locals *locals,
                        struct darn_place *place);

#endif
