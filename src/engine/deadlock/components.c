#include "engine/deadlock/components.h"

#include <stdlib.h>

#include "base/grow.h"

/* A node that is being looked at, and how far its edges are followed. */
struct frame {
    uint32_t node;
    uint32_t edge; /* index into the items of holders_of */
};

struct finder {
    const struct darn_lockgraph *graph;
    uint32_t *component;
    uint32_t *number; /* in the order of discovery, from 1; 0: not seen */
    uint32_t *low;
    uint32_t *stack; /* nodes whose component is not known yet */
    struct frame *frames;
    uint32_t depth, waiting, numbers, components;
};

#define UNKNOWN UINT32_MAX

static void enter(struct finder *finder, uint32_t node)
{
    finder->number[node] = finder->low[node] = ++finder->numbers;
    finder->stack[finder->waiting++] = node;
    finder->frames[finder->depth++] = (struct frame){node, finder->graph->holders_of.start[node]};
}

/* All edges of the node are followed. */
static void leave(struct finder *finder)
{
    uint32_t node = finder->frames[--finder->depth].node, member;

    if (finder->depth) {
        uint32_t *low = &finder->low[finder->frames[finder->depth - 1].node];

        if (finder->low[node] < *low)
            *low = finder->low[node];
    }
    if (finder->low[node] != finder->number[node])
        return;
    do {
        member = finder->stack[--finder->waiting];
        finder->component[member] = finder->components;
    } while (member != node);
    finder->components++;
}

static void search(struct finder *finder)
{
    const struct darn_lockgraph *graph = finder->graph;

    while (finder->depth) {
        struct frame *frame = &finder->frames[finder->depth - 1];
        uint32_t next;

        if (frame->edge == graph->holders_of.start[frame->node + 1]) {
            leave(finder);
            continue;
        }
        next = graph->shapes[graph->holds[graph->holders_of.items[frame->edge++]].shape].asked;
        if (!finder->number[next])
            enter(finder, next);
        else if (finder->component[next] == UNKNOWN &&
                 finder->number[next] < finder->low[frame->node])
            finder->low[frame->node] = finder->number[next];
    }
}

uint32_t darn_find_components(const struct darn_lockgraph *graph, uint32_t *component)
{
    size_t count = (size_t)graph->node_count + 1;
    struct finder finder = {
        .graph = graph,
        .component = component,
        .number = darn_need_memory(calloc(count, sizeof(uint32_t))),
        .low = darn_need_memory(calloc(count, sizeof(uint32_t))),
        .stack = darn_need_memory(calloc(count, sizeof(uint32_t))),
        .frames = darn_need_memory(calloc(count, sizeof(struct frame))),
    };

    for (uint32_t node = 0; node <= graph->node_count; node++)
        component[node] = UNKNOWN;
    for (uint32_t node = 0; node <= graph->node_count; node++) {
        if (finder.number[node])
            continue;
        enter(&finder, node);
        search(&finder);
    }
    free(finder.number);
    free(finder.low);
    free(finder.stack);
    free(finder.frames);
    return finder.components;
}
