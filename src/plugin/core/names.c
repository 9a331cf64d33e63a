#include "plugin/core/names.h"

#include <stdlib.h>
#include <string.h>

#include "plugin/core/bits.h"
#include "plugin/core/debuginfo.h"
#include "plugin/core/plugin_escape.h"
#include "plugin/core/locals.h"
#include "plugin/core/plugin.h"
#include "plugin/core/structs.h"
#include "section/alias.h"

/* How many pointers are followed back: a->b->c->d->e */
#define MAX_DEPTH 6

/* The longest way from a variable to a field. */
#define MAX_PATH 200

struct darn_names {
    LLVMContextRef context;
    LLVMTargetDataRef layout;
    struct darn_locals locals;
    unsigned dbg_kind, tbaa_kind;
    LLVMMetadataRef function; /* the source function of the access that is being named */
    LLVMMetadataRef owner;    /* of what was named last: the struct that it is a member of; */
    int is_behind;            /* it is an element of what a pointer points to; */
    int is_beyond;            /* it may not be in the object that it is named after */
    int has_tbaa;
    unsigned bit; /* where it begins in the word that is accessed */
    LLVMModuleRef module;
    struct darn_structs structs; /* filled when it is first needed */
    int has_structs;
};

/* A pointer taken apart: base + offset, with an element chosen at run time if `variable`. */
struct location {
    LLVMValueRef base;
    int64_t offset;
    int variable;
    uint64_t stride;
};

static int has_tag(LLVMModuleRef module, unsigned kind)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b)) {
            for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
                if (LLVMGetMetadata(i, kind))
                    return 1;
            }
        }
    }
    return 0;
}

struct darn_names *darn_names_create(LLVMModuleRef module, LLVMTargetDataRef layout)
{
    struct darn_names *names = calloc(1, sizeof(*names));

    if (!names)
        abort();
    names->context = LLVMGetModuleContext(module);
    names->module = module;
    names->layout = layout;
    darn_structs_init(&names->structs, names->context);
    names->dbg_kind = LLVMGetMDKindIDInContext(names->context, "dbg", 3);
    names->tbaa_kind = LLVMGetMDKindIDInContext(names->context, "tbaa", 4);
    darn_locals_init(&names->locals, module);
    names->has_tbaa = has_tag(module, names->tbaa_kind);
    return names;
}

void darn_names_destroy(struct darn_names *names)
{
    darn_structs_free(&names->structs);
    darn_locals_free(&names->locals);
    free(names);
}

/* The variable that a global holds, or holds a part of: `offset` is where the part begins. */
static LLVMMetadataRef global_debug_info(struct darn_names *names, LLVMValueRef global,
                                         int64_t *offset)
{
    size_t count;
    LLVMValueMetadataEntry *entries = LLVMGlobalCopyAllMetadata(global, &count);
    LLVMMetadataRef found = NULL;

    for (size_t i = 0; i < count && !found; i++) {
        LLVMMetadataRef node = LLVMValueMetadataEntriesGetMetadata(entries, (unsigned)i);

        if (LLVMValueMetadataEntriesGetKind(entries, (unsigned)i) != names->dbg_kind)
            continue;
        found = darn_di_operand(names->context, node, DARN_DI_EXPRESSION_VARIABLE);
        *offset = darn_shim_expression_offset(
            darn_di_operand(names->context, node, DARN_DI_EXPRESSION_ITSELF));
    }
    if (entries)
        LLVMDisposeValueMetadataEntries(entries);
    return found && *offset >= 0 ? found : NULL;
}

static void add_index(struct darn_names *names, struct location *location, LLVMValueRef index,
                      LLVMTypeRef type)
{
    uint64_t size = LLVMABISizeOfType(names->layout, type);

    if (LLVMIsAConstantInt(index)) {
        location->offset += LLVMConstIntGetSExtValue(index) * (int64_t)size;
    } else {
        location->variable = 1;
        location->stride = size;
    }
}

static void take_apart_gep(struct darn_names *names, LLVMValueRef gep, struct location *location)
{
    LLVMTypeRef type = LLVMGetGEPSourceElementType(gep);
    unsigned count = (unsigned)LLVMGetNumOperands(gep);

    add_index(names, location, LLVMGetOperand(gep, 1), type);
    for (unsigned i = 2; i < count; i++) {
        LLVMValueRef index = LLVMGetOperand(gep, i);

        if (LLVMGetTypeKind(type) == LLVMStructTypeKind) {
            unsigned field = (unsigned)LLVMConstIntGetZExtValue(index);

            location->offset += (int64_t)LLVMOffsetOfElement(names->layout, type, field);
            type = LLVMStructGetTypeAtIndex(type, field);
        } else {
            type = LLVMGetElementType(type);
            add_index(names, location, index, type);
        }
    }
    location->base = LLVMGetOperand(gep, 0);
}

static int is_gep(LLVMValueRef value)
{
    return LLVMIsAGetElementPtrInst(value) ||
           (LLVMIsAConstantExpr(value) && LLVMGetConstOpcode(value) == LLVMGetElementPtr);
}

static int is_named(struct darn_names *names, LLVMValueRef value)
{
    return LLVMIsAGlobalVariable(value) || LLVMIsALoadInst(value) ||
           darn_locals_know(&names->locals, value);
}

static void go_to_base(struct darn_names *names, struct location *location)
{
    while (is_gep(location->base) && !is_named(names, location->base))
        take_apart_gep(names, location->base, location);
    if (!is_named(names, location->base))
        location->base =
            darn_pointer_root(location->base); /* the address of a thread-local variable */
}

static struct location take_apart(struct darn_names *names, LLVMValueRef pointer)
{
    struct location location = {.base = pointer};

    go_to_base(names, &location);
    return location;
}

static LLVMMetadataRef name_of_pointer(struct darn_names *names, LLVMValueRef pointer, int depth,
                                       struct darn_text *text);

/* Appends the way into an object that has a name; returns the type found there. */
static LLVMMetadataRef append_inside(struct darn_names *names, LLVMMetadataRef type,
                                     const struct location *location, struct darn_text *text)
{
    char path[MAX_PATH];
    struct darn_text buffer;
    struct darn_di_way way = {.text = &buffer, .bit = names->bit};
    LLVMMetadataRef found;

    darn_text_start(&buffer, path, sizeof(path));
    found = location->offset >= 0 ? darn_di_walk(names->context, type, (uint64_t)location->offset,
                                                 location->variable, &way)
                                  : NULL;
    names->owner = found && !way.has_union ? way.owner : NULL;
    names->is_behind = 0;
    names->is_beyond = location->variable && !strchr(path, '[');
    darn_text_add(text, path);
    return found;
}

/* `p` is a pointer and the location lies behind it: p->next, p[].next, *p, p->@16 */
static LLVMMetadataRef append_behind(struct darn_names *names, const char *pointer,
                                     LLVMMetadataRef pointee, struct location location,
                                     struct darn_text *text)
{
    char path[MAX_PATH];
    struct darn_text buffer;
    struct darn_di_way way = {.text = &buffer, .bit = names->bit};
    LLVMMetadataRef found;
    uint64_t size = darn_di_size(names->context, pointee);
    int64_t index = size && !location.variable ? location.offset / (int64_t)size : 0;
    /* p[i] steps by whole elements; p->text[i] goes beyond the end of *p if text has no fixed size.
     */
    int indexed = index != 0 || (location.variable && (!size || location.stride % size == 0));
    int beyond = location.offset < 0 || (size && location.offset >= (int64_t)size);

    if (location.offset < 0)
        index = 0;
    if (size && (indexed || !location.variable))
        location.offset = ((location.offset % (int64_t)size) + (int64_t)size) % (int64_t)size;
    darn_text_start(&buffer, path, sizeof(path));
    found = darn_di_walk(names->context, pointee, (uint64_t)location.offset,
                         location.variable && !indexed, &way);
    names->owner = found && !way.has_union ? way.owner : NULL;
    names->is_behind = indexed && !path[0];
    names->is_beyond = beyond || (location.variable && !indexed && !strchr(path, '['));
    if (!found && !path[0] && !indexed && !location.variable && location.offset > 0) {
        darn_text_add(text, pointer); /* into a struct that this module only declares */
        darn_text_add(text, "->@");
        darn_text_number(text, (uint64_t)location.offset);
        return found;
    }
    if (!indexed && path[0] != '.') {
        darn_text_char(text, '*');
        darn_text_add(text, pointer);
        darn_text_add(text, path);
        return found;
    }
    darn_text_add(text, pointer);
    if (indexed) {
        darn_text_char(text, '[');
        if (!location.variable)
            darn_text_number(text, (uint64_t)index);
        darn_text_char(text, ']');
        darn_text_add(text, path);
    } else {
        darn_text_add(text, "->");
        darn_text_add(text, path + 1);
    }
    return found;
}

static LLVMMetadataRef name_behind(struct darn_names *names, const char *pointer,
                                   LLVMMetadataRef pointer_type, const struct location *location,
                                   struct darn_text *text)
{
    LLVMMetadataRef pointee = darn_di_pointee(names->context, pointer_type);

    if (pointee && darn_di_is_reference(names->context, pointer_type)) {
        darn_text_add(text, pointer);
        return append_inside(names, pointee, location, text);
    }
    return append_behind(names, pointer, pointee, *location, text);
}

static LLVMMetadataRef name_of_global(struct darn_names *names, const struct location *location,
                                      struct darn_text *text)
{
    struct location inside = *location;
    int64_t part = 0;
    LLVMMetadataRef variable = global_debug_info(names, location->base, &part);
    size_t length;

    inside.offset += part;
    if (!variable ||
        darn_di_string(names->context,
                       darn_di_operand(names->context, variable, DARN_DI_VARIABLE_NAME), text))
        darn_text_add(text, LLVMGetValueName2(location->base, &length));
    return variable
               ? append_inside(names,
                               darn_di_operand(names->context, variable, DARN_DI_VARIABLE_TYPE),
                               &inside, text)
               : NULL;
}

static LLVMMetadataRef name_of_local(struct darn_names *names, const struct location *location,
                                     const struct darn_local *known, struct darn_text *text)
{
    LLVMMetadataRef variable = known->info;
    LLVMMetadataRef type = darn_di_operand(names->context, variable, DARN_DI_VARIABLE_TYPE);
    char name[MAX_PATH];
    struct darn_text buffer;

    darn_text_start(&buffer, name, sizeof(name));
    if (darn_di_string(names->context,
                       darn_di_operand(names->context, variable, DARN_DI_VARIABLE_NAME), &buffer))
        return NULL;
    if (!known->is_at)
        return name_behind(names, name, type, location, text);
    darn_text_add(text, name);
    return append_inside(names, type, location, text);
}

static LLVMMetadataRef name_of_loaded(struct darn_names *names, const struct location *location,
                                      int depth, struct darn_text *text)
{
    char name[MAX_PATH];
    struct darn_text buffer;
    LLVMMetadataRef type;

    darn_text_start(&buffer, name, sizeof(name));
    type = name_of_pointer(names, LLVMGetOperand(location->base, 0), depth + 1, &buffer);
    if (!name[0] || !darn_di_pointee(names->context, type)) {
        names->owner = NULL; /* that was of the pointer */
        return NULL;
    }
    return name_behind(names, name, type, location, text);
}

static LLVMMetadataRef name_of_location(struct darn_names *names, const struct location *location,
                                        int depth, struct darn_text *text);

/* After `p = &acct->balance`, `*p` is a member of that struct. */
static LLVMMetadataRef owner_behind(struct darn_names *names, struct location location, int depth)
{
    char name[MAX_PATH];
    struct darn_text text;

    if (!is_gep(location.base))
        return NULL;
    take_apart_gep(names, location.base, &location);
    go_to_base(names, &location);
    names->owner = NULL;
    darn_text_start(&text, name, sizeof(name));
    name_of_location(names, &location, depth + 1, &text);
    return names->is_beyond ? NULL : names->owner;
}

static LLVMMetadataRef name_of_known(struct darn_names *names, const struct location *location,
                                     const struct darn_local *known, int depth,
                                     struct darn_text *text)
{
    LLVMMetadataRef type;
    int is_behind;

    names->owner = NULL;
    type = name_of_local(names, location, known, text);
    is_behind = names->is_behind;
    if (!names->owner && !known->is_at)
        names->owner = owner_behind(names, *location, depth);
    names->is_behind = is_behind;
    return type;
}

static LLVMMetadataRef name_of_location(struct darn_names *names, const struct location *location,
                                        int depth, struct darn_text *text)
{
    const struct darn_local *known = darn_local_of(&names->locals, location->base, names->function);

    if (depth > MAX_DEPTH)
        return NULL;
    if (LLVMIsAGlobalVariable(location->base))
        return name_of_global(names, location, text);
    if (known)
        return name_of_known(names, location, known, depth, text);
    if (LLVMIsALoadInst(location->base))
        return name_of_loaded(names, location, depth, text);
    if (LLVMIsAPHINode(location->base) &&
        (known = darn_local_of_phi(&names->locals, location->base, names->function)))
        return name_of_local(names, location, known, text);
    return NULL;
}

/* Names what the pointer points to and returns its type, as far as they are known. */
static LLVMMetadataRef name_of_pointer(struct darn_names *names, LLVMValueRef pointer, int depth,
                                       struct darn_text *text)
{
    struct location location = take_apart(names, pointer);

    return name_of_location(names, &location, depth, text);
}

static void find_structs(struct darn_names *names)
{
    unsigned units = LLVMGetNamedMetadataNumOperands(names->module, "llvm.dbg.cu");
    LLVMValueRef *list = units ? calloc(units, sizeof(*list)) : NULL;

    if (names->has_structs || !list) {
        free(list);
        return;
    }
    names->has_structs = 1;
    LLVMGetNamedMetadataOperands(names->module, "llvm.dbg.cu", list);
    for (unsigned i = 0; i < units; i++)
        darn_structs_visit(&names->structs, LLVMValueAsMetadata(list[i]));
    for (size_t i = 0; i < names->locals.count; i++)
        darn_structs_visit(&names->structs, names->locals.items[i].info);
    for (LLVMValueRef f = LLVMGetFirstFunction(names->module); f; f = LLVMGetNextFunction(f))
        darn_structs_visit(&names->structs, LLVMGetSubprogram(f));
    free(list);
}

/*
 * The struct-path tag of an access is (struct type, field type, offset): `account.balance`. The tag
 * does not know the fields' names; debug info does, if it knows a struct of that name.
 */
static void name_by_tbaa(struct darn_names *names, LLVMValueRef instruction, struct darn_text *text)
{
    LLVMValueRef tag = LLVMGetMetadata(instruction, names->tbaa_kind);
    LLVMValueRef operands[4] = {0};
    LLVMMetadataRef base, access, type;
    char path[MAX_PATH];
    struct darn_text buffer;
    struct darn_di_way way = {.text = text, .bit = names->bit};

    if (!tag || LLVMGetMDNodeNumOperands(tag) < 3 || LLVMGetMDNodeNumOperands(tag) > 4)
        return;
    LLVMGetMDNodeOperands(tag, operands);
    base = operands[0] ? LLVMValueAsMetadata(operands[0]) : NULL;
    access = operands[1] ? LLVMValueAsMetadata(operands[1]) : NULL;
    if (!base || base == access || !operands[2] || !LLVMIsAConstantInt(operands[2]))
        return;
    darn_text_start(&buffer, path, sizeof(path));
    if (darn_di_string(names->context, darn_di_operand(names->context, base, 0), &buffer))
        return;
    find_structs(names);
    type = darn_structs_find(&names->structs, path);
    if (!type)
        return;
    darn_text_add(text, path);
    darn_di_walk(names->context, type, LLVMConstIntGetZExtValue(operands[2]), 0, &way);
}

/* A copy of a whole struct is not an access to its first member: `d->id` becomes `*d`. */
static void name_whole(struct darn_names *names, LLVMValueRef pointer, struct darn_text *text)
{
    struct location location = take_apart(names, pointer);
    const struct darn_local *known = darn_local_of(&names->locals, location.base, names->function);

    if (location.offset || location.variable) {
        name_of_pointer(names, pointer, 0, text);
        return;
    }
    if (LLVMIsAGlobalVariable(location.base)) {
        name_of_global(names, &location, text);
        text->to[text->used = strcspn(text->to, ".[")] = '\0';
        return;
    }
    if (!known && LLVMIsALoadInst(location.base)) {
        darn_text_char(text, '*');
        name_of_pointer(names, LLVMGetOperand(location.base, 0), 1, text);
        if (text->used == 1)
            text->to[text->used = 0] = '\0';
        return;
    }
    if (!known)
        return;
    if (!known->is_at)
        darn_text_char(text, '*');
    darn_di_string(names->context,
                   darn_di_operand(names->context, known->info, DARN_DI_VARIABLE_NAME), text);
}

void darn_names_variable(struct darn_names *names, LLVMValueRef instruction, LLVMValueRef pointer,
                         char *to, size_t size)
{
    LLVMMetadataRef location = LLVMInstructionGetDebugLoc(instruction);
    struct darn_text text;

    names->function =
        location ? darn_di_function(names->context, LLVMDILocationGetScope(location)) : NULL;
    names->owner = NULL;
    names->is_behind = 0;
    names->bit = darn_bits_first(instruction);
    darn_text_start(&text, to, size);
    if (LLVMIsACallInst(instruction) || LLVMIsAInvokeInst(instruction))
        name_whole(names, pointer, &text);
    else
        name_of_pointer(names, pointer, 0, &text);
    if (!to[0]) {
        names->owner = NULL; /* that was of a pointer on the way */
        names->is_behind = 0;
        name_by_tbaa(names, instruction, &text);
    }
}

LLVMMetadataRef darn_names_owner(const struct darn_names *names)
{
    return names->has_tbaa ? names->owner : NULL;
}

uint8_t darn_names_class(const struct darn_names *names, const char *variable)
{
    uint8_t class = darn_variable_class(variable);

    if (names->is_behind)
        return DARN_VARIABLE_POINTEE;
    return class == DARN_VARIABLE_ANY && names->owner ? DARN_VARIABLE_MEMBER : class;
}
