#include "runtime/report/maps.h"

#include <elf.h>
#include <stdbool.h>
#include <string.h>

#include "runtime/os/os.h"
#include "runtime/report/tell.h"

#define TEXT_SIZE (1 << 20) /* of /proc/self/maps; what does not fit is not symbolized */

struct darn_maps {
    size_t length;
    char text[TEXT_SIZE];
    char path[4096];
};

/* One line: 55d0-55d4 r-xp 00001000 fe:00 1234  /usr/bin/cat */
struct mapping {
    uintptr_t start, end;
    uint64_t file_offset;
    bool readable;
    const char *path;
    size_t path_length;
};

static uint64_t read_hex(const char **at)
{
    uint64_t value = 0;

    for (;; (*at)++) {
        char c = **at;

        if (c >= '0' && c <= '9')
            value = value * 16 + (uint64_t)(c - '0');
        else if (c >= 'a' && c <= 'f')
            value = value * 16 + (uint64_t)(c - 'a') + 10;
        else
            return value;
    }
}

static const char *skip_field(const char *at)
{
    while (*at && *at != ' ' && *at != '\n')
        at++;
    while (*at == ' ')
        at++;
    return at;
}

/* Reads the line at `at` and returns the start of the next one. */
static const char *read_line(const char *at, struct mapping *mapping)
{
    const char *end = strchr(at, '\n');

    mapping->start = read_hex(&at);
    at += *at == '-';
    mapping->end = read_hex(&at);
    while (*at == ' ')
        at++;
    mapping->readable = *at == 'r';
    at = skip_field(at); /* the permissions */
    mapping->file_offset = read_hex(&at);
    at = skip_field(skip_field(skip_field(at))); /* device, inode */
    if (!end)
        end = at + strlen(at);
    mapping->path = at;
    mapping->path_length = at < end ? (size_t)(end - at) : 0;
    return *end ? end + 1 : end;
}

static void say_once(bool has_memory)
{
    static bool said;

    if (!said)
        darn_say_line(has_memory
                          ? "darn: /proc/self/maps cannot be read; stacks in reports have no names"
                          : "darn: out of memory; stacks in reports have no names");
    said = true;
}

struct darn_maps *darn_maps_read(void)
{
    static struct darn_maps *maps;

    if (!maps)
        maps = darn_os_allocate(sizeof(*maps));
    if (maps)
        maps->length = darn_os_read_file("/proc/self/maps", maps->text, TEXT_SIZE - 1);
    if (!maps || !maps->length) {
        say_once(maps);
        return NULL;
    }
    maps->text[maps->length] = '\0';
    return maps;
}

static bool same_path(const struct mapping *a, const struct mapping *b)
{
    return a->path_length == b->path_length && memcmp(a->path, b->path, a->path_length) == 0;
}

/*
 * The load bias: the first mapping of the file begins with the ELF header; the segment that is
 * mapped at file offset 0 says which address that would have.
 */
static uint64_t bias_of(struct darn_maps *maps, const struct mapping *mapping)
{
    const char *at = maps->text;
    struct mapping first;

    while (*at) {
        const Elf64_Ehdr *header;
        const Elf64_Phdr *segment;

        at = read_line(at, &first);
        if (first.file_offset || !first.readable || !same_path(&first, mapping))
            continue;
        header = (const Elf64_Ehdr *)first.start;
        if (memcmp(header->e_ident, ELFMAG, SELFMAG))
            return 0;
        segment = (const Elf64_Phdr *)(first.start + header->e_phoff);
        for (int i = 0; i < header->e_phnum; i++) {
            if (segment[i].p_type == PT_LOAD && (segment[i].p_offset & ~UINT64_C(4095)) == 0)
                return first.start - (segment[i].p_vaddr & ~UINT64_C(4095));
        }
        return first.start;
    }
    return 0;
}

const char *darn_maps_find(struct darn_maps *maps, uintptr_t address, uint64_t *offset)
{
    const char *at = maps ? maps->text : "";
    struct mapping mapping, last = {0};

    while (*at) {
        at = read_line(at, &mapping);
        if (mapping.path_length && *mapping.path == '/')
            last = mapping;
        if (address < mapping.start || address >= mapping.end)
            continue;
        /* Zeroed data lies behind the file's last mapping, without a name. */
        if (!mapping.path_length && last.end == mapping.start)
            mapping = last;
        if (!mapping.path_length || *mapping.path != '/' ||
            mapping.path_length >= sizeof(maps->path))
            return NULL;
        memcpy(maps->path, mapping.path, mapping.path_length);
        maps->path[mapping.path_length] = '\0';
        *offset = address - bias_of(maps, &mapping);
        return maps->path;
    }
    return NULL;
}

void darn_maps_each(struct darn_maps *maps, void (*visit)(uintptr_t start, uintptr_t end,
                                                          uint64_t offset, const char *path))
{
    const char *at = maps ? maps->text : "";
    struct mapping mapping;

    while (*at) {
        uint64_t offset;
        const char *path;

        at = read_line(at, &mapping);
        path = darn_maps_find(maps, mapping.start, &offset);
        if (path)
            visit(mapping.start, mapping.end, offset, path);
    }
}

bool darn_maps_is_main_stack(struct darn_maps *maps, uintptr_t address)
{
    const char *at = maps ? maps->text : "";
    struct mapping mapping;

    while (*at) {
        at = read_line(at, &mapping);
        if (address >= mapping.start && address < mapping.end)
            return mapping.path_length == 7 && memcmp(mapping.path, "[stack]", 7) == 0;
    }
    return false;
}
