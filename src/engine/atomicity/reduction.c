/*
 * Atomicity by reduction, offline (Wang & Stoller, section 5): events are classified by how they
 * commute with those of other threads, and a transaction is atomic if its events can be moved
 * together. Whether accesses race is decided by the multilockset algorithm (phase.h), locks are
 * classified by movers.h, and transactions kept as trees (mtree.h) until everything is known.
 *
 * "Thread-local or read-only" is a bit wider here than in the paper: no two accesses of different
 * threads, one of them a write, are in concurrent periods. Such accesses commute with all that can
 * happen at the same time, which is what theorem 2 needs; so a table that is filled before the
 * threads start is read-only.
 */
#include <stdlib.h>

#include "base/map.h"
#include "engine/atomicity/atombase.h"
#include "engine/atomicity/movers.h"
#include "engine/atomicity/mtree.h"
#include "base/grow.h"
#include "engine/common/place.h"
#include "engine/common/threads.h"
#include "engine/race/phase.h"

enum { RACES = 1, SHARED = 2 };

struct variable {
    struct darn_variable variable; /* first */
    struct darn_phase *phase;
    uint64_t whole; /* serial of the variable that it was a part of */
    struct darn_period written, read;
    darn_epoch epoch; /* of the last access, with: */
    uint32_t holding;
    uint8_t seen;     /* its kinds */
    uint8_t verdict;  /* RACES, SHARED */
    bool has_readers; /* several, at the same time */
    bool is_used;     /* some tree names it */
};

struct reduction {
    struct darn_atombase base; /* first */
    struct darn_phases *phases;
    struct darn_movers movers;
    struct darn_mtrees trees;
    struct darn_threads threads;
    struct darn_mtree *open; /* by thread */
    size_t open_capacity;
    struct darn_map gone; /* serials, to the verdicts of variables whose memory was freed */
    uint64_t cut;
    uint32_t *found; /* the tree of each prediction */
    size_t found_count, found_capacity;
};

static struct darn_mtree *tree_of(struct reduction *reduction, uint32_t thread)
{
    uint32_t index = darn_threads_index(&reduction->threads, thread);

    reduction->open = darn_grow(reduction->open, &reduction->open_capacity, (size_t)index + 1,
                                sizeof(*reduction->open));
    return &reduction->open[index];
}

/* The verdict of a part is one of the whole that it came from: trees name that one. */
static void note_verdict(struct reduction *reduction, uint64_t serial, uint8_t verdict)
{
    uintptr_t known = darn_map_get(&reduction->gone, serial, 0);

    if ((known | verdict) != known)
        darn_map_put(&reduction->gone, serial, known | verdict);
}

static void on_gone(struct darn_atombase *base, uint32_t variable)
{
    struct reduction *reduction = (struct reduction *)base;
    struct variable *of = darn_atom_variable(base, variable);

    if (of->is_used)
        note_verdict(reduction, of->variable.serial, of->verdict);
    if (of->whole)
        note_verdict(reduction, of->whole, of->verdict);
    darn_phase_leave(reduction->phases, of->phase);
    of->variable.serial = 0;
    darn_atom_give(base, variable);
}

static void on_split(struct darn_atombase *base, uint32_t whole, uint32_t part)
{
    const struct variable *from = darn_atom_variable(base, whole);
    struct variable *of = darn_atom_variable(base, part);

    darn_phase_share(of->phase);
    /* Parts of parts are parts of what trees may name, too. */
    of->whole = from->whole ? from->whole : from->variable.serial;
    if (from->whole && from->is_used)
        note_verdict((struct reduction *)base, from->whole, from->verdict);
}

/* Whether a conflicting access of another thread is concurrent with this one. Of the readers one is
 * remembered; when there were several at a time, a later write is taken to conflict. */
static bool is_shared(struct darn_atombase *base, struct variable *of, uint32_t thread, bool writes)
{
    struct darn_period now = darn_periods_now(base->periods, thread);
    bool conflicts =
        of->written.index && !darn_periods_before_now(base->periods, of->written, thread);
    bool reads = of->read.index && !darn_periods_before_now(base->periods, of->read, thread);

    if (writes) {
        conflicts = conflicts || reads || of->has_readers;
        of->written = now;
    } else {
        of->has_readers = of->has_readers || reads;
        of->read = now;
    }
    return conflicts;
}

static void judge(struct reduction *reduction, struct variable *of, const struct darn_event *event,
                  bool writes, uint32_t holding)
{
    struct darn_atombase *base = &reduction->base;
    struct darn_period now = darn_periods_now(base->periods, event->thread);
    darn_epoch epoch = darn_epoch_make(now.slot, now.index);
    uint8_t kind = writes ? 2 : 1;
    struct darn_event half = *event;
    struct darn_phase_pair pair;
    struct darn_access access;
    bool races = false;

    if (of->epoch == epoch && of->holding == holding && of->seen & kind)
        return;
    of->seen = (uint8_t)((of->epoch == epoch && of->holding == holding ? of->seen : 0) | kind);
    of->epoch = epoch;
    of->holding = holding;
    if (!(of->verdict & SHARED) && is_shared(base, of, event->thread, writes))
        of->verdict |= SHARED;
    half.kind = writes ? DARN_EVENT_WRITE : DARN_EVENT_READ;
    access = darn_access_pack(&half, epoch, holding, false, of->variable.address);
    of->phase =
        darn_phase_next(reduction->phases, of->phase, &access, event->thread, &races, &pair);
    if (races)
        of->verdict |= RACES | SHARED;
}

static struct darn_mstep step_of(const struct darn_event *event, uint32_t holding, uint8_t kind)
{
    return (struct darn_mstep){event->target, event->site, event->stack, holding,
                               event->size,   kind,        event->lock};
}

static void on_access(struct darn_atombase *base, uint32_t variable, const struct darn_event *event,
                      bool writes)
{
    struct reduction *reduction = (struct reduction *)base;
    struct variable *of = darn_atom_variable(base, variable);
    struct darn_mtree *tree = tree_of(reduction, event->thread);
    uint32_t holding = darn_held_holding(base->held, event->thread);

    judge(reduction, of, event, writes, holding);
    /* The second half of an update is the same event. */
    if (tree->is_open && !(writes && event->kind == DARN_EVENT_UPDATE)) {
        struct darn_mstep step =
            step_of(event, holding, writes ? DARN_EVENT_WRITE : DARN_EVENT_READ);

        of->is_used = true;
        darn_mtree_access(tree, of->variable.serial, &step);
    }
}

static void on_acquire(struct darn_atombase *base, const struct darn_event *event)
{
    struct reduction *reduction = (struct reduction *)base;
    struct darn_mtree *tree = tree_of(reduction, event->thread);
    struct darn_mstep step =
        step_of(event, darn_held_holding(base->held, event->thread), DARN_EVENT_ACQUIRE);

    darn_movers_acquire(&reduction->movers, event->thread, event->target);
    if (tree->is_open)
        darn_mtree_enter(tree, event->target, &step);
}

static void on_release(struct darn_atombase *base, const struct darn_event *event)
{
    struct reduction *reduction = (struct reduction *)base;
    struct darn_mtree *tree = tree_of(reduction, event->thread);

    darn_movers_release(&reduction->movers, event->thread, event->target);
    if (tree->is_open)
        darn_mtree_leave(tree, event->target);
}

static void on_begin(void *base, uint32_t thread, uint32_t site)
{
    darn_mtree_begin(tree_of(base, thread), thread, site);
}

static void on_end(void *base, uint32_t thread)
{
    struct reduction *reduction = base;
    struct darn_mtree *tree = tree_of(reduction, thread);

    darn_mtree_end(tree);
    reduction->cut += tree->is_cut;
    (void)darn_mtrees_keep(&reduction->trees, tree);
}

static size_t more(const struct darn_atombase *base)
{
    const struct reduction *reduction = (const struct reduction *)base;
    size_t memory = sizeof(*reduction) + darn_phases_memory(reduction->phases) +
                    darn_movers_memory(&reduction->movers) + darn_mtrees_memory(&reduction->trees) +
                    darn_threads_memory(&reduction->threads) +
                    reduction->open_capacity * sizeof(*reduction->open) +
                    darn_map_memory(&reduction->gone) +
                    reduction->found_capacity * sizeof(*reduction->found);

    for (uint32_t i = 0; i < reduction->threads.count; i++)
        memory += darn_mtree_memory(&reduction->open[i]);
    return memory;
}

static const struct darn_atom_calls calls = {
    .variable = sizeof(struct variable),
    .access = on_access,
    .acquire = on_acquire,
    .release = on_release,
    .begin = on_begin,
    .end = on_end,
    .split = on_split,
    .gone = on_gone,
    .more = more,
};

static void destroy(void *state)
{
    struct reduction *reduction = state;

    if (reduction->base.shadow)
        darn_shadow_destroy(reduction->base.shadow);
    reduction->base.shadow = NULL;
    darn_phases_destroy(reduction->phases);
    darn_atombase_close(&reduction->base);
    darn_movers_free(&reduction->movers);
    darn_mtrees_free(&reduction->trees);
    for (uint32_t i = 0; i < reduction->threads.count; i++)
        darn_mtree_free(&reduction->open[i]);
    darn_threads_free(&reduction->threads);
    darn_map_free(&reduction->gone);
    free(reduction->found);
    free(reduction->open);
    free(reduction);
}

static void *create(const struct darn_engine_config *config)
{
    struct reduction *reduction = calloc(1, sizeof(*reduction));

    if (!reduction)
        return NULL;
    if (darn_atombase_open(&reduction->base, config, &calls))
        reduction->phases =
            darn_phases_create(reduction->base.sets, reduction->base.held, reduction->base.periods);
    if (!reduction->phases) {
        destroy(reduction);
        return NULL;
    }
    reduction->movers.sets = reduction->base.sets;
    reduction->movers.held = reduction->base.held;
    return reduction;
}

static bool races(void *context, uint64_t variable)
{
    const struct reduction *reduction = context;

    return darn_map_get(&reduction->gone, variable, 0) & RACES;
}

static bool is_alone(void *context, uint64_t variable)
{
    const struct reduction *reduction = context;

    return !(darn_map_get(&reduction->gone, variable, 0) & SHARED);
}

static bool is_both(void *context, uint64_t lock)
{
    const struct reduction *reduction = context;

    return darn_movers_are_both(&reduction->movers, lock);
}

static struct darn_event event_of(const struct darn_mtree *tree, const struct darn_mstep *step)
{
    return (struct darn_event){.target = step->target,
                               .thread = tree->thread,
                               .size = step->size,
                               .site = step->site,
                               .stack = step->stack,
                               .kind = step->kind,
                               .lock = step->lock};
}

static void report(struct reduction *reduction, const struct darn_mtree *tree,
                   const struct darn_mstep *steps[2])
{
    struct darn_atombase *base = &reduction->base;
    uint64_t key = darn_hash_place(DARN_HASH_START, darn_place(&base->config, tree->unit, 0), 1);
    struct darn_prediction *prediction;

    for (int i = 0; i < 2; i++)
        key = darn_hash_place(key, darn_place(&base->config, steps[i]->site, steps[i]->stack),
                              steps[i]->target);
    prediction = darn_pairs_see_key(base->pairs, DARN_PREDICTS_IRREDUCIBLE, key, steps[1]->target);
    if (!prediction)
        return;
    for (int i = 0; i < 2; i++) {
        struct darn_event event = event_of(tree, steps[i]);

        darn_atom_step(base, prediction, &event, steps[i]->holding, tree->unit);
    }
    reduction->found = darn_grow(reduction->found, &reduction->found_capacity,
                                 reduction->found_count + 1, sizeof(*reduction->found));
    reduction->found[reduction->found_count++] = (uint32_t)(tree - reduction->trees.all);
}

static void finish(void *state)
{
    struct reduction *reduction = state;
    struct darn_mworld world = {reduction, races, is_alone, is_both};

    darn_atombase_finish(&reduction->base);
    for (uint32_t i = 1; i <= reduction->base.variables.fresh; i++) {
        const struct variable *of = darn_atom_variable(&reduction->base, i);

        if (!of->variable.serial || !of->verdict)
            continue;
        note_verdict(reduction, of->variable.serial, of->verdict);
        if (of->whole)
            note_verdict(reduction, of->whole, of->verdict);
    }
    for (size_t i = 0; i < reduction->trees.count; i++) {
        const struct darn_mstep *steps[2];

        if (!darn_mtree_is_atomic(&reduction->trees.all[i], &world, steps))
            report(reduction, &reduction->trees.all[i], steps);
    }
    reduction->base.dropped += reduction->trees.dropped + reduction->cut;
    darn_atombase_measure(&reduction->base);
}

static size_t facts(const void *state, struct darn_engine_fact *facts)
{
    const struct reduction *reduction = state;
    size_t count = darn_atombase_facts(&reduction->base, facts);

    facts[count++] =
        (struct darn_engine_fact){"distinct transaction trees", reduction->trees.count, false};
    facts[count++] = (struct darn_engine_fact){"variables in them (varsOne and varsMul)",
                                               reduction->trees.uses, false};
    if (reduction->trees.dropped + reduction->cut)
        facts[count++] =
            (struct darn_engine_fact){"transactions that were too long, or for which there was no "
                                      "room",
                                      reduction->trees.dropped + reduction->cut, true};
    return count;
}

struct movers {
    const struct reduction *reduction;
    const struct darn_mtree *tree;
    struct darn_engine_mover *all;
    size_t count, most;
};

static void add_mover(void *context, const struct darn_mstep *step, enum darn_mover type,
                      bool is_end)
{
    struct movers *movers = context;
    struct darn_engine_mover *mover = &movers->all[movers->count];

    if (movers->count++ >= movers->most)
        return;
    mover->type = type;
    mover->step = (struct darn_prediction_step){.event = event_of(movers->tree, step)};
    mover->step.unit = movers->tree->unit;
    darn_holding_fill(movers->reduction->base.held, step->holding, &mover->step);
    if (is_end)
        mover->step.event.kind = DARN_EVENT_RELEASE;
}

static size_t list_movers(const void *state, size_t prediction, struct darn_engine_mover *all,
                          size_t most)
{
    const struct reduction *reduction = state;
    struct darn_mworld world = {(void *)state, races, is_alone, is_both};
    struct movers movers = {reduction, NULL, all, 0, most};

    if (prediction >= reduction->found_count)
        return 0;
    movers.tree = &reduction->trees.all[reduction->found[prediction]];
    darn_mtree_pattern(movers.tree, &world, add_mover, &movers);
    return movers.count;
}

const struct darn_engine darn_engine_reduction = {
    .name = "reduction",
    .help = "transactions whose events cannot be moved together past those of other threads",
    .create = create,
    .event = darn_atombase_event,
    .finish = finish,
    .predictions = darn_atombase_predictions,
    .dynamic = darn_atombase_dynamic,
    .cost = darn_atombase_cost,
    .facts = facts,
    .movers = list_movers,
    .destroy = destroy,
};
