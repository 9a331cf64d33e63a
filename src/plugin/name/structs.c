#include "plugin/name/structs.h"

#include <llvm-c/DebugInfo.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "plugin/core/debuginfo.h"
#include "plugin/core/plugin.h"

/* Nodes that are waiting to be visited. */
struct queue {
    LLVMMetadataRef *items;
    size_t count, capacity;
};

static uintptr_t key_of(const char *name)
{
    return darn_hash_string(DARN_HASH_START, name) | 1; /* 0 is no key */
}

void darn_structs_free(struct darn_structs *structs)
{
    darn_map_free(&structs->seen);
    darn_map_free(&structs->by_name);
}

static void push(struct darn_structs *structs, struct queue *queue, LLVMMetadataRef node)
{
    if (!node || darn_map_get(&structs->seen, (uintptr_t)node, 0))
        return;
    darn_map_put(&structs->seen, (uintptr_t)node, 1);
    if (queue->count == queue->capacity) {
        queue->capacity = queue->capacity ? 2 * queue->capacity : 256;
        queue->items = realloc(queue->items, queue->capacity * sizeof(*queue->items));
        if (!queue->items)
            abort();
    }
    queue->items[queue->count++] = node;
}

static void note_struct(struct darn_structs *structs, LLVMMetadataRef node)
{
    char name[256];
    struct darn_text text;

    if (LLVMGetMetadataKind(node) != LLVMDICompositeTypeMetadataKind ||
        !darn_di_operand(node, DARN_DI_TYPE_ELEMENTS))
        return; /* a declaration says nothing about its members */
    darn_text_start(&text, name, sizeof(name));
    if (darn_di_string(darn_di_operand(node, DARN_DI_SUBPROGRAM_NAME), &text))
        return;
    darn_map_put(&structs->by_name, key_of(name), (uintptr_t)node);
}

void darn_structs_visit(struct darn_structs *structs, LLVMMetadataRef root)
{
    struct queue queue = {0};

    push(structs, &queue, root);
    while (queue.count) {
        LLVMMetadataRef node = queue.items[--queue.count];
        note_struct(structs, node);
        for (unsigned i = 0; i < darn_shim_operand_count(node); i++) {
            LLVMMetadataRef operand = darn_shim_operand(node, i);

            if (operand)
                push(structs, &queue, operand);
        }
    }
    free(queue.items);
}

LLVMMetadataRef darn_structs_find(struct darn_structs *structs, const char *name)
{
    return (LLVMMetadataRef)darn_map_get(&structs->by_name, key_of(name), 0);
}
