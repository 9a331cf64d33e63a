#include "engine/race/ordered.h"

#include <string.h>

#include "base/hash.h"

static size_t memory_besides(const struct darn_racebase *base)
{
    const struct darn_ordered *engine = (const struct darn_ordered *)base;

    return engine->own + (engine->order ? darn_order_memory(engine->order) : 0);
}

static bool open_with(struct darn_ordered *engine, const struct darn_engine_config *config,
                      const struct darn_shadow_type *type, struct darn_order_config order)
{
    bool opened = darn_racebase_open(&engine->base, config, type, memory_besides);

    order.ignore_sync = engine->base.config.ignore_sync;
    order.known = order.known && engine->base.config.suspect;
    order.ignore_atomic = engine->base.config.ignore_atomic;
    order.reads_too = engine->base.config.reads_too;
    order.context = engine->base.config.context;
    engine->order = darn_order_create(&order);
    return opened && engine->order;
}

bool darn_ordered_open(struct darn_ordered *engine, const struct darn_engine_config *config,
                       const struct darn_shadow_type *type, bool locks)
{
    return open_with(engine, config, type, (struct darn_order_config){.locks = locks, .known = !locks});
}

bool darn_ordered_open_flow(struct darn_ordered *engine, const struct darn_engine_config *config,
                            const struct darn_shadow_type *type)
{
    return open_with(engine, config, type, (struct darn_order_config){.flow = true});
}

void darn_ordered_close(struct darn_ordered *engine)
{
    darn_racebase_close(&engine->base);
    darn_order_destroy(engine->order);
}

static struct darn_passage begin_passage(struct darn_ordered *engine,
                                         const struct darn_order_thread *thread,
                                         const struct darn_event *event, enum darn_access_sort sort)
{
    return (struct darn_passage){.engine = engine,
                                 .event = event,
                                 .now = &thread->now,
                                 .epoch = darn_stamp_epoch(&thread->now),
                                 .sort = sort};
}

/* Through the cells of a piece of memory, which are made if needed. */
static void pass(struct darn_passage *passage, struct darn_order_thread *thread, uint64_t size,
                 darn_shadow_visitor *visit)
{
    struct darn_shadow *shadow = passage->engine->base.shadow;
    uint64_t address = passage->event->target;
    void *cell = darn_shadow_exact(shadow, address, size);

    thread->used = thread->now.time;
    if (cell)
        visit(passage, cell, address);
    else
        darn_shadow_visit(shadow, address, size, visit, passage);
}

static void on_access(struct darn_ordered *engine, struct darn_order_thread *thread,
                      const struct darn_event *event, darn_shadow_visitor *visit)
{
    bool is_sync = darn_order_is_sync(engine->order, event);
    struct darn_passage passage =
        begin_passage(engine, thread, event, darn_access_sort(darn_event_writes(event), is_sync));

    thread->used = thread->now.time;
    darn_shadow_pass(engine->base.shadow, event, visit, &passage);
}

static bool has_place(const struct darn_event *event)
{
    return event->site || event->stack;
}

/* The most bytes of a block whose end is remembered. */
#define ENDED (UINT64_C(1) << 16)

/*
 * Somebody's call ends a block or an object: a write of all of it, which is remembered until the
 * memory has a new owner. What has no place, as a module that is loaded, only says that what comes
 * is another variable.
 */
static void on_end(struct darn_ordered *engine, struct darn_order_thread *thread,
                   const struct darn_event *event, darn_shadow_visitor *visit)
{
    struct darn_passage passage = begin_passage(engine, thread, event, DARN_PLAIN_WRITE);

    if (!engine->on_end || !has_place(event)) {
        if (event->kind == DARN_EVENT_FREE)
            darn_shadow_forget(engine->base.shadow, event->target, event->extra);
        return;
    }
    darn_shadow_end(engine->base.shadow, event->target, event->extra, engine->on_end, &passage);
    if (event->flags & DARN_EVENT_STAYS && event->extra)
        pass(&passage, thread, event->extra < ENDED ? event->extra : ENDED, visit);
}

/*
 * Which object a call uses. Who gives a lock back has used it since it took it; who waits has done
 * so before it waits: as soon as it is woken, the condition variable or barrier may be gone.
 */
static enum darn_event_object used_by(const struct darn_event *event)
{
    static const uint8_t locks[] = {[DARN_EVENT_MUTEX] = DARN_EVENT_IS_MUTEX,
                                    [DARN_EVENT_RDLOCK] = DARN_EVENT_IS_RWLOCK,
                                    [DARN_EVENT_WRLOCK] = DARN_EVENT_IS_RWLOCK,
                                    [DARN_EVENT_SPINLOCK] = DARN_EVENT_IS_SPIN};

    switch ((enum darn_event_kind)event->kind) {
    case DARN_EVENT_USE:
        return darn_event_object(event);
    case DARN_EVENT_RELEASE:
        return event->lock < sizeof(locks) ? locks[event->lock] : DARN_EVENT_NO_OBJECT;
    case DARN_EVENT_WAIT:
    case DARN_EVENT_SIGNAL:
    case DARN_EVENT_BROADCAST:
        return DARN_EVENT_IS_COND;
    case DARN_EVENT_ARRIVE:
        return DARN_EVENT_IS_BARRIER;
    case DARN_EVENT_POST:
    case DARN_EVENT_TAKE:
        return DARN_EVENT_IS_SEMAPHORE;
    default:
        return DARN_EVENT_NO_OBJECT;
    }
}

/* A use conflicts with the end of the object, or of the memory that it is in, and with nothing
 * else. */
static void on_use(struct darn_ordered *engine, struct darn_order_thread *thread,
                   const struct darn_event *event, darn_shadow_visitor *visit)
{
    enum darn_event_object object = used_by(event);
    struct darn_event use = {.kind = DARN_EVENT_USE,
                             .thread = event->thread,
                             .target = event->target,
                             .site = event->site,
                             .stack = event->stack,
                             .flags = darn_event_about(object)};
    struct darn_passage passage = begin_passage(engine, thread, &use, DARN_SYNC_READ);

    if (engine->on_end && object && has_place(event))
        pass(&passage, thread, 1, visit);
}

static void forget(struct darn_ordered *engine, const struct darn_event *event)
{
    uint64_t behind = event->kind == DARN_EVENT_ALLOC ? event->flags : 0;

    darn_shadow_forget(engine->base.shadow, event->target, event->extra + behind);
}

static void on_other(struct darn_ordered *engine, struct darn_order_thread *thread,
                     const struct darn_event *event, darn_shadow_visitor *visit)
{
    on_use(engine, thread, event, visit); /* a lock is held until it is given back */
    darn_held_event(engine->base.held, event);
}

void darn_ordered_event(struct darn_ordered *engine, const struct darn_event *event,
                        darn_shadow_visitor *visit)
{
    struct darn_order_thread *thread = darn_order_before(engine->order, event);

    if (event->flags & DARN_EVENT_HALF)
        ; /* no access of its own */
    else if (darn_event_is_access(event))
        on_access(engine, thread, event, visit);
    else if (darn_event_ends(event))
        on_end(engine, thread, event, visit);
    else if (event->kind == DARN_EVENT_ALLOC || event->kind == DARN_EVENT_STACK)
        forget(engine, event);
    else
        on_other(engine, thread, event, visit);
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
    uint32_t holding = darn_held_holding(passage->engine->base.held, passage->event->thread);

    if (!darn_event_is_access(passage->event))
        return darn_access_pack_call(passage->event, passage->epoch, holding);
    return darn_access_pack(passage->event, passage->epoch, holding,
                            passage->sort < DARN_PLAIN_READ, address);
}

static bool ends_object(const struct darn_access *access)
{
    return darn_access_is_call(access) && darn_access_sort_of(access) == DARN_PLAIN_WRITE &&
           darn_access_object(access) && darn_access_object(access) < DARN_EVENT_IS_STREAM;
}

/* Between two ends an object may have begun again. */
bool darn_passage_conflicts(const struct darn_passage *passage, const struct darn_access *earlier)
{
    bool is_call = darn_access_is_call(earlier);

    if (passage->event->kind == DARN_EVENT_USE)
        return is_call && darn_access_sort_of(earlier) == DARN_PLAIN_WRITE;
    if (is_call && darn_access_sort_of(earlier) == DARN_SYNC_READ)
        return darn_event_ends(passage->event);
    if (passage->event->kind == DARN_EVENT_DESTROY && ends_object(earlier))
        return false;
    return darn_sorts_conflict(passage->sort, darn_access_sort_of(earlier));
}

/*
 * Whether the later one is the store that ends a recognised spin, and the earlier one a read. An
 * MCS lock looks at its successor once before it waits for it, and that look is no site of the
 * spin; the recorder knows that it belongs to it by the address, but only when such a store was
 * there before. The very first one must not make a difference.
 */
static bool is_first_look(const struct darn_passage *passage, const struct darn_access *earlier)
{
    return passage->event->flags & DARN_EVENT_SYNC && !passage->engine->base.config.ignore_sync &&
           passage->sort == DARN_SYNC_WRITE && darn_access_sort_of(earlier) == DARN_PLAIN_READ;
}

/* Of a call there is no site. Whichever call ends what is accessed: there may be as many places as
 * blocks. Two calls are told apart by how they were reached. */
static uint64_t key_of_calls(struct darn_pairs *pairs, const struct darn_access *earlier,
                             const struct darn_event *later)
{
    uint32_t site = earlier->site | later->site;
    uint64_t hash = darn_hash_string(DARN_HASH_START, site ? "free" : "calls");

    if (site)
        return darn_hash_number(hash, darn_pairs_place(pairs, site));
    return darn_hash_number(hash, earlier->stack) + darn_hash_number(hash, later->stack);
}

static struct darn_prediction *see_pair(struct darn_pairs *pairs, const struct darn_access *earlier,
                                        const struct darn_event *later, uint64_t address)
{
    bool is_call = darn_access_is_call(earlier) || !darn_event_is_access(later);

    if (!is_call || (earlier->site && later->site))
        return darn_pairs_see(pairs, DARN_PREDICTS_RACE, earlier->site, later->site, address);
    return darn_pairs_see_key(pairs, DARN_PREDICTS_RACE, key_of_calls(pairs, earlier, later),
                              address);
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
    prediction = see_pair(engine->base.pairs, earlier, later, address);
    if (!prediction)
        return;
    event = darn_access_event(earlier, address);
    event.thread = darn_order_who(engine->order, earlier->epoch);
    darn_holding_fill(held, earlier->holding, darn_prediction_add(prediction, &event));
    darn_holding_fill(held, darn_held_holding(held, later->thread),
                      darn_prediction_add(prediction, later));
}
