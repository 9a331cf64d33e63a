#include "plugin/name/early.h"

#include <llvm-c/DebugInfo.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/map.h"
#include "plugin/call/libcalls.h"
#include "plugin/core/debuginfo.h"
#include "plugin/name/names.h"
#include "plugin/core/plugin_escape.h"

/* What is done at a place. Of a call that is an access (strlen), each argument is one. */
enum { NO_ACCESS, READ, WRITE, UPDATE, ARGUMENT };

struct entry {
    struct darn_early name;
    int is_ambiguous;
    int is_untyped; /* one of the accesses is a copy: it may become one of any type */
};

static struct entry *entries;
static size_t count, capacity;
static struct darn_map by_place; /* hash -> index + 1; a collision is one in 2^63, as in origin.c */

static unsigned argument_of(LLVMValueRef call, LLVMValueRef pointer)
{
    unsigned arguments = LLVMGetNumArgOperands(call);

    for (unsigned i = 0; i < arguments; i++) {
        if (LLVMGetArgOperand(call, i) == pointer)
            return ARGUMENT + i;
    }
    return NO_ACCESS;
}

static unsigned access_of(LLVMValueRef instruction, LLVMValueRef pointer)
{
    switch (LLVMGetInstructionOpcode(instruction)) {
    case LLVMLoad:
        return READ;
    case LLVMStore:
        return WRITE;
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
        return UPDATE;
    case LLVMCall:
    case LLVMInvoke:
        if (LLVMIsAMemSetInst(instruction))
            return WRITE;
        if (LLVMIsAMemCpyInst(instruction) || LLVMIsAMemMoveInst(instruction))
            return LLVMGetOperand(instruction, 0) == pointer ? WRITE : READ;
        return argument_of(instruction, pointer);
    default:
        return NO_ACCESS;
    }
}

/* Of `p[i]`, clang gives the pointer and the element the same place: only their types tell them
 * apart. 0 for a call. */
static uint64_t shape_of(LLVMValueRef instruction)
{
    LLVMTypeRef type = LLVMIsALoadInst(instruction)    ? LLVMTypeOf(instruction)
                       : LLVMIsAStoreInst(instruction) ? LLVMTypeOf(LLVMGetOperand(instruction, 0))
                                                       : NULL;
    LLVMTypeKind kind;

    if (!type)
        return 0;
    kind = LLVMGetTypeKind(type);
    return 1 + (uint64_t)kind +
           ((uint64_t)(kind == LLVMIntegerTypeKind ? LLVMGetIntTypeWidth(type) : 0) << 8);
}

/* What the function is called: the optimizer copies functions, and the copies keep that. */
static uintptr_t name_of_function(LLVMMetadataRef function)
{
    static LLVMMetadataRef last;
    static uintptr_t known;

    if (function != last || !function) {
        LLVMMetadataRef name =
            function ? darn_di_operand(function, DARN_DI_SUBPROGRAM_LINKAGE) : NULL;

        if (function && !name)
            name = darn_di_operand(function, DARN_DI_SUBPROGRAM_NAME);
        known = (uintptr_t)name;
        last = function;
    }
    return known;
}

/* 0 when the access has no place in the source. */
static uint64_t place_of(LLVMMetadataRef function, LLVMValueRef instruction, LLVMValueRef pointer)
{
    unsigned line = LLVMGetDebugLocLine(instruction), length = 0;
    unsigned access = line ? access_of(instruction, pointer) : NO_ACCESS;
    const char *file;
    uint64_t hash;

    if (!access)
        return 0;
    file = LLVMGetDebugLocFilename(instruction, &length);
    hash = darn_hash_bytes(DARN_HASH_START, file, file ? length : 0);
    hash = darn_fold(hash, name_of_function(function));
    hash = darn_fold(hash, (uint64_t)line << 32 | LLVMGetDebugLocColumn(instruction));
    return darn_fold(hash, access) | 1;
}

static struct entry *entry_at(uint64_t place)
{
    size_t number = darn_map_get(&by_place, place, 0);

    return number ? &entries[number - 1] : NULL;
}

static int is_same(const struct darn_early *one, const struct darn_early *other)
{
    return one->owner == other->owner && one->is_behind == other->is_behind &&
           strcmp(one->text, other->text) == 0;
}

static void add_at(uint64_t place, const struct darn_early *name, int is_untyped)
{
    struct entry *entry = entry_at(place);

    if (!entry) {
        if (count == capacity) {
            capacity = capacity ? 2 * capacity : 256;
            entries = realloc(entries, capacity * sizeof(*entries));
            if (!entries)
                abort();
        }
        entry = &entries[count++];
        *entry = (struct entry){.name = *name};
        entry->name.text = strdup(name->text);
        if (!entry->name.text)
            abort();
        darn_map_put(&by_place, place, count);
    }
    entry->is_ambiguous |= !is_same(&entry->name, name);
    entry->is_untyped |= is_untyped;
}

void darn_early_add(LLVMMetadataRef function, LLVMValueRef instruction, LLVMValueRef pointer,
                    struct darn_early name)
{
    uint64_t place = place_of(function, instruction, pointer);
    uint64_t shape = shape_of(instruction);

    if (!place)
        return;
    add_at(place, &name, !shape);
    if (shape)
        add_at(darn_fold(place, shape) | 1, &name, 0);
}

/* Of stores to several members the optimizer makes one memset, with the place of one of them. Of a
 * loop over elements, too: there the name holds. */
static int is_merged(LLVMValueRef instruction, const struct entry *entry)
{
    size_t length = strlen(entry->name.text);

    return LLVMIsAMemSetInst(instruction) && !entry->is_untyped && length &&
           entry->name.text[length - 1] != ']';
}

const struct darn_early *darn_early_find(LLVMMetadataRef function, LLVMValueRef instruction,
                                         LLVMValueRef pointer)
{
    uint64_t place = count ? place_of(function, instruction, pointer) : 0;
    uint64_t shape = shape_of(instruction);
    const struct entry *entry = place ? entry_at(place) : NULL;

    if (entry && is_merged(instruction, entry))
        return NULL;
    if (entry && entry->is_ambiguous)
        entry = shape && !entry->is_untyped ? entry_at(darn_fold(place, shape) | 1) : NULL;
    return entry && !entry->is_ambiguous && entry->name.text[0] ? &entry->name : NULL;
}

static void note_call(struct darn_names *names, struct darn_plugin_escape *escape,
                      LLVMValueRef call)
{
    const struct darn_libcall *libcall;

    if (LLVMIsAMemCpyInst(call) || LLVMIsAMemMoveInst(call) || LLVMIsAMemSetInst(call)) {
        for (unsigned i = 0; i < (LLVMIsAMemSetInst(call) ? 1 : 2); i++) {
            if (!darn_pointer_is_private(escape, LLVMGetOperand(call, i)))
                darn_names_note(names, call, LLVMGetOperand(call, i));
        }
        return;
    }
    libcall = darn_libcall(call);
    if (!libcall)
        libcall = darn_buffer_call(call);
    for (int i = 0; libcall && i < DARN_MAX_EFFECTS && libcall->effects[i].extent; i++)
        darn_names_note(names, call, LLVMGetArgOperand(call, libcall->effects[i].argument));
}

static void note_instruction(struct darn_names *names, struct darn_plugin_escape *escape,
                             LLVMValueRef instruction)
{
    LLVMValueRef pointer;

    switch (LLVMGetInstructionOpcode(instruction)) {
    case LLVMLoad:
    case LLVMStore:
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
        pointer = LLVMGetOperand(instruction, LLVMIsAStoreInst(instruction) ? 1 : 0);
        if (!darn_pointer_is_private(escape, pointer))
            darn_names_note(names, instruction, pointer);
        break;
    case LLVMCall:
    case LLVMInvoke:
        note_call(names, escape, instruction);
        break;
    default:
        break;
    }
}

void darn_early_note(struct darn_names *names, struct darn_plugin_escape *escape,
                     LLVMValueRef function)
{
    LLVMBasicBlockRef block;
    LLVMValueRef instruction;

    for (block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block)) {
        for (instruction = LLVMGetFirstInstruction(block); instruction;
             instruction = LLVMGetNextInstruction(instruction))
            note_instruction(names, escape, instruction);
    }
}

int darn_early_has_any(void)
{
    return count != 0;
}

void darn_early_forget(void)
{
    for (size_t i = 0; i < count; i++)
        free((char *)entries[i].name.text);
    free(entries);
    entries = NULL;
    count = capacity = 0;
    darn_map_free(&by_place);
    by_place = (struct darn_map){0};
}
