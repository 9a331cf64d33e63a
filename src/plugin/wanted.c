#include "plugin/wanted.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "section/match.h"
#include "section/resolve.h"

#define ROOM (256 * 1024) /* for the strings of one section */

static void *allocated(void *memory)
{
    if (!memory) {
        fputs("darn: out of memory\n", stderr);
        exit(1);
    }
    return memory;
}

static uintptr_t hash_of_typed(uintptr_t variable, const char *type)
{
    return darn_hash_string(variable, type) | 1;
}

/* With the struct's name in C: `is_c` says whether it is one, or that of a struct of C++ there. */
static uintptr_t hash_of_common(uintptr_t variable, const char *type, int is_c)
{
    uint32_t length = (uint32_t)strlen(type);
    const char *name = darn_type_is_cplusplus(type) ? darn_type_in_c(type, &length) : type;

    return name ? darn_hash_byte(darn_hash_bytes(variable, name, length), is_c ? 'c' : '+') | 1 : 0;
}

/* The directory may be another one than it was when the repository was made. */
static uintptr_t hash_of_function(const char *file, const char *function)
{
    const char *slash = strrchr(file, '/');

    return darn_hash_string(darn_hash_string(DARN_HASH_START, slash ? slash + 1 : file), function) |
           1;
}

static void add_class(struct darn_map *map, uintptr_t key, const char *variable)
{
    darn_map_put(map, key, darn_map_get(map, key, 0) | darn_variable_class(variable));
}

static int has_class(const struct darn_map *map, uintptr_t key, const char *variable)
{
    return (darn_map_get(map, key, 0) & darn_variable_class(variable)) != 0;
}

static void add_type(struct darn_wanted *wanted, uintptr_t variable,
                     const struct darn_section *section)
{
    uintptr_t common =
        hash_of_common(variable, section->type, !darn_type_is_cplusplus(section->type));

    add_class(&wanted->types, hash_of_typed(variable, section->type), section->variable);
    if (common)
        add_class(&wanted->types, common, section->variable);
}

/* As darn_type_may_be does: equal names, or one of them is in C what the other is in C++. */
static int has_type(const struct darn_wanted *wanted, uintptr_t hash, const char *variable,
                    const char *type)
{
    uintptr_t common = hash_of_common(hash, type, darn_type_is_cplusplus(type));

    return has_class(&wanted->types, hash_of_typed(hash, type), variable) ||
           (common && has_class(&wanted->types, common, variable));
}

static void note(struct darn_wanted *wanted, const struct darn_section *section)
{
    uintptr_t variable = darn_variable_hash(section->variable);

    if (variable && section->type && section->type[0])
        add_type(wanted, variable, section);
    else if (variable)
        add_class(&wanted->untyped, variable, section->variable);
    if (variable)
        add_class(&wanted->variables, variable, section->variable);
    if (section->function[0])
        darn_map_put(&wanted->functions, hash_of_function(section->file, section->function), 1);
    for (uint32_t i = 0; i < section->count; i++) {
        const struct darn_point *point = &section->points[i];

        darn_map_put(&wanted->keys, darn_point_key(point), 1);
        darn_map_put(&wanted->functions, hash_of_function(point->file, point->function), 1);
    }
}

/* The strings of a section live only as long as it is being read. */
static struct darn_section *copy_of(const struct darn_section *section)
{
    struct darn_section *copy = allocated(malloc(sizeof(*copy)));

    *copy = *section;
    copy->variable = allocated(strdup(section->variable));
    copy->type = allocated(strdup(section->type ? section->type : ""));
    copy->file = allocated(strdup(section->file));
    copy->function = allocated(strdup(section->function));
    for (uint32_t i = 0; i < section->count; i++) {
        copy->points[i].file = allocated(strdup(section->points[i].file));
        copy->points[i].function = allocated(strdup(section->points[i].function));
    }
    return copy;
}

static bool take_section(void *context, const struct darn_section *section)
{
    struct darn_wanted *wanted = context;

    if (wanted->count % 64 == 0)
        wanted->items =
            allocated(realloc(wanted->items, (wanted->count + 64) * sizeof(*wanted->items)));
    wanted->items[wanted->count++] = copy_of(section);
    note(wanted, section);
    return true;
}

/* The whole file. NULL with errno. */
static char *read_all(const char *path, size_t *size)
{
    FILE *file = fopen(path, "r");
    char *text = NULL;
    size_t room = 0, got = 1;

    *size = 0;
    while (file && got) {
        if (*size == room) {
            room = room ? 2 * room : 64 * 1024;
            text = allocated(realloc(text, room));
        }
        got = fread(text + *size, 1, room - *size, file);
        *size += got;
    }
    if (file && ferror(file)) {
        free(text);
        text = NULL;
    }
    if (file)
        fclose(file);
    return text;
}

/* What is wrong in the file was said by `darn cc`, which has read it, too. */
static void load(struct darn_wanted *wanted, const char *path)
{
    struct darn_section *section = allocated(malloc(sizeof(*section)));
    char *room = allocated(malloc(ROOM));
    struct darn_repository_reader reader = {take_section, NULL, false, wanted, room, ROOM};
    size_t size;
    char *text = read_all(path, &size);

    if (!text) {
        fprintf(stderr, "darn: %s=%s: %s\n", DARN_ONLY_VARIABLE, path, strerror(errno));
        exit(1);
    }
    darn_repository_read(text, size, section, &reader);
    free(text);
    free(room);
    free(section);
}

const struct darn_wanted *darn_wanted(void)
{
    static struct darn_wanted
        wanted; /* kept until clang ends: it compiles one module after another */
    static int is_loaded;
    const char *path = getenv(DARN_ONLY_VARIABLE);

    if (!path || !*path)
        return NULL;
    if (!is_loaded)
        load(&wanted, path);
    is_loaded = 1;
    return &wanted;
}

int darn_wanted_key(const struct darn_wanted *wanted, uint64_t key)
{
    return darn_map_get(&wanted->keys, key, 0) != 0;
}

int darn_wanted_variable(const struct darn_wanted *wanted, const char *variable, const char *type)
{
    uintptr_t hash = darn_variable_hash(variable);

    if (!hash || !has_class(&wanted->variables, hash, variable))
        return 0;
    return !type[0] || has_class(&wanted->untyped, hash, variable) ||
           has_type(wanted, hash, variable, type);
}

int darn_wanted_function(const struct darn_wanted *wanted, const char *file, const char *function)
{
    return darn_map_get(&wanted->functions, hash_of_function(file, function), 0) != 0;
}

int darn_wanted_line(const struct darn_wanted *wanted, const char *file, uint32_t line)
{
    for (size_t i = 0; i < wanted->count; i++) {
        const struct darn_section *section = wanted->items[i];

        if (darn_section_is_lines(section) && line >= section->first && line <= section->last &&
            darn_section_means_file(file, section->file))
            return 1;
    }
    return 0;
}
