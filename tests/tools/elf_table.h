/* Sections of constant records of an ELF file, for the tools of the tests. */
#ifndef DARN_TEST_ELF_TABLE_H
#define DARN_TEST_ELF_TABLE_H

#include <gelf.h>
#include <stdbool.h>
#include <stdint.h>

#include "site/site.h"

/* One section of records, with what is needed to find their strings. */
struct table {
    Elf *elf;
    GElf_Ehdr header;
    GElf_Shdr section;
    Elf_Data *records;
    Elf_Data *relocations; /* of an object, otherwise NULL */
    Elf_Data *symbols;
};

/* Prints why, and ends the program. */
_Noreturn void die(const char *what, const char *why);

/* The string that the self-relative field at this offset names; "-" if it is empty. In an object it
 * is named by a relocation that is still to be applied. */
const char *table_string(const struct table *table, uint64_t offset);

/* A site, and its names; "-" if they are empty. */
struct table_site {
    struct darn_site record;
    const char *file, *function, *variable;
    uint64_t gaps; /* of a site with DARN_SITE_GAPS */
};

/* The record with this number in a section of sites; false: it is no site, but the head of a table.
 */
bool table_site(const struct table *table, size_t number, struct table_site *site);

size_t table_records(const struct table *table);

/* Calls `print` for each section of that name: an inline function of C++ brings one of its own. */
void tables_of_file(const char *path, const char *name, void (*print)(const struct table *table));

#endif
