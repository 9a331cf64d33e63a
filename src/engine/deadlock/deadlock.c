/*
 * Potential deadlocks (Letko 2.1.3; Wang & Stoller, section 2): threads that each hold what another
 * one asks for, round in a circle, and could do so at the same time in some schedule. What it takes
 * for a cycle to count is in cycles.h, where dependencies come from in lockdep.h, what it says and
 * what it cannot see in docs/engine-deadlock.md.
 *
 * A cycle of shapes stands for all the places in the source that can be its steps. Here it is taken
 * apart: a *way* is one choice of places, for each step where it asks and where it acquired what
 * the step before it asks for. Ways are reported, each set of such pairs of places once; the same
 * places with other locks (two accounts of a thousand), or once more around (six philosophers,
 * five), are counted.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/common/engine.h"
#include "base/grow.h"
#include "engine/common/pairs.h"
#include "engine/common/place.h"
#include "engine/deadlock/cycles.h"

/* The most predictions, and the most for one and the same cycle of shapes: where places are stacks,
 * two locks that are used everywhere could fill a report on their own. And how much is tried for
 * it, out of the work of the whole search. */
#define PREDICTIONS    1024
#define WAYS_OF_SHAPES 64
#define WORK_OF_SHAPES (1u << 16)

/* A component whose steps are of few kinds is done when every set of them was seen. */
#define FEW_KINDS 4

struct deadlock {
    struct darn_engine_config config;
    struct darn_lockdeps deps;
    struct darn_pairs *pairs;
    struct darn_lockgraph graph; /* while it is searched */
    uint32_t component;          /* that the following is about; UINT32_MAX: none */
    uint32_t kinds;              /* of steps in it; more than FEW_KINDS: many */
    uint32_t key_count;
    uint64_t keys[1 << FEW_KINDS]; /* that were seen in it */
    uint32_t reported;
    uint64_t dropped;
    size_t peak;
};

/* The dependencies of one step that are alike in both places. */
struct group {
    uint64_t key;
    struct darn_candidates candidates;
    const uint32_t *deps; /* indexes, in the order of the candidates */
};

struct step {
    uint32_t *deps;
    const struct darn_moments **moments;
    struct group *groups;
    uint32_t group_count;
    uint32_t via; /* node: what the step before asks for */
};

struct ways {
    struct deadlock *deadlock;
    uint32_t count;
    struct step steps[DARN_PREDICTION_STEPS];
    const struct group *chosen[DARN_PREDICTION_STEPS];
    uint32_t reported;
    uint64_t work;
};

static void *create(const struct darn_engine_config *config)
{
    struct deadlock *deadlock = calloc(1, sizeof(*deadlock));

    if (!deadlock)
        return NULL;
    if (config)
        deadlock->config = *config;
    deadlock->pairs = darn_pairs_create(&deadlock->config);
    if (!deadlock->pairs || !darn_lockdeps_init(&deadlock->deps, &deadlock->config)) {
        darn_lockdeps_free(&deadlock->deps);
        darn_pairs_destroy(deadlock->pairs);
        free(deadlock);
        return NULL;
    }
    return deadlock;
}

static void destroy(void *state)
{
    struct deadlock *deadlock = state;

    darn_lockdeps_free(&deadlock->deps);
    darn_pairs_destroy(deadlock->pairs);
    free(deadlock);
}

static void event(void *state, const struct darn_event *event)
{
    struct deadlock *deadlock = state;

    darn_lockdeps_event(&deadlock->deps, event);
}

/* Tells steps apart: where it asks, and where it has acquired the lock that is asked for; a thread
 * that is waited for has no such place. */
static uint64_t key_of_step(const struct deadlock *deadlock, const struct darn_lockdep *dep,
                            uint32_t asked, uint32_t via)
{
    uint64_t key = darn_hash_place(DARN_HASH_START, dep->place, asked);

    if (!darn_lockgraph_is_lock(&deadlock->graph, via))
        return darn_hash_word(key, UINT64_MAX);
    return darn_hash_place(key, darn_lockdep_place_held(&deadlock->deps, dep->holding, via), via);
}

static int compare_keys(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

    return (a > b) - (a < b);
}

/* The same for all ways that have the same steps, in whatever order and however often. */
static uint64_t key_of_way(const struct ways *ways)
{
    uint64_t keys[DARN_PREDICTION_STEPS], key = DARN_HASH_START;

    for (uint32_t i = 0; i < ways->count; i++)
        keys[i] = ways->chosen[i]->key;
    qsort(keys, ways->count, sizeof(*keys), compare_keys);
    for (uint32_t i = 0; i < ways->count; i++) {
        if (!i || keys[i] != keys[i - 1])
            key = darn_hash_word(key, keys[i]);
    }
    return key;
}

/* Objects become addresses again. Of more locks than there is room for, the one that the step
 * before asks for must be among those that are named. */
static void fill_locks(const struct deadlock *deadlock, const struct darn_lockdep *dep,
                       uint32_t via, struct darn_prediction_step *step)
{
    bool has_via = false;

    darn_holding_fill(deadlock->deps.held, dep->holding, step);
    for (uint32_t i = 0; i < step->lock_count; i++)
        has_via |= step->locks[i].lock == via;
    for (uint32_t at = dep->holding; !has_via && at != DARN_HOLDING_NOTHING;) {
        const struct darn_holding *one = darn_holding(deadlock->deps.held, at);

        if (one->lock == via) {
            step->locks[0] = (struct darn_prediction_lock){
                .lock = one->lock, .site = one->site, .stack = one->stack, .kind = one->kind};
            break;
        }
        at = one->outer;
    }
    for (uint32_t i = 0; i < step->lock_count; i++)
        step->locks[i].lock = deadlock->deps.locks.all[step->locks[i].lock].address;
}

static void add_step(const struct deadlock *deadlock, struct darn_prediction *prediction,
                     uint32_t index, uint32_t via, uint32_t thread)
{
    const struct darn_lockdep *dep = &deadlock->deps.all[index];
    bool joins = dep->kind == DARN_EVENT_JOIN;
    struct darn_event event = {
        .target = joins ? dep->asked : deadlock->deps.locks.all[dep->asked].address,
        .thread = thread,
        .site = dep->site,
        .stack = dep->stack,
        .kind = dep->kind,
        .lock = dep->lock,
    };

    fill_locks(deadlock, dep, via, darn_prediction_add(prediction, &event));
}

/* Begins with the step that the trace had first. */
static void report(struct ways *ways, const struct darn_chosen *chosen)
{
    struct deadlock *deadlock = ways->deadlock;
    struct darn_prediction *prediction;
    uint32_t deps[DARN_PREDICTION_STEPS], first = 0;

    prediction = darn_pairs_see_key(deadlock->pairs, DARN_PREDICTS_DEADLOCK, key_of_way(ways), 0);
    if (!prediction)
        return;
    for (uint32_t i = 0; i < ways->count; i++) {
        deps[i] = ways->chosen[i]->deps[chosen[i].which];
        if (deps[i] < deps[first])
            first = i;
    }
    for (uint32_t i = 0; i < ways->count; i++) {
        uint32_t at = (first + i) % ways->count;

        add_step(deadlock, prediction, deps[at], ways->steps[at].via, chosen[at].thread);
    }
    ways->reported++;
    deadlock->reported++;
}

static void note_key(struct deadlock *deadlock, uint64_t key)
{
    for (uint32_t i = 0; i < deadlock->key_count; i++) {
        if (deadlock->keys[i] == key)
            return;
    }
    if (deadlock->key_count < 1 << FEW_KINDS)
        deadlock->keys[deadlock->key_count++] = key;
}

/* One choice of groups. */
static void try_way(struct ways *ways)
{
    struct darn_candidates roles[DARN_PREDICTION_STEPS];
    struct darn_chosen chosen[DARN_PREDICTION_STEPS];

    for (uint32_t i = 0; i < ways->count; i++)
        roles[i] = ways->chosen[i]->candidates;
    if (!darn_choose(ways->deadlock->deps.periods, roles, ways->count, chosen, &ways->work))
        return;
    note_key(ways->deadlock, key_of_way(ways));
    report(ways, chosen);
}

/* Each choice of one group for each step, from `at` on; false when it is enough. */
static bool try_ways(struct ways *ways, uint32_t at)
{
    if (at == ways->count) {
        if (!ways->work || ways->reported == WAYS_OF_SHAPES ||
            ways->deadlock->reported == PREDICTIONS)
            return false;
        ways->work--;
        try_way(ways);
        return true;
    }
    for (uint32_t i = 0; i < ways->steps[at].group_count; i++) {
        ways->chosen[at] = &ways->steps[at].groups[i];
        if (!try_ways(ways, at + 1))
            return false;
    }
    return true;
}

struct keyed {
    uint64_t key;
    uint32_t dep;
};

static int compare_keyed(const void *left, const void *right)
{
    const struct keyed *a = left, *b = right;

    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    return (a->dep > b->dep) - (a->dep < b->dep);
}

static int compare_groups(const void *left, const void *right)
{
    const struct group *a = left, *b = right;

    return (a->deps[0] > b->deps[0]) - (a->deps[0] < b->deps[0]);
}

/* The groups come in the order in which the trace had them. */
static void make_step(const struct deadlock *deadlock, struct step *step, uint32_t shape,
                      uint32_t via)
{
    const struct darn_lockgraph *graph = &deadlock->graph;
    const struct darn_lock_shape *from = &graph->shapes[shape];
    struct keyed *keyed = darn_need_memory(malloc(from->count * sizeof(*keyed)));
    bool is_of = !darn_lockgraph_is_lock(graph, via);
    uint32_t of = is_of ? darn_lockgraph_thread(graph, via) : 0;

    for (uint32_t i = 0; i < from->count; i++) {
        uint32_t dep = graph->order[from->first + i];

        keyed[i] =
            (struct keyed){key_of_step(deadlock, &deadlock->deps.all[dep], from->asked, via), dep};
    }
    qsort(keyed, from->count, sizeof(*keyed), compare_keyed);
    step->via = via;
    step->deps = darn_need_memory(malloc(from->count * sizeof(*step->deps)));
    step->moments = darn_need_memory(malloc(from->count * sizeof(*step->moments)));
    step->groups = darn_need_memory(malloc(from->count * sizeof(*step->groups)));
    step->group_count = 0;
    for (uint32_t i = 0; i < from->count; i++) {
        step->deps[i] = keyed[i].dep;
        step->moments[i] = &deadlock->deps.all[keyed[i].dep].moments;
        if (!i || keyed[i].key != keyed[i - 1].key)
            step->groups[step->group_count++] =
                (struct group){.key = keyed[i].key,
                               .candidates = {&step->moments[i], 0, is_of, of},
                               .deps = &step->deps[i]};
        step->groups[step->group_count - 1].candidates.count++;
    }
    qsort(step->groups, step->group_count, sizeof(*step->groups), compare_groups);
    free(keyed);
}

/* How many kinds of steps a component has, as far as it matters. */
static uint32_t count_kinds(const struct deadlock *deadlock, uint32_t component)
{
    const struct darn_lockgraph *graph = &deadlock->graph;
    const struct darn_lock_index *members = &graph->members_of;
    uint64_t keys[FEW_KINDS];
    uint32_t count = 0;

    for (uint32_t i = members->start[component]; i < members->start[component + 1]; i++) {
        uint32_t shape = members->items[i];
        uint32_t from = graph->hold_start[shape], to = graph->hold_start[shape + 1];
        const struct darn_lock_shape *one = &graph->shapes[shape];

        for (uint64_t j = 0; j < (uint64_t)one->count * (to - from); j++) {
            uint32_t dep = graph->order[one->first + j / (to - from)], known = 0;
            uint32_t node = graph->holds[from + j % (to - from)].node;
            uint64_t key;

            if (graph->component[node] != component)
                continue;
            key = key_of_step(deadlock, &deadlock->deps.all[dep], one->asked, node);
            while (known < count && keys[known] != key)
                known++;
            if (known == FEW_KINDS)
                return FEW_KINDS + 1;
            keys[known] = key;
            if (known == count)
                count++;
        }
    }
    return count;
}

static bool visit(void *to, const struct darn_cycle *cycle, uint64_t *work)
{
    struct deadlock *deadlock = to;
    uint64_t spent = 0, given = *work < WORK_OF_SHAPES ? *work : WORK_OF_SHAPES;
    struct ways ways = {.deadlock = deadlock, .count = cycle->count, .work = given};

    if (deadlock->component != cycle->component) {
        deadlock->component = cycle->component;
        deadlock->kinds = count_kinds(deadlock, cycle->component);
        deadlock->key_count = 0;
    }
    for (uint32_t i = 0; i < cycle->count; i++) {
        uint32_t before = cycle->shapes[(i + cycle->count - 1) % cycle->count];

        make_step(deadlock, &ways.steps[i], cycle->shapes[i], deadlock->graph.shapes[before].asked);
        spent += deadlock->graph.shapes[cycle->shapes[i]].count;
    }
    deadlock->dropped += !try_ways(&ways, 0);
    spent += given - ways.work;
    *work -= spent < *work ? spent : *work;
    for (uint32_t i = 0; i < cycle->count; i++) {
        free(ways.steps[i].deps);
        free(ways.steps[i].moments);
        free(ways.steps[i].groups);
    }
    return deadlock->kinds > FEW_KINDS || deadlock->key_count + 1 < 1u << deadlock->kinds;
}

/* A thread that asks for what it has itself. */
static void report_self(struct deadlock *deadlock, uint32_t index)
{
    const struct darn_lockdep *dep = &deadlock->deps.all[index];
    uint64_t key = darn_hash_place(DARN_HASH_START, dep->place, dep->asked);
    struct darn_prediction *prediction;

    key = darn_hash_place(key, darn_lockdep_place_held(&deadlock->deps, dep->holding, dep->asked),
                          dep->asked);
    prediction =
        darn_pairs_see_key(deadlock->pairs, DARN_PREDICTS_DEADLOCK, darn_hash_word(key, 1), 0);
    if (prediction)
        add_step(deadlock, prediction, index, dep->asked, dep->moments.all[0].thread);
}

static void finish(void *state)
{
    struct deadlock *deadlock = state;
    size_t memory;

    darn_lockdeps_finish(&deadlock->deps);
    for (size_t i = 0; i < deadlock->deps.count; i++) {
        const struct darn_lockdep *dep = &deadlock->deps.all[i];

        deadlock->dropped += dep->moments.thinned;
        if (dep->is_self)
            report_self(deadlock, (uint32_t)i);
    }
    darn_lockgraph_build(&deadlock->graph, &deadlock->deps);
    deadlock->component = UINT32_MAX;
    deadlock->dropped += darn_cycles_find(&deadlock->graph, visit, deadlock);
    memory = darn_lockdeps_memory(&deadlock->deps) + darn_lockgraph_memory(&deadlock->graph) +
             darn_pairs_memory(deadlock->pairs);
    deadlock->peak = memory > deadlock->peak ? memory : deadlock->peak;
    darn_lockgraph_free(&deadlock->graph);
}

static const struct darn_prediction *predictions(const void *state, size_t *count)
{
    const struct deadlock *deadlock = state;

    return darn_pairs_predictions(deadlock->pairs, count);
}

static uint64_t dynamic(const void *state)
{
    const struct deadlock *deadlock = state;

    return darn_pairs_dynamic(deadlock->pairs);
}

static struct darn_engine_cost cost(const void *state)
{
    const struct deadlock *deadlock = state;
    struct darn_engine_cost cost = {
        .memory = darn_lockdeps_memory(&deadlock->deps) + darn_pairs_memory(deadlock->pairs),
        .dropped = deadlock->dropped + deadlock->deps.dropped + deadlock->deps.locks.worn +
                   darn_periods_degraded(deadlock->deps.periods),
    };

    cost.peak = cost.memory > deadlock->peak ? cost.memory : deadlock->peak;
    return cost;
}

const struct darn_engine darn_engine_deadlock = {
    .name = "deadlock",
    .help = "locks that threads ask for in a circle: deadlocks of another schedule",
    .create = create,
    .event = event,
    .finish = finish,
    .predictions = predictions,
    .dynamic = dynamic,
    .cost = cost,
    .destroy = destroy,
};
