/*
 * usage: sections FILE — prints the section records of an ELF file, one in a line:
 *
 *     kind function variable entry=LINE:OP [call=LINE,...] end=LINE:OP:ALLOW,... [leave=LINE,...]
 *     [inside=WHAT,...]
 *
 * The points are sorted; every key is checked to be one of a site of the file. The file is an
 * object, a program or a shared object.
 */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "elf_table.h"
#include "site/site_section.h"

static uint64_t *keys;
static size_t key_count;

static void note_keys(const struct table *table)
{
    size_t count = table_records(table);

    keys = realloc(keys, (key_count + count + 1) * sizeof(*keys));
    if (!keys)
        die("keys", "out of memory");
    for (size_t i = 0; i < count; i++) {
        struct table_site site;

        if (table_site(table, i, &site))
            keys[key_count++] =
                darn_site_key_of(&site.record, strcmp(site.file, "-") ? site.file : "",
                                 strcmp(site.function, "-") ? site.function : "");
    }
}

static int is_key(uint64_t key)
{
    for (size_t i = 0; i < key_count; i++) {
        if (keys[i] == key)
            return 1;
    }
    return 0;
}

static int compare(const void *one, const void *other)
{
    const struct darn_section_point *a = one, *b = other;

    if (a->line != b->line)
        return a->line < b->line ? -1 : 1;
    return a->kind != b->kind ? a->kind - b->kind : a->allow - b->allow;
}

static void print_point(const struct darn_section_point *point)
{
    static const char *const kinds[] = {"read", "write", "update"};
    static const char *const allows[] = {"none", "read", "write", "all"};

    printf("%u", point->line);
    if (point->role == DARN_ROLE_ENTRY || point->role == DARN_ROLE_END)
        printf(":%s", point->kind <= DARN_SITE_UPDATE ? kinds[point->kind] : "?");
    if (point->role == DARN_ROLE_END)
        printf(":%s", allows[point->allow & DARN_ALLOW_ALL]);
}

static void print_points(const struct darn_section_point *points, uint32_t count, uint8_t role)
{
    static const char *const roles[] = {"entry", "end", "leave", "call"};
    const char *separator = "";

    for (uint32_t i = 0; i < count; i++) {
        if (points[i].role != role)
            continue;
        if (!*separator)
            printf(" %s=", roles[role]);
        printf("%s", separator);
        print_point(&points[i]);
        separator = ",";
        if (!is_key(points[i].key))
            printf("?"); /* no site of this file */
    }
}

static void print_inside(uint16_t inside)
{
    static const char *const names[] = {"sync", "calls", "unknown", "loops", "across"};
    const char *separator = " inside=";

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (!(inside >> i & 1))
            continue;
        printf("%s%s", separator, names[i]);
        separator = ",";
    }
    putchar('\n');
}

static size_t print_record(const struct table *table, size_t at)
{
    static const char *const kinds[] = {"load-and-store", "test-and-use", "pair"};
    struct darn_section_point points[DARN_SECTION_POINTS];
    struct darn_section_record record;

    if (table->records->d_size - at < sizeof(record))
        die("a record", "it is cut off");
    memcpy(&record, (const char *)table->records->d_buf + at, sizeof(record));
    if (record.version != DARN_SECTION_VERSION || record.kind > DARN_SECTION_PAIR ||
        record.count < 2 || record.count > DARN_SECTION_POINTS ||
        record.size < sizeof(record) + record.count * sizeof(points[0]) ||
        record.size > table->records->d_size - at)
        die("a record", "it is of another version, or none");
    memcpy(points, (const char *)table->records->d_buf + at + sizeof(record),
           record.count * sizeof(points[0]));
    if (points[0].role != DARN_ROLE_ENTRY)
        die("a record", "it does not begin with its entry");
    qsort(points, record.count, sizeof(points[0]), compare);
    printf("%s %s ", kinds[record.kind],
           table_string(table, at + offsetof(struct darn_section_record, function)));
    printf("%s", table_string(table, at + offsetof(struct darn_section_record, variable)));
    print_points(points, record.count, DARN_ROLE_ENTRY);
    print_points(points, record.count, DARN_ROLE_CALL);
    print_points(points, record.count, DARN_ROLE_END);
    print_points(points, record.count, DARN_ROLE_LEAVE);
    print_inside(record.inside);
    return record.size;
}

static void print_table(const struct table *table)
{
    for (size_t at = 0; at < table->records->d_size;)
        at += print_record(table, at);
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fputs("usage: sections FILE\n", stderr);
        return 2;
    }
    tables_of_file(argv[1], DARN_SITE_SECTION, note_keys);
    tables_of_file(argv[1], DARN_SECTIONS_SECTION, print_table);
    free(keys);
    return 0;
}
