/* The parts of variables: which lock of an array, which field of a struct. */
#include <dwarf.h>
#include <stdio.h>
#include <string.h>

#include "report/symbol/symbolize.h"
#include "report/unit.h"
#include "report/report_variable.h"

#define DEEPEST         16 /* parts of parts */
#define MOST_DIMENSIONS 8

static bool is_one_of(const char *name, const char *const *list)
{
    for (; *list; list++)
        if (strcmp(name, *list) == 0)
            return true;
    return false;
}

/* What threads wait for, in C and C++: nobody wants to look into those. */
static bool is_synchronization(Dwarf_Die *type)
{
    static const char *const names[] = {
        "sem_t",
        "mtx_t",
        "cnd_t",
        "once_flag",
        "mutex",
        "timed_mutex",
        "recursive_mutex",
        "recursive_timed_mutex",
        "shared_mutex",
        "shared_timed_mutex",
        "condition_variable",
        NULL,
    };
    const char *name = dwarf_diename(type);

    return name && (strncmp(name, "pthread_", 8) == 0 || is_one_of(name, names));
}

static bool type_of(Dwarf_Die *die, Dwarf_Die *type)
{
    Dwarf_Attribute attribute;

    return dwarf_attr_integrate(die, DW_AT_type, &attribute) && dwarf_formref_die(&attribute, type);
}

static const char *find_part(struct darn_text_pool *pool, Dwarf_Die *type, uint64_t offset,
                             const char *name, unsigned depth, uint64_t size);

/* How many elements a dimension has; 0: not known. */
static uint64_t length_of(Dwarf_Die *dimension)
{
    uint64_t count = darn_unit_number(dimension, DW_AT_count);

    if (count || !dwarf_hasattr(dimension, DW_AT_upper_bound))
        return count;
    return darn_unit_number(dimension, DW_AT_upper_bound) + 1;
}

/* `[2][1]`: the element with this number, by the dimensions of the array, the outermost first. */
static const char *index_text(struct darn_text_pool *pool, Dwarf_Die *array, uint64_t number)
{
    uint64_t lengths[MOST_DIMENSIONS];
    const char *text = "";
    Dwarf_Die child;
    size_t count = 0;

    if (dwarf_child(array, &child) == 0) {
        do {
            if (dwarf_tag(&child) == DW_TAG_subrange_type && count < MOST_DIMENSIONS)
                lengths[count++] = length_of(&child);
        } while (dwarf_siblingof(&child, &child) == 0);
    }
    for (; count > 1 && lengths[count - 1]; count--) {
        text = darn_pool_format(pool, "[%llu]%s", (unsigned long long)(number % lengths[count - 1]),
                                text);
        number /= lengths[count - 1];
    }
    return darn_pool_format(pool, "[%llu]%s", (unsigned long long)number, text);
}

static const char *find_element(struct darn_text_pool *pool, Dwarf_Die *array, uint64_t offset,
                                const char *name, unsigned depth, uint64_t size)
{
    Dwarf_Die type;
    Dwarf_Word length;

    if (!type_of(array, &type) || dwarf_aggregate_size(&type, &length) || !length)
        return NULL;
    name = darn_pool_format(pool, "%s%s", name, index_text(pool, array, offset / length));
    return find_part(pool, &type, offset % length, name, depth, size);
}

/* Its place is not one in the object, or no number of bytes. */
static bool is_elsewhere(Dwarf_Die *member)
{
    return dwarf_hasattr(member, DW_AT_data_bit_offset) || dwarf_hasattr(member, DW_AT_external) ||
           dwarf_hasattr(member, DW_AT_virtuality);
}

/* Whether the address lies in this member; then *offset is its distance from there. */
static bool is_in_member(Dwarf_Die *member, Dwarf_Die *type, uint64_t *offset)
{
    Dwarf_Word begin = darn_unit_number(member, DW_AT_data_member_location), size;

    if ((dwarf_tag(member) != DW_TAG_member && dwarf_tag(member) != DW_TAG_inheritance) ||
        is_elsewhere(member) || !type_of(member, type) || dwarf_aggregate_size(type, &size))
        return false;
    if (*offset < begin || *offset - begin >= size)
        return false;
    *offset -= begin;
    return true;
}

static const char *find_member(struct darn_text_pool *pool, Dwarf_Die *aggregate, uint64_t offset,
                               const char *name, unsigned depth, uint64_t size)
{
    Dwarf_Die member, type;

    if (dwarf_child(aggregate, &member))
        return NULL;
    do {
        uint64_t within = offset;
        const char *field, *found;

        if (!is_in_member(&member, &type, &within))
            continue;
        field = dwarf_tag(&member) == DW_TAG_member ? dwarf_diename(&member) : NULL;
        found = find_part(pool, &type, within,
                          field ? darn_pool_format(pool, "%s.%s", name, field) : name, depth, size);
        if (found)
            return found;
    } while (dwarf_siblingof(&member, &member) == 0);
    return NULL;
}

/* Data of this size: a struct that is not larger is meant as a whole. */
static bool is_whole(Dwarf_Die *type, uint64_t offset, uint64_t size)
{
    Dwarf_Word length;

    return !offset && dwarf_aggregate_size(type, &length) == 0 && length <= size;
}

static const char *find_part(struct darn_text_pool *pool, Dwarf_Die *type, uint64_t offset,
                             const char *name, unsigned depth, uint64_t size)
{
    Dwarf_Die inner;

    if (size ? is_whole(type, offset, size) : is_synchronization(type))
        return offset ? NULL : name;
    if (depth >= DEEPEST)
        return NULL;
    switch (dwarf_tag(type)) {
    case DW_TAG_typedef:
    case DW_TAG_const_type:
    case DW_TAG_volatile_type:
        return type_of(type, &inner) ? find_part(pool, &inner, offset, name, depth + 1, size)
                                     : NULL;
    case DW_TAG_array_type:
        return find_element(pool, type, offset, name, depth + 1, size);
    case DW_TAG_structure_type:
    case DW_TAG_class_type:
        return find_member(pool, type, offset, name, depth + 1, size);
    case DW_TAG_union_type: /* which of its members data are, nobody knows here */
        return size ? name : find_member(pool, type, offset, name, depth + 1, size);
    default:
        return size ? name : NULL;
    }
}

static const char *look_up_part(Dwfl_Module *module, struct darn_text_pool *pool,
                                const struct darn_symbol *symbol, uint64_t size)
{
    Dwarf_Die *position = NULL, type;
    struct darn_debug_variable variable;
    struct darn_debug_unit unit;

    while (darn_unit_next(module, &position, &unit)) {
        Dwarf_Addr start = symbol->offset - symbol->name_offset - unit.bias;

        /* A piece that the optimizer has made is no whole variable. */
        if (darn_variable_find(&unit.tree, start, &variable))
            return !variable.offset && type_of(&variable.die, &type)
                       ? find_part(pool, &type, symbol->name_offset, symbol->name, 0, size)
                       : NULL;
    }
    return NULL;
}

const char *darn_symbolize_part(struct darn_modules *modules, struct darn_text_pool *pool,
                                const struct darn_symbol *symbol)
{
    struct darn_module_cache *cache =
        symbol->module && symbol->name ? darn_module_cache(modules, symbol->module) : NULL;
    uintptr_t *at;
    bool added;

    if (!cache)
        return NULL;
    at = darn_map_at(&cache->parts, symbol->offset, &added);
    if (added) /* a copy: it may be the name of the symbol, which is its owner's */
        *at = (uintptr_t)darn_pool_text(
            &cache->pool,
            look_up_part(darn_module_open(modules, symbol->module), &cache->pool, symbol, 0));
    return darn_pool_text(pool, (const char *)*at);
}

const char *darn_symbolize_member(struct darn_modules *modules, struct darn_text_pool *pool,
                                  const struct darn_symbol *symbol, uint64_t size)
{
    Dwfl_Module *module =
        symbol->module && symbol->name && size ? darn_module_open(modules, symbol->module) : NULL;

    return module ? look_up_part(module, pool, symbol, size) : NULL;
}
