/*
 * Sync-preserving deadlocks (Tunc, Mathur, Pavlogiannis, Viswanathan, "Sound Dynamic Deadlock
 * Prediction in Linear Time", PLDI 2023), of two threads: each asks for a lock that the other
 * holds, and both can stand there at once in a reordering of the run that keeps the order of
 * critical sections (ideal.h). What is predicted can happen.
 *
 * Of each lock is remembered who asked for it while holding others: of each way (thread, place,
 * locks held) the last time.
 */
#include <stdlib.h>

#include "base/grow.h"
#include "engine/common/engine.h"
#include "engine/common/held.h"
#include "engine/common/ideal.h"
#include "engine/common/order.h"
#include "engine/common/pairs.h"
#include "engine/common/place.h"
#include "engine/common/shadow.h"

/* So many are remembered of one lock; when there are more, one is left out. */
#define MOST 64u

struct asking {
    struct darn_event event; /* the ACQUIRE */
    struct darn_stamp before;
    uint64_t place;
    uint32_t holding;
};

struct cell {
    struct asking *list; /* of those who asked for the lock at this address */
    size_t capacity;
    uint32_t count, victim;
};

struct syncp_deadlock {
    struct darn_engine_config config;
    struct darn_order *order;
    struct darn_ideals *ideals;
    struct darn_locksets *sets;
    struct darn_held *held;
    struct darn_pairs *pairs;
    struct darn_shadow *cells;
    size_t lists; /* bytes */
    uint64_t dropped, events;
    size_t peak;
};

static void drop_cell(void *context, void *memory)
{
    struct syncp_deadlock *engine = context;
    struct cell *cell = memory;

    for (uint32_t i = 0; i < cell->count; i++)
        darn_stamp_drop(darn_order_clocks(engine->order), &cell->list[i].before);
    engine->lists -= cell->capacity * sizeof(*cell->list);
    free(cell->list);
}

static void destroy(void *state)
{
    struct syncp_deadlock *engine = state;

    if (engine->cells)
        darn_shadow_destroy(engine->cells);
    darn_ideals_destroy(engine->ideals);
    if (engine->pairs)
        darn_pairs_destroy(engine->pairs);
    darn_held_destroy(engine->held);
    darn_locksets_destroy(engine->sets);
    darn_order_destroy(engine->order);
    free(engine);
}

static void *create(const struct darn_engine_config *config)
{
    struct syncp_deadlock *engine = calloc(1, sizeof(*engine));
    struct darn_shadow_type type = {
        .size = sizeof(struct cell), .drop = drop_cell, .context = engine};
    struct darn_order_config order = {.flow = true,
                                      .ignore_sync = config->ignore_sync,
                                      .ignore_atomic = config->ignore_atomic,
                                      .reads_too = config->reads_too,
                                      .context = config->context};

    if (!engine)
        return NULL;
    engine->config = *config;
    engine->order = darn_order_create(&order);
    engine->ideals = engine->order ? darn_ideals_create(darn_order_clocks(engine->order)) : NULL;
    engine->sets = darn_locksets_create();
    engine->held = engine->sets ? darn_held_create(engine->sets) : NULL;
    engine->pairs = darn_pairs_create(&engine->config);
    engine->cells = darn_shadow_create(&type);
    if (!engine->ideals || !engine->held || !engine->pairs || !engine->cells) {
        destroy(engine);
        return NULL;
    }
    return engine;
}

/* The mode in which the lock is among those of a holding; -1: it is not. */
static int mode_in(const struct darn_held *held, uint32_t holding, uint64_t lock)
{
    while (holding != DARN_HOLDING_NOTHING) {
        const struct darn_holding *one = darn_holding(held, holding);

        if (one->lock == lock)
            return one->kind;
        holding = one->outer;
    }
    return -1;
}

static bool waits(const struct syncp_deadlock *engine, const struct darn_event *asks,
                  uint32_t holding)
{
    int mode = mode_in(engine->held, holding, asks->target);

    return mode >= 0 && !(mode == DARN_EVENT_RDLOCK && asks->lock == DARN_EVENT_RDLOCK);
}

static void add_step(struct syncp_deadlock *engine, struct darn_prediction *prediction,
                     const struct asking *asking)
{
    darn_holding_fill(engine->held, asking->holding,
                      darn_prediction_add(prediction, &asking->event));
}

static void report(struct syncp_deadlock *engine, const struct asking *one,
                   const struct asking *other)
{
    uint64_t a = darn_hash_place(DARN_HASH_START, one->place, one->event.target);
    uint64_t b = darn_hash_place(DARN_HASH_START, other->place, other->event.target);
    struct darn_prediction *prediction =
        darn_pairs_see_key(engine->pairs, DARN_PREDICTS_DEADLOCK, a + b, one->event.target);

    if (!prediction)
        return;
    add_step(engine, prediction, one);
    add_step(engine, prediction, other);
}

static struct darn_ideal_point point_of(const struct asking *asking)
{
    return (struct darn_ideal_point){asking->before.clock, asking->before.slot,
                                     asking->before.time};
}

static void meet(struct syncp_deadlock *engine, const struct asking *earlier,
                 const struct asking *now)
{
    struct darn_ideal_point points[] = {point_of(earlier), point_of(now)};

    if (darn_stamp_knows(&now->before, darn_stamp_epoch(&earlier->before)) ||
        !waits(engine, &now->event, earlier->holding) ||
        !darn_lockset_disjoint_for(engine->sets, darn_holding_set(engine->held, earlier->holding),
                                   darn_holding_set(engine->held, now->holding)))
        return;
    switch (darn_ideal_reaches(engine->ideals, points, 2)) {
    case DARN_IDEAL_OPEN:
        report(engine, earlier, now);
        break;
    case DARN_IDEAL_UNKNOWN:
        engine->dropped++;
        break;
    case DARN_IDEAL_CLOSED:
        break;
    }
}

/* All who asked for a lock that the thread holds now, and had to wait for it. */
static void meet_all(struct syncp_deadlock *engine, const struct asking *now)
{
    struct darn_held_thread mine = darn_held_of(engine->held, now->event.thread);

    for (uint32_t i = 0; i < mine.count; i++) {
        struct cell *cell = darn_shadow_exact(engine->cells, mine.locks[i].lock, 1);

        for (uint32_t j = 0; cell && j < cell->count; j++) {
            if (waits(engine, &cell->list[j].event, now->holding))
                meet(engine, &cell->list[j], now);
        }
    }
}

/* Where it is to be remembered: in the place of its own way, if there is one. */
static struct asking *place_for(struct syncp_deadlock *engine, struct cell *cell,
                                const struct asking *asking)
{
    size_t before = cell->capacity;

    for (uint32_t i = 0; i < cell->count; i++) {
        struct asking *old = &cell->list[i];

        if (old->before.slot == asking->before.slot && old->place == asking->place &&
            old->event.lock == asking->event.lock && old->holding == asking->holding)
            return old;
    }
    if (cell->count == MOST) {
        engine->dropped++;
        return &cell->list[cell->victim++ % MOST];
    }
    cell->list = darn_grow(cell->list, &cell->capacity, cell->count + 1u, sizeof(*cell->list));
    engine->lists += (cell->capacity - before) * sizeof(*cell->list);
    return &cell->list[cell->count++];
}

static void ask(struct syncp_deadlock *engine, const struct darn_stamp *now,
                const struct darn_event *event)
{
    struct asking asking = {.event = *event,
                            .before = *now,
                            .place = darn_place(&engine->config, event->site, event->stack),
                            .holding = darn_held_holding(engine->held, event->thread)};
    struct asking *kept;

    if (asking.holding == DARN_HOLDING_NOTHING || event->flags & DARN_EVENT_TRY ||
        darn_held_find(engine->held, event->thread, event->target))
        return;
    meet_all(engine, &asking);
    kept = place_for(engine, darn_shadow_at(engine->cells, event->target), &asking);
    darn_stamp_drop(darn_order_clocks(engine->order), &kept->before);
    *kept = asking;
    kept->before = darn_stamp_copy(now);
}

static size_t memory_of(const struct syncp_deadlock *engine)
{
    return sizeof(*engine) + engine->lists + darn_order_memory(engine->order) +
           darn_ideals_memory(engine->ideals) + darn_locksets_memory(engine->sets) +
           darn_held_memory(engine->held) + darn_pairs_memory(engine->pairs) +
           darn_shadow_memory(engine->cells);
}

static void measure(struct syncp_deadlock *engine)
{
    size_t memory = memory_of(engine);

    if (engine->peak < memory)
        engine->peak = memory;
}

static void take_event(void *state, const struct darn_event *event)
{
    struct syncp_deadlock *engine = state;
    struct darn_order_thread *thread = darn_order_before(engine->order, event);

    if (event->kind == DARN_EVENT_ACQUIRE)
        ask(engine, &thread->now, event);
    darn_held_event(engine->held, event);
    if (event->kind == DARN_EVENT_ALLOC || event->kind == DARN_EVENT_FREE)
        darn_shadow_forget(engine->cells, event->target, event->extra);
    darn_ideals_event(engine->ideals, engine->held, &thread->now, event);
    darn_order_after(engine->order, thread, event);
    if ((++engine->events & 0xfff) == 0)
        measure(engine);
}

static void finish(void *state)
{
    measure(state);
}

static const struct darn_prediction *predictions(const void *state, size_t *count)
{
    const struct syncp_deadlock *engine = state;

    return darn_pairs_predictions(engine->pairs, count);
}

static uint64_t dynamic(const void *state)
{
    const struct syncp_deadlock *engine = state;

    return darn_pairs_dynamic(engine->pairs);
}

static struct darn_engine_cost cost(const void *state)
{
    const struct syncp_deadlock *engine = state;

    return (struct darn_engine_cost){.memory = memory_of(engine),
                                     .peak = engine->peak,
                                     .dropped =
                                         engine->dropped + darn_order_degraded(engine->order)};
}

const struct darn_engine darn_engine_syncp_deadlock = {
    .name = "syncp-deadlock",
    .help =
        "deadlocks of two threads that can happen while locks are taken in the order of this run",
    .create = create,
    .event = take_event,
    .finish = finish,
    .predictions = predictions,
    .dynamic = dynamic,
    .cost = cost,
    .destroy = destroy,
};
