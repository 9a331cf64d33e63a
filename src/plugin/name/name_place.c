#include "plugin/name/name_place.h"

#include "plugin/core/plugin_escape.h"

static void add_index(LLVMTargetDataRef layout, struct darn_place *place, LLVMValueRef index,
                      LLVMTypeRef type, int steps)
{
    uint64_t size = LLVMABISizeOfType(layout, type);
    int64_t distance;

    if (LLVMIsAConstantInt(index)) {
        distance = LLVMConstIntGetSExtValue(index) * (int64_t)size;
        place->offset += distance;
        if (steps)
            place->step += distance;
        return;
    }
    place->variable = 1;
    if (steps) {
        place->is_stepped = 1;
        place->stride = size;
    } else {
        place->is_inside = 1;
    }
}

void darn_place_step(LLVMTargetDataRef layout, struct darn_place *place)
{
    LLVMValueRef gep = place->base;
    LLVMTypeRef type = LLVMGetGEPSourceElementType(gep);
    unsigned count = (unsigned)LLVMGetNumOperands(gep);

    add_index(layout, place, LLVMGetOperand(gep, 1), type, 1);
    for (unsigned i = 2; i < count; i++) {
        LLVMValueRef index = LLVMGetOperand(gep, i);

        if (LLVMGetTypeKind(type) == LLVMStructTypeKind) {
            unsigned field = (unsigned)LLVMConstIntGetZExtValue(index);

            place->offset += (int64_t)LLVMOffsetOfElement(layout, type, field);
            type = LLVMStructGetTypeAtIndex(type, field);
        } else {
            type = LLVMGetElementType(type);
            add_index(layout, place, index, type, 0);
        }
    }
    place->base = LLVMGetOperand(gep, 0);
}

int darn_place_is_gep(LLVMValueRef value)
{
    return LLVMIsAGetElementPtrInst(value) ||
           (LLVMIsAConstantExpr(value) && LLVMGetConstOpcode(value) == LLVMGetElementPtr);
}

static int is_named(const struct darn_locals *locals, LLVMValueRef value)
{
    return LLVMIsAGlobalVariable(value) || LLVMIsALoadInst(value) ||
           darn_locals_know(locals, value);
}

void darn_place_go_back(LLVMTargetDataRef layout, const struct darn_locals *locals,
                        struct darn_place *place)
{
    while (darn_place_is_gep(place->base) && !is_named(locals, place->base))
        darn_place_step(layout, place);
    if (!is_named(locals, place->base))
        place->base = darn_pointer_root(place->base); /* the address of a thread-local variable */
}
