#include "report/symbol/symbolize.h"

#include <dwarf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "report/symbol/demangle.h"
#include "report/unit.h"

/* `symbol`, of the symbol table, may be NULL. It knows the full name of a C++ function for which
 * the debug information has only a short one. */
static const char *function_of(struct darn_pool *pool, Dwarf_Die *die, const char *symbol)
{
    Dwarf_Attribute found;
    const char *name = dwarf_formstring(dwarf_attr_integrate(die, DW_AT_linkage_name, &found));

    if (!name && symbol && strncmp(symbol, "_Z", 2) == 0)
        name = symbol;
    if (!name)
        name = dwarf_diename(die);
    return darn_demangle(pool, darn_pool_text(pool, name));
}

static void set_file(struct darn_unit *unit, struct darn_pool *pool, struct darn_frame *frame,
                     const char *path)
{
    if (path)
        darn_unit_split(unit, pool, path, &frame->dir, &frame->file);
}

static void set_line(struct darn_unit *unit, struct darn_pool *pool, Dwarf_Addr address,
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
static void set_call(struct darn_unit *unit, struct darn_pool *pool, Dwarf_Die *inlined,
                     struct darn_frame *caller)
{
    set_file(unit, pool, caller, darn_unit_file(unit, darn_unit_number(inlined, DW_AT_call_file)));
    caller->line = (unsigned)darn_unit_number(inlined, DW_AT_call_line);
    caller->column = (unsigned)darn_unit_number(inlined, DW_AT_call_column);
}

/* Entries that have no addresses themselves, but functions in them that have. */
static bool has_functions(int tag)
{
    return tag == DW_TAG_namespace || tag == DW_TAG_class_type || tag == DW_TAG_structure_type;
}

/* The innermost entry below `at` that contains the address. */
static bool find_innermost(Dwarf_Die *at, Dwarf_Addr address, Dwarf_Die *found)
{
    Dwarf_Die child;

    if (dwarf_child(at, &child) != 0)
        return false;
    do {
        if (has_functions(dwarf_tag(&child))) {
            if (find_innermost(&child, address, found))
                return true;
        } else if (dwarf_haspc(&child, address) > 0) {
            if (!find_innermost(&child, address, found))
                *found = child;
            return true;
        }
    } while (dwarf_siblingof(&child, &child) == 0);
    return false;
}

/* The entries around the address, the innermost first, as they lie in the debug information. */
static int enclosing(struct darn_unit *unit, Dwarf_Addr address, Dwarf_Die **scopes)
{
    Dwarf_Die *logical;
    Dwarf_Die innermost;
    int count = dwarf_getscopes(&unit->tree, address - unit->bias, &logical);

    *scopes = NULL;
    if (count <= 1) { /* it does not look into namespaces */
        if (count > 0)
            free(logical);
        if (!find_innermost(&unit->tree, address - unit->bias, &innermost))
            return 0;
        count = dwarf_getscopes_die(&innermost, scopes);
        return count > 0 ? count : 0;
    }
    /* After an inlined function, dwarf_getscopes goes on with where that function is defined; the
     * callers are found as its parents. */
    innermost = logical[0];
    free(logical);
    count = dwarf_getscopes_die(&innermost, scopes);
    return count > 0 ? count : 0;
}

/* Names the functions of the address; frames[0] knows its line already. */
static size_t set_functions(struct darn_unit *unit, struct darn_pool *pool, Dwarf_Addr address,
                            const char *symbol, struct darn_frame *frames)
{
    Dwarf_Die *scopes;
    size_t depth = 0;
    int count = enclosing(unit, address, &scopes);

    for (int i = 0; i < count && depth < DARN_SYMBOLIZE_DEPTH; i++) {
        int tag = dwarf_tag(&scopes[i]);

        if (tag == DW_TAG_subprogram) {
            frames[depth++].function = function_of(pool, &scopes[i], symbol);
            break;
        }
        if (tag != DW_TAG_inlined_subroutine)
            continue;
        frames[depth++].function = function_of(pool, &scopes[i], NULL);
        if (depth < DARN_SYMBOLIZE_DEPTH)
            set_call(unit, pool, &scopes[i], &frames[depth]);
    }
    free(scopes);
    return depth;
}

size_t darn_symbolize_code(struct darn_modules *modules, struct darn_pool *pool, const char *module,
                           uint64_t offset, struct darn_frame *frames)
{
    Dwfl_Module *opened = module ? darn_module_open(modules, module) : NULL;
    struct darn_unit unit;
    const char *symbol;
    size_t count = 0;

    for (size_t i = 0; i < DARN_SYMBOLIZE_DEPTH; i++)
        frames[i] = (struct darn_frame){.module = module, .offset = offset};
    if (!opened)
        return 1;
    symbol = dwfl_module_addrname(opened, offset);
    if (darn_unit_find(opened, offset, &unit)) {
        set_line(&unit, pool, offset, &frames[0]);
        count = set_functions(&unit, pool, offset, symbol, frames);
    }
    if (count)
        return count;
    frames[0].function = darn_demangle(pool, darn_pool_text(pool, symbol));
    return 1;
}
