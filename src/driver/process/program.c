#include "driver/process/program.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "site/site_guard.h"
#include "site/site.h"

/* Whether a table of dynamic symbols defines the attention byte: the runtime is in this file. */
static bool defines_attention(Elf *elf, Elf_Scn *section, const GElf_Shdr *header)
{
    Elf_Data *data = elf_getdata(section, NULL);
    size_t count = header->sh_entsize ? header->sh_size / header->sh_entsize : 0;

    for (size_t i = 0; data && i < count; i++) {
        GElf_Sym symbol;
        const char *name = gelf_getsym(data, (int)i, &symbol)
                               ? elf_strptr(elf, header->sh_link, symbol.st_name)
                               : NULL;

        if (name && symbol.st_shndx != SHN_UNDEF && strcmp(name, DARN_ATTENTION) == 0)
            return true;
    }
    return false;
}

/* It has sites, or the runtime: all its accesses may be in shared objects. A stripped program keeps
 * both, they are part of what is loaded. */
static bool is_watched(Elf *elf)
{
    Elf_Scn *section = NULL;
    size_t names;

    if (elf_getshdrstrndx(elf, &names))
        return false;
    while ((section = elf_nextscn(elf, section))) {
        GElf_Shdr header;
        const char *name;

        if (!gelf_getshdr(section, &header))
            continue;
        name = elf_strptr(elf, names, header.sh_name);
        if (name && strcmp(name, DARN_SITE_SECTION) == 0)
            return true;
        if (header.sh_type == SHT_DYNSYM && defines_attention(elf, section, &header))
            return true;
    }
    return false;
}

static int kind_of(int fd)
{
    char start[2] = {0};
    Elf *elf;
    int kind = DARN_PROGRAM_UNKNOWN;

    if (pread(fd, start, sizeof(start), 0) < 0)
        return -errno;
    if (start[0] == '#' && start[1] == '!')
        return DARN_PROGRAM_SCRIPT;
    elf_version(EV_CURRENT);
    elf = elf_begin(fd, ELF_C_READ, NULL);
    if (elf && elf_kind(elf) == ELF_K_ELF)
        kind = is_watched(elf) ? DARN_PROGRAM_WATCHED : DARN_PROGRAM_PLAIN;
    elf_end(elf);
    return kind;
}

int darn_program_kind(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    int kind;

    if (fd < 0)
        return -errno;
    kind = kind_of(fd);
    close(fd);
    return kind;
}

bool darn_program_is_static(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    size_t count = 0;
    bool is_elf, found = false;
    GElf_Phdr header;
    Elf *elf;

    if (fd < 0)
        return false;
    elf_version(EV_CURRENT);
    elf = elf_begin(fd, ELF_C_READ, NULL);
    is_elf = elf && elf_kind(elf) == ELF_K_ELF && elf_getphdrnum(elf, &count) == 0;
    for (size_t i = 0; i < count && !found; i++)
        found = gelf_getphdr(elf, (int)i, &header) && header.p_type == PT_INTERP;
    elf_end(elf);
    close(fd);
    return is_elf && !found;
}

/* Interpreters, by how their names begin. */
static const struct {
    const char *name, *sentence;
} interpreters[] = {
#define INTERPRETER(name, language)                                                                \
    {                                                                                              \
        name, "is " language                                                                       \
              ": only C and C++ that darn compiled is watched, in programs that it starts"         \
    }
    INTERPRETER("python", "Python"),   INTERPRETER("perl", "Perl"), INTERPRETER("ruby", "Ruby"),
    INTERPRETER("node", "JavaScript"), INTERPRETER("java", "Java"), INTERPRETER("lua", "Lua"),
    INTERPRETER("php", "PHP"),
#undef INTERPRETER
};

static const char *interpreter_of(const char *name, size_t length)
{
    for (size_t i = 0; i < sizeof(interpreters) / sizeof(interpreters[0]); i++) {
        size_t prefix = strlen(interpreters[i].name);

        if (length >= prefix && strncmp(name, interpreters[i].name, prefix) == 0 &&
            strspn(name + prefix, "0123456789.") >= length - prefix)
            return interpreters[i].sentence;
    }
    return NULL;
}

/* "#!/usr/bin/env python3": the last part of one of its words names an interpreter. */
static const char *interpreter_in(const char *line)
{
    const char *found = NULL, *end = line + strcspn(line, "\n");

    for (line += 2; line < end && !found;) {
        size_t part = strcspn(line, " \t/\n");

        found = interpreter_of(line, part);
        line += part + 1;
    }
    return found;
}

/* Compilers of other languages leave sections of their own, and their names. */
static const char *language_of(Elf *elf)
{
    Elf_Scn *section = NULL;
    size_t names;

    if (elf_getshdrstrndx(elf, &names))
        return NULL;
    while ((section = elf_nextscn(elf, section))) {
        GElf_Shdr header;
        const char *name =
            gelf_getshdr(section, &header) ? elf_strptr(elf, names, header.sh_name) : NULL;
        Elf_Data *data;

        if (name && strcmp(name, ".go.buildinfo") == 0)
            return "is a Go program: darn watches C and C++";
        if (!name || strcmp(name, ".comment") != 0)
            continue;
        data = elf_getdata(section, NULL);
        if (data && data->d_buf && memmem(data->d_buf, data->d_size, "rustc version", 13))
            return "is a Rust program: darn watches C and C++";
    }
    return NULL;
}

const char *darn_program_foreign(const char *path)
{
    const char *slash = strrchr(path, '/'), *found = NULL;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    char start[256] = "";
    Elf *elf;

    if (fd < 0)
        return NULL;
    if (pread(fd, start, sizeof(start) - 1, 0) > 2 && start[0] == '#' && start[1] == '!') {
        found = interpreter_in(start);
    } else {
        elf_version(EV_CURRENT);
        elf = elf_begin(fd, ELF_C_READ, NULL);
        if (elf && elf_kind(elf) == ELF_K_ELF)
            found = language_of(elf);
        elf_end(elf);
        if (!found)
            found = interpreter_of(slash ? slash + 1 : path, strlen(slash ? slash + 1 : path));
    }
    close(fd);
    return found;
}

/* The strings of .comment, one after the other. */
static char level_in(const Elf_Data *data)
{
    static const size_t length = sizeof(DARN_LEVEL_IDENT) - 1;
    const char *text = data ? data->d_buf : NULL, *end = text ? text + data->d_size : NULL;
    char level = 0;

    while (text && text < end && (!level || level == '0')) {
        size_t size = strnlen(text, (size_t)(end - text));

        if (size == length + 1 && memcmp(text, DARN_LEVEL_IDENT, length) == 0)
            level = text[length];
        text += size + 1;
    }
    return level;
}

char darn_program_level(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    Elf *elf = NULL;
    Elf_Scn *section = NULL;
    size_t names;
    char level = 0;

    if (fd >= 0 && elf_version(EV_CURRENT) != EV_NONE)
        elf = elf_begin(fd, ELF_C_READ, NULL);
    if (elf && elf_getshdrstrndx(elf, &names) == 0) {
        while (!level && (section = elf_nextscn(elf, section))) {
            GElf_Shdr header;
            const char *name =
                gelf_getshdr(section, &header) ? elf_strptr(elf, names, header.sh_name) : NULL;

            if (name && strcmp(name, ".comment") == 0)
                level = level_in(elf_getdata(section, NULL));
        }
    }
    elf_end(elf);
    if (fd >= 0)
        close(fd);
    return level;
}
