/*
 * How a program was built. Clang writes its command line into each object (-frecord-command-line,
 * which darn cc asks for): one that has linked the program, too, is enough. Of more files a tool
 * knows the commands, which stands in a directory above the program.
 */
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
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

/* The command that has compiled and linked the program at once; NULL: it was not one. */
static const char *find_recorded(struct darn_text_pool *pool, const char *program)
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

/* ---- tools ---- */

static const struct {
    const char *file, *command;
} tools[] = {
    {"CMakeCache.txt", "cmake --build ."},
    {"build.ninja", "ninja"},
    {"GNUmakefile", "make"},
    {"makefile", "make"},
    {"Makefile", "make"},
};

/* What somebody else has put there is not run unasked: the directory may be /tmp. */
static const char *tool_in(const char *directory)
{
    char path[2 * PATH_MAX];
    struct stat about;

    for (size_t i = 0; i < sizeof(tools) / sizeof(tools[0]); i++) {
        snprintf(path, sizeof(path), "%s/%s", directory, tools[i].file);
        if (stat(path, &about) == 0 && about.st_uid == geteuid())
            return tools[i].command;
    }
    return NULL;
}

/* Makefiles of directories further in know nothing of the others; one around a build by CMake or
 * ninja may do anything. */
static bool find_tool(struct darn_fixing *fixing, const char *from)
{
    size_t root = strlen(fixing->tree);
    char *directory = darn_pool_text(&fixing->pool, from);

    while (strlen(directory) >= root && strncmp(directory, fixing->tree, root) == 0) {
        const char *command = tool_in(directory);
        char *slash = strrchr(directory, '/');

        if (command && (!fixing->build || strcmp(fixing->build, "make") == 0)) {
            fixing->build = command;
            fixing->build_in = darn_pool_text(&fixing->pool, directory);
        }
        if (!slash || slash == directory)
            break;
        *slash = '\0';
    }
    return fixing->build != NULL;
}

bool darn_fix_find_build(struct darn_fixing *fixing, const char *compiled)
{
    const char *program = fixing->kept.schedule->program;

    fixing->build = fixing->options.build;
    fixing->build_in = fixing->tree;
    if (fixing->build)
        return true;
    fixing->build = find_recorded(&fixing->pool, program);
    if (fixing->build)
        fixing->build_in = compiled ? compiled : fixing->tree;
    return fixing->build ||
           find_tool(fixing, darn_pool_part(&fixing->pool, program,
                                            (size_t)(strrchr(program, '/') - program)));
}

bool darn_fix_is_absolute(const struct darn_fixing *fixing)
{
    return strcmp(fixing->build, tools[0].command) == 0 ||
           strcmp(fixing->build, tools[1].command) == 0;
}
