#include "plugin/name/bits.h"

#include <stddef.h>
#include <stdint.h>

static int is_op(LLVMValueRef value, LLVMOpcode opcode)
{
    return LLVMIsAInstruction(value) && LLVMGetInstructionOpcode(value) == opcode;
}

/* Of an operation with a constant on its right: that one. */
static int has_constant(LLVMValueRef operation, uint64_t *constant)
{
    LLVMValueRef right = LLVMGetOperand(operation, 1);

    if (!LLVMIsAConstantInt(right) || LLVMGetIntTypeWidth(LLVMTypeOf(right)) > 64)
        return 0;
    *constant = LLVMConstIntGetZExtValue(right);
    return 1;
}

static unsigned lowest(uint64_t bits)
{
    return bits ? (unsigned)__builtin_ctzll(bits) : 0;
}

/* What is kept of the word by `and` is the rest of it. */
static int is_cleared(LLVMValueRef value, unsigned *first)
{
    uint64_t kept;

    if (!is_op(value, LLVMAnd) || !has_constant(value, &kept))
        return 0;
    *first = lowest(~kept);
    return 1;
}

static unsigned first_written(LLVMValueRef value)
{
    unsigned first = 0;
    uint64_t set;

    if (is_cleared(value, &first) || !is_op(value, LLVMOr))
        return first;
    if (is_cleared(LLVMGetOperand(value, 0), &first) ||
        is_cleared(LLVMGetOperand(value, 1), &first))
        return first;
    return has_constant(value, &set) ? lowest(set) : 0;
}

/* Whether it is written back. */
static int is_stored(LLVMValueRef value)
{
    for (LLVMUseRef use = LLVMGetFirstUse(value); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);

        if ((LLVMIsAStoreInst(user) && LLVMGetOperand(user, 0) == value) ||
            (is_op(user, LLVMOr) && is_stored(user)))
            return 1;
    }
    return 0;
}

/* shl by as much as there is above the field, then ashr by as much as there is beside it. */
static unsigned first_shifted(LLVMValueRef left, uint64_t above)
{
    LLVMUseRef use = LLVMGetFirstUse(left);
    LLVMValueRef right = use ? LLVMGetUser(use) : NULL;
    uint64_t beside;

    return right && is_op(right, LLVMAShr) && has_constant(right, &beside) && beside > above
               ? (unsigned)(beside - above)
               : 0;
}

static unsigned first_used(LLVMValueRef user, LLVMValueRef loaded)
{
    uint64_t constant;

    if (!LLVMIsABinaryOperator(user) || LLVMGetOperand(user, 0) != loaded ||
        !has_constant(user, &constant))
        return 0;
    switch (LLVMGetInstructionOpcode(user)) {
    case LLVMLShr:
    case LLVMAShr:
        return (unsigned)constant;
    case LLVMShl:
        return first_shifted(user, constant);
    case LLVMAnd:
        return lowest(is_stored(user) ? ~constant : constant);
    case LLVMOr:
        return is_stored(user) ? lowest(constant) : 0;
    default:
        return 0;
    }
}

unsigned darn_bits_first(LLVMValueRef access)
{
    unsigned first = 0;

    if (LLVMIsAStoreInst(access))
        return first_written(LLVMGetOperand(access, 0));
    if (!LLVMIsALoadInst(access))
        return 0;
    for (LLVMUseRef use = LLVMGetFirstUse(access); use && !first; use = LLVMGetNextUse(use))
        first = first_used(LLVMGetUser(use), access);
    return first;
}
