#include "engine/escape.h"

#include <stdlib.h>

#include "engine/blocks.h"

#define NOBODY UINT32_MAX /* the thread of a block that has escaped */

struct darn_escape {
    struct darn_blocks *blocks;
};

struct darn_escape *darn_escape_create(void)
{
    struct darn_escape *escape = calloc(1, sizeof(*escape));

    if (!escape)
        return NULL;
    escape->blocks = darn_blocks_create();
    if (!escape->blocks) {
        free(escape);
        return NULL;
    }
    return escape;
}

void darn_escape_destroy(struct darn_escape *escape)
{
    if (!escape)
        return;
    darn_blocks_destroy(escape->blocks);
    free(escape);
}

void darn_escape_event(struct darn_escape *escape, const struct darn_event *event)
{
    if (event->kind == DARN_EVENT_ALLOC)
        darn_blocks_add(escape->blocks, event->target, event->extra, event->thread);
    else if (event->kind == DARN_EVENT_FREE)
        darn_blocks_remove(escape->blocks, event->target);
}

bool darn_escape_has(struct darn_escape *escape, uint64_t address, uint32_t thread)
{
    uint32_t owner;

    if (!darn_blocks_find(escape->blocks, address, &owner) || owner == NOBODY)
        return true;
    if (owner == thread)
        return false;
    darn_blocks_pass(escape->blocks, address, NOBODY);
    return true;
}

size_t darn_escape_memory(const struct darn_escape *escape)
{
    return sizeof(*escape) + darn_blocks_memory(escape->blocks);
}
