#include "driver/process/elf_calls.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/grow.h"

struct darn_elf_slot {
    uint64_t address;
    const char *name;
};

/* ---- the file ---- */

static const void *bytes_at(const struct darn_elf_calls *elf, uint64_t offset, uint64_t size)
{
    return offset <= elf->size && size <= elf->size - offset ? elf->file + offset : NULL;
}

static const Elf64_Shdr *section_at(const struct darn_elf_calls *elf, uint32_t index)
{
    const Elf64_Ehdr *header = (const void *)elf->file;

    if (index >= header->e_shnum || header->e_shentsize != sizeof(Elf64_Shdr))
        return NULL;
    return bytes_at(elf, header->e_shoff + (uint64_t)index * sizeof(Elf64_Shdr),
                    sizeof(Elf64_Shdr));
}

static const void *content_of(const struct darn_elf_calls *elf, const Elf64_Shdr *section)
{
    return section && section->sh_type != SHT_NOBITS
               ? bytes_at(elf, section->sh_offset, section->sh_size)
               : NULL;
}

static const char *string_at(const struct darn_elf_calls *elf, uint32_t table, uint64_t at)
{
    const Elf64_Shdr *section = section_at(elf, table);
    const char *strings = content_of(elf, section);

    if (!strings || at >= section->sh_size ||
        !memchr(strings + at, '\0', (size_t)(section->sh_size - at)))
        return "";
    return strings + at;
}

/* The code at an address, as far as it goes in its segment. */
static const unsigned char *code_at(const struct darn_elf_calls *elf, uint64_t address,
                                    uint64_t size)
{
    const Elf64_Ehdr *header = (const void *)elf->file;
    const Elf64_Phdr *segments =
        bytes_at(elf, header->e_phoff, (uint64_t)header->e_phnum * sizeof(Elf64_Phdr));

    for (int i = 0; segments && i < header->e_phnum; i++) {
        const Elf64_Phdr *segment = &segments[i];

        if (segment->p_type == PT_LOAD && segment->p_flags & PF_X && address >= segment->p_vaddr &&
            address - segment->p_vaddr <= segment->p_filesz &&
            size <= segment->p_filesz - (address - segment->p_vaddr))
            return bytes_at(elf, segment->p_offset + (address - segment->p_vaddr), size);
    }
    return NULL;
}

/* ---- functions and stubs ---- */

static void add_function(struct darn_elf_calls *elf, uint64_t address, uint64_t size,
                         const char *name)
{
    elf->functions = darn_grow(elf->functions, &elf->function_room, elf->function_count + 1,
                               sizeof(*elf->functions));
    elf->functions[elf->function_count++] = (struct darn_elf_function){address, size, name};
}

static void add_slot(struct darn_elf_calls *elf, uint64_t address, const char *name)
{
    elf->slots = darn_grow(elf->slots, &elf->slot_room, elf->slot_count + 1, sizeof(*elf->slots));
    elf->slots[elf->slot_count++] = (struct darn_elf_slot){address, name};
}

static const char *slot_name(const struct darn_elf_calls *elf, uint64_t address)
{
    for (size_t i = 0; i < elf->slot_count; i++) {
        if (elf->slots[i].address == address)
            return elf->slots[i].name;
    }
    return NULL;
}

/* The symbol table has what the one for the loader has, and more; a stripped file has the latter
 * alone. */
static void read_symbols(struct darn_elf_calls *elf, const Elf64_Shdr *section)
{
    const Elf64_Sym *symbols = content_of(elf, section);

    for (uint64_t i = 0; symbols && i < section->sh_size / sizeof(*symbols); i++) {
        const char *name = string_at(elf, section->sh_link, symbols[i].st_name);

        if (ELF64_ST_TYPE(symbols[i].st_info) == STT_FUNC && symbols[i].st_shndx != SHN_UNDEF &&
            *name)
            add_function(elf, symbols[i].st_value, symbols[i].st_size, name);
    }
}

static void read_relocations(struct darn_elf_calls *elf, const Elf64_Shdr *section)
{
    const Elf64_Rela *relocations = content_of(elf, section);
    const Elf64_Shdr *table = section_at(elf, section->sh_link);
    const Elf64_Sym *symbols = content_of(elf, table);

    for (uint64_t i = 0; symbols && relocations && i < section->sh_size / sizeof(*relocations);
         i++) {
        uint64_t symbol = ELF64_R_SYM(relocations[i].r_info);
        uint64_t type = ELF64_R_TYPE(relocations[i].r_info);

        if ((type == R_X86_64_JUMP_SLOT || type == R_X86_64_GLOB_DAT) &&
            symbol < table->sh_size / sizeof(*symbols))
            add_slot(elf, relocations[i].r_offset,
                     string_at(elf, table->sh_link, symbols[symbol].st_name));
    }
}

static int64_t number_at(const unsigned char *bytes)
{
    int32_t number;

    memcpy(&number, bytes, sizeof(number));
    return number;
}

/* A stub jumps to where a slot says: `[endbr64] [bnd] jmp *slot(%rip)`. */
static void read_stubs(struct darn_elf_calls *elf, const Elf64_Shdr *section)
{
    static const unsigned char endbr64[] = {0xf3, 0x0f, 0x1e, 0xfa};
    const unsigned char *code = content_of(elf, section);

    for (uint64_t at = 0; code && at + 6 <= section->sh_size; at++) {
        uint64_t start = at;
        const char *name;

        if (code[at] != 0xff || code[at + 1] != 0x25)
            continue;
        name = slot_name(elf, section->sh_addr + at + 6 + (uint64_t)number_at(code + at + 2));
        if (!name)
            continue;
        if (start && code[start - 1] == 0xf2)
            start--;
        if (start >= 4 && memcmp(code + start - 4, endbr64, 4) == 0)
            start -= 4;
        add_function(elf, section->sh_addr + start, 0, name);
    }
}

static void read_sections(struct darn_elf_calls *elf)
{
    const Elf64_Ehdr *header = (const void *)elf->file;
    bool has_symbols = false;

    for (uint32_t i = 0; i < header->e_shnum; i++) {
        const Elf64_Shdr *section = section_at(elf, i);

        has_symbols |= section && section->sh_type == SHT_SYMTAB;
        if (section && section->sh_type == SHT_RELA)
            read_relocations(elf, section);
    }
    for (uint32_t i = 0; i < header->e_shnum; i++) {
        const Elf64_Shdr *section = section_at(elf, i);

        if (!section)
            continue;
        if (section->sh_type == (has_symbols ? SHT_SYMTAB : SHT_DYNSYM))
            read_symbols(elf, section);
        if (section->sh_type == SHT_PROGBITS &&
            strncmp(string_at(elf, header->e_shstrndx, section->sh_name), ".plt", 4) == 0)
            read_stubs(elf, section);
    }
}

static bool is_elf(const struct darn_elf_calls *elf)
{
    const Elf64_Ehdr *header = (const void *)elf->file;

    return elf->size > sizeof(*header) && memcmp(header->e_ident, ELFMAG, SELFMAG) == 0 &&
           header->e_ident[EI_CLASS] == ELFCLASS64 && header->e_machine == EM_X86_64 &&
           bytes_at(elf, header->e_phoff, (uint64_t)header->e_phnum * sizeof(Elf64_Phdr));
}

int darn_elf_calls_open(struct darn_elf_calls *elf, const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat status;
    const Elf64_Ehdr *header;

    *elf = (struct darn_elf_calls){.file = NULL};
    if (fd < 0)
        return -1;
    if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0) {
        elf->size = (size_t)status.st_size;
        elf->file = mmap(NULL, elf->size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (elf->file == MAP_FAILED)
            elf->file = NULL;
    }
    close(fd);
    header = (const void *)elf->file;
    if (!header || !is_elf(elf) ||
        !darn_build_name((const Elf64_Phdr *)(elf->file + header->e_phoff), header->e_phnum,
                         elf->file, true, elf->size, elf->build)) {
        darn_elf_calls_close(elf);
        return -1;
    }
    read_sections(elf);
    return 0;
}

void darn_elf_calls_close(struct darn_elf_calls *elf)
{
    if (elf->file)
        munmap((void *)(uintptr_t)elf->file, elf->size);
    free(elf->functions);
    free(elf->slots);
    *elf = (struct darn_elf_calls){.file = NULL};
}

/* ---- calls ---- */

/* Several names may have one address: those that a sanitizer knows ours by do not count. */
static const char *name_at(const struct darn_elf_calls *elf, uint64_t address, const char *wanted)
{
    const char *found = NULL;

    for (size_t i = 0; i < elf->function_count; i++) {
        const char *name = elf->functions[i].name;

        if (elf->functions[i].address != address || strncmp(name, "__interceptor_", 14) == 0)
            continue;
        if (!found || (wanted && strcmp(name, wanted) == 0))
            found = name;
    }
    return found;
}

/* The name of what is called, if the bytes before `after` are a call; of several, `wanted`. */
static const char *callee(const struct darn_elf_calls *elf, uint64_t after, const char *wanted)
{
    const unsigned char *code = after >= 6 ? code_at(elf, after - 6, 6) : NULL;

    if (!code)
        return NULL;
    if (code[1] == 0xe8) { /* call */
        const char *name = name_at(elf, after + (uint64_t)number_at(code + 2), wanted);

        if (name)
            return name;
    }
    if (code[0] == 0xff && code[1] == 0x15) /* call *slot(%rip) */
        return slot_name(elf, after + (uint64_t)number_at(code + 2));
    return NULL;
}

const char *darn_elf_callee(const struct darn_elf_calls *elf, uint64_t after)
{
    return callee(elf, after, NULL);
}

void darn_elf_each_call(const struct darn_elf_calls *elf, uint64_t start, uint64_t end,
                        const char *wanted, void (*visit)(void *context, uint64_t after),
                        void *context)
{
    const unsigned char *code = start < end ? code_at(elf, start, end - start) : NULL;

    for (uint64_t at = start; code && at + 5 <= end; at++) {
        unsigned char first = code[at - start];
        uint64_t after = at + (first == 0xe8 ? 5 : 6);
        const char *name;

        if ((first != 0xe8 && first != 0xff) || after > end)
            continue;
        name = callee(elf, after, wanted);
        if (name && strcmp(name, wanted) == 0)
            visit(context, after);
    }
}
