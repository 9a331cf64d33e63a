#include "plugin/heal/wanted.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/grow.h"
#include "base/hash.h"
#include "section/alias.h"
#include "site/wishes.h"

#define ROOM (256 * 1024) /* for the strings of one section */

/* What a point is an access to: a member of a struct that is known, or anything. */
enum { OF_STRUCT = 1, OF_ANY = 2 };

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

static void add_bits(struct darn_map *map, uintptr_t key, uintptr_t bits)
{
    darn_map_put(map, key, darn_map_get(map, key, 0) | bits);
}

/* Of something that has a hash, with the struct that it is a member of. */
static void add_typed(struct darn_map *map, uintptr_t hash, const char *type, uintptr_t bits)
{
    uintptr_t common = hash_of_common(hash, type, !darn_type_is_cplusplus(type));

    add_bits(map, hash_of_typed(hash, type), bits);
    if (common)
        add_bits(map, common, bits);
}

/* As darn_type_may_be does: equal names, or one of them is in C what the other is in C++. */
static uintptr_t typed(const struct darn_map *map, uintptr_t hash, const char *type)
{
    uintptr_t common = hash_of_common(hash, type, darn_type_is_cplusplus(type));

    return darn_map_get(map, hash_of_typed(hash, type), 0) |
           (common ? darn_map_get(map, common, 0) : 0);
}

void darn_points_add(struct darn_points *points, uint64_t key, const char *type)
{
    int is_known = type && type[0];

    add_bits(&points->keys, key, is_known ? OF_STRUCT : OF_ANY);
    if (is_known)
        add_typed(&points->members, key, type, OF_STRUCT);
}

int darn_points_has(const struct darn_points *points, uint64_t key)
{
    return darn_map_get(&points->keys, key, 0) != 0;
}

int darn_points_has_access(const struct darn_points *points, uint64_t key, const char *type)
{
    uintptr_t known = darn_map_get(&points->keys, key, 0);

    return known && (known & OF_ANY || !type[0] || typed(&points->members, key, type));
}

void darn_points_free(struct darn_points *points)
{
    darn_map_free(&points->keys);
    darn_map_free(&points->members);
}

static void note(struct darn_wanted *wanted, const struct darn_section *section)
{
    uintptr_t variable = darn_variable_hash(section->variable);
    uint8_t class = darn_variable_class(section->variable);

    if (darn_section_is_of_accesses(section->kind))
        variable = 0; /* its accesses alone */
    if (variable && section->type && section->type[0])
        add_typed(&wanted->types, variable, section->type, class);
    else if (variable)
        add_bits(&wanted->untyped, variable, class);
    if (variable)
        add_bits(&wanted->variables, variable, class);
    if (section->function[0])
        darn_map_put(&wanted->functions, hash_of_function(section->file, section->function), 1);
    for (uint32_t i = 0; i < section->count; i++) {
        const struct darn_point *point = &section->points[i];

        darn_points_add(&wanted->points, darn_point_key(point), section->type);
        darn_map_put(&wanted->functions, hash_of_function(point->file, point->function), 1);
    }
}

/* The strings of a section live only as long as it is being read. */
static struct darn_match_section copy_of(const struct darn_section *section)
{
    struct darn_section_point *points = darn_need_zeroed(section->count + 1, sizeof(*points));
    struct darn_match_section copy = darn_match_of_wanted(section, points);

    copy.variable = darn_need_memory(strdup(section->variable));
    copy.type = darn_need_memory(strdup(section->type ? section->type : ""));
    copy.file = darn_need_memory(strdup(section->file));
    copy.function = darn_need_memory(strdup(section->function));
    return copy;
}

static bool take_section(void *context, const struct darn_section *section)
{
    struct darn_wanted *wanted = context;

    if (wanted->count % 64 == 0)
        wanted->items =
            darn_need_memory(realloc(wanted->items, (wanted->count + 64) * sizeof(*wanted->items)));
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
            text = darn_need_memory(realloc(text, room));
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
    struct darn_section *section = darn_need_memory(malloc(sizeof(*section)));
    char *room = darn_need_memory(malloc(ROOM));
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

/* A list with commas, unless a file has all of it for its name. */
static void load_all(struct darn_wanted *wanted, const char *list)
{
    size_t length = access(list, F_OK) == 0 ? strlen(list) : strcspn(list, ",");
    char path[PATH_MAX];

    for (;; length = strcspn(list, ",")) {
        snprintf(path, sizeof(path), "%.*s", (int)length, list);
        load(wanted, path);
        if (!list[length])
            break;
        list += length + 1;
    }
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
        load_all(&wanted, path);
    is_loaded = 1;
    return &wanted;
}

int darn_wanted_variable(const struct darn_wanted *wanted, const char *variable, uint8_t class,
                         const char *type)
{
    uintptr_t hash = darn_variable_hash(variable);

    if (!hash || !(darn_map_get(&wanted->variables, hash, 0) & class))
        return 0;
    return !type[0] ||
           (darn_map_get(&wanted->untyped, hash, 0) | typed(&wanted->types, hash, type)) & class;
}

int darn_wanted_function(const struct darn_wanted *wanted, const char *file, const char *function)
{
    return darn_map_get(&wanted->functions, hash_of_function(file, function), 0) != 0;
}

int darn_wanted_line(const struct darn_wanted *wanted, const char *file, uint32_t line)
{
    for (size_t i = 0; i < wanted->count; i++) {
        const struct darn_match_section *section = &wanted->items[i];

        if (section->first && line >= section->first && line <= section->last &&
            darn_section_means_file(file, section->file))
            return 1;
    }
    return 0;
}
