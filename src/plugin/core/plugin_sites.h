/* Writes site records into the module. */
#ifndef DARN_PLUGIN_SITES_H
#define DARN_PLUGIN_SITES_H

#include <llvm-c/Core.h>

#include "plugin/core/access.h"
#include "plugin/table/site_table.h"

struct darn_names;

struct darn_sites {
    LLVMModuleRef module;
    LLVMTypeRef i8, i32;
    struct darn_site_tables tables;
    LLVMMetadataRef unit; /* the file that the compiler was given; NULL: no debug information */
    unsigned count;
    LLVMValueRef function; /* whose sites are being added */
};

void darn_sites_init(struct darn_sites *sites, LLVMModuleRef module);
void darn_sites_free(struct darn_sites *sites);

/* The sites that follow are those of this function. */
void darn_sites_begin(struct darn_sites *sites, LLVMValueRef function);

/* The record of an access. */
struct darn_record darn_sites_record(struct darn_sites *sites,
                                     const struct darn_plugin_access *access,
                                     struct darn_names *names);

/* The record of the function itself, or NULL if it has no place in the source. `flags` are added to
 * its own. */
LLVMValueRef darn_sites_add_function(struct darn_sites *sites, uint16_t flags);

/* darn_site_key of the record that an instruction gets for this kind of site, `shift` columns
 * farther (see struct darn_plugin_access). */
uint64_t darn_sites_key(LLVMValueRef instruction, uint8_t kind, uint16_t shift);

/* Writes the records, and lets the program announce its records to the runtime when it starts. */
void darn_sites_announce(struct darn_sites *sites);

#endif
