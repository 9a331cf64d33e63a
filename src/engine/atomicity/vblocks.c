/*
 * Atomicity by blocks (Wang & Stoller, section 6): from one run, which transactions could be
 * interleaved so that no serial order of them explains the result. docs/engine-blocks.md says what
 * it finds, what it cannot see, and when the theorems hold.
 */
#include "engine/atomicity/vblocks.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "engine/common/place.h"

static struct darn_vblocks_engine *engine_of(const void *base)
{
    return (struct darn_vblocks_engine *)base;
}

static uint32_t thread_index(struct darn_vblocks_engine *engine, uint32_t number)
{
    uint32_t index = darn_threads_index(&engine->threads, number);
    size_t need = (size_t)index + 1;

    if (need > engine->open_capacity) {
        engine->open = darn_grow(engine->open, &engine->open_capacity, need, sizeof(*engine->open));
        engine->is_live =
            darn_grow(engine->is_live, &engine->live_capacity, need, sizeof(*engine->is_live));
        engine->numbers =
            darn_grow(engine->numbers, &engine->number_capacity, need, sizeof(*engine->numbers));
    }
    engine->numbers[index] = number;
    return index;
}

static struct darn_vopen *open_of(struct darn_vblocks_engine *engine, uint32_t thread)
{
    uint32_t index = thread_index(engine, thread); /* the array may move */

    return &engine->open[index];
}

struct darn_vtarget darn_vblocks_place(const struct darn_vblocks_engine *engine, uint32_t first,
                                       uint32_t second)
{
    const struct darn_variable *one = darn_atom_variable(&engine->base, first);
    const struct darn_variable *two = second ? darn_atom_variable(&engine->base, second) : NULL;

    return (struct darn_vtarget){{one->address, two ? two->address : 0},
                                 {one->size, two ? two->size : 0}};
}

void darn_vblocks_end_variable(struct darn_vblocks_engine *engine, uint32_t variable)
{
    struct darn_vvariable *of = darn_atom_variable(&engine->base, variable);
    struct darn_vtarget place = darn_vblocks_place(engine, variable, 0);
    uint32_t pair;

    darn_vsets_end(&engine->sets, of->set, &place);
    darn_vsets_leave(&engine->sets, of->set);
    while ((pair = darn_vpairs_first(&engine->pairs, variable))) {
        const struct darn_vpair_entry *entry = darn_vpair_at(&engine->pairs, pair);

        place = darn_vblocks_place(engine, entry->variable[0], entry->variable[1]);
        darn_vsets_end(&engine->sets, entry->set, &place);
        darn_vsets_leave(&engine->sets, entry->set);
        darn_vpairs_remove(&engine->pairs, pair);
    }
    of->variable.serial = 0;
    of->set = 0;
    darn_atom_give(&engine->base, variable);
}

static void on_gone(struct darn_atombase *base, uint32_t variable)
{
    const struct darn_vvariable *of = darn_atom_variable(base, variable);

    if (!of->users)
        darn_vblocks_end_variable(engine_of(base), variable);
}

static void on_split(struct darn_atombase *base, uint32_t whole, uint32_t part)
{
    struct darn_vblocks_engine *engine = engine_of(base);
    struct darn_vvariable *of = darn_atom_variable(base, part);
    struct darn_vpair_entry entry, *made;

    of->users = 0;
    darn_vsets_share(&engine->sets, of->set);
    for (uint32_t i = 0; i < engine->threads.count; i++)
        of->users += darn_vopen_split(&engine->open[i], whole, part);
    for (uint32_t pair = darn_vpairs_first(&engine->pairs, whole); pair;
         pair = darn_vpair_after(darn_vpair_at(&engine->pairs, pair), whole)) {
        entry = *darn_vpair_at(&engine->pairs, pair);
        entry.variable[entry.variable[0] != whole] = part;
        made = darn_vpairs_get(&engine->pairs, entry.variable[0], entry.variable[1]);
        if (!made || made->set)
            continue;
        made->set = entry.set;
        darn_vsets_share(&engine->sets, entry.set);
    }
}

static void on_begin(void *base, uint32_t thread, uint32_t site)
{
    struct darn_vblocks_engine *engine = engine_of(base);

    darn_vopen_begin(open_of(engine, thread), engine->base.held, thread, site);
}

static void on_end(void *base, uint32_t thread)
{
    struct darn_vblocks_engine *engine = engine_of(base);

    darn_vblocks_emit(engine, open_of(engine, thread));
}

static void on_acquire(struct darn_atombase *base, const struct darn_event *event)
{
    struct darn_vopen *open = open_of(engine_of(base), event->thread);

    if (open->is_open)
        darn_vopen_acquire(open, event->target, darn_lock_is_exclusive(event->lock));
}

static void on_release(struct darn_atombase *base, const struct darn_event *event)
{
    struct darn_vopen *open = open_of(engine_of(base), event->thread);

    if (open->is_open)
        darn_vopen_release(open, event->target);
}

static void on_access(struct darn_atombase *base, uint32_t variable, const struct darn_event *event,
                      bool writes)
{
    struct darn_vblocks_engine *engine = engine_of(base);
    struct darn_vopen *open = open_of(engine, event->thread);
    struct darn_vvariable *of = darn_atom_variable(base, variable);

    if (!open->is_open) {
        darn_vblocks_emit_single(engine, variable, event, writes);
        return;
    }
    of->users += darn_vopen_access(open, base->sets, base->held, variable, of->variable.serial,
                                   event, writes ? DARN_VOP_WRITE : DARN_VOP_READ,
                                   writes && event->kind == DARN_EVENT_UPDATE);
}

static void set_live(struct darn_vblocks_engine *engine, uint32_t thread, bool is_live)
{
    uint32_t index = thread_index(engine, thread); /* the array may move */

    engine->is_live[index] = is_live;
}

/* What may still come decides what is past. */
static void on_other(struct darn_atombase *base, const struct darn_event *event)
{
    struct darn_vblocks_engine *engine = engine_of(base);

    switch (event->kind) {
    case DARN_EVENT_FORK:
        set_live(engine, (uint32_t)event->target, true);
        break;
    case DARN_EVENT_JOIN:
        set_live(engine, (uint32_t)event->target, false);
        break;
    case DARN_EVENT_EXIT:
        set_live(engine, event->thread, false);
        break;
    case DARN_EVENT_DEPART:
        break;
    default:
        return;
    }
    darn_vblocks_retire(engine);
}

static size_t more(const struct darn_atombase *base)
{
    const struct darn_vblocks_engine *engine = engine_of(base);
    size_t memory = sizeof(*engine) + darn_vblocks_memory(&engine->blocks) +
                    darn_vsets_memory(&engine->sets) + darn_vpairs_memory(&engine->pairs) +
                    darn_threads_memory(&engine->threads) +
                    engine->open_capacity * sizeof(*engine->open) +
                    engine->live_capacity * sizeof(*engine->is_live) +
                    engine->number_capacity * sizeof(*engine->numbers) +
                    engine->signature_capacity * sizeof(*engine->signatures) +
                    darn_htable_memory(&engine->known) + darn_map_memory(&engine->check.crowds) +
                    darn_engine_deadlock.cost(engine->deadlock).memory;

    for (uint32_t i = 0; i < engine->threads.count; i++)
        memory += darn_vopen_memory(&engine->open[i]);
    return memory;
}

static const struct darn_atom_calls calls = {
    .variable = sizeof(struct darn_vvariable),
    .access = on_access,
    .acquire = on_acquire,
    .release = on_release,
    .begin = on_begin,
    .end = on_end,
    .split = on_split,
    .gone = on_gone,
    .other = on_other,
    .more = more,
};

static void destroy(void *state)
{
    struct darn_vblocks_engine *engine = state;

    /* First: variables go with the shadow memory, and take their sets with them. */
    darn_atombase_close(&engine->base);
    if (engine->deadlock)
        darn_engine_deadlock.destroy(engine->deadlock);
    darn_vblocks_free(&engine->blocks);
    darn_vsets_free(&engine->sets);
    darn_vpairs_free(&engine->pairs);
    darn_map_free(&engine->check.crowds);
    for (uint32_t i = 0; i < engine->threads.count; i++)
        darn_vopen_free(&engine->open[i]);
    darn_threads_free(&engine->threads);
    free(engine->open);
    free(engine->is_live);
    free(engine->numbers);
    darn_htable_free(&engine->known);
    free(engine->signatures);
    free(engine);
}

static void *create(const struct darn_engine_config *config)
{
    struct darn_vblocks_engine *engine = calloc(1, sizeof(*engine));
    bool opened;

    if (!engine)
        return NULL;
    opened = darn_atombase_open(&engine->base, config, &calls);
    engine->deadlock = darn_engine_deadlock.create(config);
    if (!opened || !engine->deadlock) {
        destroy(engine);
        return NULL;
    }
    darn_vblocks_init(&engine->blocks, engine->base.periods);
    darn_vsets_init(&engine->sets);
    darn_vpairs_init(&engine->pairs);
    engine->check = (struct darn_vcheck){
        .base = &engine->base,
        .blocks = &engine->blocks,
        .sets = &engine->sets,
        .pairs = &engine->pairs,
        .work = engine->base.config.block_work ? engine->base.config.block_work : DARN_VBLOCKS_WORK,
    };
    engine->events_most =
        engine->base.config.block_events ? engine->base.config.block_events : DARN_VBLOCKS_EVENTS;
    engine->blocks_most =
        engine->base.config.block_count ? engine->base.config.block_count : DARN_VBLOCKS_COUNT;
    return engine;
}

static void on_event(void *state, const struct darn_event *event)
{
    struct darn_vblocks_engine *engine = state;

    set_live(engine, event->thread, true);
    if (!darn_event_is_access(event))
        darn_engine_deadlock.event(engine->deadlock, event);
    darn_atombase_event(&engine->base, event);
}

/* The theorems take it that there is no potential for deadlock: so this comes first. */
static void report_deadlocks(struct darn_vblocks_engine *engine)
{
    const struct darn_prediction *found;

    darn_engine_deadlock.finish(engine->deadlock);
    found = darn_engine_deadlock.predictions(engine->deadlock, &engine->deadlocks);
    for (size_t i = 0; i < engine->deadlocks; i++) {
        struct darn_prediction *made =
            darn_pairs_see_key(engine->base.pairs, DARN_PREDICTS_DEADLOCK,
                               darn_hash_word(DARN_HASH_START, i + 1), found[i].target);

        if (!made)
            continue;
        made->step_count = found[i].step_count;
        memcpy(made->steps, found[i].steps, sizeof(made->steps));
    }
}

static void finish(void *state)
{
    struct darn_vblocks_engine *engine = state;
    struct darn_atombase *base = &engine->base;

    darn_atombase_finish(base);
    report_deadlocks(engine);
    darn_vblocks_end_sets(engine);
    darn_vcheck_sets(&engine->check);
    darn_vcheck_cycles(&engine->check);
    darn_atombase_measure(base);
    base->dropped += engine->check.skipped + engine->check.unreported + engine->check.is_cut +
                     engine->cut + engine->pairs_full + engine->blocks_full;
}

static size_t facts(const void *state, struct darn_engine_fact *facts)
{
    const struct darn_vblocks_engine *engine = state;
    size_t count = darn_atombase_facts(&engine->base, facts);
    const struct darn_engine_fact more[] = {
        {"transactions that were the same as an earlier one", engine->repeated, false},
        {"distinct blocks, at most at one time", engine->blocks.most, false},
        {"potential deadlocks: where there are any, what is said about atomicity may be wrong",
         engine->deadlocks, false},
        {"cyclic dependencies of three or more transactions", engine->check.cycles, false},
        {"comparisons of blocks that were left out (--block-work)", engine->check.skipped, true},
        {"findings that were not told: after 16 on two variables for the same two transactions, "
         "or 1024 in all",
         engine->check.unreported, true},
        {"search for cyclic dependencies given up before its end", engine->check.is_cut, true},
        {"transactions of which not all pairs of accesses were looked at (--block-events)",
         engine->cut, true},
        {"pairs of variables for which there was no room", engine->pairs_full, true},
        {"blocks for which there was no room (--block-count)", engine->blocks_full, true},
    };

    for (size_t i = 0; i < sizeof(more) / sizeof(more[0]); i++) {
        if (more[i].value || !more[i].is_limit)
            facts[count++] = more[i];
    }
    return count;
}

const struct darn_engine darn_engine_blocks = {
    .name = "blocks",
    .help = "transactions that are not atomic: accesses that others can come between",
    .create = create,
    .event = on_event,
    .finish = finish,
    .predictions = darn_atombase_predictions,
    .dynamic = darn_atombase_dynamic,
    .cost = darn_atombase_cost,
    .facts = facts,
    .destroy = destroy,
};
