#include "driver/section/section_needed.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report/unread.h"
#include "site/site_section.h"

/* Where the loader looks last. Its cache is not read: it leads to the same directories. */
static const char *const usual[] = {
    "/lib/x86_64-linux-gnu",
    "/usr/lib/x86_64-linux-gnu",
    "/lib64",
    "/usr/lib64",
    "/lib",
    "/usr/lib",
    "/usr/local/lib",
};

struct object {
    Elf *elf;
    int fd;
    const char *path;
    const char *search; /* RUNPATH or RPATH; NULL: none */
};

struct needed {
    struct darn_words seen;
    struct darn_words *found;
};

static bool open_object(struct object *object, const char *path)
{
    *object = (struct object){.path = path};
    object->fd = open(path, O_RDONLY | O_CLOEXEC);
    if (object->fd < 0) {
        darn_unread(path, errno);
        return false;
    }
    elf_version(EV_CURRENT);
    object->elf = elf_begin(object->fd, ELF_C_READ_MMAP, NULL);
    if (object->elf && elf_kind(object->elf) == ELF_K_ELF)
        return true;
    elf_end(object->elf);
    close(object->fd);
    return false;
}

static void close_object(struct object *object)
{
    elf_end(object->elf);
    close(object->fd);
}

static bool has_sites(const struct object *object)
{
    Elf_Scn *section = NULL;
    size_t names;

    if (elf_getshdrstrndx(object->elf, &names))
        return false;
    while ((section = elf_nextscn(object->elf, section))) {
        GElf_Shdr header;
        const char *name =
            gelf_getshdr(section, &header) ? elf_strptr(object->elf, names, header.sh_name) : NULL;

        if (name && strcmp(name, DARN_SITE_SECTION) == 0)
            return true;
    }
    return false;
}

/* Copies PATH with $ORIGIN replaced by the object's directory. */
static void expand(const struct object *object, const char *part, size_t length, char *to,
                   size_t size)
{
    static const char *const names[] = {"${ORIGIN}", "$ORIGIN"};
    const char *slash = strrchr(object->path, '/');
    int origin = slash ? (int)(slash - object->path) : 1;

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        size_t skip = strlen(names[i]);

        if (length >= skip && strncmp(part, names[i], skip) == 0) {
            snprintf(to, size, "%.*s%.*s", origin, slash ? object->path : ".", (int)(length - skip),
                     part + skip);
            return;
        }
    }
    snprintf(to, size, "%.*s", (int)length, part);
}

static bool try_directory(const char *directory, const char *name, char *path, size_t size)
{
    return (size_t)snprintf(path, size, "%s/%s", directory, name) < size && access(path, R_OK) == 0;
}

/* A list of directories with colons. */
static bool try_list(const struct object *object, const char *list, const char *name, char *path,
                     size_t size)
{
    while (list) {
        size_t length = strcspn(list, ":");
        char directory[PATH_MAX];

        expand(object, list, length, directory, sizeof(directory));
        if (try_directory(*directory ? directory : ".", name, path, size))
            return true;
        list = list[length] ? list + length + 1 : NULL;
    }
    return false;
}

static bool find_object(const struct object *object, const char *name, char *path, size_t size)
{
    if (strchr(name, '/'))
        return (size_t)snprintf(path, size, "%s", name) < size && access(path, R_OK) == 0;
    if (try_list(object, object->search, name, path, size) ||
        try_list(object, getenv("LD_LIBRARY_PATH"), name, path, size))
        return true;
    for (size_t i = 0; i < sizeof(usual) / sizeof(usual[0]); i++) {
        if (try_directory(usual[i], name, path, size))
            return true;
    }
    return false;
}

static void add_object(struct needed *needed, const char *path);

/* Each entry of the dynamic section with one of these tags. */
static void each_entry(struct needed *needed, struct object *object, Elf_Scn *section, bool search)
{
    GElf_Shdr header;
    Elf_Data *data = elf_getdata(section, NULL);
    GElf_Dyn entry;

    if (!data || !gelf_getshdr(section, &header))
        return;
    for (int i = 0; gelf_getdyn(data, i, &entry) && entry.d_tag != DT_NULL; i++) {
        const char *text = elf_strptr(object->elf, header.sh_link, entry.d_un.d_val);
        char path[PATH_MAX];

        if (search && text && (entry.d_tag == DT_RUNPATH || entry.d_tag == DT_RPATH))
            object->search = text;
        if (!search && text && entry.d_tag == DT_NEEDED &&
            find_object(object, text, path, sizeof(path)))
            add_object(needed, path);
    }
}

static void add_needed(struct needed *needed, struct object *object)
{
    for (int round = 0; round < 2; round++) {
        Elf_Scn *section = NULL;

        while ((section = elf_nextscn(object->elf, section))) {
            GElf_Shdr header;

            if (gelf_getshdr(section, &header) && header.sh_type == SHT_DYNAMIC)
                each_entry(needed, object, section, round == 0);
        }
    }
}

static bool has_word(const struct darn_words *words, const char *word)
{
    for (size_t i = 0; i < words->count; i++) {
        if (strcmp(words->items[i], word) == 0)
            return true;
    }
    return false;
}

/* What darn has not compiled leads to nothing that it has: its own needs are not looked at. */
static void add_object(struct needed *needed, const char *path)
{
    char real[PATH_MAX];
    struct object object;

    if (!realpath(path, real) || has_word(&needed->seen, real))
        return;
    darn_words_add(&needed->seen, real);
    if (!open_object(&object, path))
        return;
    if (has_sites(&object)) {
        darn_words_add(needed->found, path);
        add_needed(needed, &object);
    }
    close_object(&object);
}

void darn_section_needed(const char *path, struct darn_words *found)
{
    struct needed needed = {.found = found};
    char real[PATH_MAX];
    struct object object;

    if (realpath(path, real))
        darn_words_add(&needed.seen, real);
    if (!open_object(&object, path))
        return;
    add_needed(&needed, &object);
    close_object(&object);
    darn_words_free(&needed.seen);
}
