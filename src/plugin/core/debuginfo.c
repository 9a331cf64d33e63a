#include "plugin/core/debuginfo.h"

#include <stdlib.h>
#include <string.h>

#include "plugin/core/plugin.h"

/* DWARF tags */
enum {
    TAG_ARRAY = 0x01,
    TAG_CLASS = 0x02,
    TAG_MEMBER = 0x0d,
    TAG_POINTER = 0x0f,
    TAG_REFERENCE = 0x10,
    TAG_STRUCT = 0x13,
    TAG_TYPEDEF = 0x16,
    TAG_UNION = 0x17,
    TAG_INHERITANCE = 0x1c,
    TAG_BASE = 0x24,
    TAG_CONST = 0x26,
    TAG_VOLATILE = 0x35,
    TAG_RESTRICT = 0x37,
    TAG_RVALUE_REFERENCE = 0x42,
    TAG_ATOMIC = 0x47,
};

/* The longest way from a member of a union inwards that is compared with another. */
#define MAX_REST 120

LLVMMetadataRef darn_di_operand(LLVMMetadataRef node, unsigned index)
{
    return darn_shim_operand(node, index);
}

int darn_di_string(LLVMMetadataRef node, struct darn_text *text)
{
    unsigned length;
    const char *string = darn_shim_string(node, &length);

    if (!string || !length)
        return -1;
    darn_text_part(text, string, length);
    return 0;
}

static int is_type(LLVMMetadataRef node)
{
    LLVMMetadataKind kind = LLVMGetMetadataKind(node);

    return kind == LLVMDIDerivedTypeMetadataKind || kind == LLVMDICompositeTypeMetadataKind ||
           kind == LLVMDIBasicTypeMetadataKind;
}

static LLVMMetadataRef base_of(LLVMMetadataRef type)
{
    return darn_di_operand(type, DARN_DI_TYPE_BASE);
}

LLVMMetadataRef darn_di_strip(LLVMMetadataRef type)
{
    while (type && is_type(type)) {
        switch (LLVMGetDINodeTag(type)) {
        case TAG_TYPEDEF:
        case TAG_CONST:
        case TAG_VOLATILE:
        case TAG_RESTRICT:
        case TAG_ATOMIC:
        case TAG_MEMBER:
        case TAG_INHERITANCE:
            type = base_of(type);
            break;
        default:
            return type;
        }
    }
    return NULL;
}

int darn_di_is_reference(LLVMMetadataRef type)
{
    type = darn_di_strip(type);
    return type && (LLVMGetDINodeTag(type) == TAG_REFERENCE ||
                    LLVMGetDINodeTag(type) == TAG_RVALUE_REFERENCE);
}

LLVMMetadataRef darn_di_pointee(LLVMMetadataRef type)
{
    type = darn_di_strip(type);
    if (!type)
        return NULL;
    if (LLVMGetDINodeTag(type) != TAG_POINTER && !darn_di_is_reference(type))
        return NULL;
    return base_of(type);
}

uint64_t darn_di_size(LLVMMetadataRef type)
{
    type = darn_di_strip(type);
    return type ? LLVMDITypeGetSizeInBits(type) / 8 : 0;
}

static int is_array(LLVMMetadataRef type)
{
    type = darn_di_strip(type);
    return type && LLVMGetDINodeTag(type) == TAG_ARRAY;
}

static int is_bit_field(LLVMMetadataRef member)
{
    return (LLVMDITypeGetFlags(member) & LLVMDIFlagBitField) != 0;
}

static int has_bit(LLVMMetadataRef member, uint64_t bit)
{
    uint64_t start = LLVMDITypeGetOffsetInBits(member);

    return bit >= start && bit < start + LLVMDITypeGetSizeInBits(member);
}

static int contains(LLVMMetadataRef member, uint64_t offset)
{
    uint64_t start = LLVMDITypeGetOffsetInBits(member) / 8;
    uint64_t size = LLVMDITypeGetSizeInBits(member) / 8;

    if (size == 0)
        size = darn_di_size(member);
    if (size == 0 && is_array(member))
        return offset >= start; /* the last member, of no fixed size */
    return offset >= start && offset < start + size;
}

static void append_member(LLVMMetadataRef member, struct darn_text *text)
{
    char name[128];
    struct darn_text buffer;

    darn_text_start(&buffer, name, sizeof(name));
    if (darn_di_string(darn_di_operand(member, DARN_DI_SUBPROGRAM_NAME), &buffer))
        return; /* an anonymous struct or union: its members belong to the outer one */
    darn_text_char(text, '.');
    darn_text_add(text, name);
}

/* Its offset is not one in the object: that depends on the whole object. */
static int is_virtual_base(LLVMMetadataRef member)
{
    return LLVMGetDINodeTag(member) == TAG_INHERITANCE &&
           LLVMDITypeGetFlags(member) & LLVMDIFlagVirtual;
}

/* How far inside the member that is. */
static uint64_t offset_in(LLVMMetadataRef member, uint64_t offset)
{
    return is_bit_field(member) ? 0 : offset - LLVMDITypeGetOffsetInBits(member) / 8;
}

/* The member, or base class, that a node is; NULL: it is something else, or elsewhere. */
static LLVMMetadataRef member_at(LLVMMetadataRef member, uint64_t offset, unsigned bit)
{
    if (!member || LLVMGetMetadataKind(member) != LLVMDIDerivedTypeMetadataKind ||
        (LLVMDITypeGetFlags(member) & LLVMDIFlagStaticMember) ||
        (LLVMGetDINodeTag(member) != TAG_MEMBER && LLVMGetDINodeTag(member) != TAG_INHERITANCE) ||
        is_virtual_base(member))
        return NULL;
    return (is_bit_field(member) ? has_bit(member, offset * 8 + bit) : contains(member, offset))
               ? member
               : NULL;
}

static enum darn_di_shape shape_of(LLVMMetadataRef type)
{
    char name[32];
    struct darn_text text;

    switch (LLVMGetDINodeTag(type)) {
    case TAG_POINTER:
    case TAG_REFERENCE:
    case TAG_RVALUE_REFERENCE:
        return DARN_DI_POINTER;
    case TAG_BASE:
        darn_text_start(&text, name, sizeof(name));
        darn_di_string(darn_di_operand(type, DARN_DI_SUBPROGRAM_NAME), &text);
        return strstr(name, "float") || strstr(name, "double") || strstr(name, "_Float")
                   ? DARN_DI_FLOAT
                   : DARN_DI_INTEGER;
    default:
        return DARN_DI_INTEGER;
    }
}

/* How well what lies there fits the goal; `text` gets the way to it. */
static int fit_of(LLVMMetadataRef member, uint64_t offset, int variable,
                  const struct darn_di_way *way, struct darn_text *text)
{
    struct darn_di_way trial = *way;
    LLVMMetadataRef found;

    trial.text = text;
    found = darn_di_walk(base_of(member), offset_in(member, offset), variable, &trial);
    if (!found || darn_di_size(found) != way->goal.size)
        return found ? 1 : 0;
    return way->goal.shape && shape_of(found) == way->goal.shape ? 3 : 2;
}

/* The member of a union that fits an access best; if another one fits as well, `is_tie`. */
struct choice {
    LLVMMetadataRef member;
    int fit, is_tie;
    int is_alike; /* what they differ in is only their own name: `u.one.size`, `u.two.size` */
    char rest[MAX_REST];
};

static struct choice choose_member(LLVMMetadataRef elements, uint64_t offset, int variable,
                                   const struct darn_di_way *way)
{
    unsigned count = darn_shim_operand_count(elements);
    struct choice best = {.fit = 0};

    for (unsigned i = 0; i < count; i++) {
        struct choice next = {.member =
                                  member_at(darn_shim_operand(elements, i), offset, way->bit)};
        struct darn_text text;

        darn_text_start(&text, next.rest, sizeof(next.rest));
        if (next.member)
            next.fit = fit_of(next.member, offset, variable, way, &text);
        next.is_alike = next.rest[0] == '.' && !text.cut;
        if (next.fit && next.fit == best.fit) {
            best.is_tie = 1;
            best.is_alike &= strcmp(best.rest, next.rest) == 0;
        } else if (next.fit > best.fit) {
            best = next;
        }
    }
    return best;
}

static LLVMMetadataRef walk_member(LLVMMetadataRef member, uint64_t offset, int variable,
                                   struct darn_di_way *way)
{
    size_t used = way->text->used;
    LLVMMetadataRef owner = way->owner, found;

    if (LLVMGetDINodeTag(member) == TAG_MEMBER)
        append_member(member, way->text);
    found = darn_di_walk(base_of(member), offset_in(member, offset), variable, way);
    if (way->goal.type && found != way->goal.type && way->text->size) {
        way->text->to[way->text->used = used] = '\0'; /* another one begins at the same place */
        way->owner = owner;
        found = NULL;
    }
    return found;
}

static LLVMMetadataRef walk_union(LLVMMetadataRef elements, uint64_t offset, int variable,
                                  struct darn_di_way *way)
{
    struct choice choice = choose_member(elements, offset, variable, way);

    if (!choice.member || (choice.is_tie && !choice.is_alike))
        return NULL;
    if (!choice.is_tie)
        return walk_member(choice.member, offset, variable, way);
    return darn_di_walk(base_of(choice.member), offset_in(choice.member, offset), variable, way);
}

static LLVMMetadataRef walk_struct(LLVMMetadataRef type, uint64_t offset, int variable,
                                   struct darn_di_way *way)
{
    LLVMMetadataRef elements = darn_di_operand(type, DARN_DI_TYPE_ELEMENTS);
    unsigned count = darn_shim_operand_count(elements);
    LLVMMetadataRef member, found = NULL;
    int is_union = LLVMGetDINodeTag(type) == TAG_UNION;

    way->owner = type;
    way->has_union |= is_union;
    if (count && is_union && way->goal.size && !way->goal.type)
        return walk_union(elements, offset, variable, way);
    for (unsigned i = 0; i < count && !found; i++) {
        member = member_at(darn_shim_operand(elements, i), offset, way->bit);
        if (member)
            found = walk_member(member, offset, variable, way);
    }
    return found;
}

int darn_di_is_flexible(LLVMMetadataRef type)
{
    LLVMMetadataRef elements, last;
    unsigned count;

    type = darn_di_strip(type);
    if (!type || LLVMGetDINodeTag(type) != TAG_STRUCT)
        return 0;
    elements = darn_di_operand(type, DARN_DI_TYPE_ELEMENTS);
    count = darn_shim_operand_count(elements);
    last = count ? darn_shim_operand(elements, count - 1) : NULL;
    return last && LLVMGetMetadataKind(last) == LLVMDIDerivedTypeMetadataKind &&
           LLVMGetDINodeTag(last) == TAG_MEMBER && is_array(last) && darn_di_size(last) == 0;
}

int darn_di_is_closure(LLVMMetadataRef type)
{
    type = darn_di_strip(type);
    return type && LLVMGetDINodeTag(type) == TAG_CLASS &&
           !darn_di_operand(type, DARN_DI_SUBPROGRAM_NAME);
}

/* How many elements a dimension has; 0 when that is not a constant. */
static uint64_t extent_of(LLVMMetadataRef subrange)
{
    uint64_t extent = darn_shim_number(darn_shim_operand(subrange, 0));

    return extent == UINT64_MAX ? 0 : extent;
}

/* [2][3], or [][] when the element was chosen at run time. */
static void append_indices(LLVMMetadataRef dimensions, uint64_t index, int variable,
                           struct darn_text *text)
{
    unsigned count = darn_shim_operand_count(dimensions);

    for (unsigned i = 0; i < (count ? count : 1); i++) {
        uint64_t inner = 1; /* elements of one step of this dimension */

        for (unsigned j = i + 1; j < count; j++)
            inner *= extent_of(darn_shim_operand(dimensions, j));
        darn_text_char(text, '[');
        if (!variable && inner)
            darn_text_number(text, index / inner);
        darn_text_char(text, ']');
        index = inner ? index % inner : 0;
    }
}

static LLVMMetadataRef walk_array(LLVMMetadataRef type, uint64_t offset, int variable,
                                  struct darn_di_way *way)
{
    LLVMMetadataRef element = base_of(type);
    uint64_t size = darn_di_size(element);

    if (!size)
        return NULL;
    append_indices(darn_di_operand(type, DARN_DI_TYPE_ELEMENTS), offset / size, variable,
                   way->text);
    return darn_di_walk(element, offset % size, 0, way);
}

/* `memset(&rec, …)` is to the struct, also where that begins with an array; `memset(rec.name, …)`
 * is to the array, unless it is as long as its first element. */
static int is_goal(LLVMMetadataRef type, const struct darn_di_goal *goal)
{
    if (goal->type)
        return type == goal->type;
    if (!goal->is_whole)
        return 0;
    if (!goal->size || darn_di_size(type) <= goal->size)
        return 1;
    return LLVMGetDINodeTag(type) == TAG_ARRAY && darn_di_size(base_of(type)) != goal->size;
}

LLVMMetadataRef darn_di_walk(LLVMMetadataRef type, uint64_t offset, int variable,
                             struct darn_di_way *way)
{
    type = darn_di_strip(type);
    if (!type)
        return NULL;
    if (!offset && !variable && is_goal(type, &way->goal))
        return type;
    switch (LLVMGetDINodeTag(type)) {
    case TAG_STRUCT:
    case TAG_CLASS:
    case TAG_UNION:
        return walk_struct(type, offset, variable, way);
    case TAG_ARRAY:
        return walk_array(type, offset, variable, way);
    default:
        return offset < darn_di_size(type) ? type : NULL;
    }
}

LLVMMetadataRef darn_di_function(LLVMMetadataRef scope)
{
    while (scope && LLVMGetMetadataKind(scope) != LLVMDISubprogramMetadataKind)
        scope = darn_di_operand(scope, DARN_DI_SCOPE_PARENT);
    return scope;
}
