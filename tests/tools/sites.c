/*
 * usage: sites FILE — prints the site records of an ELF file, one in a line:
 *
 *     file:line:col function kind flags size variable
 *
 * Flags, and the variables of a predicate, are separated by commas; an empty field shows as "-".
 * What a function of libc does to a buffer has its name in place of a size. The file is an object,
 * a program or a shared object.
 */
#include <assert.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "elf_table.h"
#include "site/site.h"
#include "site/site_calls.h"

static void print_flags(const struct darn_site *site, uint64_t gaps)
{
    static const char *const names[] = {"atomic",   "volatile",      "range",         "gaps",
                                        "value",    "assert-writer", "assert-access", "spin",
                                        "acquires", "releases",      "extra",         "covers",
                                        NULL,       "after"};
    const char *separator = "";

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (!names[i] || !(site->flags >> i & 1))
            continue;
        printf("%s%s", separator, names[i]);
        if (1 << i == DARN_SITE_GAPS)
            printf("=%llx", (unsigned long long)gaps);
        separator = ",";
    }
    if (site->kind == DARN_SITE_FUNCTION && site->flags & DARN_SITE_NO_UNIT)
        printf("%sno-unit", separator);
    else if (!*separator)
        putchar('-');
}

static void print_variables(const char *names)
{
    for (; *names; names++)
        putchar(*names == ' ' ? ',' : *names);
    putchar('\n');
}

static void print_site(const struct table_site *site)
{
    static const char *const kinds[] = {"read", "write",    "update", "fence",
                                        "wait", "function", "leave",  "call"};
    const struct darn_site *record = &site->record;

    printf("%s:%u:%u ", site->file, record->line, record->column);
    printf("%s %s ", site->function, kinds[record->kind]);
    print_flags(record, site->gaps);
    if (darn_call_name(record->flags, record->size))
        printf(" %s ", darn_call_name(record->flags, record->size));
    else
        printf(" %u ", record->size);
    print_variables(site->variable);
}

static void print_table(const struct table *table)
{
    for (size_t i = 0; i < table_records(table); i++) {
        struct table_site site;

        if (table_site(table, i, &site))
            print_site(&site);
    }
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fputs("usage: sites FILE\n", stderr);
        return 2;
    }
    tables_of_file(argv[1], DARN_SITE_SECTION, print_table);
    return 0;
}
