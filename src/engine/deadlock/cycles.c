#include "engine/deadlock/cycles.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/grow.h"

/* A pair of shapes is compared by its dependencies; after so many comparisons it is taken to be
 * possible, and the caller will find out. */
#define PAIR_WORK 4096

/* Of so many pairs the answer is remembered. */
#define PAIRS_KEPT (1u << 20)

/* Cycles up to this length are found without asking for the way back. */
#define SHORT 3

struct search {
    const struct darn_lockgraph *graph;
    darn_cycle_visitor *visit;
    void *to;
    uint64_t work;
    struct darn_map pairs;  /* of shapes: 1 possible, 2 not */
    uint32_t *component_of; /* of shapes; UINT32_MAX: in no cycle */
    uint8_t *is_done;       /* shapes: no longer cycles begin there */
    uint8_t *way_back;      /* shapes: steps to the first shape; 0: too many */
    uint32_t *queue;
    uint32_t queued;
    uint32_t *sizes; /* of components: nodes */
    uint32_t length; /* of the cycles that are looked for */
    bool is_far;     /* some ways back are too long */
    bool is_cut;     /* a way was left off because it would be too long */
    bool is_over;    /* the visitor needs no longer cycles */
    struct darn_cycle cycle;
};

static bool spend(struct search *search, uint64_t work)
{
    search->work = search->work > work ? search->work - work : 0;
    return search->work != 0;
}

static bool are_concurrent(struct search *search, uint32_t a, uint32_t b)
{
    const struct darn_lockgraph *graph = search->graph;
    const struct darn_lock_shape *one = &graph->shapes[a], *two = &graph->shapes[b];
    const struct darn_candidates roles[2] = {
        {.from = &graph->moments[one->first], .count = one->count},
        {.from = &graph->moments[two->first], .count = two->count}};
    struct darn_chosen chosen[2];
    uint64_t work = PAIR_WORK;
    bool is_possible = darn_choose(graph->deps->periods, roles, 2, chosen, &work) || !work;

    spend(search, PAIR_WORK - work);
    return is_possible;
}

/* Whether two shapes can wait at the same time. */
static bool go_together(struct search *search, uint32_t a, uint32_t b)
{
    const struct darn_lockgraph *graph = search->graph;
    uintptr_t key = a < b ? (uintptr_t)a << 32 | b : (uintptr_t)b << 32 | a, known;

    if (!darn_lockset_disjoint_for(graph->deps->sets, graph->shapes[a].set, graph->shapes[b].set))
        return false;
    known = darn_map_get(&search->pairs, key, 0);
    if (!known) {
        known = are_concurrent(search, a, b) ? 1 : 2;
        if (search->pairs.count < PAIRS_KEPT)
            darn_map_put(&search->pairs, key, known);
    }
    return known == 1;
}

/* How many steps it is from each shape back to the first, as far as it matters. */
static void find_ways_back(struct search *search, uint32_t first)
{
    const struct darn_lockgraph *graph = search->graph;

    while (search->queued)
        search->way_back[search->queue[--search->queued]] = 0;
    search->queue[search->queued++] = first;
    search->is_far = false;
    for (uint32_t at = 0; at < search->queued && search->work; at++) {
        uint32_t shape = search->queue[at];
        uint32_t steps = shape == first ? 0 : search->way_back[shape];

        search->is_far = steps + 1 >= search->length;
        if (search->is_far)
            break;
        for (uint32_t i = graph->hold_start[shape]; i < graph->hold_start[shape + 1]; i++) {
            const struct darn_lock_hold *held = &graph->holds[i];
            uint32_t from = graph->askers_of.start[held->node];
            uint32_t to = graph->askers_of.start[held->node + 1];

            spend(search, to - from + 1);
            for (uint32_t j = from; j < to; j++) {
                uint32_t asker = graph->askers_of.items[j];

                if (asker <= first || search->way_back[asker] ||
                    search->component_of[asker] != search->cycle.component ||
                    (!held->is_exclusive && !graph->shapes[asker].is_exclusive))
                    continue;
                search->way_back[asker] = (uint8_t)(steps + 1);
                search->queue[search->queued++] = asker;
            }
        }
    }
}

/* Whether the path can go on to a shape: all of it goes together, and no part of it is a cycle. */
static bool can_follow(struct search *search, uint32_t next)
{
    const struct darn_cycle *path = &search->cycle;
    const struct darn_lockgraph *graph = search->graph;

    if (!spend(search, path->count))
        return false;
    for (uint32_t i = 0; i < path->count; i++) {
        if (path->shapes[i] == next)
            return false;
        if (i + 1 < path->count && darn_lockgraph_waits(graph, path->shapes[i], next))
            return false;
        if (i > 0 && darn_lockgraph_waits(graph, next, path->shapes[i]))
            return false;
    }
    for (uint32_t i = 0; i < path->count; i++) {
        if (!go_together(search, path->shapes[i], next))
            return false;
    }
    return true;
}

static void extend(struct search *search);

static void consider(struct search *search, uint32_t next)
{
    struct darn_cycle *path = &search->cycle;
    uint32_t first = path->shapes[0];

    if (!can_follow(search, next))
        return;
    if (path->count + 1 < search->length && darn_lockgraph_waits(search->graph, next, first))
        return; /* a shorter cycle, and seen already */
    path->shapes[path->count++] = next;
    extend(search);
    path->count--;
}

/* Whether a cycle of the length that is looked for could go on to a shape, as far as its length
 * matters. */
static bool is_near(struct search *search, uint32_t next)
{
    uint32_t count = search->cycle.count;

    if (search->length <= SHORT || count == search->length) {
        search->is_cut |= count == search->length;
        return count < search->length;
    }
    if (search->way_back[next] && count + search->way_back[next] <= search->length)
        return true;
    search->is_cut |= search->way_back[next] || search->is_far;
    return false;
}

/* Follows the last shape of the path to whatever holds what it asks for. */
static void extend(struct search *search)
{
    const struct darn_lockgraph *graph = search->graph;
    struct darn_cycle *path = &search->cycle;
    const struct darn_lock_shape *last = &graph->shapes[path->shapes[path->count - 1]];

    for (uint32_t i = graph->holders_of.start[last->asked];
         i < graph->holders_of.start[last->asked + 1] && search->work; i++) {
        const struct darn_lock_hold *held = &graph->holds[graph->holders_of.items[i]];

        spend(search, 1);
        if ((!held->is_exclusive && !last->is_exclusive) || held->shape < path->shapes[0] ||
            search->component_of[held->shape] != path->component)
            continue;
        if (held->shape != path->shapes[0]) {
            if (is_near(search, held->shape))
                consider(search, held->shape);
        } else if (path->count == search->length) {
            search->is_over |= !search->visit(search->to, path, &search->work);
        }
    }
}

/* All cycles of one length in a component; false when longer ones need not be looked for. */
static bool find_of_length(struct search *search, const uint32_t *members, uint32_t count)
{
    bool is_cut = false;

    for (uint32_t i = 0; i < count && search->work; i++) {
        if (search->is_done[members[i]])
            continue;
        search->is_cut = false;
        search->cycle.count = 1;
        search->cycle.shapes[0] = members[i];
        if (search->length > SHORT)
            find_ways_back(search, members[i]);
        extend(search);
        search->is_done[members[i]] = !search->is_cut;
        is_cut |= search->is_cut;
    }
    return is_cut && search->work && !search->is_over;
}

/* false when there was too much to do. */
static bool find_in(struct search *search, uint32_t component)
{
    const struct darn_lock_index *members = &search->graph->members_of;
    uint32_t from = members->start[component], count = members->start[component + 1] - from;
    uint32_t longest = search->sizes[component];

    if (count < 2)
        return true;
    search->cycle.component = component;
    search->is_over = false;
    for (search->length = 2; search->length <= longest; search->length++) {
        if (search->length > DARN_PREDICTION_STEPS)
            return false;
        if (!find_of_length(search, &members->items[from], count))
            break;
    }
    return search->work || search->is_over;
}

/* The nodes that the steps of a cycle ask for are all different, so it is no longer than a
 * component has nodes. */
static void note_components(struct search *search)
{
    const struct darn_lockgraph *graph = search->graph;

    for (uint32_t i = 0; i <= graph->node_count; i++)
        search->sizes[graph->component[i]]++;
    for (uint32_t i = 0; i <= graph->component_count; i++) {
        for (uint32_t j = graph->members_of.start[i]; j < graph->members_of.start[i + 1]; j++)
            search->component_of[graph->members_of.items[j]] =
                i < graph->component_count ? i : UINT32_MAX;
    }
}

uint64_t darn_cycles_find(const struct darn_lockgraph *graph, darn_cycle_visitor *visit, void *to)
{
    size_t count = (size_t)graph->shape_count + 1;
    struct search search = {
        .graph = graph,
        .visit = visit,
        .to = to,
        .component_of = darn_need_memory(calloc(count, sizeof(uint32_t))),
        .is_done = darn_need_memory(calloc(count, 1)),
        .way_back = darn_need_memory(calloc(count, 1)),
        .queue = darn_need_memory(calloc(count, sizeof(uint32_t))),
        .sizes = darn_need_memory(calloc((size_t)graph->component_count + 1, sizeof(uint32_t))),
    };
    uint64_t all = DARN_CYCLES_WORK_ALL, unfinished = 0;

    note_components(&search);
    for (uint32_t i = 0; i < graph->component_count; i++) {
        uint64_t given = all < DARN_CYCLES_WORK ? all : DARN_CYCLES_WORK;

        search.work = given;
        if (!find_in(&search, i))
            unfinished++;
        all -= given - search.work;
    }
    darn_map_free(&search.pairs);
    free(search.component_of);
    free(search.is_done);
    free(search.way_back);
    free(search.queue);
    free(search.sizes);
    return unfinished;
}
