/*
 * usage: sites FILE — prints the site records of an ELF file, one in a line:
 *
 *     file:line:col function kind flags size variable
 *
 * Flags, and the variables of a predicate, are separated by commas; an empty field shows as "-". What
 * a function of libc does to a buffer has its name in place of a size.
 * The file is an object, a program or a shared object.
 */
#include <assert.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "elf_table.h"
#include "site/site.h"
#include "site/site_calls.h"

static const char *string_of(const struct table *table, size_t number, size_t field)
{
    return table_string(table, number * sizeof(struct darn_site) + field);
}

static void print_flags(const struct darn_site *site)
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
            printf("=%llx", (unsigned long long)site->gaps);
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

static void print_site(const struct table *table, size_t number)
{
    static const char *const kinds[] = {"read", "write",    "update", "fence",
                                        "wait", "function", "leave",  "call"};
    struct darn_site site;

    memcpy(&site, (const char *)table->records->d_buf + number * sizeof(site), sizeof(site));
    if (site.version != DARN_SITE_VERSION || site.kind >= DARN_SITE_KINDS)
        die("a record", "it is of another version, or none");
    printf("%s:%u:%u ", string_of(table, number, offsetof(struct darn_site, file)), site.line,
           site.column);
    printf("%s %s ", string_of(table, number, offsetof(struct darn_site, function)),
           kinds[site.kind]);
    print_flags(&site);
    if (darn_call_name(site.flags, site.size))
        printf(" %s ", darn_call_name(site.flags, site.size));
    else
        printf(" %u ", site.size);
    print_variables(string_of(table, number, offsetof(struct darn_site, variable)));
}

static void print_table(const struct table *table)
{
    if (table->records->d_size % sizeof(struct darn_site))
        die("the section", "it does not hold whole records");
    for (size_t i = 0; i < table->records->d_size / sizeof(struct darn_site); i++)
        print_site(table, i);
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
