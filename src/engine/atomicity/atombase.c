#include "engine/atomicity/atombase.h"

#include <string.h>

#include "base/grow.h"
#include "engine/race/racebase.h"

struct cell {
    uint32_t variable; /* 0: not made yet */
};

struct visit {
    struct darn_atombase *base;
    const struct darn_event *event;
};

static uint32_t make_variable(struct darn_atombase *base)
{
    uint32_t variable = darn_pool_take(&base->variables);
    struct darn_variable *made = darn_atom_variable(base, variable);

    memset(made, 0, base->variables.item);
    made->serial = ++base->serial;
    return variable;
}

static void copy_cell(void *context, void *memory)
{
    struct darn_atombase *base = context;
    struct cell *cell = memory;
    uint32_t whole = cell->variable, part;
    struct darn_variable *made;

    if (!whole)
        return;
    part = make_variable(base);
    made = darn_atom_variable(base, part);
    memcpy(made, darn_atom_variable(base, whole), base->variables.item);
    made->serial = base->serial;
    cell->variable = part;
    if (base->calls->split)
        base->calls->split(base, whole, part);
}

static void drop_cell(void *context, void *memory)
{
    struct darn_atombase *base = context;
    struct cell *cell = memory;

    if (!cell->variable)
        return;
    ((struct darn_variable *)darn_atom_variable(base, cell->variable))->is_gone = true;
    base->calls->gone(base, cell->variable);
}

void darn_atom_give(struct darn_atombase *base, uint32_t variable)
{
    darn_pool_give(&base->variables, variable);
}

bool darn_atombase_open(struct darn_atombase *base, const struct darn_engine_config *config,
                        const struct darn_atom_calls *calls)
{
    const struct darn_shadow_type type = {
        .size = sizeof(struct cell), .copy = copy_cell, .drop = drop_cell, .context = base};
    struct darn_transactions_calls unit = {base, calls->begin, calls->end};

    *base = (struct darn_atombase){.calls = calls};
    if (config)
        base->config = *config;
    base->no_escape = base->config.ignore_escape;
    base->variables.item = (calls->variable + 7) / 8 * 8;
    base->sets = darn_locksets_create();
    base->held = base->sets ? darn_held_create(base->sets) : NULL;
    base->periods = darn_periods_create();
    base->pairs = darn_pairs_create(&base->config);
    base->shadow = darn_shadow_create(&type);
    base->escape = darn_escape_create();
    if (base->held)
        base->transactions = darn_transactions_create(&base->config, base->held, &unit);
    return base->held && base->periods && base->pairs && base->shadow && base->escape &&
           base->transactions;
}

void darn_atombase_close(struct darn_atombase *base)
{
    if (base->shadow)
        darn_shadow_destroy(base->shadow);
    darn_transactions_destroy(base->transactions);
    darn_escape_destroy(base->escape);
    if (base->pairs)
        darn_pairs_destroy(base->pairs);
    darn_periods_destroy(base->periods);
    darn_held_destroy(base->held);
    darn_locksets_destroy(base->sets);
    darn_pool_free(&base->variables);
    free(base->reads_too);
}

static size_t memory_of(const struct darn_atombase *base)
{
    return base->calls->more(base) + darn_locksets_memory(base->sets) +
           darn_held_memory(base->held) + darn_periods_memory(base->periods) +
           darn_pairs_memory(base->pairs) + darn_shadow_memory(base->shadow) +
           darn_escape_memory(base->escape) + darn_transactions_memory(base->transactions) +
           darn_pool_memory(&base->variables) + base->site_count;
}

void darn_atombase_measure(struct darn_atombase *base)
{
    size_t memory = memory_of(base);

    if (base->peak < memory)
        base->peak = memory;
}

/* Sites beyond this are asked for each time: numbers of a damaged trace may be anything. */
#define MOST_SITES (1u << 20)

static bool reads_too(struct darn_atombase *base, const struct darn_event *event)
{
    const struct darn_engine_config *config = &base->config;

    if (event->kind != DARN_EVENT_WRITE || !config->reads_too)
        return false;
    if (event->site >= MOST_SITES)
        return config->reads_too(config->context, event->site);
    base->reads_too = darn_grow(base->reads_too, &base->site_count, (size_t)event->site + 1,
                                sizeof(*base->reads_too));
    if (!base->reads_too[event->site])
        base->reads_too[event->site] = config->reads_too(config->context, event->site) ? 2 : 1;
    return base->reads_too[event->site] == 2;
}

static void on_cell(void *to, void *memory, uint64_t address)
{
    struct visit *visit = to;
    struct darn_atombase *base = visit->base;
    const struct darn_event *event = visit->event;
    struct cell *cell = memory;
    struct darn_variable *variable;

    if (!cell->variable)
        cell->variable = make_variable(base);
    variable = darn_atom_variable(base, cell->variable);
    variable->address = address;
    variable->size = event->size;
    base->accesses++;
    if (!variable->has_escaped && !base->no_escape)
        variable->has_escaped = darn_escape_has(base->escape, address, event->thread);
    if (!variable->has_escaped && !base->no_escape) {
        base->unescaped++;
        return;
    }
    if (event->kind != DARN_EVENT_WRITE || reads_too(base, event))
        base->calls->access(base, cell->variable, event, false);
    if (event->kind != DARN_EVENT_READ)
        base->calls->access(base, cell->variable, event, true);
}

/* As for the engines that look at locks: what is used to synchronize is no variable. */
static bool is_variable(const struct darn_atombase *base, const struct darn_event *event)
{
    const struct darn_racebase like = {.config = base->config};

    return darn_racebase_is_variable(&like, event);
}

static void on_access(struct darn_atombase *base, const struct darn_event *event)
{
    struct visit visit = {base, event};

    if (!is_variable(base, event)) {
        if (!base->no_escape) /* it is no variable, but who comes to it may come to all around it */
            (void)darn_escape_has(base->escape, event->target, event->thread);
        return;
    }
    darn_shadow_pass(base->shadow, event, on_cell, &visit);
}

static void on_lock(struct darn_atombase *base, const struct darn_event *event)
{
    const struct darn_held_lock *lock = darn_held_find(base->held, event->thread, event->target);

    if (event->kind == DARN_EVENT_ACQUIRE && !lock)
        base->calls->acquire(base, event);
    if (event->kind == DARN_EVENT_RELEASE && lock && lock->depth == 1)
        base->calls->release(base, event);
    darn_held_event(base->held, event);
}

void darn_atombase_event(void *state, const struct darn_event *event)
{
    struct darn_atombase *base = state;

    darn_transactions_before(base->transactions, event);
    switch (event->kind) {
    case DARN_EVENT_READ:
    case DARN_EVENT_WRITE:
    case DARN_EVENT_UPDATE:
        on_access(base, event);
        break;
    case DARN_EVENT_ACQUIRE:
    case DARN_EVENT_RELEASE:
        on_lock(base, event);
        break;
    case DARN_EVENT_ALLOC:
    case DARN_EVENT_FREE:
        darn_shadow_forget(base->shadow, event->target, event->extra);
        if (!base->config.ignore_order)
            darn_periods_event(base->periods, event);
        darn_escape_event(base->escape, event);
        break;
    case DARN_EVENT_STACK:
    case DARN_EVENT_POINTER:
        darn_escape_event(base->escape, event);
        break;
    default:
        darn_held_event(base->held, event);
        darn_escape_event(base->escape, event);
        if (!base->config.ignore_order)
            darn_periods_event(base->periods, event);
        if (base->calls->other)
            base->calls->other(base, event);
        break;
    }
    darn_transactions_after(base->transactions, event);
    if ((++base->events & 0xffff) == 0)
        darn_atombase_measure(base);
}

void darn_atombase_finish(void *state)
{
    struct darn_atombase *base = state;

    darn_transactions_finish(base->transactions);
    darn_atombase_measure(base);
}

void darn_atom_step(struct darn_atombase *base, struct darn_prediction *prediction,
                    const struct darn_event *event, uint32_t holding, uint32_t unit)
{
    struct darn_prediction_step *step = darn_prediction_add(prediction, event);

    if (!step)
        return;
    step->unit = unit;
    darn_holding_fill(base->held, holding, step);
}

const struct darn_prediction *darn_atombase_predictions(const void *state, size_t *count)
{
    const struct darn_atombase *base = state;

    return darn_pairs_predictions(base->pairs, count);
}

uint64_t darn_atombase_dynamic(const void *state)
{
    const struct darn_atombase *base = state;

    return darn_pairs_dynamic(base->pairs);
}

struct darn_engine_cost darn_atombase_cost(const void *state)
{
    const struct darn_atombase *base = state;
    struct darn_engine_cost cost = {
        .memory = memory_of(base), .dropped = base->dropped + darn_periods_degraded(base->periods)};

    cost.peak = cost.memory > base->peak ? cost.memory : base->peak;
    return cost;
}

size_t darn_atombase_facts(const struct darn_atombase *base, struct darn_engine_fact *facts)
{
    size_t count = 0;

    facts[count++] = (struct darn_engine_fact){"transactions",
                                               darn_transactions_count(base->transactions), false};
    facts[count++] = (struct darn_engine_fact){"accesses to variables", base->accesses, false};
    if (!base->no_escape)
        facts[count++] = (struct darn_engine_fact){
            "of them to memory that had not escaped, left out", base->unescaped, false};
    return count;
}
