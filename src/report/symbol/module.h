/*
 * The ELF files of the program under test, opened once each.
 *
 * An address is that of the ELF file (p_vaddr), so every module stands in a libdwfl session of its
 * own, unmoved: modules overlap there, and none needs to know where the others were loaded.
 */
#ifndef DARN_REPORT_MODULE_H
#define DARN_REPORT_MODULE_H

#include <elfutils/libdwfl.h>

#include "base/map.h"
#include "report/text_pool.h"

struct darn_modules {
    struct darn_module_entry *first;
};

/* A zeroed struct has no modules open. */
void darn_modules_close(struct darn_modules *modules);

/* The module of this path; NULL when it cannot be read. It lives until darn_modules_close. */
Dwfl_Module *darn_module_open(struct darn_modules *modules, const char *path);

/* What symbolize.h has looked up there: a look at the debug information takes milliseconds, and
 * many findings have the same callers, locks and variables. Its keys are addresses of the module.
 */
struct darn_module_cache {
    struct darn_map code;       /* to struct darn_known_code */
    struct darn_map data;       /* to struct darn_symbol, of where variables begin */
    struct darn_map units;      /* from units of the debug information to their functions */
    struct darn_map parts;      /* to a text; 0: there is none */
    struct darn_text_pool pool; /* owns what the maps lead to */
};

/* NULL when the module cannot be read. */
struct darn_module_cache *darn_module_cache(struct darn_modules *modules, const char *path);

#endif
