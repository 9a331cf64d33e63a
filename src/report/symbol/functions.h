/*
 * Which function of a compilation unit has the code at an address: a table for each unit, made when
 * it is first asked for. libdw would go through all entries of the unit for each address, which are
 * a hundred thousand in C++.
 */
#ifndef DARN_REPORT_FUNCTIONS_H
#define DARN_REPORT_FUNCTIONS_H

#include "report/symbol/module.h"
#include "report/unit.h"

/* The most inlined functions around one address that are looked at. */
#define DARN_FUNCTIONS_DEEP 256

/* The functions around the address, the innermost first: those that were inlined there, then the
 * one that has the code of its own. `scopes` has room for DARN_FUNCTIONS_DEEP + 1. Returns how many
 * there are. */
size_t darn_functions_around(struct darn_module_cache *cache, struct darn_debug_unit *unit,
                             Dwarf_Addr address, Dwarf_Die *scopes);

#endif
