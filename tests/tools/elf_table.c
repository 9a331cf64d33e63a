#include "elf_table.h"

#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

_Noreturn void die(const char *what, const char *why)
{
    fprintf(stderr, "%s: %s\n", what, why);
    exit(2);
}

/* Bytes of the file, and how many follow. */
struct bytes {
    const char *at;
    size_t left;
};

static struct bytes bytes_of(const Elf_Data *data, uint64_t offset)
{
    if (!data || !data->d_buf || offset >= data->d_size)
        die("a record", "what it names lies outside of the file");
    return (struct bytes){(const char *)data->d_buf + offset, data->d_size - offset};
}

static const char *string_at(struct bytes bytes)
{
    if (!memchr(bytes.at, '\0', bytes.left))
        die("a record", "its string has no end");
    return *bytes.at ? bytes.at : "-";
}

static struct bytes relocated(const struct table *table, uint64_t offset, uint64_t further)
{
    size_t count = table->relocations->d_size / sizeof(Elf64_Rela);

    for (size_t i = 0; i < count; i++) {
        GElf_Rela rela;
        GElf_Sym symbol;
        Elf_Scn *scn;

        if (!gelf_getrela(table->relocations, (int)i, &rela) || rela.r_offset != offset)
            continue;
        if (GELF_R_TYPE(rela.r_info) != R_X86_64_PC32 ||
            !gelf_getsym(table->symbols, (int)GELF_R_SYM(rela.r_info), &symbol))
            break;
        scn = elf_getscn(table->elf, symbol.st_shndx);
        return bytes_of(scn ? elf_getdata(scn, NULL) : NULL,
                        symbol.st_value + (uint64_t)rela.r_addend + further);
    }
    die("a record", "no relative relocation says where its strings are");
}

static struct bytes linked(const struct table *table, uint64_t address)
{
    Elf_Scn *scn = NULL;

    while ((scn = elf_nextscn(table->elf, scn))) {
        GElf_Shdr section;

        if (gelf_getshdr(scn, &section) && (section.sh_flags & SHF_ALLOC) &&
            address >= section.sh_addr && address < section.sh_addr + section.sh_size)
            return bytes_of(elf_getdata(scn, NULL), address - section.sh_addr);
    }
    die("a record", "its string lies in no section");
}

/* What is `further` bytes behind the place that the self-relative field at this offset names. In an
 * object it is named by a relocation that is still to be applied. */
static struct bytes behind(const struct table *table, uint64_t offset, uint64_t further)
{
    uint64_t to;
    int32_t distance;

    memcpy(&distance, (const char *)table->records->d_buf + offset, sizeof(distance));
    to = offset + (uint64_t)(int64_t)distance + further;
    if (table->header.e_type != ET_REL)
        return linked(table, table->section.sh_addr + to);
    if (table->relocations && table->symbols)
        return relocated(table, offset, further);
    return bytes_of(table->records, to); /* its strings are in the section, too */
}

const char *table_string(const struct table *table, uint64_t offset)
{
    return string_at(behind(table, offset, 0));
}

size_t table_records(const struct table *table)
{
    if (table->records->d_size % sizeof(struct darn_site))
        die("the section", "it does not hold whole records");
    return table->records->d_size / sizeof(struct darn_site);
}

bool table_site(const struct table *table, size_t number, struct table_site *site)
{
    struct darn_site *record = &site->record;
    struct darn_scope scope;
    struct bytes bytes;
    uint64_t head;

    memcpy(record, (const char *)table->records->d_buf + number * sizeof(*record), sizeof(*record));
    if (record->version != DARN_SITE_VERSION || record->kind >= DARN_SITE_KINDS ||
        record->place > number || (record->kind == DARN_SITE_HEAD) != !record->place)
        die("a record", "it is of another version, or none");
    head = (number - record->place) * sizeof(*record) + offsetof(struct darn_site, texts);
    if (!record->place)
        return false;
    bytes = behind(table, head, record->scope);
    if (bytes.left < sizeof(scope))
        die("a record", "its scope is cut off");
    memcpy(&scope, bytes.at, sizeof(scope));
    site->file = string_at(behind(table, head, scope.file));
    site->function = string_at(behind(table, head, scope.function));
    site->variable = string_at(behind(table, head, record->variable));
    site->gaps = darn_scope_gaps(&scope);
    return true;
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
}

static void read_table(Elf *elf, const GElf_Ehdr *header, Elf_Scn *scn,
                       void (*print)(const struct table *table))
{
    struct table table = {.elf = elf, .header = *header};

    table.records = elf_getdata(scn, NULL);
    if (!gelf_getshdr(scn, &table.section) || !table.records)
        die("the section", "it cannot be read");
    if (header->e_type == ET_REL)
        find_relocations(&table, scn);
    print(&table);
}

void tables_of_file(const char *path, const char *name, void (*print)(const struct table *table))
{
    int fd = open(path, O_RDONLY);
    GElf_Ehdr header;
    Elf_Scn *scn = NULL;
    size_t names;
    Elf *elf;

    if (fd < 0 || elf_version(EV_CURRENT) == EV_NONE || !(elf = elf_begin(fd, ELF_C_READ, NULL)))
        die(path, "cannot be read");
    if (!gelf_getehdr(elf, &header) || elf_getshdrstrndx(elf, &names))
        die(path, "not an ELF file");
    while ((scn = elf_nextscn(elf, scn))) {
        GElf_Shdr section;
        const char *found;

        if (!gelf_getshdr(scn, &section) || !(found = elf_strptr(elf, names, section.sh_name)))
            die(path, elf_errmsg(-1));
        if (strcmp(found, name) == 0)
            read_table(elf, &header, scn, print);
    }
    elf_end(elf);
    close(fd);
}
