/* Finds the debug info of a struct by its name, as a TBAA tag gives it. */
#ifndef DARN_PLUGIN_STRUCTS_H
#define DARN_PLUGIN_STRUCTS_H

#include <llvm-c/Core.h>

#include "base/map.h"

/* All 0 in the beginning. */
struct darn_structs {
    struct darn_map seen;    /* nodes that were visited */
    struct darn_map by_name; /* hash of the name -> the type */
};

void darn_structs_free(struct darn_structs *structs);

/* Makes the structs known that can be reached from this node of debug info. */
void darn_structs_visit(struct darn_structs *structs, LLVMMetadataRef root);

/* The type, or NULL. */
LLVMMetadataRef darn_structs_find(struct darn_structs *structs, const char *name);

#endif
