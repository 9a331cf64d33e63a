#include "plugin/name/locals.h"

#include <stdlib.h>
#include <string.h>

#include "plugin/core/debuginfo.h"
#include "plugin/core/plugin.h"

/*
 * Debug records hang on instructions where the C API does not see them; as calls of llvm.dbg.value,
 * llvm.dbg.declare and llvm.dbg.assign, the older form, it does.
 */
static void add_variable(struct darn_locals *locals, LLVMValueRef value, LLVMMetadataRef info,
                         int is_at)
{
    size_t first = darn_map_get(&locals->by_value, (uintptr_t)value, 0);

    for (size_t i = first; i; i = locals->items[i - 1].next) {
        if (locals->items[i - 1].info == info)
            return;
    }
    if (locals->count == locals->capacity) {
        locals->capacity = locals->capacity ? 2 * locals->capacity : 256;
        locals->items = realloc(locals->items, locals->capacity * sizeof(*locals->items));
        if (!locals->items)
            abort();
    }
    locals->items[locals->count++] = (struct darn_local){info, is_at, first};
    darn_map_put(&locals->by_value, (uintptr_t)value, locals->count);
}

static int is_whole(LLVMValueRef call, unsigned expression)
{
    LLVMMetadataRef node = LLVMValueAsMetadata(LLVMGetOperand(call, expression));

    return LLVMGetMetadataKind(node) == LLVMDIExpressionMetadataKind &&
           darn_shim_expression_offset(node) == 0;
}

static void collect_variable(struct darn_locals *locals, LLVMValueRef call, unsigned operand,
                             int is_at)
{
    LLVMValueRef location = LLVMGetOperand(call, operand), value = NULL;
    LLVMMetadataRef variable = LLVMValueAsMetadata(LLVMGetOperand(call, 1));

    if (LLVMGetMetadataKind(LLVMValueAsMetadata(location)) != LLVMLocalAsMetadataMetadataKind ||
        !is_whole(call, 2))
        return;
    LLVMGetMDNodeOperands(location, &value);
    if (value)
        add_variable(locals, value, variable, is_at);
}

static void collect_variables(struct darn_locals *locals, LLVMValueRef function)
{
    LLVMBasicBlockRef block;
    LLVMValueRef instruction;

    for (block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block)) {
        for (instruction = LLVMGetFirstInstruction(block); instruction;
             instruction = LLVMGetNextInstruction(instruction)) {
            size_t length;
            const char *callee;

            if (!LLVMIsADbgInfoIntrinsic(instruction))
                continue;
            callee = LLVMGetValueName2(LLVMGetCalledValue(instruction), &length);
            if (strcmp(callee, "llvm.dbg.value") == 0)
                collect_variable(locals, instruction, 0, 0);
            else if (strcmp(callee, "llvm.dbg.declare") == 0)
                collect_variable(locals, instruction, 0, 1);
            else if (strcmp(callee, "llvm.dbg.assign") == 0 && is_whole(instruction, 5))
                collect_variable(locals, instruction, 4, 1); /* at -O1 and above */
        }
    }
}

void darn_locals_init(struct darn_locals *locals, LLVMModuleRef module)
{
    LLVMBool records = LLVMIsNewDbgInfoFormat(module);

    *locals = (struct darn_locals){0};
    if (records)
        LLVMSetIsNewDbgInfoFormat(module, 0);
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        collect_variables(locals, f);
    if (records)
        LLVMSetIsNewDbgInfoFormat(module, 1);
}

void darn_locals_free(struct darn_locals *locals)
{
    darn_map_free(&locals->by_value);
    free(locals->items);
}

int darn_locals_know(const struct darn_locals *locals, LLVMValueRef value)
{
    return darn_map_get(&locals->by_value, (uintptr_t)value, 0) != 0;
}

/* A variable of the function that makes the access names it best, then one whose type says more. */
static int quality(const struct darn_local *variable, LLVMMetadataRef function)
{
    LLVMMetadataRef type = darn_di_operand(variable->info, DARN_DI_VARIABLE_TYPE);
    LLVMMetadataRef scope = darn_di_operand(variable->info, 0);
    int own = darn_di_function(scope) == function;

    return 2 * own + (variable->is_at || darn_di_pointee(type));
}

const struct darn_local *darn_local_of(const struct darn_locals *locals, LLVMValueRef value,
                                       LLVMMetadataRef function)
{
    const struct darn_local *best = NULL;
    size_t i = darn_map_get(&locals->by_value, (uintptr_t)value, 0);

    for (; i; i = locals->items[i - 1].next) {
        const struct darn_local *variable = &locals->items[i - 1];

        if (!best || quality(variable, function) > quality(best, function))
            best = variable;
    }
    return best;
}

const struct darn_local *darn_local_of_phi(const struct darn_locals *locals, LLVMValueRef phi,
                                           LLVMMetadataRef function)
{
    const struct darn_local *known = NULL;

    for (unsigned i = 0; i < LLVMCountIncoming(phi) && !known; i++)
        known = darn_local_of(locals, LLVMGetIncomingValue(phi, i), function);
    return known && !known->is_at ? known : NULL;
}
