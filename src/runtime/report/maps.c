#include "runtime/report/maps.h"

#include <elf.h>
#include <stdbool.h>
#include <string.h>

#include "base/text.h"
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
    bool readable, writable, executable, shared;
    const char *file; /* device and inode */
    size_t file_length;
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
    mapping->readable = at[0] == 'r';
    mapping->writable = mapping->readable && at[1] == 'w';
    mapping->executable = mapping->readable && at[1] && at[2] == 'x';
    mapping->shared = mapping->readable && at[1] && at[2] && at[3] == 's';
    at = skip_field(at); /* the permissions */
    mapping->file_offset = read_hex(&at);
    mapping->file = skip_field(at);
    at = skip_field(mapping->file);
    while (*at >= '0' && *at <= '9')
        at++;
    at += *at == ' '; /* so that 12 is not taken for 123 */
    mapping->file_length = (size_t)(at - mapping->file);
    while (*at == ' ')
        at++;
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

/* A loaded ELF file: its load bias, and how far its zeroed data reaches behind what the file holds.
 */
struct image {
    uintptr_t bias, end;
};

/* The segment that is mapped at file offset 0 says which address the ELF header would have. */
static struct image read_image(uintptr_t start)
{
    const Elf64_Ehdr *header = (const Elf64_Ehdr *)start;
    const Elf64_Phdr *segment = (const Elf64_Phdr *)(start + header->e_phoff);
    struct image image = {start, 0};

    for (int i = 0; i < header->e_phnum; i++) {
        if (segment[i].p_type != PT_LOAD)
            continue;
        if ((segment[i].p_offset & ~UINT64_C(4095)) == 0)
            image.bias = start - (segment[i].p_vaddr & ~UINT64_C(4095));
        if (segment[i].p_vaddr + segment[i].p_memsz > image.end)
            image.end = segment[i].p_vaddr + segment[i].p_memsz;
    }
    image.end += image.bias;
    return image;
}

/* The first mapping of an ELF file begins with its header. All zero: the file is none. */
static struct image image_of(struct darn_maps *maps, const struct mapping *mapping)
{
    const char *at = maps->text;
    struct mapping first;

    while (*at) {
        at = read_line(at, &first);
        if (first.file_offset || !first.readable || !same_path(&first, mapping))
            continue;
        if (memcmp((const void *)first.start, ELFMAG, SELFMAG))
            break;
        return read_image(first.start);
    }
    return (struct image){0};
}

const char *darn_maps_find(struct darn_maps *maps, uintptr_t address, uint64_t *offset)
{
    const char *at = maps ? maps->text : "";
    struct mapping mapping, last = {0};
    struct image image;
    bool is_behind;

    do {
        if (!*at)
            return NULL;
        at = read_line(at, &mapping);
        if (mapping.path_length && *mapping.path == '/')
            last = mapping;
    } while (address < mapping.start || address >= mapping.end);
    /* Zeroed data lies behind the file's last mapping, without a name. So may memory of others,
     * and the kernel makes one mapping of the two. */
    is_behind = !mapping.path_length && last.end == mapping.start;
    if (is_behind)
        mapping = last;
    if (!mapping.path_length || *mapping.path != '/' || mapping.path_length >= sizeof(maps->path))
        return NULL;
    image = image_of(maps, &mapping);
    if (is_behind && address >= image.end)
        return NULL;
    memcpy(maps->path, mapping.path, mapping.path_length);
    maps->path[mapping.path_length] = '\0';
    *offset = address - image.bias;
    return maps->path;
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

void darn_maps_each_writable(struct darn_maps *maps,
                             void (*visit)(uintptr_t start, uintptr_t end, bool shared))
{
    const char *at = maps ? maps->text : "";
    struct mapping mapping;

    while (*at) {
        at = read_line(at, &mapping);
        if (mapping.writable)
            visit(mapping.start, mapping.end, mapping.shared);
    }
}

static bool starts_with(const struct mapping *mapping, const char *text)
{
    return mapping->path_length >= strlen(text) && !memcmp(mapping->path, text, strlen(text));
}

void darn_maps_each_code(struct darn_maps *maps,
                         void (*visit)(uintptr_t start, uintptr_t end, bool writable, bool is_vdso))
{
    const char *at = maps ? maps->text : "";
    struct mapping mapping;

    while (*at) {
        at = read_line(at, &mapping);
        if (mapping.executable)
            visit(mapping.start, mapping.end, mapping.writable, starts_with(&mapping, "[vdso]"));
    }
}

static bool find_mapping(struct darn_maps *maps, uintptr_t address, struct mapping *mapping)
{
    const char *at = maps ? maps->text : "";

    while (*at) {
        at = read_line(at, mapping);
        if (address >= mapping->start && address < mapping->end)
            return true;
    }
    return false;
}

/* A name that is gone leads nowhere, nor does memory that never had one. System V's has a key. */
static bool can_be_opened(const struct mapping *mapping)
{
    static const char gone[] = " (deleted)";
    size_t length = sizeof(gone) - 1;

    if (starts_with(mapping, "/SYSV"))
        return !starts_with(mapping, "/SYSV00000000");
    return mapping->path_length < length ||
           memcmp(mapping->path + mapping->path_length - length, gone, length) != 0;
}

bool darn_maps_find_shared(struct darn_maps *maps, uintptr_t address, char *file, size_t size,
                           bool *is_open)
{
    struct mapping mapping;

    if (!find_mapping(maps, address, &mapping) || !mapping.shared || mapping.file_length >= size)
        return false;
    memcpy(file, mapping.file, mapping.file_length);
    file[mapping.file_length] = '\0';
    *is_open = can_be_opened(&mapping);
    return true;
}

bool darn_maps_are_shared(int pid, const char *file)
{
    static char *text;
    struct darn_text path;
    char buffer[64];
    size_t length;

    if (!text)
        text = darn_os_allocate(TEXT_SIZE);
    if (!text)
        return true;
    darn_text_start(&path, buffer, sizeof(buffer));
    darn_text_add(&path, "/proc/");
    darn_text_number(&path, (uint64_t)pid);
    darn_text_add(&path, "/maps");
    darn_text_char(&path, '\0');
    length = darn_os_read_file(buffer, text, TEXT_SIZE - 1);
    text[length] = '\0';
    return strstr(text, file);
}

uintptr_t darn_maps_start(struct darn_maps *maps, uintptr_t address)
{
    struct mapping mapping;

    return find_mapping(maps, address, &mapping) ? mapping.start : address;
}

bool darn_maps_is_main_stack(struct darn_maps *maps, uintptr_t address)
{
    struct mapping mapping;

    return find_mapping(maps, address, &mapping) && mapping.path_length == 7 &&
           memcmp(mapping.path, "[stack]", 7) == 0;
}
