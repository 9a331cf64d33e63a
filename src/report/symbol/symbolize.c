#include "report/symbol/symbolize.h"

#include <dwarf.h>
#include <stdbool.h>
#include <string.h>

#include "report/symbol/demangle.h"
#include "report/symbol/functions.h"
#include "report/unit.h"

/* `symbol`, of the symbol table, may be NULL. It knows the full name of a C++ function for which
 * the debug information has only a short one. */
static const char *function_of(struct darn_text_pool *pool, Dwarf_Die *die, const char *symbol)
{
    Dwarf_Attribute found;
    const char *name = dwarf_formstring(dwarf_attr_integrate(die, DW_AT_linkage_name, &found));

    if (!name && symbol && strncmp(symbol, "_Z", 2) == 0)
        name = symbol;
    if (!name)
        name = dwarf_diename(die);
    return darn_demangle(pool, darn_pool_text(pool, name));
}

static void set_file(struct darn_debug_unit *unit, struct darn_text_pool *pool,
                     struct darn_frame *frame, const char *path)
{
    if (path)
        darn_unit_split(unit, pool, path, &frame->dir, &frame->file);
}

static void set_line(struct darn_debug_unit *unit, struct darn_text_pool *pool, Dwarf_Addr address,
                     struct darn_frame *frame)
{
    Dwarf_Line *row = dwarf_getsrc_die(&unit->lines, address - unit->bias);
    int line, column;

    if (!row)
        return;
    set_file(unit, pool, frame, dwarf_linesrc(row, NULL, NULL));
    if (dwarf_lineno(row, &line) == 0 && line > 0)
        frame->line = (unsigned)line;
    if (dwarf_linecol(row, &column) == 0 && column > 0)
        frame->column = (unsigned)column;
}

/* Where the function that was inlined here is called from. */
static void set_call(struct darn_debug_unit *unit, struct darn_text_pool *pool, Dwarf_Die *inlined,
                     struct darn_frame *caller)
{
    set_file(unit, pool, caller, darn_unit_file(unit, darn_unit_number(inlined, DW_AT_call_file)));
    caller->line = (unsigned)darn_unit_number(inlined, DW_AT_call_line);
    caller->column = (unsigned)darn_unit_number(inlined, DW_AT_call_column);
}

/* Names the functions of the address; frames[0] knows its line already. */
static size_t set_functions(struct darn_module_cache *cache, struct darn_debug_unit *unit,
                            Dwarf_Addr address, const char *symbol, struct darn_frame *frames)
{
    Dwarf_Die scopes[DARN_FUNCTIONS_DEEP + 1];
    size_t count = darn_functions_around(cache, unit, address, scopes);
    size_t depth = count < DARN_SYMBOLIZE_DEPTH ? count : DARN_SYMBOLIZE_DEPTH;

    for (size_t i = 0; i < depth; i++) {
        bool is_inlined = i + 1 < count;

        frames[i].function = function_of(&cache->pool, &scopes[i], is_inlined ? NULL : symbol);
        if (is_inlined && i + 1 < depth)
            set_call(unit, &cache->pool, &scopes[i], &frames[i + 1]);
    }
    return depth;
}

/* The frames at one address, as they were found. */
struct darn_known_code {
    size_t count;
    struct darn_frame frames[];
};

/* `frames` has room for DARN_SYMBOLIZE_DEPTH. Returns how many there are. */
static size_t look_up(Dwfl_Module *module, struct darn_module_cache *cache, uint64_t offset,
                      struct darn_frame *frames)
{
    const char *symbol = dwfl_module_addrname(module, offset);
    struct darn_text_pool *pool = &cache->pool;
    struct darn_debug_unit unit;
    size_t count = 0;

    memset(frames, 0, DARN_SYMBOLIZE_DEPTH * sizeof(*frames));
    if (darn_unit_find(module, offset, &unit)) {
        set_line(&unit, pool, offset, &frames[0]);
        count = set_functions(cache, &unit, offset, symbol, frames);
        for (size_t i = 0; i < count; i++)
            frames[i].is_cxx = darn_unit_is_cxx(&unit);
    }
    if (count)
        return count;
    frames[0].function = darn_demangle(pool, darn_pool_text(pool, symbol));
    return 1;
}

static const struct darn_known_code *learn(Dwfl_Module *module, struct darn_module_cache *cache,
                                           uint64_t offset)
{
    struct darn_frame frames[DARN_SYMBOLIZE_DEPTH];
    size_t count = look_up(module, cache, offset, frames);
    struct darn_known_code *known =
        darn_pool_get(&cache->pool, 1, sizeof(*known) + count * sizeof(*frames));

    known->count = count;
    memcpy(known->frames, frames, count * sizeof(*frames));
    return known;
}

size_t darn_symbolize_code(struct darn_modules *modules, struct darn_text_pool *pool,
                           const char *module, uint64_t offset, struct darn_frame *frames)
{
    struct darn_module_cache *cache = module ? darn_module_cache(modules, module) : NULL;
    const struct darn_known_code *known;
    uintptr_t *at;
    bool added;

    frames[0] = (struct darn_frame){.module = module, .offset = offset};
    if (!cache)
        return 1;
    at = darn_map_at(&cache->code, offset, &added);
    if (added)
        *at = (uintptr_t)learn(darn_module_open(modules, module), cache, offset);
    known = (const struct darn_known_code *)*at;
    /* Copies: a finding may live longer than the modules. */
    for (size_t i = 0; i < known->count; i++) {
        frames[i] = known->frames[i];
        frames[i].function = darn_pool_text(pool, frames[i].function);
        frames[i].file = darn_pool_text(pool, frames[i].file);
        frames[i].dir = darn_pool_text(pool, frames[i].dir);
        frames[i].module = module;
        frames[i].offset = offset;
    }
    return known->count;
}
