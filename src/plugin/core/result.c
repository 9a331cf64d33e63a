#include "plugin/core/result.h"

/* Without optimization the result is stored, loaded, added to and dropped: so many steps. */
#define DEPTH 6

static int is_unused(LLVMValueRef value, int depth);

/* A variable of the function that is only stored to and loaded, and what is loaded is dropped. */
static int is_write_only(LLVMValueRef variable, int depth)
{
    if (!LLVMIsAAllocaInst(variable))
        return 0;
    for (LLVMUseRef use = LLVMGetFirstUse(variable); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);

        if (LLVMIsAStoreInst(user) && LLVMGetOperand(user, 1) == variable &&
            LLVMGetOperand(user, 0) != variable)
            continue;
        if (!LLVMIsALoadInst(user) || !is_unused(user, depth))
            return 0;
    }
    return 1;
}

static int drops(LLVMValueRef user, LLVMValueRef value, int depth)
{
    if (LLVMIsAStoreInst(user))
        return LLVMGetOperand(user, 0) == value && is_write_only(LLVMGetOperand(user, 1), depth);
    return (LLVMIsABinaryOperator(user) || LLVMIsACastInst(user)) && is_unused(user, depth);
}

static int is_unused(LLVMValueRef value, int depth)
{
    for (LLVMUseRef use = LLVMGetFirstUse(value); use; use = LLVMGetNextUse(use)) {
        if (depth == 0 || !drops(LLVMGetUser(use), value, depth - 1))
            return 0;
    }
    return 1;
}

int darn_result_is_unused(LLVMValueRef update)
{
    return LLVMIsAAtomicRMWInst(update) && is_unused(update, DEPTH);
}
