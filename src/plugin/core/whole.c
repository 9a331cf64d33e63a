#include "plugin/core/whole.h"

#include <stddef.h>
#include <stdlib.h>

#include "base/grow.h"

/* What the compiler must leave alone, since it is used in ways that it does not see. */
#define USED "llvm.compiler.used"

struct used {
    LLVMValueRef *items;
    size_t count, capacity;
};

static void add(struct used *used, LLVMValueRef value)
{
    used->items = darn_grow(used->items, &used->capacity, used->count + 1, sizeof(*used->items));
    used->items[used->count++] = value;
}

/* A pointer that no other module knows. */
static int is_static_pointer(LLVMValueRef global)
{
    LLVMLinkage linkage = LLVMGetLinkage(global);

    return (linkage == LLVMInternalLinkage || linkage == LLVMPrivateLinkage) &&
           LLVMGetTypeKind(LLVMGlobalGetValueType(global)) == LLVMPointerTypeKind &&
           LLVMGetInitializer(global) && LLVMIsNull(LLVMGetInitializer(global)) &&
           !LLVMIsGlobalConstant(global) && !LLVMIsThreadLocal(global);
}

/* Whether nothing is done with it but to load it, and to store to it in one place, unless that sets
 * it back. */
static int is_set_once(LLVMValueRef global)
{
    int loads = 0, stores = 0;

    for (LLVMUseRef use = LLVMGetFirstUse(global); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);

        if (LLVMIsALoadInst(user))
            loads++;
        else if (!LLVMIsAStoreInst(user) || LLVMGetOperand(user, 1) != global)
            return 0;
        else if (!LLVMIsAConstantPointerNull(LLVMGetOperand(user, 0)))
            stores++;
    }
    return loads && stores == 1;
}

/* Takes over those that are there already. */
static void take_over(LLVMModuleRef module, struct used *used)
{
    LLVMValueRef old = LLVMGetNamedGlobal(module, USED);
    LLVMValueRef list = old ? LLVMGetInitializer(old) : NULL;

    for (int i = 0; list && i < LLVMGetNumOperands(list); i++)
        add(used, LLVMGetOperand(list, (unsigned)i));
    if (old)
        LLVMDeleteGlobal(old);
}

void darn_whole_keep(LLVMModuleRef module)
{
    LLVMTypeRef pointer = LLVMPointerTypeInContext(LLVMGetModuleContext(module), 0);
    struct used used = {0};
    LLVMValueRef list;

    for (LLVMValueRef global = LLVMGetFirstGlobal(module); global;
         global = LLVMGetNextGlobal(global)) {
        if (is_static_pointer(global) && is_set_once(global))
            add(&used, global);
    }
    if (!used.count)
        return;
    take_over(module, &used);
    list = LLVMAddGlobal(module, LLVMArrayType2(pointer, used.count), USED);
    LLVMSetLinkage(list, LLVMAppendingLinkage);
    LLVMSetSection(list, "llvm.metadata");
    LLVMSetInitializer(list, LLVMConstArray2(pointer, used.items, used.count));
    free(used.items);
}
