/*
 * The tables of records that a module has (site/site.h): one of all functions that the linker
 * keeps, and one for each that it may drop together with its records.
 *
 * Everything but two distances is known here, so a table is plain bytes for the compiler. A
 * variable for each record, with relocations for its texts, would cost it five times the memory.
 */
#ifndef DARN_PLUGIN_SITE_TABLE_H
#define DARN_PLUGIN_SITE_TABLE_H

#include <llvm-c/Core.h>
#include <llvm-c/Types.h>

#include "base/map.h"
#include "site/site.h"

struct darn_bytes {
    char *bytes;
    size_t size, capacity;
};

/* What becomes three variables. */
struct darn_site_table {
    LLVMComdatRef comdat;
    LLVMValueRef records, armed; /* stand-ins, until the sizes are known */
    struct darn_bytes sites, texts;
    struct darn_map places; /* hash of a text or scope -> where it is, + 1 */
};

struct darn_site_tables {
    LLVMModuleRef module;
    LLVMTypeRef i8, i32, i64;
    struct darn_site_table *items;
    size_t count, capacity;
    struct darn_map by_comdat; /* the number of its table, + 1 */
};

/* Of a record; `scope` and the texts of the table that it is added to. */
struct darn_site_texts {
    const char *file, *dir;
    size_t file_length, dir_length;
    const char *function, *variable;
    uint64_t gaps;
};

/* All are constant addresses. */
struct darn_record {
    LLVMValueRef site;
    LLVMValueRef armed; /* the site's armed byte */
    LLVMValueRef look;  /* that of its guard (darn_site_look) */
};

void darn_site_tables_init(struct darn_site_tables *tables, LLVMModuleRef module);
void darn_site_tables_free(struct darn_site_tables *tables);

/* Adds a record to the table of the function, and says where it is to be. `site` has all but what
 * the texts say and where it is. */
struct darn_record darn_site_tables_add(struct darn_site_tables *tables, LLVMValueRef function,
                                        const struct darn_site *site,
                                        const struct darn_site_texts *texts);

/* Writes all tables into the module. */
void darn_site_tables_write(struct darn_site_tables *tables);

#endif
