#include "plugin/spin/idle.h"

#include "plugin/spin/loop.h"
#include "plugin/spin/spin_trace.h"

/* Of a loop that waits; at -O0, with the functions that it calls put in place. */
#define MAX_INSTRUCTIONS 1500

void darn_idle_init(struct darn_idle *idle)
{
    *idle = (struct darn_idle){0};
    darn_escape_init(&idle->escape);
}

void darn_idle_free(struct darn_idle *idle)
{
    darn_escape_free(&idle->escape);
    darn_quiets_free(&idle->quiets);
}

int darn_idle_is_update(LLVMValueRef instruction)
{
    return LLVMIsAAtomicRMWInst(instruction) || LLVMIsAAtomicCmpXchgInst(instruction);
}

/* Whether a loop that only waits may do this, as far as the instruction itself says. */
static int is_idle(struct darn_idle *idle, LLVMValueRef instruction, enum darn_quiet least)
{
    switch (LLVMGetInstructionOpcode(instruction)) {
    case LLVMStore:
        return darn_trace_is_own(&idle->escape, LLVMGetOperand(instruction, 1));
    case LLVMCall:
    case LLVMInvoke:
        if (LLVMIsAMemIntrinsic(instruction))
            return darn_trace_is_own(&idle->escape, LLVMGetOperand(instruction, 0));
        return darn_quiet_call(&idle->quiets, instruction) >= least;
    case LLVMCallBr:
    case LLVMIndirectBr:
    case LLVMVAArg:
    case LLVMLandingPad:
    case LLVMAlloca:
        return 0;
    default:
        return 1;
    }
}

int darn_idle_body(struct darn_idle *idle, const struct darn_body *body, enum darn_quiet least)
{
    unsigned count = 0;

    for (unsigned i = 0; i < body->count; i++) {
        LLVMValueRef in = LLVMGetFirstInstruction(body->blocks[i]);

        for (; in; in = LLVMGetNextInstruction(in)) {
            if (++count > MAX_INSTRUCTIONS || !is_idle(idle, in, least))
                return 0;
        }
    }
    return 1;
}

int darn_idle_duties(struct darn_idle *idle, LLVMBasicBlockRef block)
{
    int found = 0;

    for (LLVMValueRef in = LLVMGetFirstInstruction(block); in; in = LLVMGetNextInstruction(in)) {
        int is_call = LLVMIsACallInst(in) || LLVMIsAInvokeInst(in);

        if (darn_idle_is_update(in))
            found |= DARN_DUTY_UPDATES;
        else if (!is_idle(idle, in, DARN_SILENT))
            found |= is_call ? DARN_DUTY_WORK | DARN_DUTY_CALLS : DARN_DUTY_WORK;
        else if (is_call && darn_quiet_is_pause(in))
            found |= DARN_DUTY_PAUSES;
    }
    return found;
}

int darn_idle_duties_of(struct darn_idle *idle, const struct darn_body *body,
                        const struct darn_body *without)
{
    int found = 0;

    for (unsigned i = 0; i < body->count; i++) {
        if (!without || darn_body_find(without, body->blocks[i]) < 0)
            found |= darn_idle_duties(idle, body->blocks[i]);
    }
    return found;
}
