/*
 * usage: sites FILE — prints the site records of an ELF file, one in a line:
 *
 *     file:line:col function kind flags size variable
 *
 * Flags, and the variables of a predicate, are separated by commas; an empty field shows as "-".
 * The file is an object, a program or a shared object: in an object the strings are named by
 * relocations that are still to be applied.
 */
#include <assert.h>
#include <fcntl.h>
#include <gelf.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "site/site.h"

static _Noreturn void die(const char *what, const char *why)
{
    fprintf(stderr, "sites: %s: %s\n", what, why);
    exit(2);
}

/* One section of records, with what is needed to find their strings. */
struct table {
    Elf *elf;
    GElf_Ehdr header;
    GElf_Shdr section;
    Elf_Data *records;
    Elf_Data *relocations; /* of an object, otherwise NULL */
    Elf_Data *symbols;
};

static const char *string_in(Elf_Scn *scn, uint64_t offset)
{
    Elf_Data *data = scn ? elf_getdata(scn, NULL) : NULL;

    if (!data || !data->d_buf || offset >= data->d_size ||
        !memchr((const char *)data->d_buf + offset, '\0', data->d_size - offset))
        die("a record", "its string lies outside of the file");
    return (const char *)data->d_buf + offset;
}

static const char *relocated_string(const struct table *table, uint64_t offset)
{
    size_t count = table->relocations->d_size / sizeof(Elf64_Rela);

    for (size_t i = 0; i < count; i++) {
        GElf_Rela rela;
        GElf_Sym symbol;

        if (!gelf_getrela(table->relocations, (int)i, &rela) || rela.r_offset != offset)
            continue;
        if (GELF_R_TYPE(rela.r_info) != R_X86_64_PC32 ||
            !gelf_getsym(table->symbols, (int)GELF_R_SYM(rela.r_info), &symbol))
            break;
        return string_in(elf_getscn(table->elf, symbol.st_shndx),
                         symbol.st_value + (uint64_t)rela.r_addend);
    }
    die("a record", "no relative relocation names its string");
}

static const char *linked_string(const struct table *table, uint64_t offset, int32_t distance)
{
    uint64_t address = table->section.sh_addr + offset + (uint64_t)(int64_t)distance;
    Elf_Scn *scn = NULL;

    while ((scn = elf_nextscn(table->elf, scn))) {
        GElf_Shdr section;

        if (gelf_getshdr(scn, &section) && (section.sh_flags & SHF_ALLOC) &&
            address >= section.sh_addr && address < section.sh_addr + section.sh_size)
            return string_in(scn, address - section.sh_addr);
    }
    die("a record", "its string lies in no section");
}

static const char *string_of(const struct table *table, size_t number, size_t field)
{
    uint64_t offset = number * sizeof(struct darn_site) + field;
    int32_t distance;
    const char *text;

    memcpy(&distance, (const char *)table->records->d_buf + offset, sizeof(distance));
    text = table->header.e_type == ET_REL ? relocated_string(table, offset)
                                          : linked_string(table, offset, distance);
    return *text ? text : "-";
}

static void print_flags(const struct darn_site *site)
{
    static const char *const names[] = {"atomic",   "volatile",      "range",         "gaps",
                                        "value",    "assert-writer", "assert-access", "spin",
                                        "acquires", "releases"};
    const char *separator = "";

    if (!site->flags)
        putchar('-');
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (!(site->flags >> i & 1))
            continue;
        printf("%s%s", separator, names[i]);
        if (1 << i == DARN_SITE_GAPS)
            printf("=%llx", (unsigned long long)site->gaps);
        separator = ",";
    }
}

static void print_variables(const char *names)
{
    for (; *names; names++)
        putchar(*names == ' ' ? ',' : *names);
    putchar('\n');
}

static void print_site(const struct table *table, size_t number)
{
    static const char *const kinds[] = {"read", "write", "update", "fence", "wait", "function"};
    struct darn_site site;

    memcpy(&site, (const char *)table->records->d_buf + number * sizeof(site), sizeof(site));
    if (site.version != DARN_SITE_VERSION || site.kind > DARN_SITE_FUNCTION)
        die("a record", "it is of another version, or none");
    printf("%s:%u:%u ", string_of(table, number, offsetof(struct darn_site, file)), site.line,
           site.column);
    printf("%s %s ", string_of(table, number, offsetof(struct darn_site, function)),
           kinds[site.kind]);
    print_flags(&site);
    printf(" %u ", site.size);
    print_variables(string_of(table, number, offsetof(struct darn_site, variable)));
}

static void find_relocations(struct table *table, Elf_Scn *of)
{
    Elf_Scn *scn = NULL;

    while ((scn = elf_nextscn(table->elf, scn))) {
        GElf_Shdr section;

        if (!gelf_getshdr(scn, &section) || section.sh_type != SHT_RELA ||
            section.sh_info != elf_ndxscn(of))
            continue;
        table->relocations = elf_getdata(scn, NULL);
        table->symbols = elf_getdata(elf_getscn(table->elf, section.sh_link), NULL);
    }
    if (!table->relocations || !table->symbols)
        die("the section", "it has no relocations");
}

static void print_table(Elf *elf, const GElf_Ehdr *header, Elf_Scn *scn)
{
    struct table table = {.elf = elf, .header = *header};

    table.records = elf_getdata(scn, NULL);
    if (!gelf_getshdr(scn, &table.section) || !table.records ||
        table.records->d_size % sizeof(struct darn_site))
        die("the section", "it does not hold whole records");
    if (header->e_type == ET_REL)
        find_relocations(&table, scn);
    for (size_t i = 0; i < table.records->d_size / sizeof(struct darn_site); i++)
        print_site(&table, i);
}

/* An inline function of C++ brings a section of its own. */
static void print_file(const char *path, Elf *elf)
{
    GElf_Ehdr header;
    Elf_Scn *scn = NULL;
    size_t names;

    if (!gelf_getehdr(elf, &header) || elf_getshdrstrndx(elf, &names))
        die(path, "not an ELF file");
    while ((scn = elf_nextscn(elf, scn))) {
        GElf_Shdr section;
        const char *name;

        if (!gelf_getshdr(scn, &section) || !(name = elf_strptr(elf, names, section.sh_name)))
            die(path, elf_errmsg(-1));
        if (strcmp(name, DARN_SITE_SECTION) == 0)
            print_table(elf, &header, scn);
    }
}

int main(int argc, char **argv)
{
    int fd = argc == 2 ? open(argv[1], O_RDONLY) : -1;
    Elf *elf;

    if (argc != 2) {
        fputs("usage: sites FILE\n", stderr);
        return 2;
    }
    if (fd < 0 || elf_version(EV_CURRENT) == EV_NONE || !(elf = elf_begin(fd, ELF_C_READ, NULL)))
        die(argv[1], "cannot be read");
    print_file(argv[1], elf);
    elf_end(elf);
    close(fd);
    return 0;
}
