#include "report/symbol/entries.h"

#include <dwarf.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

#define FORMS 32 /* attributes of an entry; one with more ends the pass */

enum width { BY_LENGTH = -1, UNKNOWN = -2 };

struct darn_entry_shape {
    unsigned code, count; /* attributes */
    bool is_wanted, is_function, has_children;
    int width; /* of all attributes together, in bytes; or one of the above */
    unsigned short forms[FORMS];
};

static int width_of(const struct darn_entries *entries, unsigned form)
{
    switch (form) {
    case DW_FORM_flag_present:
    case DW_FORM_implicit_const:
        return 0;
    case DW_FORM_data1:
    case DW_FORM_ref1:
    case DW_FORM_flag:
    case DW_FORM_strx1:
    case DW_FORM_addrx1:
        return 1;
    case DW_FORM_data2:
    case DW_FORM_ref2:
    case DW_FORM_strx2:
    case DW_FORM_addrx2:
        return 2;
    case DW_FORM_strx3:
    case DW_FORM_addrx3:
        return 3;
    case DW_FORM_data4:
    case DW_FORM_ref4:
    case DW_FORM_strx4:
    case DW_FORM_addrx4:
    case DW_FORM_ref_sup4:
        return 4;
    case DW_FORM_data8:
    case DW_FORM_ref8:
    case DW_FORM_ref_sig8:
    case DW_FORM_ref_sup8:
        return 8;
    case DW_FORM_data16:
        return 16;
    case DW_FORM_addr:
        return entries->address_size;
    case DW_FORM_ref_addr:
        return entries->version == 2 ? entries->address_size : entries->offset_size;
    case DW_FORM_strp:
    case DW_FORM_line_strp:
    case DW_FORM_sec_offset:
    case DW_FORM_strp_sup:
    case DW_FORM_GNU_ref_alt:
    case DW_FORM_GNU_strp_alt:
        return entries->offset_size;
    case DW_FORM_udata:
    case DW_FORM_sdata:
    case DW_FORM_ref_udata:
    case DW_FORM_strx:
    case DW_FORM_addrx:
    case DW_FORM_loclistx:
    case DW_FORM_rnglistx:
    case DW_FORM_GNU_addr_index:
    case DW_FORM_GNU_str_index:
    case DW_FORM_string:
    case DW_FORM_block1:
    case DW_FORM_block2:
    case DW_FORM_block4:
    case DW_FORM_block:
    case DW_FORM_exprloc:
        return BY_LENGTH;
    default:
        return UNKNOWN;
    }
}

/* Up to the last attribute: dwarf_getattrcnt of elfutils 0.188 counts constants of
 * DW_FORM_implicit_const as attributes. */
static void learn_attributes(const struct darn_entries *entries, Dwarf_Abbrev *abbreviation,
                             struct darn_entry_shape *shape)
{
    bool has_tag = dwarf_getabbrevtag(abbreviation) == entries->tag;
    unsigned name, form;

    while (dwarf_getabbrevattr_data(abbreviation, shape->count, &name, &form, NULL, NULL) == 0) {
        int width = shape->count < FORMS ? width_of(entries, form) : UNKNOWN;

        if (width == UNKNOWN || shape->width == UNKNOWN) {
            shape->width = UNKNOWN;
            return;
        }
        shape->width = width < 0 || shape->width < 0 ? BY_LENGTH : shape->width + width;
        shape->forms[shape->count++] = (unsigned short)form;
        shape->is_wanted |=
            has_tag && (name == entries->attribute || name == entries->other_attribute);
    }
}

static void learn_shapes(struct darn_entries *entries, Dwarf_Die *unit)
{
    size_t offset = 0, length;
    Dwarf_Abbrev *abbreviation;

    while ((abbreviation = dwarf_getabbrev(unit, offset, &length)) &&
           abbreviation != DWARF_END_ABBREV) {
        struct darn_entry_shape shape = {
            .code = dwarf_getabbrevcode(abbreviation),
            .is_function = dwarf_getabbrevtag(abbreviation) == DW_TAG_subprogram,
            .has_children = dwarf_abbrevhaschildren(abbreviation) > 0,
        };

        learn_attributes(entries, abbreviation, &shape);
        entries->shapes = darn_grow(entries->shapes, &entries->room, entries->count + 1,
                                    sizeof(*entries->shapes));
        entries->shapes[entries->count++] = shape;
        offset += length;
    }
}

/* Where the section ends that has this byte: the length of a unit may say more in a file that was
 * cut off. NULL when there is none. */
static const unsigned char *end_of_section(Dwarf *dwarf, const unsigned char *at)
{
    Elf *elf = dwarf_getelf(dwarf);
    Elf_Scn *section = NULL;
    size_t names;

    if (elf_getshdrstrndx(elf, &names))
        return NULL;
    while ((section = elf_nextscn(elf, section))) {
        GElf_Shdr header;
        const char *name =
            gelf_getshdr(section, &header) ? elf_strptr(elf, names, header.sh_name) : NULL;
        Elf_Data *data = name && strstr(name, "debug_") ? elf_rawdata(section, NULL) : NULL;
        const unsigned char *begin = data ? data->d_buf : NULL;

        if (begin && at >= begin && at < begin + data->d_size)
            return begin + data->d_size;
    }
    return NULL;
}

void darn_entries_start(struct darn_entries *entries, Dwarf_Die *unit)
{
    Dwarf_Off begin = dwarf_dieoffset(unit), next;
    Dwarf *dwarf = dwarf_cu_getdwarf(unit->cu);
    const unsigned char *most = end_of_section(dwarf, unit->addr);
    size_t header;
    Dwarf_Die itself;

    entries->unit = unit->cu;
    entries->at = entries->end = unit->addr;
    entries->shapes = NULL;
    entries->count = entries->room = 0;
    entries->depth = entries->function = 0;
    if (!dwarf_cu_die(unit->cu, &itself, &entries->version, NULL, &entries->address_size,
                      &entries->offset_size, NULL, NULL) ||
        dwarf_next_unit(dwarf, begin - dwarf_cuoffset(unit), &next, &header, NULL, NULL, NULL, NULL,
                        NULL, NULL) ||
        next < begin || !most)
        return;
    entries->end +=
        next - begin < (size_t)(most - entries->end) ? next - begin : (size_t)(most - entries->end);
    learn_shapes(entries, unit);
}

void darn_entries_end(struct darn_entries *entries)
{
    free(entries->shapes);
    entries->shapes = NULL;
}

static uint64_t read_number(struct darn_entries *entries)
{
    uint64_t value = 0;
    unsigned shift = 0;

    while (entries->at < entries->end) {
        unsigned char byte = *entries->at++;

        if (shift < 64)
            value |= (uint64_t)(byte & 0x7f) << shift;
        shift += 7;
        if (!(byte & 0x80))
            break;
    }
    return value;
}

static uint64_t read_bytes(struct darn_entries *entries, size_t count)
{
    uint64_t value = 0;

    if (count <= (size_t)(entries->end - entries->at)) {
        memcpy(&value, entries->at, count);
        entries->at += count;
    } else {
        entries->at = entries->end;
    }
    return value;
}

static void skip(struct darn_entries *entries, uint64_t count)
{
    entries->at += count < (uint64_t)(entries->end - entries->at) ? (ptrdiff_t)count
                                                                  : entries->end - entries->at;
}

static void skip_text(struct darn_entries *entries)
{
    const unsigned char *end = memchr(entries->at, '\0', (size_t)(entries->end - entries->at));

    entries->at = end ? end + 1 : entries->end;
}

static void skip_attribute(struct darn_entries *entries, unsigned form)
{
    int width = width_of(entries, form);

    if (width >= 0)
        skip(entries, (uint64_t)width);
    else if (form == DW_FORM_string)
        skip_text(entries);
    else if (form == DW_FORM_block1)
        skip(entries, read_bytes(entries, 1));
    else if (form == DW_FORM_block2)
        skip(entries, read_bytes(entries, 2));
    else if (form == DW_FORM_block4)
        skip(entries, read_bytes(entries, 4));
    else if (form == DW_FORM_block || form == DW_FORM_exprloc)
        skip(entries, read_number(entries));
    else
        read_number(entries);
}

/* Codes are most often 1, 2, 3... */
static const struct darn_entry_shape *find_shape(const struct darn_entries *entries, uint64_t code)
{
    if (code <= entries->count && entries->shapes[code - 1].code == code)
        return &entries->shapes[code - 1];
    for (size_t i = 0; i < entries->count; i++)
        if (entries->shapes[i].code == code)
            return &entries->shapes[i];
    return NULL;
}

static void skip_attributes(struct darn_entries *entries, const struct darn_entry_shape *shape)
{
    if (shape->width >= 0)
        skip(entries, (uint64_t)shape->width);
    else
        for (unsigned i = 0; i < shape->count; i++)
            skip_attribute(entries, shape->forms[i]);
}

static void go_down(struct darn_entries *entries, const struct darn_entry_shape *shape)
{
    if (!shape->has_children)
        return;
    entries->depth++;
    if (shape->is_function && !entries->function)
        entries->function = entries->depth;
}

static void go_up(struct darn_entries *entries)
{
    if (entries->function == entries->depth)
        entries->function = 0;
    entries->depth -= entries->depth > 0;
}

bool darn_entries_next(struct darn_entries *entries, Dwarf_Die *entry)
{
    while (entries->at < entries->end) {
        const unsigned char *begin = entries->at;
        uint64_t code = read_number(entries);
        const struct darn_entry_shape *shape = code ? find_shape(entries, code) : NULL;
        bool is_inside = entries->function;

        if (!code) {
            go_up(entries);
            continue;
        }
        if (!shape || shape->width == UNKNOWN)
            break;
        skip_attributes(entries, shape);
        go_down(entries, shape);
        if (shape->is_wanted && !is_inside) {
            *entry = (Dwarf_Die){.addr = (void *)begin, .cu = entries->unit};
            return true;
        }
    }
    entries->at = entries->end;
    return false;
}
