/*
 * The ELF files of the program under test, opened once each.
 *
 * An address is that of the ELF file (p_vaddr), so every module stands in a libdwfl session of its
 * own, unmoved: modules overlap there, and none needs to know where the others were loaded.
 */
#ifndef DARN_REPORT_MODULE_H
#define DARN_REPORT_MODULE_H

#include <elfutils/libdwfl.h>

struct darn_modules {
    struct darn_module_entry *first;
};

/* A zeroed struct has no modules open. */
void darn_modules_close(struct darn_modules *modules);

/* The module of this path; NULL when it cannot be read. It lives until darn_modules_close. */
Dwfl_Module *darn_module_open(struct darn_modules *modules, const char *path);

#endif
