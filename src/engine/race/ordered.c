#include "engine/race/ordered.h"

#include <string.h>

static size_t memory_besides(const struct darn_racebase *base)
{
    const struct darn_ordered *engine = (const struct darn_ordered *)base;

    return engine->own + (engine->order ? darn_order_memory(engine->order) : 0);
}

bool darn_ordered_open(struct darn_ordered *engine, const struct darn_engine_config *config,
                       const struct darn_shadow_type *type, bool locks)
{
    bool opened = darn_racebase_open(&engine->base, config, type, memory_besides);
    struct darn_order_config order = {.locks = locks,
                                      .ignore_sync = engine->base.config.ignore_sync,
                                      .ignore_atomic = engine->base.config.ignore_atomic};

    engine->order = darn_order_create(&order);
    return opened && engine->order;
}

void darn_ordered_close(struct darn_ordered *engine)
{
    darn_racebase_close(&engine->base);
    darn_order_destroy(engine->order);
}

static void on_access(struct darn_ordered *engine, struct darn_order_thread *thread,
                      const struct darn_event *event, darn_shadow_visitor *visit)
{
    bool is_sync = darn_order_is_sync(engine->order, event);
    struct darn_passage passage = {.engine = engine,
                                   .event = event,
                                   .now = &thread->now,
                                   .epoch = darn_stamp_epoch(&thread->now),
                                   .sort = darn_access_sort(darn_event_writes(event), is_sync)};
    void *cell = NULL;

    thread->used = thread->now.time;
    if (!(event->flags & DARN_EVENT_GAPS))
        cell = darn_shadow_exact(engine->base.shadow, event->target, event->size);
    if (cell)
        visit(&passage, cell, event->target);
    else
        darn_shadow_access(engine->base.shadow, event, visit, &passage);
}

void darn_ordered_event(struct darn_ordered *engine, const struct darn_event *event,
                        darn_shadow_visitor *visit)
{
    struct darn_order_thread *thread = darn_order_before(engine->order, event);

    if (event->flags & DARN_EVENT_HALF)
        ; /* no access of its own */
    else if (darn_event_is_access(event))
        on_access(engine, thread, event, visit);
    else if (event->kind == DARN_EVENT_ALLOC || event->kind == DARN_EVENT_FREE)
        darn_shadow_forget(engine->base.shadow, event->target, event->extra);
    else
        darn_held_event(engine->base.held, event);
    darn_order_after(engine->order, thread, event);
    darn_racebase_count(&engine->base);
}

struct darn_engine_cost darn_ordered_cost(const void *state)
{
    const struct darn_ordered *engine = state;
    struct darn_engine_cost cost = darn_racebase_cost(state);

    cost.dropped += engine->dropped + darn_order_degraded(engine->order);
    return cost;
}

struct darn_access darn_passage_access(const struct darn_passage *passage, uint64_t address)
{
    return darn_access_pack(passage->event, passage->epoch,
                            darn_held_holding(passage->engine->base.held, passage->event->thread),
                            passage->sort < DARN_PLAIN_READ, address);
}

/*
 * Whether the later one is the store that ends a recognised spin, and the earlier one a read. An MCS
 * lock looks at its successor once before it waits for it, and that look is no site of the spin; the
 * recorder knows that it belongs to it by the address, but only when such a store was there before.
 * The very first one must not make a difference.
 */
static bool is_first_look(const struct darn_passage *passage, const struct darn_access *earlier)
{
    return passage->event->flags & DARN_EVENT_SYNC && !passage->engine->base.config.ignore_sync &&
           passage->sort == DARN_SYNC_WRITE && darn_access_sort_of(earlier) == DARN_PLAIN_READ;
}

void darn_passage_report(struct darn_passage *passage, const struct darn_access *earlier,
                         uint64_t address)
{
    struct darn_ordered *engine = passage->engine;
    struct darn_held *held = engine->base.held;
    const struct darn_event *later = passage->event;
    struct darn_prediction *prediction;
    struct darn_event event;

    if (is_first_look(passage, earlier) ||
        memcmp(&passage->reported, earlier, sizeof(*earlier)) == 0)
        return;
    passage->reported = *earlier;
    prediction =
        darn_pairs_see(engine->base.pairs, DARN_PREDICTS_RACE, earlier->site, later->site, address);
    if (!prediction)
        return;
    event = darn_access_event(earlier, address);
    event.thread = darn_order_who(engine->order, earlier->epoch);
    darn_holding_fill(held, earlier->holding, darn_prediction_add(prediction, &event));
    darn_holding_fill(held, darn_held_holding(held, later->thread),
                      darn_prediction_add(prediction, later));
}
