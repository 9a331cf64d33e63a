/*
 * Global variables of the debug information.
 */
#ifndef DARN_REPORT_VARIABLE_H
#define DARN_REPORT_VARIABLE_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

/* A variable, and where in it an address lies. */
struct darn_debug_variable {
    Dwarf_Die die;
    uint64_t offset;
};

/* The variable, or the piece of one, that begins at this address, if it is none of a function: a
 * static variable of a function has its name from the symbol table. */
bool darn_variable_find(Dwarf_Die *unit, Dwarf_Addr address, struct darn_debug_variable *found);

#endif
