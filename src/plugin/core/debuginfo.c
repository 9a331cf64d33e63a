#include "plugin/core/debuginfo.h"

#include <stdlib.h>
#include <string.h>

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

/* Operands that a node may have before we read it in pieces: no type of ours has more members. */
#define MAX_OPERANDS 4096

/* The longest way from a member of a union inwards that is compared with another. */
#define MAX_REST 120

static LLVMValueRef as_value(LLVMContextRef context, LLVMMetadataRef node)
{
    return LLVMMetadataAsValue(context, node);
}

static unsigned operand_count(LLVMContextRef context, LLVMMetadataRef node)
{
    return LLVMGetMDNodeNumOperands(as_value(context, node));
}

LLVMValueRef *darn_di_operands(LLVMContextRef context, LLVMMetadataRef node, unsigned *count)
{
    LLVMValueRef *list;

    *count = operand_count(context, node);
    if (!*count || *count > MAX_OPERANDS)
        return NULL;
    list = calloc(*count, sizeof(*list));
    if (list)
        LLVMGetMDNodeOperands(as_value(context, node), list);
    return list;
}

LLVMMetadataRef darn_di_operand(LLVMContextRef context, LLVMMetadataRef node, unsigned index)
{
    unsigned count;
    LLVMValueRef *list = node ? darn_di_operands(context, node, &count) : NULL;
    LLVMMetadataRef found = NULL;

    if (list && index < count && list[index])
        found = LLVMValueAsMetadata(list[index]);
    free(list);
    return found;
}

int darn_di_string(LLVMContextRef context, LLVMMetadataRef node, struct darn_text *text)
{
    unsigned length;
    const char *string = node ? LLVMGetMDString(as_value(context, node), &length) : NULL;

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

static LLVMMetadataRef base_of(LLVMContextRef context, LLVMMetadataRef type)
{
    return darn_di_operand(context, type, DARN_DI_TYPE_BASE);
}

LLVMMetadataRef darn_di_strip(LLVMContextRef context, LLVMMetadataRef type)
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
            type = base_of(context, type);
            break;
        default:
            return type;
        }
    }
    return NULL;
}

int darn_di_is_reference(LLVMContextRef context, LLVMMetadataRef type)
{
    type = darn_di_strip(context, type);
    return type && (LLVMGetDINodeTag(type) == TAG_REFERENCE ||
                    LLVMGetDINodeTag(type) == TAG_RVALUE_REFERENCE);
}

LLVMMetadataRef darn_di_pointee(LLVMContextRef context, LLVMMetadataRef type)
{
    type = darn_di_strip(context, type);
    if (!type)
        return NULL;
    if (LLVMGetDINodeTag(type) != TAG_POINTER && !darn_di_is_reference(context, type))
        return NULL;
    return base_of(context, type);
}

uint64_t darn_di_size(LLVMContextRef context, LLVMMetadataRef type)
{
    type = darn_di_strip(context, type);
    return type ? LLVMDITypeGetSizeInBits(type) / 8 : 0;
}

static int is_array(LLVMContextRef context, LLVMMetadataRef type)
{
    type = darn_di_strip(context, type);
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

static int contains(LLVMContextRef context, LLVMMetadataRef member, uint64_t offset)
{
    uint64_t start = LLVMDITypeGetOffsetInBits(member) / 8;
    uint64_t size = LLVMDITypeGetSizeInBits(member) / 8;

    if (size == 0)
        size = darn_di_size(context, member);
    if (size == 0 && is_array(context, member))
        return offset >= start; /* the last member, of no fixed size */
    return offset >= start && offset < start + size;
}

static void append_member(LLVMContextRef context, LLVMMetadataRef member, struct darn_text *text)
{
    char name[128];
    struct darn_text buffer;

    darn_text_start(&buffer, name, sizeof(name));
    if (darn_di_string(context, darn_di_operand(context, member, DARN_DI_SUBPROGRAM_NAME), &buffer))
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
static LLVMMetadataRef member_at(LLVMContextRef context, LLVMValueRef node, uint64_t offset,
                                 unsigned bit)
{
    LLVMMetadataRef member = node ? LLVMValueAsMetadata(node) : NULL;

    if (!member || LLVMGetMetadataKind(member) != LLVMDIDerivedTypeMetadataKind ||
        (LLVMDITypeGetFlags(member) & LLVMDIFlagStaticMember) ||
        (LLVMGetDINodeTag(member) != TAG_MEMBER && LLVMGetDINodeTag(member) != TAG_INHERITANCE) ||
        is_virtual_base(member))
        return NULL;
    return (is_bit_field(member) ? has_bit(member, offset * 8 + bit)
                                 : contains(context, member, offset))
               ? member
               : NULL;
}

static enum darn_di_shape shape_of(LLVMContextRef context, LLVMMetadataRef type)
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
        darn_di_string(context, darn_di_operand(context, type, DARN_DI_SUBPROGRAM_NAME), &text);
        return strstr(name, "float") || strstr(name, "double") || strstr(name, "_Float")
                   ? DARN_DI_FLOAT
                   : DARN_DI_INTEGER;
    default:
        return DARN_DI_INTEGER;
    }
}

/* How well what lies there fits the goal; `text` gets the way to it. */
static int fit_of(LLVMContextRef context, LLVMMetadataRef member, uint64_t offset, int variable,
                  const struct darn_di_way *way, struct darn_text *text)
{
    struct darn_di_way trial = *way;
    LLVMMetadataRef found;

    trial.text = text;
    found = darn_di_walk(context, base_of(context, member), offset_in(member, offset), variable,
                         &trial);
    if (!found || darn_di_size(context, found) != way->goal.size)
        return found ? 1 : 0;
    return way->goal.shape && shape_of(context, found) == way->goal.shape ? 3 : 2;
}

/* The member of a union that fits an access best; if another one fits as well, `is_tie`. */
struct choice {
    LLVMMetadataRef member;
    int fit, is_tie;
    int is_alike; /* what they differ in is only their own name: `u.one.size`, `u.two.size` */
    char rest[MAX_REST];
};

static struct choice choose_member(LLVMContextRef context, LLVMValueRef *list, unsigned count,
                                   uint64_t offset, int variable, const struct darn_di_way *way)
{
    struct choice best = {.fit = 0};

    for (unsigned i = 0; i < count; i++) {
        struct choice next = {.member = member_at(context, list[i], offset, way->bit)};
        struct darn_text text;

        darn_text_start(&text, next.rest, sizeof(next.rest));
        if (next.member)
            next.fit = fit_of(context, next.member, offset, variable, way, &text);
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

static LLVMMetadataRef walk_member(LLVMContextRef context, LLVMMetadataRef member, uint64_t offset,
                                   int variable, struct darn_di_way *way)
{
    size_t used = way->text->used;
    LLVMMetadataRef owner = way->owner, found;

    if (LLVMGetDINodeTag(member) == TAG_MEMBER)
        append_member(context, member, way->text);
    found =
        darn_di_walk(context, base_of(context, member), offset_in(member, offset), variable, way);
    if (way->goal.type && found != way->goal.type && way->text->size) {
        way->text->to[way->text->used = used] = '\0'; /* another one begins at the same place */
        way->owner = owner;
        found = NULL;
    }
    return found;
}

static LLVMMetadataRef walk_union(LLVMContextRef context, LLVMValueRef *list, unsigned count,
                                  uint64_t offset, int variable, struct darn_di_way *way)
{
    struct choice choice = choose_member(context, list, count, offset, variable, way);

    if (!choice.member || (choice.is_tie && !choice.is_alike))
        return NULL;
    if (!choice.is_tie)
        return walk_member(context, choice.member, offset, variable, way);
    return darn_di_walk(context, base_of(context, choice.member), offset_in(choice.member, offset),
                        variable, way);
}

static LLVMMetadataRef walk_struct(LLVMContextRef context, LLVMMetadataRef type, uint64_t offset,
                                   int variable, struct darn_di_way *way)
{
    LLVMMetadataRef elements = darn_di_operand(context, type, DARN_DI_TYPE_ELEMENTS), member;
    unsigned count = 0;
    LLVMValueRef *list = elements ? darn_di_operands(context, elements, &count) : NULL;
    LLVMMetadataRef found = NULL;
    int is_union = LLVMGetDINodeTag(type) == TAG_UNION;

    way->owner = type;
    way->has_union |= is_union;
    if (list && is_union && way->goal.size && !way->goal.type) {
        found = walk_union(context, list, count, offset, variable, way);
        free(list);
        return found;
    }
    for (unsigned i = 0; list && i < count && !found; i++) {
        member = member_at(context, list[i], offset, way->bit);
        if (member)
            found = walk_member(context, member, offset, variable, way);
    }
    free(list);
    return found;
}

int darn_di_is_flexible(LLVMContextRef context, LLVMMetadataRef type)
{
    LLVMMetadataRef elements, last;
    LLVMValueRef *list;
    unsigned count = 0;

    type = darn_di_strip(context, type);
    if (!type || LLVMGetDINodeTag(type) != TAG_STRUCT)
        return 0;
    elements = darn_di_operand(context, type, DARN_DI_TYPE_ELEMENTS);
    list = elements ? darn_di_operands(context, elements, &count) : NULL;
    last = list && list[count - 1] ? LLVMValueAsMetadata(list[count - 1]) : NULL;
    free(list);
    return last && LLVMGetMetadataKind(last) == LLVMDIDerivedTypeMetadataKind &&
           LLVMGetDINodeTag(last) == TAG_MEMBER && is_array(context, last) &&
           darn_di_size(context, last) == 0;
}

int darn_di_is_closure(LLVMContextRef context, LLVMMetadataRef type)
{
    type = darn_di_strip(context, type);
    return type && LLVMGetDINodeTag(type) == TAG_CLASS &&
           !darn_di_operand(context, type, DARN_DI_SUBPROGRAM_NAME);
}

/* How many elements a dimension has; 0 when that is not a constant. */
static uint64_t extent_of(LLVMContextRef context, LLVMValueRef subrange)
{
    unsigned count = 0;
    LLVMValueRef *list =
        subrange ? darn_di_operands(context, LLVMValueAsMetadata(subrange), &count) : NULL;
    uint64_t extent = list && count && list[0] && LLVMIsAConstantInt(list[0])
                          ? LLVMConstIntGetZExtValue(list[0])
                          : 0;

    free(list);
    return extent;
}

/* [2][3], or [][] when the element was chosen at run time. */
static void append_indices(LLVMContextRef context, LLVMMetadataRef dimensions, uint64_t index,
                           int variable, struct darn_text *text)
{
    unsigned count = 0;
    LLVMValueRef *list = dimensions ? darn_di_operands(context, dimensions, &count) : NULL;

    for (unsigned i = 0; i < (list ? count : 1); i++) {
        uint64_t inner = 1; /* elements of one step of this dimension */

        for (unsigned j = i + 1; list && j < count; j++)
            inner *= extent_of(context, list[j]);
        darn_text_char(text, '[');
        if (!variable && inner)
            darn_text_number(text, index / inner);
        darn_text_char(text, ']');
        index = inner ? index % inner : 0;
    }
    free(list);
}

static LLVMMetadataRef walk_array(LLVMContextRef context, LLVMMetadataRef type, uint64_t offset,
                                  int variable, struct darn_di_way *way)
{
    LLVMMetadataRef element = base_of(context, type);
    uint64_t size = darn_di_size(context, element);

    if (!size)
        return NULL;
    append_indices(context, darn_di_operand(context, type, DARN_DI_TYPE_ELEMENTS), offset / size,
                   variable, way->text);
    return darn_di_walk(context, element, offset % size, 0, way);
}

/* `memset(&rec, …)` is to the struct, also where that begins with an array; `memset(rec.name, …)`
 * is to the array, unless it is as long as its first element. */
static int is_goal(LLVMContextRef context, LLVMMetadataRef type, const struct darn_di_goal *goal)
{
    if (goal->type)
        return type == goal->type;
    if (!goal->is_whole)
        return 0;
    if (!goal->size || darn_di_size(context, type) <= goal->size)
        return 1;
    return LLVMGetDINodeTag(type) == TAG_ARRAY &&
           darn_di_size(context, base_of(context, type)) != goal->size;
}

LLVMMetadataRef darn_di_walk(LLVMContextRef context, LLVMMetadataRef type, uint64_t offset,
                             int variable, struct darn_di_way *way)
{
    type = darn_di_strip(context, type);
    if (!type)
        return NULL;
    if (!offset && !variable && is_goal(context, type, &way->goal))
        return type;
    switch (LLVMGetDINodeTag(type)) {
    case TAG_STRUCT:
    case TAG_CLASS:
    case TAG_UNION:
        return walk_struct(context, type, offset, variable, way);
    case TAG_ARRAY:
        return walk_array(context, type, offset, variable, way);
    default:
        return offset < darn_di_size(context, type) ? type : NULL;
    }
}

LLVMMetadataRef darn_di_function(LLVMContextRef context, LLVMMetadataRef scope)
{
    while (scope && LLVMGetMetadataKind(scope) != LLVMDISubprogramMetadataKind)
        scope = darn_di_operand(context, scope, DARN_DI_SCOPE_PARENT);
    return scope;
}
