#include "report/symbol/functions.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "report/symbol/entries.h"

struct range {
    Dwarf_Addr begin, end;
    Dwarf_Die function;
};

struct darn_unit_functions {
    struct range *ranges; /* sorted by where they begin; functions do not overlap */
    size_t count, room;
};

static void add_ranges(struct darn_unit_functions *table, Dwarf_Die *function)
{
    Dwarf_Addr base, begin, end;
    ptrdiff_t at = 0;

    while ((at = dwarf_ranges(function, at, &base, &begin, &end)) > 0) {
        table->ranges =
            darn_grow(table->ranges, &table->room, table->count + 1, sizeof(*table->ranges));
        table->ranges[table->count++] = (struct range){begin, end, *function};
    }
}

static int compare_ranges(const void *a, const void *b)
{
    const struct range *one = a, *other = b;

    return (one->begin > other->begin) - (one->begin < other->begin);
}

/* It belongs to the pool of the cache. */
static struct darn_unit_functions *make_table(struct darn_module_cache *cache, Dwarf_Die *unit)
{
    struct darn_unit_functions *table = darn_pool_get(&cache->pool, 1, sizeof(*table));
    struct darn_entries entries = {
        .tag = DW_TAG_subprogram, .attribute = DW_AT_low_pc, .other_attribute = DW_AT_ranges};
    struct range *grown;
    Dwarf_Die function;

    darn_entries_start(&entries, unit);
    while (darn_entries_next(&entries, &function))
        add_ranges(table, &function);
    darn_entries_end(&entries);
    if (!table->count)
        return table;
    qsort(table->ranges, table->count, sizeof(*table->ranges), compare_ranges);
    grown = table->ranges;
    table->ranges = darn_pool_get(&cache->pool, table->count, sizeof(*table->ranges));
    memcpy(table->ranges, grown, table->count * sizeof(*grown));
    free(grown);
    return table;
}

static Dwarf_Die *find_function(const struct darn_unit_functions *table, Dwarf_Addr address)
{
    size_t low = 0, high = table->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (table->ranges[middle].begin <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low && address < table->ranges[low - 1].end ? &table->ranges[low - 1].function : NULL;
}

/* Adds what was inlined at the address below `parent`, the outermost first. */
static size_t add_inlined(Dwarf_Die *parent, Dwarf_Addr address, Dwarf_Die *scopes, size_t count)
{
    Dwarf_Die child;

    if (count == DARN_FUNCTIONS_DEEP || dwarf_child(parent, &child) != 0)
        return count;
    do {
        if (dwarf_haspc(&child, address) <= 0)
            continue;
        if (dwarf_tag(&child) == DW_TAG_inlined_subroutine)
            scopes[count++] = child;
        return add_inlined(&child, address, scopes, count);
    } while (dwarf_siblingof(&child, &child) == 0);
    return count;
}

size_t darn_functions_around(struct darn_module_cache *cache, struct darn_debug_unit *unit,
                             Dwarf_Addr address, Dwarf_Die *scopes)
{
    bool added;
    uintptr_t *at = darn_map_at(&cache->units, (uintptr_t)unit->tree.addr, &added);
    Dwarf_Die *function;
    size_t count;

    if (added)
        *at = (uintptr_t)make_table(cache, &unit->tree);
    address -= unit->bias;
    function = find_function((const struct darn_unit_functions *)*at, address);
    if (!function)
        return 0;
    scopes[0] = *function;
    count = add_inlined(function, address, scopes, 1);
    for (size_t i = 0; i < count / 2; i++) {
        Dwarf_Die outer = scopes[i];

        scopes[i] = scopes[count - 1 - i];
        scopes[count - 1 - i] = outer;
    }
    return count;
}
