#include "plugin/core/often.h"

#include "plugin/core/flow.h"

/* A loop of more blocks does more than to step over memory, and costs the compiler more. */
#define MAX_BLOCKS 32

static void note_blocks(void *context, const struct darn_body *body, const struct darn_body *whole)
{
    struct darn_map *often = context;

    (void)whole;
    for (unsigned i = 0; body->count <= MAX_BLOCKS && i < body->count; i++)
        darn_map_put(often, (uintptr_t)body->blocks[i], 1);
}

void darn_often_find(struct darn_accesses *accesses, LLVMValueRef function)
{
    struct darn_flow flow;
    struct darn_map often = {0};

    if (darn_flow_init(&flow, function))
        return;
    darn_flow_loops(&flow, note_blocks, &often);
    darn_flow_free(&flow);
    for (size_t i = 0; i < accesses->count; i++)
        accesses->items[i].often = (uint8_t)darn_map_get(
            &often, (uintptr_t)LLVMGetInstructionParent(accesses->items[i].instruction), 0);
    darn_map_free(&often);
}
