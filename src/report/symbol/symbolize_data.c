/* The data half of symbolize.h: names of variables. */
#include "report/symbol/symbolize.h"

#include <dwarf.h>
#include <string.h>

#include "report/symbol/demangle.h"
#include "report/symbol/entries.h"
#include "report/unit.h"
#include "report/report_variable.h"

/* The address that an operation of a location names. */
static bool names_address(Dwarf_Attribute *location, Dwarf_Op *op, Dwarf_Addr *address)
{
    Dwarf_Attribute addressed;

    if (op->atom == DW_OP_addr) {
        *address = op->number;
        return true;
    }
    return op->atom == DW_OP_addrx && dwarf_getlocation_attr(location, op, &addressed) == 0 &&
           dwarf_formaddr(&addressed, address) == 0;
}

/* Whether the variable, or a piece of it, begins at this address: the optimizer makes variables of
 * their own from the fields of a struct. */
static bool begins_at(Dwarf_Die *die, Dwarf_Addr address, uint64_t *offset)
{
    Dwarf_Attribute location;
    Dwarf_Addr found;
    Dwarf_Op *ops;
    size_t count;

    *offset = 0;
    if (!dwarf_attr(die, DW_AT_location, &location) || dwarf_getlocation(&location, &ops, &count))
        return false;
    for (size_t i = 0; i < count; i++) {
        if (names_address(&location, &ops[i], &found) && found == address)
            return true;
        if (ops[i].atom == DW_OP_piece)
            *offset += ops[i].number;
    }
    return false;
}

bool darn_variable_find(Dwarf_Die *unit, Dwarf_Addr address, struct darn_debug_variable *found)
{
    struct darn_entries entries = {
        .tag = DW_TAG_variable, .attribute = DW_AT_location, .other_attribute = DW_AT_location};
    bool is_found = false;

    darn_entries_start(&entries, unit);
    while (!is_found && darn_entries_next(&entries, &found->die))
        is_found = begins_at(&found->die, address, &found->offset);
    darn_entries_end(&entries);
    return is_found;
}

static const char *unqualified(const char *name)
{
    const char *colon = strrchr(name, ':');

    return colon ? colon + 1 : name;
}

static void set_declaration(struct darn_debug_unit *unit, struct darn_text_pool *pool,
                            struct darn_debug_variable *variable, struct darn_symbol *symbol)
{
    const char *path = darn_unit_file(unit, darn_unit_number(&variable->die, DW_AT_decl_file));
    const char *name = dwarf_diename(&variable->die);
    const char *dir;

    symbol->line = (unsigned)darn_unit_number(&variable->die, DW_AT_decl_line);
    if (path)
        darn_unit_split(unit, pool, path, &dir, &symbol->file);
    /* The symbol of a piece, `stats.1`, is not what the source calls it. */
    if (name && strncmp(unqualified(symbol->name), name, strlen(name)) == 0 &&
        unqualified(symbol->name)[strlen(name)] == '.') {
        symbol->name = darn_pool_text(pool, name);
        symbol->name_offset += variable->offset;
    }
}

static void find_declaration(Dwfl_Module *module, struct darn_text_pool *pool, Dwarf_Addr address,
                             struct darn_symbol *symbol)
{
    Dwarf_Die *position = NULL;
    struct darn_debug_unit unit;
    struct darn_debug_variable variable;

    while (darn_unit_next(module, &position, &unit)) {
        if (darn_variable_find(&unit.tree, address - unit.bias, &variable)) {
            set_declaration(&unit, pool, &variable, symbol);
            return;
        }
    }
}

/* What the optimizer has put behind a symbol: the number of a piece, `.1`, or `.body` where it has
 * made a variable of the memory that a pointer points to. `f.calls` is the compiler's name of a
 * variable in a function. */
static const char *suffix_of(const char *name)
{
    const char *body = strstr(name, ".body"), *dot = strrchr(name, '.');

    if (body)
        return body;
    return dot && dot[1] && strspn(dot + 1, "0123456789") == strlen(dot + 1) ? dot
                                                                             : name + strlen(name);
}

/* What begins at symbol->offset and has this name in the symbol table. */
static void look_up_data(Dwfl_Module *module, struct darn_text_pool *pool, const char *name,
                         struct darn_symbol *symbol)
{
    const char *suffix = suffix_of(name);
    const char *plain = darn_demangle(pool, darn_pool_part(pool, name, (size_t)(suffix - name)));
    const char *whole = darn_pool_format(pool, "%s%s", plain, suffix);

    symbol->name = whole;
    find_declaration(module, pool, symbol->offset, symbol);
    if (*suffix && symbol->name == whole)
        symbol->name =
            strncmp(suffix, ".body", 5) == 0 ? darn_pool_format(pool, "*%s", plain) : plain;
}

void darn_symbolize_data(struct darn_modules *modules, struct darn_text_pool *pool,
                         struct darn_symbol *symbol)
{
    Dwfl_Module *module = symbol->module ? darn_module_open(modules, symbol->module) : NULL;
    struct darn_module_cache *cache;
    struct darn_symbol *known;
    GElf_Off from_start;
    GElf_Sym entry;
    const char *name;
    uintptr_t *at;
    bool added;

    if (!module)
        return;
    name = dwfl_module_addrinfo(module, symbol->offset, &from_start, &entry, NULL, NULL, NULL);
    /* A symbol that ends before the address is a neighbour; labels of the linker have no size. */
    if (!name || !*name || from_start >= entry.st_size)
        return;
    cache = darn_module_cache(modules, symbol->module);
    at = darn_map_at(&cache->data, symbol->offset - from_start, &added);
    if (added) {
        known = darn_pool_get(&cache->pool, 1, sizeof(*known));
        known->offset = symbol->offset - from_start;
        look_up_data(module, &cache->pool, name, known);
        *at = (uintptr_t)known;
    }
    known = (struct darn_symbol *)*at;
    symbol->name = darn_pool_text(pool, known->name);
    symbol->name_offset = known->name_offset + from_start;
    symbol->file = darn_pool_text(pool, known->file);
    symbol->line = known->line;
}
