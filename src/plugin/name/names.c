#include "plugin/name/names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plugin/core/plugin.h"
#include "plugin/name/bits.h"
#include "plugin/name/early.h"
#include "plugin/name/names_private.h"
#include "section/alias.h"

/* The longest name that is kept. */
#define MAX_NAME 256

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
    LLVMContextRef context = LLVMGetModuleContext(module);
    struct darn_names *names = calloc(1, sizeof(*names));

    if (!names)
        abort();
    names->module = module;
    names->layout = layout;
    names->dbg_kind = LLVMGetMDKindIDInContext(context, "dbg", 3);
    names->tbaa_kind = LLVMGetMDKindIDInContext(context, "tbaa", 4);
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
        found = darn_di_operand(node, DARN_DI_EXPRESSION_VARIABLE);
        *offset = darn_shim_expression_offset(darn_di_operand(node, DARN_DI_EXPRESSION_ITSELF));
    }
    if (entries)
        LLVMDisposeValueMetadataEntries(entries);
    return found && *offset >= 0 ? found : NULL;
}

static struct darn_place take_apart(struct darn_names *names, LLVMValueRef pointer)
{
    struct darn_place place = {.base = pointer};

    darn_place_go_back(names->layout, &names->locals, &place);
    return place;
}

static LLVMMetadataRef name_of_pointer(struct darn_names *names, LLVMValueRef pointer, int depth,
                                       struct darn_text *text);

/* A symbol is the name of a variable that has no debug info. What the optimizer has made of one
 * says so behind a dot: a part of it (`stats.0`), or what it points to (`acct.body`, with
 * `acct.init`). `f.calls` is the variable of a function. */
static void append_symbol(LLVMValueRef global, struct darn_text *text)
{
    size_t length;
    const char *symbol = LLVMGetValueName2(global, &length);

    if (strstr(symbol, ".body") || strstr(symbol, ".init"))
        return;
    for (size_t end = length; end && symbol[end - 1] >= '0' && symbol[end - 1] <= '9'; end--) {
        if (end > 2 && symbol[end - 2] == '.')
            length = end - 2;
    }
    darn_text_part(text, symbol, length);
}

static LLVMMetadataRef name_of_global(struct darn_names *names, const struct darn_place *place,
                                      struct darn_text *text)
{
    struct darn_place inside = *place;
    int64_t part = 0;
    LLVMMetadataRef variable = global_debug_info(names, place->base, &part);

    inside.offset += part;
    if (!variable || darn_di_string(darn_di_operand(variable, DARN_DI_VARIABLE_NAME), text))
        append_symbol(place->base, text);
    return variable ? darn_name_inside(names, darn_di_operand(variable, DARN_DI_VARIABLE_TYPE),
                                       &inside, text)
                    : NULL;
}

static LLVMMetadataRef name_of_local(struct darn_names *names, const struct darn_place *place,
                                     const struct darn_local *known, struct darn_text *text)
{
    LLVMMetadataRef variable = known->info;
    LLVMMetadataRef type = darn_di_operand(variable, DARN_DI_VARIABLE_TYPE);
    char name[DARN_NAME_PATH];
    struct darn_text buffer;

    darn_text_start(&buffer, name, sizeof(name));
    if (darn_di_string(darn_di_operand(variable, DARN_DI_VARIABLE_NAME), &buffer))
        return NULL;
    if (!known->is_at)
        return darn_name_behind(names, name, type, place, text);
    darn_text_add(text, name);
    return darn_name_inside(names, type, place, text);
}

LLVMMetadataRef darn_name_other(struct darn_names *names, LLVMValueRef pointer,
                                struct darn_di_goal goal, int depth, struct darn_text *text)
{
    struct darn_di_goal kept_goal = names->goal;
    unsigned kept_bit = names->bit;
    LLVMMetadataRef type;

    names->goal = goal;
    names->bit = 0;
    type = name_of_pointer(names, pointer, depth, text);
    names->goal = kept_goal;
    names->bit = kept_bit;
    names->owner = NULL; /* that was of the other one */
    return type;
}

static LLVMMetadataRef name_of_loaded(struct darn_names *names, const struct darn_place *place,
                                      int depth, struct darn_text *text)
{
    struct darn_di_goal goal = {.size = LLVMPointerSize(names->layout), .shape = DARN_DI_POINTER};
    char name[DARN_NAME_PATH];
    struct darn_text buffer;
    LLVMMetadataRef type;

    darn_text_start(&buffer, name, sizeof(name));
    type = darn_name_other(names, LLVMGetOperand(place->base, 0), goal, depth + 1, &buffer);
    if (name[0] && darn_di_pointee(type))
        return darn_name_behind(names, name, type, place, text);
    if (name[0] && names->goal.is_whole && !place->offset && !place->variable) {
        darn_text_char(text, '*'); /* memset of what a void * points to */
        darn_text_add(text, name);
    }
    return NULL;
}

static LLVMMetadataRef name_of_place(struct darn_names *names, const struct darn_place *place,
                                     int depth, struct darn_text *text);

/* After `p = &acct->balance`, `*p` is a member of that struct. */
static LLVMMetadataRef owner_behind(struct darn_names *names, struct darn_place place, int depth)
{
    char name[DARN_NAME_PATH];
    struct darn_text text;

    if (!darn_place_is_gep(place.base))
        return NULL;
    darn_place_step(names->layout, &place);
    darn_place_go_back(names->layout, &names->locals, &place);
    names->owner = NULL;
    darn_text_start(&text, name, sizeof(name));
    name_of_place(names, &place, depth + 1, &text);
    return names->is_beyond ? NULL : names->owner;
}

static LLVMMetadataRef name_of_known(struct darn_names *names, const struct darn_place *place,
                                     const struct darn_local *known, int depth,
                                     struct darn_text *text)
{
    LLVMMetadataRef type;
    int is_behind;

    names->owner = NULL;
    type = name_of_local(names, place, known, text);
    is_behind = names->is_behind;
    if (!names->owner && !known->is_at)
        names->owner = owner_behind(names, *place, depth);
    names->is_behind = is_behind;
    return type;
}

static LLVMMetadataRef name_of_place(struct darn_names *names, const struct darn_place *place,
                                     int depth, struct darn_text *text)
{
    const struct darn_local *known = darn_local_of(&names->locals, place->base, names->function);

    if (depth > DARN_NAME_DEPTH)
        return NULL;
    if (LLVMIsAGlobalVariable(place->base))
        return name_of_global(names, place, text);
    if (known)
        return name_of_known(names, place, known, depth, text);
    if (LLVMIsALoadInst(place->base))
        return name_of_loaded(names, place, depth, text);
    if (LLVMIsACallInst(place->base) || LLVMIsAInvokeInst(place->base))
        return darn_name_call(names, place, depth, text);
    if (LLVMIsAPHINode(place->base) &&
        (known = darn_local_of_phi(&names->locals, place->base, names->function)))
        return name_of_local(names, place, known, text);
    return NULL;
}

/* Names what the pointer points to and returns its type, as far as they are known. */
static LLVMMetadataRef name_of_pointer(struct darn_names *names, LLVMValueRef pointer, int depth,
                                       struct darn_text *text)
{
    struct darn_place place = take_apart(names, pointer);

    return name_of_place(names, &place, depth, text);
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
    char path[DARN_NAME_PATH];
    struct darn_text buffer;
    struct darn_di_way way = {.text = text, .goal = names->goal, .bit = names->bit};

    if (!tag || LLVMGetMDNodeNumOperands(tag) < 3 || LLVMGetMDNodeNumOperands(tag) > 4)
        return;
    LLVMGetMDNodeOperands(tag, operands);
    base = operands[0] ? LLVMValueAsMetadata(operands[0]) : NULL;
    access = operands[1] ? LLVMValueAsMetadata(operands[1]) : NULL;
    if (!base || base == access || !operands[2] || !LLVMIsAConstantInt(operands[2]))
        return;
    darn_text_start(&buffer, path, sizeof(path));
    if (darn_di_string(darn_di_operand(base, 0), &buffer))
        return;
    find_structs(names);
    type = darn_structs_find(&names->structs, path);
    if (!type)
        return;
    darn_text_add(text, path);
    darn_di_walk(type, LLVMConstIntGetZExtValue(operands[2]), 0, &way);
}

static enum darn_di_shape shape_of(LLVMTypeRef type)
{
    switch (LLVMGetTypeKind(type)) {
    case LLVMIntegerTypeKind:
        return DARN_DI_INTEGER;
    case LLVMPointerTypeKind:
        return DARN_DI_POINTER;
    case LLVMFloatTypeKind:
    case LLVMDoubleTypeKind:
    case LLVMX86_FP80TypeKind:
    case LLVMFP128TypeKind:
        return DARN_DI_FLOAT;
    default:
        return DARN_DI_ANY;
    }
}

/* A copy of a whole struct is not an access to its first member: it is to `*d`, not to `d->id`. */
static struct darn_di_goal goal_of(struct darn_names *names, LLVMValueRef instruction)
{
    struct darn_di_goal goal = {0};
    LLVMTypeRef type;

    if (LLVMIsACallInst(instruction) || LLVMIsAInvokeInst(instruction)) {
        goal.is_whole = 1;
        if (LLVMIsAMemIntrinsic(instruction) && LLVMIsAConstantInt(LLVMGetOperand(instruction, 2)))
            goal.size = LLVMConstIntGetZExtValue(LLVMGetOperand(instruction, 2));
        return goal;
    }
    type = LLVMIsALoadInst(instruction)    ? LLVMTypeOf(instruction)
           : LLVMIsAStoreInst(instruction) ? LLVMTypeOf(LLVMGetOperand(instruction, 0))
                                           : NULL;
    if (!type || !LLVMTypeIsSized(type) || LLVMGetTypeKind(type) == LLVMScalableVectorTypeKind)
        return goal;
    goal.size = LLVMStoreSizeOfType(names->layout, type);
    goal.shape = shape_of(type);
    return goal;
}

static void begin(struct darn_names *names, LLVMValueRef instruction)
{
    LLVMMetadataRef location = LLVMInstructionGetDebugLoc(instruction);

    names->function = location ? darn_di_function(LLVMDILocationGetScope(location)) : NULL;
    names->owner = NULL;
    names->is_behind = 0;
}

static void name_now(struct darn_names *names, LLVMValueRef instruction, LLVMValueRef pointer,
                     char *to, size_t size)
{
    struct darn_text text;

    names->bit = darn_bits_first(instruction);
    darn_text_start(&text, to, size);
    names->goal = goal_of(names, instruction);
    name_of_pointer(names, pointer, 0, &text);
    if (!to[0]) {
        names->owner = NULL; /* that was of a pointer on the way */
        names->is_behind = 0;
        name_by_tbaa(names, instruction, &text);
    }
}

void darn_names_note(struct darn_names *names, LLVMValueRef instruction, LLVMValueRef pointer)
{
    char variable[MAX_NAME];

    begin(names, instruction);
    name_now(names, instruction, pointer, variable, sizeof(variable));
    darn_early_add(names->function, instruction, pointer,
                   (struct darn_early){variable, names->owner, names->is_behind});
}

void darn_names_prefer_globals(struct darn_names *names)
{
    names->prefers_globals = 1;
}

static int is_known_global(struct darn_names *names, LLVMValueRef pointer)
{
    struct darn_place place = take_apart(names, pointer);
    int64_t part;

    return LLVMIsAGlobalVariable(place.base) && global_debug_info(names, place.base, &part);
}

/* After inlining, members of the C++ library's classes and of structs that are only declared:
 * before it, they had no such name. */
static int is_doubtful(const char *variable)
{
    return strstr(variable, "->@") || strstr(variable, "._M_") || strstr(variable, "->_M_");
}

void darn_names_variable(struct darn_names *names, LLVMValueRef instruction, LLVMValueRef pointer,
                         char *to, size_t size)
{
    const struct darn_early *early;

    begin(names, instruction);
    early = darn_early_find(names->function, instruction, pointer);
    if (!early || (names->prefers_globals && is_known_global(names, pointer))) {
        name_now(names, instruction, pointer, to, size);
        if (darn_early_has_any() && is_doubtful(to))
            to[0] = '\0';
        return;
    }
    snprintf(to, size, "%s", early->text);
    names->owner = early->owner;
    names->is_behind = early->is_behind;
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
