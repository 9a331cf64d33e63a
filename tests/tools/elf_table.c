#include "elf_table.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

_Noreturn void die(const char *what, const char *why)
{
    fprintf(stderr, "%s: %s\n", what, why);
    exit(2);
}

static const char *string_of(const Elf_Data *data, uint64_t offset)
{
    if (!data || !data->d_buf || offset >= data->d_size ||
        !memchr((const char *)data->d_buf + offset, '\0', data->d_size - offset))
        die("a record", "its string lies outside of the file");
    return (const char *)data->d_buf + offset;
}

static const char *string_in(Elf_Scn *scn, uint64_t offset)
{
    return string_of(scn ? elf_getdata(scn, NULL) : NULL, offset);
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

const char *table_string(const struct table *table, uint64_t offset)
{
    int32_t distance;
    const char *text;

    memcpy(&distance, (const char *)table->records->d_buf + offset, sizeof(distance));
    if (table->header.e_type != ET_REL)
        text = linked_string(table, offset, distance);
    else if (table->relocations && table->symbols)
        text = relocated_string(table, offset);
    else /* its strings are in the section, too */
        text = string_of(table->records, offset + (uint64_t)(int64_t)distance);
    return *text ? text : "-";
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
