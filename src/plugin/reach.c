#include "plugin/reach.h"

#include <llvm-c/DebugInfo.h>
#include <stdio.h>
#include <stdlib.h>

#include "plugin/debuginfo.h"
#include "plugin/escape.h"
#include "plugin/libcalls.h"
#include "plugin/names.h"
#include "plugin/pin.h"
#include "plugin/sites.h"
#include "site/site.h"

#define MAX_NAME 256

struct reach {
    const struct darn_wanted *wanted;
    struct darn_names *names;
    struct darn_escape escape;
    LLVMContextRef context;
    LLVMTargetDataRef layout;
    LLVMValueRef *functions; /* those with a body */
    size_t *parent;          /* a set of functions that call each other: its first one */
    char *has_wanted;        /* by the number of a function */
    size_t count;
    struct darn_map numbers; /* function -> number + 1 */
};

static int is_wanted_access(struct reach *reach, LLVMValueRef instruction, LLVMValueRef pointer)
{
    char variable[MAX_NAME];

    if (darn_pointer_is_private(&reach->escape, pointer)) /* a local that has the same name */
        return 0;
    darn_names_variable(reach->names, instruction, pointer, variable, sizeof(variable));
    if (darn_wanted_variable(reach->wanted, variable))
        return 1;
    for (uint8_t kind = DARN_SITE_READ; kind <= DARN_SITE_UPDATE; kind++) {
        if (darn_wanted_key(reach->wanted, darn_sites_key(instruction, kind, 0, reach->names)))
            return 1;
    }
    return 0;
}

static int is_wanted_call(struct reach *reach, LLVMValueRef call)
{
    const struct darn_libcall *libcall = darn_libcall(call);

    if (LLVMIsAMemCpyInst(call) || LLVMIsAMemMoveInst(call))
        return is_wanted_access(reach, call, LLVMGetOperand(call, 0)) ||
               is_wanted_access(reach, call, LLVMGetOperand(call, 1));
    if (LLVMIsAMemSetInst(call))
        return is_wanted_access(reach, call, LLVMGetOperand(call, 0));
    for (int i = 0; libcall && i < DARN_MAX_EFFECTS && libcall->effects[i].extent; i++) {
        if (is_wanted_access(reach, call, LLVMGetArgOperand(call, libcall->effects[i].argument)))
            return 1;
    }
    return 0;
}

static int is_wanted_instruction(struct reach *reach, LLVMValueRef instruction)
{
    switch (LLVMGetInstructionOpcode(instruction)) {
    case LLVMLoad:
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
        return is_wanted_access(reach, instruction, LLVMGetOperand(instruction, 0));
    case LLVMStore:
        return is_wanted_access(reach, instruction, LLVMGetOperand(instruction, 1));
    case LLVMCall:
    case LLVMInvoke:
        return is_wanted_call(reach, instruction);
    default:
        return 0;
    }
}

/* By name: a section may begin and end in functions that it calls. */
static int is_wanted_function(struct reach *reach, LLVMValueRef function)
{
    LLVMMetadataRef subprogram = LLVMGetSubprogram(function);
    LLVMMetadataRef info = subprogram ? LLVMDIScopeGetFile(subprogram) : NULL;
    char file[MAX_NAME], name[MAX_NAME];
    struct darn_text text;
    unsigned length = 0;
    const char *path = info ? LLVMDIFileGetFilename(info, &length) : NULL;

    darn_text_start(&text, name, sizeof(name));
    if (!path ||
        darn_di_string(reach->context,
                       darn_di_operand(reach->context, subprogram, DARN_DI_SUBPROGRAM_NAME), &text))
        return 0;
    snprintf(file, sizeof(file), "%.*s", (int)length, path);
    return darn_wanted_function(reach->wanted, file, name);
}

static size_t first_of(struct reach *reach, size_t number)
{
    while (reach->parent[number] != number) {
        reach->parent[number] = reach->parent[reach->parent[number]];
        number = reach->parent[number];
    }
    return number;
}

static void join_callee(struct reach *reach, size_t number, LLVMValueRef instruction)
{
    LLVMValueRef callee = LLVMIsACallInst(instruction) || LLVMIsAInvokeInst(instruction)
                              ? LLVMGetCalledValue(instruction)
                              : NULL;
    uintptr_t known = callee ? darn_map_get(&reach->numbers, (uintptr_t)callee, 0) : 0;

    if (known)
        reach->parent[first_of(reach, known - 1)] = first_of(reach, number);
}

static void look_at(struct reach *reach, size_t number)
{
    LLVMValueRef function = reach->functions[number], instruction;
    int is_wanted = is_wanted_function(reach, function);
    LLVMBasicBlockRef block;

    reach->has_wanted[number] = (char)is_wanted;
    for (block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block)) {
        for (instruction = LLVMGetFirstInstruction(block); instruction;
             instruction = LLVMGetNextInstruction(instruction)) {
            /* Of a function that has none, one is enough to know it. */
            if (is_wanted || !reach->has_wanted[number]) {
                int found = is_wanted_instruction(reach, instruction);

                reach->has_wanted[number] |= (char)found;
                if (found && is_wanted)
                    darn_pin(instruction, reach->layout);
            }
            join_callee(reach, number, instruction);
        }
    }
}

static void allocate(struct reach *reach, LLVMModuleRef module)
{
    size_t count = 1;
    LLVMValueRef f;

    for (f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        count++;
    reach->functions = calloc(count, sizeof(*reach->functions));
    reach->parent = calloc(count, sizeof(*reach->parent));
    reach->has_wanted = calloc(count, sizeof(*reach->has_wanted));
    if (!reach->functions || !reach->parent || !reach->has_wanted)
        abort();
    for (f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        if (LLVMIsDeclaration(f))
            continue;
        reach->parent[reach->count] = reach->count;
        reach->functions[reach->count++] = f;
        darn_map_put(&reach->numbers, (uintptr_t)f, reach->count);
    }
}

void darn_reach_find(struct darn_map *functions, LLVMModuleRef module,
                     const struct darn_wanted *wanted)
{
    struct reach reach = {.wanted = wanted,
                          .context = LLVMGetModuleContext(module),
                          .layout = LLVMGetModuleDataLayout(module)};

    if (!wanted->count)
        return;
    reach.names = darn_names_create(module, reach.layout);
    darn_escape_init(&reach.escape);
    allocate(&reach, module);
    for (size_t i = 0; i < reach.count; i++)
        look_at(&reach, i);
    for (size_t i = 0; i < reach.count; i++)
        reach.has_wanted[first_of(&reach, i)] |= reach.has_wanted[i];
    for (size_t i = 0; i < reach.count; i++) {
        if (reach.has_wanted[first_of(&reach, i)])
            darn_map_put(functions, (uintptr_t)reach.functions[i], 1);
    }
    darn_names_destroy(reach.names);
    darn_escape_free(&reach.escape);
    darn_map_free(&reach.numbers);
    free(reach.functions);
    free(reach.parent);
    free(reach.has_wanted);
}
