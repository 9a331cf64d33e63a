#include "plugin/heal/pin.h"

#include <string.h>

/* Says that the source's store was not volatile. A load needs no such mark: no program in C or C++
 * has an atomic one that is unordered. */
static unsigned pinned_kind(LLVMValueRef instruction)
{
    static const char name[] = "darn.pinned";

    return LLVMGetMDKindIDInContext(LLVMGetTypeContext(LLVMTypeOf(instruction)), name,
                                    (unsigned)strlen(name));
}

/* Whether the machine loads it at once: everything else would become a call. */
static int can_be_atomic(LLVMValueRef load, LLVMTargetDataRef layout)
{
    LLVMTypeRef type = LLVMTypeOf(load);
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    unsigned long long bits = LLVMTypeIsSized(type) ? LLVMSizeOfTypeInBits(layout, type) : 0;

    return (kind == LLVMIntegerTypeKind || kind == LLVMPointerTypeKind ||
            kind == LLVMFloatTypeKind || kind == LLVMDoubleTypeKind) &&
           (bits == 8 || bits == 16 || bits == 32 || bits == 64) &&
           LLVMGetAlignment(load) >= bits / 8;
}

void darn_pin(LLVMValueRef instruction, LLVMTargetDataRef layout)
{
    LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(instruction));
    int is_store = LLVMIsAStoreInst(instruction) != NULL;

    if ((!is_store && !LLVMIsALoadInst(instruction)) || LLVMGetVolatile(instruction) ||
        LLVMGetOrdering(instruction) != LLVMAtomicOrderingNotAtomic)
        return;
    if (is_store) {
        LLVMSetVolatile(instruction, 1);
        LLVMSetMetadata(instruction, pinned_kind(instruction),
                        LLVMMetadataAsValue(context, LLVMMDNodeInContext2(context, NULL, 0)));
    } else if (can_be_atomic(instruction, layout)) {
        LLVMSetOrdering(instruction, LLVMAtomicOrderingUnordered);
    }
}

static void release(LLVMValueRef instruction)
{
    if (LLVMIsAStoreInst(instruction) && LLVMGetMetadata(instruction, pinned_kind(instruction))) {
        LLVMSetVolatile(instruction, 0);
        LLVMSetMetadata(instruction, pinned_kind(instruction), NULL);
    }
    if (LLVMIsALoadInst(instruction) && LLVMGetOrdering(instruction) == LLVMAtomicOrderingUnordered)
        LLVMSetOrdering(instruction, LLVMAtomicOrderingNotAtomic);
}

static void release_all(LLVMValueRef function)
{
    LLVMBasicBlockRef block;
    LLVMValueRef in;

    for (block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block)) {
        for (in = LLVMGetFirstInstruction(block); in; in = LLVMGetNextInstruction(in))
            release(in);
    }
}

void darn_pin_release(LLVMModuleRef module)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        release_all(f);
}
