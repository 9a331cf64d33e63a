#include "cli/cc/cc_line.h"

#include <elf.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "driver/fix/recorded.h"
#include "driver/process/installation.h"
#include "site/wishes.h"

#ifndef SHF_GNU_RETAIN
#define SHF_GNU_RETAIN (1 << 21)
#endif

/* The kernel takes no word of a command line that is longer than 128 KB. */
#define LONGEST (100 << 10)

static void add(FILE *text, const char *field)
{
    fprintf(text, "%c%s", DARN_RECORD_SEPARATOR, field);
}

static void add_path(FILE *text, const char *directory, const char *path)
{
    fprintf(text, "%c%s%s%s", DARN_RECORD_SEPARATOR, *path == '/' ? "" : directory,
            *path == '/' ? "" : "/", path);
}

static void add_object(FILE *text, const char *directory, const struct darn_cc_line *line)
{
    const char *name = line->source ? strrchr(line->source, '/') : NULL;
    char object[PATH_MAX];

    if (!line->source) {
        add(text, "");
        add(text, "");
        return;
    }
    name = name ? name + 1 : line->source;
    snprintf(object, sizeof(object), "%.*s.o",
             (int)(strrchr(name, '.') ? strrchr(name, '.') - name : (long)strlen(name)), name);
    add_path(text, directory, line->object ? line->object : object);
    add_path(text, directory, line->source);
}

static void add_wishes(FILE *text)
{
    static const char *const names[] = {DARN_FUNCTIONS_VARIABLE, DARN_SECTIONS_VARIABLE,
                                        DARN_PROFILE_VARIABLE, DARN_IGNORELIST_VARIABLE,
                                        DARN_WARNINGS_VARIABLE};

    add(text, "env");
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        const char *value = getenv(names[i]);

        if (value && !strchr(value, DARN_RECORD_SEPARATOR))
            fprintf(text, "%c%s=%s", DARN_RECORD_SEPARATOR, names[i], value);
    }
}

/* The text, to be freed; NULL: it cannot be said. */
static char *describe(const char *command, const struct darn_words *words,
                      const struct darn_cc_line *line)
{
    char own[PATH_MAX], directory[PATH_MAX], *found = NULL;
    size_t length;
    FILE *text = NULL;

    for (size_t i = 0; i < words->count; i++)
        if (strchr(words->items[i], DARN_RECORD_SEPARATOR))
            return NULL;
    if (darn_own_path(own, sizeof(own)) || !getcwd(directory, sizeof(directory)) ||
        !(text = open_memstream(&found, &length)))
        return NULL;
    fputs(DARN_RECORD_MARK, text);
    add(text, directory);
    add_object(text, directory, line);
    add_wishes(text);
    add(text, own);
    add(text, command);
    for (size_t i = 0; i < words->count; i++)
        add(text, words->items[i]);
    fclose(text);
    return found;
}

/* An object without code, with the text in a section that is not loaded. */
struct object {
    Elf64_Ehdr header;
    Elf64_Shdr sections[4];
    char names[64];
};

#define NAMES "\0" DARN_RECORD_LINKED "\0.note.GNU-stack\0.shstrtab"

static void fill_object(struct object *object, const char *text)
{
    Elf64_Ehdr own;
    FILE *file = fopen("/proc/self/exe", "re");
    size_t names = sizeof(NAMES), stack = 1 + sizeof(DARN_RECORD_LINKED);
    size_t table = stack + sizeof(".note.GNU-stack");

    if (!file || fread(&own, sizeof(own), 1, file) != 1)
        own = (Elf64_Ehdr){.e_machine = EM_X86_64};
    if (file)
        fclose(file);
    *object = (struct object){
        .header = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
                               EV_CURRENT, ELFOSABI_GNU},
                   .e_type = ET_REL,
                   .e_machine = own.e_machine,
                   .e_version = EV_CURRENT,
                   .e_shoff = offsetof(struct object, sections),
                   .e_ehsize = sizeof(Elf64_Ehdr),
                   .e_shentsize = sizeof(Elf64_Shdr),
                   .e_shnum = 4,
                   .e_shstrndx = 3},
        .sections = {{.sh_type = SHT_NULL},
                     {.sh_name = 1,
                      .sh_type = SHT_PROGBITS,
                      .sh_flags = SHF_GNU_RETAIN, /* --gc-sections leaves it */
                      .sh_offset = sizeof(*object),
                      .sh_size = strlen(text) + 1,
                      .sh_addralign = 1},
                     /* without it the linker would make the stack executable */
                     {.sh_name = (Elf64_Word)stack,
                      .sh_type = SHT_PROGBITS,
                      .sh_offset = sizeof(*object),
                      .sh_addralign = 1},
                     {.sh_name = (Elf64_Word)table,
                      .sh_type = SHT_STRTAB,
                      .sh_offset = offsetof(struct object, names),
                      .sh_size = names,
                      .sh_addralign = 1}},
    };
    memcpy(object->names, NAMES, names);
}

static bool write_all(int fd, const void *from, size_t size)
{
    return write(fd, from, size) == (ssize_t)size;
}

/* It lies in memory that the linker inherits: nobody has to remove it. */
static void add_link(struct darn_words *out, const char *text)
{
    struct object object;
    char path[64];
    int fd = memfd_create("darn.link.o", 0);

    fill_object(&object, text);
    if (fd < 0 || !write_all(fd, &object, sizeof(object)) || !write_all(fd, text, strlen(text) + 1))
        return;
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    darn_words_add(out, "-Xlinker");
    darn_words_add(out, path);
}

void darn_cc_record(struct darn_words *out, const char *command, const struct darn_words *words,
                    const struct darn_cc_line *line)
{
    char *text = describe(command, words, line);

    if (text && strlen(text) <= LONGEST) {
        darn_words_add(out, "-Xclang");
        darn_words_add(out, "-record-command-line");
        darn_words_add(out, "-Xclang");
        darn_words_add(out, text);
    }
    if (text && line->links_program)
        add_link(out, text);
    free(text);
}
