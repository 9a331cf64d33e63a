#include "report/unit.h"

#include <dwarf.h>
#include <string.h>

static void set_unit(struct darn_debug_unit *unit, Dwarf_Die *die, Dwarf_Addr bias)
{
    Dwarf_Die split;
    uint8_t type;

    unit->lines = unit->tree = *die;
    unit->bias = bias;
    if (dwarf_cu_info(die->cu, NULL, &type, NULL, &split, NULL, NULL, NULL) == 0 &&
        type == DW_UT_skeleton && dwarf_tag(&split) == DW_TAG_compile_unit)
        unit->tree = split;
}

bool darn_unit_next(Dwfl_Module *module, Dwarf_Die **position, struct darn_debug_unit *unit)
{
    Dwarf_Addr bias;

    *position = dwfl_module_nextcu(module, *position, &bias);
    if (!*position)
        return false;
    set_unit(unit, *position, bias);
    return true;
}

bool darn_unit_find(Dwfl_Module *module, Dwarf_Addr address, struct darn_debug_unit *unit)
{
    Dwarf_Die *position = NULL;
    Dwarf_Addr bias;
    Dwarf_Die *die = dwfl_module_addrdie(module, address, &bias);

    if (die) {
        set_unit(unit, die, bias);
        return true;
    }
    /* libdw looks the address up in .debug_aranges, which clang does not write. */
    while (darn_unit_next(module, &position, unit))
        if (dwarf_haspc(&unit->lines, address - unit->bias) > 0)
            return true;
    return false;
}

static const char *text_of(Dwarf_Die *die, unsigned attribute)
{
    Dwarf_Attribute found;

    return dwarf_formstring(dwarf_attr_integrate(die, attribute, &found));
}

void darn_unit_split(struct darn_debug_unit *unit, struct darn_text_pool *pool, const char *path,
                     const char **dir, const char **file)
{
    const char *name = text_of(&unit->tree, DW_AT_name);
    const char *compiled_in = text_of(&unit->lines, DW_AT_comp_dir);
    size_t length = compiled_in ? strlen(compiled_in) : 0;

    /* The line table does not tell `cc bank.c` and `cc $PWD/bank.c` apart, the name of the unit
     * does. */
    if (name && name[0] != '/' && length && strncmp(path, compiled_in, length) == 0 &&
        path[length] == '/' && path[length + 1]) {
        *dir = darn_pool_text(pool, compiled_in);
        *file = darn_pool_text(pool, path + length + 1);
        return;
    }
    *dir = path[0] == '/' ? NULL : darn_pool_text(pool, compiled_in);
    *file = darn_pool_text(pool, path);
    if (*dir && name && name[0] == '/') { /* below the directory that the compiler ran in */
        *file = darn_pool_format(pool, "%s/%s", *dir, path);
        *dir = NULL;
    }
}

const char *darn_unit_shown(struct darn_text_pool *pool, const char **dir, const char *file)
{
    size_t length = *dir ? strlen(*dir) : 0;
    const char *shown = file;

    if (file && length && (*dir)[length - 1] == '/') {
        shown = darn_pool_format(pool, "%s%s", *dir, file);
        *dir = NULL;
    }
    return shown;
}

/* Of DWARF 6, which compilers write already and headers do not know everywhere. */
#define LANG_CXX17 0x2a
#define LANG_CXX20 0x2b

bool darn_unit_is_cxx(struct darn_debug_unit *unit)
{
    switch (dwarf_srclang(&unit->tree)) {
    case DW_LANG_C_plus_plus:
    case DW_LANG_C_plus_plus_03:
    case DW_LANG_C_plus_plus_11:
    case DW_LANG_C_plus_plus_14:
    case LANG_CXX17:
    case LANG_CXX20:
        return true;
    default:
        return false;
    }
}

const char *darn_unit_file(struct darn_debug_unit *unit, Dwarf_Word number)
{
    Dwarf_Files *files;
    size_t count;

    if (dwarf_getsrcfiles(&unit->tree, &files, &count) || number >= count)
        return NULL;
    return dwarf_filesrc(files, number, NULL, NULL);
}

Dwarf_Word darn_unit_number(Dwarf_Die *die, unsigned attribute)
{
    Dwarf_Attribute found;
    Dwarf_Word number;

    if (dwarf_formudata(dwarf_attr_integrate(die, attribute, &found), &number))
        return 0;
    return number;
}
