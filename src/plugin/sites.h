/* Writes site records into the module. */
#ifndef DARN_PLUGIN_SITES_H
#define DARN_PLUGIN_SITES_H

#include <llvm-c/Core.h>

#include "base/map.h"
#include "plugin/access.h"

struct darn_names;

struct darn_sites {
    LLVMModuleRef module;
    LLVMTypeRef record;
    LLVMTypeRef i8, i16, i32, i64;
    struct darn_map strings; /* hash of the text -> the global that holds it */
    unsigned count;
};

void darn_sites_init(struct darn_sites *sites, LLVMModuleRef module);
void darn_sites_free(struct darn_sites *sites);

/* The record of an access, as a global. */
LLVMValueRef darn_sites_add(struct darn_sites *sites, const struct darn_access *access,
                            LLVMValueRef function, struct darn_names *names);

/* Lets the program announce its records to the runtime when it starts. */
void darn_sites_announce(struct darn_sites *sites);

#endif
