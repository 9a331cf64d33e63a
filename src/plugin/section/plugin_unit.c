#include "plugin/section/plugin_unit.h"

#include <string.h>

#include "plugin/core/ignore.h"
#include "site/site_guard.h"
#include "site/site.h"

/* The annotations of DARN_ATOMIC_FUNCTION and DARN_NOT_ATOMIC_FUNCTION. */
#define ATOMIC     "darn.atomic"
#define NOT_ATOMIC "darn.not_atomic"

/* What DARN_ATOMIC_BEGIN and DARN_ATOMIC_END call; the variable is the first argument. */
static const struct {
    const char *function, *hook;
} ends[] = {
    {"darn_atomic_begin", DARN_HOOK_BLOCK_BEGIN},
    {"darn_atomic_end", DARN_HOOK_BLOCK_END},
};

void darn_units_init(struct darn_units *units, LLVMModuleRef module)
{
    *units = (struct darn_units){0};
    darn_annotated(&units->atomics, module, ATOMIC);
    darn_annotated(&units->not_atomics, module, NOT_ATOMIC);
}

void darn_units_free(struct darn_units *units)
{
    darn_map_free(&units->atomics);
    darn_map_free(&units->not_atomics);
}

int darn_units_is_atomic(const struct darn_units *units, LLVMValueRef function)
{
    return darn_map_get(&units->atomics, (uintptr_t)function, 0) != 0;
}

uint16_t darn_units_flags(const struct darn_units *units, LLVMValueRef function)
{
    if (darn_units_is_atomic(units, function))
        return DARN_SITE_UNIT;
    return darn_map_get(&units->not_atomics, (uintptr_t)function, 0) ? DARN_SITE_NO_UNIT : 0;
}

/* The hook for a call of one of the two; NULL for any other instruction. */
static const char *hook_for(LLVMValueRef instruction)
{
    LLVMValueRef callee;
    const char *name;
    size_t length;

    if (!LLVMIsACallInst(instruction) && !LLVMIsAInvokeInst(instruction))
        return NULL;
    callee = LLVMGetCalledValue(instruction);
    if (!callee || !LLVMIsAFunction(callee) || !LLVMGetNumArgOperands(instruction))
        return NULL;
    name = LLVMGetValueName2(callee, &length);
    for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
        if (strcmp(name, ends[i].function) == 0)
            return ends[i].hook;
    }
    return NULL;
}

void darn_units_instrument(struct darn_guards *guards, struct darn_sites *sites,
                           struct darn_names *names, LLVMValueRef function)
{
    LLVMBasicBlockRef block;
    LLVMValueRef in;

    for (block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block)) {
        for (in = LLVMGetFirstInstruction(block); in; in = LLVMGetNextInstruction(in)) {
            struct darn_plugin_access access = {
                .instruction = in, .kind = DARN_SITE_FUNCTION, .flags = DARN_SITE_UNIT};
            const char *hook = hook_for(in);

            if (!hook)
                continue;
            access.pointer = LLVMGetOperand(in, 0);
            darn_guards_place_block(guards, in, hook, access.pointer,
                                    darn_sites_record(sites, &access, names).site);
        }
    }
}
