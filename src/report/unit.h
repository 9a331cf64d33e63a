/*
 * The compilation units of a module, and the names of their files.
 */
#ifndef DARN_REPORT_UNIT_H
#define DARN_REPORT_UNIT_H

#include <elfutils/libdwfl.h>
#include <stdbool.h>

#include "report/text_pool.h"

struct darn_debug_unit {
    Dwarf_Die lines; /* the unit that has the line table */
    Dwarf_Die tree;  /* the unit that has the functions: another one with -gsplit-dwarf */
    Dwarf_Addr bias; /* address in the module minus address in the debug information */
};

/* The unit that has code at the address. */
bool darn_unit_find(Dwfl_Module *module, Dwarf_Addr address, struct darn_debug_unit *unit);

/* The next unit; start with *position NULL. False when there is none. */
bool darn_unit_next(Dwfl_Module *module, Dwarf_Die **position, struct darn_debug_unit *unit);

/* Splits the full name of a source file into the directory of the compilation and the name as on
 * the command line. *dir is NULL when the file is to be taken as it is. */
void darn_unit_split(struct darn_debug_unit *unit, struct darn_text_pool *pool, const char *path,
                     const char **dir, const char **file);

/* As the compiler was given the file of a site, which is split in another way (darn_site_dir): then
 * *dir becomes NULL, too. */
const char *darn_unit_shown(struct darn_text_pool *pool, const char **dir, const char *file);

bool darn_unit_is_cxx(struct darn_debug_unit *unit);

/* The name of the file with this number (DW_AT_decl_file, DW_AT_call_file); NULL if there is none.
 */
const char *darn_unit_file(struct darn_debug_unit *unit, Dwarf_Word number);

/* The attribute as a number, or 0; of the entry itself or of the one that it completes. */
Dwarf_Word darn_unit_number(Dwarf_Die *die, unsigned attribute);

#endif
