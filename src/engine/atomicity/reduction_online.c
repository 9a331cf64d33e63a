/*
 * Atomicity by reduction, online, as Atomizer does it and as Wang & Stoller measure it (section 8):
 * events are classified when they come, by what is known so far, with theorem 1 and the
 * improvements of 5.5. Races are those of Eraser with the ownership of von Praun and Gross: a
 * variable belongs to its first thread, then to the second, and is checked from the next change of
 * threads on. No escape analysis, no periods. It misses what is learnt too late; in return it keeps
 * nothing of transactions that have ended.
 */
#include <stdlib.h>

#include "engine/atomicity/atombase.h"
#include "engine/atomicity/movers.h"
#include "base/grow.h"
#include "engine/common/place.h"
#include "engine/common/threads.h"

enum state { VIRGIN, FIRST, SECOND, SHARED, MODIFIED };

struct variable {
    struct darn_variable variable; /* first */
    uint32_t owner;
    uint32_t set; /* lockset: held at all accesses since it is shared */
    uint8_t state;
};

/* A step of a transaction, for a report. */
struct step {
    struct darn_event event;
    uint32_t holding;
};

/* A critical section that the transaction is in. */
struct section {
    uint64_t lock;
    struct step step;
    bool is_both;
};

struct open {
    uint32_t unit;
    bool is_open, is_reported;
    bool is_committed; /* the part of right-movers is over */
    struct step commit;
    struct section *sections;
    size_t count, capacity;
};

struct online {
    struct darn_atombase base; /* first */
    struct darn_movers movers;
    struct darn_threads threads;
    struct open *open; /* by thread */
    size_t open_capacity;
};

static struct open *open_of(struct online *online, uint32_t thread)
{
    uint32_t index = darn_threads_index(&online->threads, thread);

    online->open =
        darn_grow(online->open, &online->open_capacity, (size_t)index + 1, sizeof(*online->open));
    return &online->open[index];
}

/* At most one for each transaction. */
static void report(struct online *online, struct open *open, const struct step *wrong)
{
    struct darn_atombase *base = &online->base;
    const struct step *steps[2] = {&open->commit, wrong};
    uint64_t key = darn_hash_place(DARN_HASH_START, darn_place(&base->config, open->unit, 0), 1);
    struct darn_prediction *prediction;

    if (open->is_reported)
        return;
    open->is_reported = true;
    for (int i = 0; i < 2; i++)
        key = darn_hash_place(
            key, darn_place(&base->config, steps[i]->event.site, steps[i]->event.stack),
            steps[i]->event.target);
    prediction =
        darn_pairs_see_key(base->pairs, DARN_PREDICTS_IRREDUCIBLE, key, wrong->event.target);
    for (int i = 0; prediction && i < 2; i++)
        darn_atom_step(base, prediction, &steps[i]->event, steps[i]->holding, open->unit);
}

static void share(struct online *online, struct variable *of, uint32_t set, bool writes)
{
    uint32_t held = writes ? darn_lockset_exclusive(online->base.sets, set) : set;

    of->set = darn_lockset_intersect(online->base.sets, of->set, held);
    if (writes)
        of->state = MODIFIED;
}

/* Whether the access races, as far as one can see. */
static bool races(struct online *online, struct variable *of, uint32_t thread, bool writes)
{
    uint32_t set = darn_held_set(online->base.held, thread);

    switch ((enum state)of->state) {
    case VIRGIN:
        of->state = FIRST;
        of->owner = thread;
        return false;
    case FIRST:
        if (of->owner != thread)
            of->state = SECOND;
        of->owner = thread;
        return false;
    case SECOND:
        if (of->owner == thread)
            return false;
        of->state = writes ? MODIFIED : SHARED;
        of->set = writes ? darn_lockset_exclusive(online->base.sets, set) : set;
        break;
    default:
        share(online, of, set, writes);
        break;
    }
    return of->state == MODIFIED && of->set == DARN_LOCKSET_EMPTY;
}

static void on_access(struct darn_atombase *base, uint32_t variable, const struct darn_event *event,
                      bool writes)
{
    struct online *online = (struct online *)base;
    struct open *open = open_of(online, event->thread);
    struct variable *of = darn_atom_variable(base, variable);
    struct step step = {*event, darn_held_holding(base->held, event->thread)};

    if (!races(online, of, event->thread, writes) || !open->is_open)
        return;
    /* The second half of an update is the same event. */
    if (writes && event->kind == DARN_EVENT_UPDATE && open->is_committed)
        return;
    if (open->is_committed)
        report(online, open, &step);
    open->is_committed = true;
    open->commit = step;
}

static void on_acquire(struct darn_atombase *base, const struct darn_event *event)
{
    struct online *online = (struct online *)base;
    struct open *open = open_of(online, event->thread);
    struct section section = {
        .lock = event->target,
        .step = {*event, darn_held_holding(base->held, event->thread)},
    };

    darn_movers_acquire(&online->movers, event->thread, event->target);
    section.is_both = darn_movers_are_both(&online->movers, event->target);
    if (!open->is_open)
        return;
    if (!section.is_both && open->is_committed)
        report(online, open, &section.step);
    open->sections =
        darn_grow(open->sections, &open->capacity, open->count + 1, sizeof(*open->sections));
    open->sections[open->count++] = section;
}

static void on_release(struct darn_atombase *base, const struct darn_event *event)
{
    struct online *online = (struct online *)base;
    struct open *open = open_of(online, event->thread);
    size_t at = open->count;

    darn_movers_release(&online->movers, event->thread, event->target);
    while (at && open->sections[at - 1].lock != event->target)
        at--;
    if (!open->is_open || !at)
        return;
    if (!darn_movers_are_both(&online->movers, event->target) && !open->is_committed) {
        open->is_committed = true;
        open->commit = open->sections[at - 1].step;
    }
    for (open->count--; at - 1 < open->count; at++)
        open->sections[at - 1] = open->sections[at];
}

static void on_begin(void *base, uint32_t thread, uint32_t site)
{
    struct open *open = open_of(base, thread);

    *open = (struct open){
        .unit = site, .is_open = true, .sections = open->sections, .capacity = open->capacity};
}

static void on_end(void *base, uint32_t thread)
{
    open_of(base, thread)->is_open = false;
}

static void on_gone(struct darn_atombase *base, uint32_t variable)
{
    darn_atom_give(base, variable);
}

static size_t more(const struct darn_atombase *base)
{
    const struct online *online = (const struct online *)base;
    size_t memory = sizeof(*online) + darn_movers_memory(&online->movers) +
                    darn_threads_memory(&online->threads) +
                    online->open_capacity * sizeof(*online->open);

    for (uint32_t i = 0; i < online->threads.count; i++)
        memory += online->open[i].capacity * sizeof(struct section);
    return memory;
}

static const struct darn_atom_calls calls = {
    .variable = sizeof(struct variable),
    .access = on_access,
    .acquire = on_acquire,
    .release = on_release,
    .begin = on_begin,
    .end = on_end,
    .gone = on_gone,
    .more = more,
};

static void destroy(void *state)
{
    struct online *online = state;

    darn_atombase_close(&online->base);
    darn_movers_free(&online->movers);
    for (uint32_t i = 0; i < online->threads.count; i++)
        free(online->open[i].sections);
    darn_threads_free(&online->threads);
    free(online->open);
    free(online);
}

static void *create(const struct darn_engine_config *config)
{
    struct online *online = calloc(1, sizeof(*online));

    if (!online)
        return NULL;
    if (!darn_atombase_open(&online->base, config, &calls)) {
        destroy(online);
        return NULL;
    }
    online->base.no_escape = true;
    online->movers.sets = online->base.sets;
    online->movers.held = online->base.held;
    return online;
}

static size_t facts(const void *state, struct darn_engine_fact *facts)
{
    return darn_atombase_facts(state, facts);
}

const struct darn_engine darn_engine_reduction_online = {
    .name = "reduction-online",
    .help = "the same with what is known as events come, as Atomizer does it: misses some",
    .create = create,
    .event = darn_atombase_event,
    .finish = darn_atombase_finish,
    .predictions = darn_atombase_predictions,
    .dynamic = darn_atombase_dynamic,
    .cost = darn_atombase_cost,
    .facts = facts,
    .destroy = destroy,
};
