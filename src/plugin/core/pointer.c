#include "plugin/core/pointer.h"

#include "plugin/core/guard.h"
#include "site/site.h"

int darn_access_stores_pointer(const struct darn_plugin_access *access)
{
    LLVMTypeRef type = access->value ? LLVMTypeOf(access->value) : NULL;

    return type && access->kind == DARN_SITE_WRITE &&
           LLVMGetTypeKind(type) == LLVMPointerTypeKind && LLVMGetPointerAddressSpace(type) == 0 &&
           !LLVMIsConstant(access->value);
}

/* Clang makes numbers of some pointers before it exchanges them: the size must do. */
LLVMValueRef darn_update_value(LLVMValueRef instruction, LLVMTargetDataRef layout)
{
    LLVMValueRef value = NULL;

    if (LLVMIsAAtomicCmpXchgInst(instruction))
        value = LLVMGetOperand(instruction, 2);
    else if (LLVMGetAtomicRMWBinOp(instruction) == LLVMAtomicRMWBinOpXchg)
        value = LLVMGetOperand(instruction, 1);
    if (!value || LLVMIsConstant(value) ||
        LLVMStoreSizeOfType(layout, LLVMTypeOf(value)) != LLVMPointerSize(layout))
        return NULL;
    return value;
}

/* So it is with atomic stores. */
static int may_be_pointer(const struct darn_plugin_access *access)
{
    LLVMTypeRef type = LLVMTypeOf(access->value);

    if (access->kind == DARN_SITE_UPDATE || darn_access_stores_pointer(access))
        return 1;
    return access->flags & DARN_SITE_ATOMIC && !LLVMIsConstant(access->value) &&
           LLVMGetTypeKind(type) == LLVMIntegerTypeKind && access->size == sizeof(void *);
}

uint16_t darn_value_flags(const struct darn_plugin_access *access)
{
    uint16_t flags = access->kind == DARN_SITE_WRITE ? DARN_SITE_VALUE : 0;

    if (!access->value || !darn_guards_take(access->value))
        return 0;
    return flags | (may_be_pointer(access) ? DARN_SITE_POINTER : 0);
}
