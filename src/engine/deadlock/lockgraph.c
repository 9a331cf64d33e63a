#include "engine/deadlock/lockgraph.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "engine/deadlock/components.h"

static void *room(size_t count, size_t item)
{
    return darn_need_memory(calloc(count + 1, item));
}

static int compare_numbers(const void *left, const void *right)
{
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;

    return (a > b) - (a < b);
}

static void collect_joined(struct darn_lockgraph *graph)
{
    const struct darn_lockdeps *deps = graph->deps;
    uint32_t count = 0, kept = 0;

    graph->joined = room(deps->count, sizeof(*graph->joined));
    for (size_t i = 0; i < deps->count; i++) {
        if (deps->all[i].kind == DARN_EVENT_JOIN)
            graph->joined[count++] = deps->all[i].asked;
    }
    qsort(graph->joined, count, sizeof(*graph->joined), compare_numbers);
    for (uint32_t i = 0; i < count; i++) {
        if (!kept || graph->joined[kept - 1] != graph->joined[i])
            graph->joined[kept++] = graph->joined[i];
    }
    graph->lock_count = (uint32_t)deps->locks.count;
    graph->node_count = graph->lock_count + kept;
}

/* The node of a thread's end; 0 if nobody joins it. */
static uint32_t end_of(const struct darn_lockgraph *graph, uint32_t thread)
{
    const uint32_t *found = bsearch(&thread, graph->joined, graph->node_count - graph->lock_count,
                                    sizeof(thread), compare_numbers);

    return found ? graph->lock_count + 1 + (uint32_t)(found - graph->joined) : 0;
}

/* What tells shapes apart, and then the order in which dependencies were seen. */
struct sorted {
    uint32_t set, asked, is_exclusive, dep;
};

static int compare_sorted(const void *left, const void *right)
{
    const struct sorted *a = left, *b = right;

    if (a->set != b->set)
        return a->set < b->set ? -1 : 1;
    if (a->asked != b->asked)
        return a->asked < b->asked ? -1 : 1;
    if (a->is_exclusive != b->is_exclusive)
        return a->is_exclusive < b->is_exclusive ? -1 : 1;
    return (a->dep > b->dep) - (a->dep < b->dep);
}

static struct sorted *sort_deps(struct darn_lockgraph *graph, uint32_t *count)
{
    const struct darn_lockdeps *deps = graph->deps;
    struct sorted *sorted = room(deps->count, sizeof(*sorted));

    *count = 0;
    for (size_t i = 0; i < deps->count; i++) {
        const struct darn_lockdep *dep = &deps->all[i];
        bool joins = dep->kind == DARN_EVENT_JOIN;

        if (dep->is_self)
            continue;
        sorted[(*count)++] =
            (struct sorted){.set = darn_holding_set(deps->held, dep->holding),
                            .asked = joins ? end_of(graph, dep->asked) : dep->asked,
                            .is_exclusive = joins || darn_lock_is_exclusive(dep->lock),
                            .dep = (uint32_t)i};
    }
    qsort(sorted, *count, sizeof(*sorted), compare_sorted);
    return sorted;
}

static void make_shapes(struct darn_lockgraph *graph)
{
    uint32_t count;
    struct sorted *sorted = sort_deps(graph, &count);

    graph->order = room(count, sizeof(*graph->order));
    graph->moments = room(count, sizeof(*graph->moments));
    graph->shapes = room(count, sizeof(*graph->shapes));
    for (uint32_t i = 0; i < count; i++) {
        const struct sorted *one = &sorted[i];

        graph->order[i] = one->dep;
        graph->moments[i] = &graph->deps->all[one->dep].moments;
        if (!i || one->set != one[-1].set || one->asked != one[-1].asked ||
            one->is_exclusive != one[-1].is_exclusive)
            graph->shapes[graph->shape_count++] =
                (struct darn_lock_shape){.set = one->set,
                                         .asked = one->asked,
                                         .first = i,
                                         .is_exclusive = one->is_exclusive};
        graph->shapes[graph->shape_count - 1].count++;
    }
    free(sorted);
}

static void hold(struct darn_lockgraph *graph, size_t *capacity, struct darn_lock_hold one)
{
    graph->holds =
        darn_grow(graph->holds, capacity, (size_t)graph->hold_count + 1, sizeof(*graph->holds));
    graph->holds[graph->hold_count++] = one;
}

/* The ends of the threads of a shape's dependencies. `marks`: the last shape that had the node. */
static void hold_ends(struct darn_lockgraph *graph, size_t *capacity, uint32_t shape,
                      uint32_t *marks)
{
    const struct darn_lock_shape *one = &graph->shapes[shape];

    for (uint32_t i = 0; i < one->count; i++) {
        const struct darn_moments *moments = graph->moments[one->first + i];

        for (uint32_t j = 0; j < moments->count; j++) {
            uint32_t node = end_of(graph, moments->all[j].thread);

            if (!node || marks[node] == shape + 1)
                continue;
            marks[node] = shape + 1;
            hold(graph, capacity, (struct darn_lock_hold){node, shape, true});
        }
    }
}

static void make_holds(struct darn_lockgraph *graph)
{
    bool has_joins = graph->node_count > graph->lock_count;
    uint32_t *marks = room((size_t)graph->node_count + 1, sizeof(*marks));
    size_t capacity = 0;

    graph->hold_start = room((size_t)graph->shape_count + 1, sizeof(uint32_t));
    for (uint32_t i = 0; i < graph->shape_count; i++) {
        uint32_t set = graph->shapes[i].set;

        graph->hold_start[i] = graph->hold_count;
        for (size_t j = 0; j < darn_lockset_size(graph->deps->sets, set); j++) {
            struct darn_lockset_member member = darn_lockset_member(graph->deps->sets, set, j);

            hold(graph, &capacity,
                 (struct darn_lock_hold){(uint32_t)member.lock, i, member.exclusive});
        }
        if (has_joins)
            hold_ends(graph, &capacity, i, marks);
    }
    graph->hold_start[graph->shape_count] = graph->hold_count;
    free(marks);
}

/* By counting: `key` is that of an item, up to `most`. */
static struct darn_lock_index make_index(uint32_t most, const uint32_t *keys, uint32_t count)
{
    struct darn_lock_index index = {.start = room((size_t)most + 2, sizeof(uint32_t)),
                                    .items = room(count, sizeof(uint32_t))};

    for (uint32_t i = 0; i < count; i++)
        index.start[keys[i] + 1]++;
    for (uint32_t i = 0; i <= most; i++)
        index.start[i + 1] += index.start[i];
    for (uint32_t i = count; i-- > 0;) {
        /* Filled from the end of each, so that the starts end where they began. */
        index.items[--index.start[keys[i] + 1]] = i;
    }
    for (uint32_t i = 0; i <= most; i++)
        index.start[i] = index.start[i + 1];
    index.start[most + 1] = count;
    return index;
}

static void index_nodes(struct darn_lockgraph *graph)
{
    uint32_t most = graph->hold_count > graph->shape_count ? graph->hold_count : graph->shape_count;
    uint32_t *keys = room(most, sizeof(*keys));

    for (uint32_t i = 0; i < graph->hold_count; i++)
        keys[i] = graph->holds[i].node;
    graph->holders_of = make_index(graph->node_count, keys, graph->hold_count);
    for (uint32_t i = 0; i < graph->shape_count; i++)
        keys[i] = graph->shapes[i].asked;
    graph->askers_of = make_index(graph->node_count, keys, graph->shape_count);
    free(keys);
}

/* A shape is in the component of the node that it asks for, if it holds a node of it; in component
 * `component_count` if not. */
static void index_members(struct darn_lockgraph *graph)
{
    uint32_t *keys = room(graph->shape_count, sizeof(*keys));

    for (uint32_t i = 0; i < graph->shape_count; i++) {
        uint32_t asked = graph->component[graph->shapes[i].asked];

        keys[i] = graph->component_count;
        for (uint32_t j = graph->hold_start[i]; j < graph->hold_start[i + 1]; j++) {
            if (graph->component[graph->holds[j].node] == asked)
                keys[i] = asked;
        }
    }
    graph->members_of = make_index(graph->component_count, keys, graph->shape_count);
    free(keys);
}

void darn_lockgraph_build(struct darn_lockgraph *graph, struct darn_lockdeps *deps)
{
    *graph = (struct darn_lockgraph){.deps = deps};
    collect_joined(graph);
    make_shapes(graph);
    make_holds(graph);
    index_nodes(graph);
    graph->component = room((size_t)graph->node_count + 1, sizeof(*graph->component));
    graph->component_count = darn_find_components(graph, graph->component);
    index_members(graph);
}

static void free_index(struct darn_lock_index *index)
{
    free(index->start);
    free(index->items);
}

void darn_lockgraph_free(struct darn_lockgraph *graph)
{
    free(graph->order);
    free(graph->moments);
    free(graph->shapes);
    free(graph->joined);
    free(graph->holds);
    free(graph->component);
    free(graph->hold_start);
    free_index(&graph->holders_of);
    free_index(&graph->askers_of);
    free_index(&graph->members_of);
    *graph = (struct darn_lockgraph){0};
}

bool darn_lockgraph_waits(const struct darn_lockgraph *graph, uint32_t a, uint32_t b)
{
    uint32_t node = graph->shapes[a].asked;

    for (uint32_t i = graph->hold_start[b]; i < graph->hold_start[b + 1]; i++) {
        const struct darn_lock_hold *one = &graph->holds[i];

        if (!darn_lockgraph_is_lock(graph, one->node))
            return false;
        if (one->node == node)
            return one->is_exclusive || graph->shapes[a].is_exclusive;
    }
    return false;
}

size_t darn_lockgraph_memory(const struct darn_lockgraph *graph)
{
    size_t nodes = graph->node_count, shapes = graph->shape_count, holds = graph->hold_count;

    return graph->deps->count * (sizeof(*graph->order) + sizeof(*graph->moments)) +
           shapes * (sizeof(*graph->shapes) + 3 * sizeof(uint32_t)) +
           holds * (sizeof(*graph->holds) + sizeof(uint32_t)) + nodes * 4 * sizeof(uint32_t);
}
