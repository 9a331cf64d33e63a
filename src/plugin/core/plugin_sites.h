/* Writes site records into the module. */
#ifndef DARN_PLUGIN_SITES_H
#define DARN_PLUGIN_SITES_H

#include <llvm-c/Core.h>

#include "base/map.h"
#include "plugin/core/access.h"

struct darn_names;

struct darn_sites {
    LLVMModuleRef module;
    LLVMTypeRef record;
    LLVMTypeRef i8, i16, i32, i64;
    struct darn_map strings; /* hash of the text -> the global that holds it */
    LLVMMetadataRef unit;    /* the file that the compiler was given; NULL: no debug information */
    unsigned count;
    LLVMValueRef function; /* whose sites are being added */
    LLVMValueRef
        armed; /* the bytes that were made last: those that are armed, then those of guards */
    LLVMComdatRef armed_comdat;
    unsigned armed_count; /* how many of them are in use */
};

void darn_sites_init(struct darn_sites *sites, LLVMModuleRef module);
void darn_sites_free(struct darn_sites *sites);

/* The sites that follow are those of this function. */
void darn_sites_begin(struct darn_sites *sites, LLVMValueRef function);

/* All are constant addresses. */
struct darn_record {
    LLVMValueRef site;
    LLVMValueRef armed; /* the byte that site->armed names */
    LLVMValueRef look;  /* that of its guard (darn_site_look) */
};

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

/* Lets the program announce its records to the runtime when it starts. */
void darn_sites_announce(struct darn_sites *sites);

#endif
