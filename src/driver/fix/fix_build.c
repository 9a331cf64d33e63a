/*
 * How a program was built: clang writes its command line into each object (-frecord-command-line,
 * which darn cc asks for).
 */
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <string.h>
#include <unistd.h>

#include "driver/fix/fixing.h"

/* The data of the section, as texts that end with zeros. */
static Elf_Data *find_section(Elf *elf, const char *wanted)
{
    Elf_Scn *section = NULL;
    size_t names;

    if (!elf || elf_getshdrstrndx(elf, &names))
        return NULL;
    while ((section = elf_nextscn(elf, section))) {
        GElf_Shdr header;
        const char *name =
            gelf_getshdr(section, &header) ? elf_strptr(elf, names, header.sh_name) : NULL;

        if (name && strcmp(name, wanted) == 0)
            return elf_getdata(section, NULL);
    }
    return NULL;
}

/* The only command in the section, if it links as well. What clang adds by itself at the end is
 * none of an option that it takes. */
static const char *only_command(struct darn_text_pool *pool, const Elf_Data *data)
{
    const char *found = NULL, *text = data->d_buf, *end = text ? text + data->d_size : NULL;
    char *command, *tail;

    for (const char *at = text; at && at < end; at += strnlen(at, (size_t)(end - at)) + 1) {
        if (!*at)
            continue;
        if (found && strcmp(found, at) != 0)
            return NULL;
        found = at;
        if (memchr(at, '\0', (size_t)(end - at)) == NULL)
            return NULL;
    }
    if (!found || strstr(found, " -c ") || strstr(found, " -S "))
        return NULL;
    command = darn_pool_text(pool, found);
    tail = strstr(command, " -dumpdir ");
    if (tail)
        *tail = '\0';
    return command;
}

const char *darn_fix_recorded(struct darn_text_pool *pool, const char *program)
{
    int fd = open(program, O_RDONLY | O_CLOEXEC);
    Elf *elf =
        fd >= 0 && elf_version(EV_CURRENT) != EV_NONE ? elf_begin(fd, ELF_C_READ, NULL) : NULL;
    const Elf_Data *data = find_section(elf, ".GCC.command.line");
    const char *command = data ? only_command(pool, data) : NULL;

    elf_end(elf);
    if (fd >= 0)
        close(fd);
    return command;
}
