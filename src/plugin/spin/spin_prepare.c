#include <llvm-c/Error.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <string.h>

#include "plugin/core/flow.h"
#include "plugin/spin/idle.h"
#include "plugin/spin/quiet.h"
#include "plugin/spin/spin.h"

/* Functions called by functions called by functions that a loop calls. */
#define MAX_LEVELS 8

/* Looks for calls to be replaced by what they call. */
struct preparation {
    int (*is_watched)(LLVMValueRef function);
    struct darn_idle idle;
    LLVMAttributeRef inlined;
    unsigned marked;
};

static void mark_calls(struct preparation *preparation, const struct darn_body *body)
{
    LLVMAttributeIndex index = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;

    for (unsigned i = 0; i < body->count; i++) {
        LLVMValueRef in = LLVMGetFirstInstruction(body->blocks[i]);

        for (; in; in = LLVMGetNextInstruction(in)) {
            if (!LLVMIsACallInst(in) && !LLVMIsAInvokeInst(in))
                continue;
            if (darn_quiet_call(&preparation->idle.quiets, in) != DARN_READS ||
                !darn_quiet_can_inline(in) || !preparation->is_watched(LLVMGetCalledValue(in)))
                continue;
            LLVMAddCallSiteAttribute(in, index, preparation->inlined);
            preparation->marked++;
        }
    }
}

static void prepare_loop(void *context, const struct darn_body *body, const struct darn_body *whole)
{
    struct preparation *preparation = context;

    (void)whole;
    if (darn_idle_body(&preparation->idle, body, DARN_READS))
        mark_calls(preparation, body);
}

/* Returns how many calls were marked to be inlined. */
static unsigned prepare_functions(LLVMModuleRef module, int (*is_watched)(LLVMValueRef function))
{
    struct preparation preparation = {.is_watched = is_watched};
    unsigned kind = LLVMGetEnumAttributeKindForName("alwaysinline", strlen("alwaysinline"));

    preparation.inlined = LLVMCreateEnumAttribute(LLVMGetModuleContext(module), kind, 0);
    darn_idle_init(&preparation.idle);
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        struct darn_flow flow;

        if (!is_watched(f) || darn_flow_init(&flow, f))
            continue;
        darn_flow_loops(&flow, prepare_loop, &preparation);
        darn_flow_free(&flow);
    }
    darn_idle_free(&preparation.idle);
    return preparation.marked;
}

void darn_spins_prepare(LLVMModuleRef module, int (*is_watched)(LLVMValueRef function))
{
    for (int level = 0; level < MAX_LEVELS && prepare_functions(module, is_watched); level++) {
        LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
        LLVMErrorRef error = LLVMRunPasses(module, "always-inline", NULL, options);

        LLVMConsumeError(error); /* the loops are not recognised then */
        LLVMDisposePassBuilderOptions(options);
        if (error)
            return;
    }
}
