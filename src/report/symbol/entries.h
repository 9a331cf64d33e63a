/*
 * The entries of a compilation unit, one after the other, by one pass over its bytes. libdw's
 * dwarf_siblingof steps over a subtree by reading all of it, so that going down into namespaces
 * reads the same entries once for each level; of C++ these are a hundred thousand for each unit.
 */
#ifndef DARN_REPORT_ENTRIES_H
#define DARN_REPORT_ENTRIES_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>

struct darn_entry_shape;

/* The entries with a tag that have one attribute or the other, but for what is inside of functions:
 * most of the debug information lies there. */
struct darn_entries {
    unsigned tag, attribute, other_attribute;
    Dwarf_CU *unit;
    const unsigned char *at, *end;
    struct darn_entry_shape *shapes; /* the abbreviations, as far as they matter here */
    size_t count, room;
    size_t depth, function; /* how deep we are, and the function around us: 0 when there is none */
    Dwarf_Half version;
    uint8_t address_size, offset_size;
};

/* The first three fields are the caller's. Without an entry that can be read there is none. */
void darn_entries_start(struct darn_entries *entries, Dwarf_Die *unit);
bool darn_entries_next(struct darn_entries *entries, Dwarf_Die *entry);
void darn_entries_end(struct darn_entries *entries);

#endif
