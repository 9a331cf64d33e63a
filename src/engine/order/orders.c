/*
 * Orders that nothing enforces (docs/engine-orders.md): two operations on the same memory or object
 * that exclude each other, or are atomic, but could come either way round, and that came in one
 * order only.
 *
 * Two accesses without a lock in common are a race, which is another engine's business. What is
 * left is what a race detector passes over: a lock makes each of the two whole, and says nothing of
 * which comes first. So locks count as no order here, nor does an access for those to the same
 * memory; all else does (order.h), values that were read among them: nobody knows whether the
 * thread would have come there with others. One order locks do make: a section that has begun
 * before the other thread could, as around the call that starts it, comes first as a whole.
 *
 * A cell has its last change, and the last reads since or of the same thread. Each is compared with
 * what comes next from another thread; a pair of places that was also seen the other way round is
 * no expectation.
 */
#include <stdlib.h>

#include "base/grow.h"
#include "base/htable.h"
#include "engine/common/engine_access.h"
#include "engine/common/order.h"
#include "engine/common/place.h"
#include "engine/race/racebase.h"

/* Pairs of places that are told apart, and the most that are told. */
#define ORDERS 65536
#define TOLD   64

/* Reads of different threads that a cell remembers since its last change. */
#define READS 2

/* The smaller, the sooner it is told. */
enum rank {
    SET_UP,   /* the first change of new memory, and the first read of another thread */
    TAKEN,    /* a use, and the end of the memory or the object */
    WAITING,  /* a wait, and the signal that ends it, where nothing else says that it was sent */
    EXPECTED, /* any other two */
    RANKS,
};

/* An access, and when its thread has taken the first of the locks that it held. */
struct kept {
    struct darn_access access;
    uint32_t since;
    bool over; /* a read, and its own thread has changed the memory since */
};

struct cell {
    struct kept change;
    struct kept reads[READS];
    bool first; /* it is the first change of the memory, and nobody else has read it since */
};

/* Two places, the lower one first; how often the one or the other has come first. */
struct order {
    uint64_t places[2];
    uint64_t times[2];
    enum rank rank;
    bool from_second; /* the example begins at places[1] */
    uint64_t address;
    struct darn_event events[2]; /* the example: that which came first, and the other */
    uint32_t holdings[2];
};

struct orders {
    struct darn_racebase base;
    struct darn_order *order;
    uint32_t *since; /* by slot: when the thread took the first of the locks that it holds */
    size_t since_count;
    struct darn_htable table; /* of all[] */
    struct order *all;
    size_t count, room;
    uint64_t dropped;
};

/* An operation on its way through the cells. */
struct operation {
    struct orders *engine;
    const struct darn_event *event;
    struct darn_order_thread *thread;
    struct kept kept; /* but for its address */
    bool is_sync, changes, ends;
};

static size_t memory_besides(const struct darn_racebase *base)
{
    const struct orders *engine = (const struct orders *)base;

    return engine->room * sizeof(*engine->all) + darn_htable_memory(&engine->table) +
           engine->since_count * sizeof(*engine->since) +
           (engine->order ? darn_order_memory(engine->order) : 0);
}

static void destroy(void *state)
{
    struct orders *engine = state;

    darn_racebase_close(&engine->base);
    darn_order_destroy(engine->order);
    darn_htable_free(&engine->table);
    free(engine->all);
    free(engine->since);
    free(engine);
}

static void *create(const struct darn_engine_config *config)
{
    struct orders *engine = calloc(1, sizeof(*engine));
    struct darn_shadow_type type = {.size = sizeof(struct cell)};
    struct darn_order_config order = {.flow = true};
    bool opened;

    if (!engine)
        return NULL;
    opened = darn_racebase_open(&engine->base, config, &type, memory_besides);
    order.ignore_sync = engine->base.config.ignore_sync;
    order.ignore_atomic = engine->base.config.ignore_atomic;
    engine->order = darn_order_create(&order);
    if (!opened || !engine->order) {
        destroy(engine);
        return NULL;
    }
    return engine;
}

static struct order *find_order(struct orders *engine, const uint64_t *places)
{
    uint32_t hash = darn_fold(darn_hash_word(places[0], places[1]), places[1]);
    size_t at = hash;
    uint32_t item;

    while ((item = darn_htable_next(&engine->table, hash, &at)))
        if (engine->all[item - 1].places[0] == places[0] &&
            engine->all[item - 1].places[1] == places[1])
            return &engine->all[item - 1];
    if (engine->count == ORDERS) {
        engine->dropped++;
        return NULL;
    }
    engine->all = darn_grow(engine->all, &engine->room, engine->count + 1, sizeof(*engine->all));
    engine->all[engine->count] = (struct order){.places = {places[0], places[1]}, .rank = RANKS};
    darn_htable_add(&engine->table, hash, (uint32_t)++engine->count);
    return &engine->all[engine->count - 1];
}

/* A lock that both hold keeps them apart, and each is whole. */
static bool exclude_each_other(const struct operation *now, const struct kept *earlier)
{
    const struct darn_racebase *base = &now->engine->base;

    return !darn_lockset_disjoint_for(base->sets,
                                      darn_holding_set(base->held, earlier->access.holding),
                                      darn_holding_set(base->held, now->kept.access.holding));
}

/* Whether it was known here that the earlier one had its lock: then it had to come first. Of
 * several locks the first one counts, which may be another one than the common one: an order is not
 * told then that could be. */
static bool had_begun(const struct operation *now, const struct kept *earlier)
{
    darn_epoch since = darn_epoch_make(darn_epoch_slot(earlier->access.epoch), earlier->since);

    return darn_stamp_knows(&now->thread->now, since);
}

static void note(const struct operation *now, const struct kept *earlier, uint64_t address,
                 enum rank rank)
{
    struct orders *engine = now->engine;
    struct darn_event before = darn_access_event(&earlier->access, address);
    uint64_t from = darn_place(&engine->base.config, before.site, before.stack);
    uint64_t to = darn_place(&engine->base.config, now->event->site, now->event->stack);
    uint64_t places[2] = {from < to ? from : to, from < to ? to : from};
    struct order *order;

    if (!from || !to || from == to)
        return;
    order = find_order(engine, places);
    if (!order)
        return;
    order->times[from > to]++;
    if (order->rank <= rank)
        return;
    before.thread = darn_order_who(engine->order, earlier->access.epoch);
    if (rank == WAITING)
        before.kind = DARN_EVENT_WAIT;
    order->rank = rank;
    order->from_second = from > to;
    order->address = address;
    order->events[0] = before;
    order->events[1] = *now->event;
    order->holdings[0] = earlier->access.holding;
    order->holdings[1] = now->kept.access.holding;
}

/* Of a use that is a call only the end matters. */
static bool is_mere_use(const struct darn_access *access)
{
    return darn_access_is_call(access) && !(darn_access_sort_of(access) & 1);
}

/* Whether nothing has put the two in order, and they are none of the other engines' business. */
static bool is_chance(const struct operation *now, const struct kept *earlier)
{
    bool both_sync = now->is_sync && darn_access_sort_of(&earlier->access) < DARN_PLAIN_READ;

    if (!earlier->access.epoch || darn_stamp_knows(&now->thread->now, earlier->access.epoch))
        return false;
    return exclude_each_other(now, earlier) ? !had_begun(now, earlier) : both_sync;
}

static void compare(const struct operation *now, const struct kept *earlier, uint64_t address,
                    enum rank rank)
{
    if (!now->ends && (is_mere_use(&earlier->access) || now->event->kind == DARN_EVENT_USE))
        return;
    if (is_chance(now, earlier))
        note(now, earlier, address, rank);
}

/* Whether who changed it last had read it at the same place first, as in x++ under a lock: either
 * may be the first to come there. */
static bool does_the_same(const struct operation *now, const struct cell *cell)
{
    const struct darn_engine_config *config = &now->engine->base.config;
    uint64_t place = darn_place(config, now->event->site, now->event->stack);

    for (uint32_t i = 0; i < READS; i++)
        if (cell->reads[i].over &&
            darn_epoch_slot(cell->reads[i].access.epoch) ==
                darn_epoch_slot(cell->change.access.epoch) &&
            darn_place(config, cell->reads[i].access.site, cell->reads[i].access.stack) == place)
            return true;
    return false;
}

/* In the place of an older one of the same thread, or of one that nothing new can be learned of. */
static void remember_read(struct cell *cell, const struct kept *kept)
{
    uint32_t at = 0;

    while (at < READS - 1 && cell->reads[at].access.epoch &&
           darn_epoch_slot(cell->reads[at].access.epoch) != darn_epoch_slot(kept->access.epoch))
        at++;
    cell->reads[at] = *kept;
}

static void visit(void *to, void *memory, uint64_t address)
{
    struct operation *now = to;
    struct cell *cell = memory;
    enum rank rank = now->ends ? TAKEN : cell->first && !now->changes ? SET_UP : EXPECTED;
    struct kept kept = now->kept;
    bool is_other = cell->change.access.epoch &&
                    darn_epoch_slot(cell->change.access.epoch) != now->thread->now.slot;

    if (darn_event_is_access(now->event))
        kept.access = darn_access_pack(now->event, kept.access.epoch, kept.access.holding,
                                       now->is_sync, address);
    if (!does_the_same(now, cell))
        compare(now, &cell->change, address, rank);
    for (uint32_t i = 0; now->changes && i < READS; i++)
        if (!cell->reads[i].over)
            compare(now, &cell->reads[i], address, rank);
    if (!now->changes) {
        cell->first &= !is_other;
        remember_read(cell, &kept);
        return;
    }
    cell->first = !cell->change.access.epoch && !cell->reads[0].access.epoch && !now->ends;
    cell->change = kept;
    for (uint32_t i = 0; i < READS; i++) {
        if (darn_epoch_slot(cell->reads[i].access.epoch) == now->thread->now.slot)
            cell->reads[i].over = true;
        else
            cell->reads[i] = (struct kept){.since = 0};
    }
}

/* A signal is no change of memory, but as good as one for who waits: without a predicate that is
 * tested in a loop nothing else tells him. */
static bool is_about_waiting(const struct orders *engine, const struct darn_event *event)
{
    const struct darn_engine_config *config = &engine->base.config;

    if (event->kind == DARN_EVENT_WAIT)
        return !(config->predicate_of && event->site &&
                 config->predicate_of(config->context, event->site));
    return event->kind == DARN_EVENT_SIGNAL || event->kind == DARN_EVENT_BROADCAST;
}

static void visit_waiting(void *to, void *memory, uint64_t address)
{
    struct operation *now = to;
    struct cell *cell = memory;

    if (!now->changes) {
        cell->reads[0] = now->kept;
        return;
    }
    if (is_chance(now, &cell->reads[0]))
        note(now, &cell->reads[0], address, WAITING);
    cell->reads[0] = (struct kept){.since = 0};
}

static void pass(struct orders *engine, struct darn_order_thread *thread,
                 const struct darn_event *event, uint64_t size, darn_shadow_visitor *visitor)
{
    struct operation now = {.engine = engine,
                            .event = event,
                            .thread = thread,
                            .is_sync = darn_event_is_access(event) &&
                                       darn_order_is_sync(engine->order, event),
                            .ends = darn_event_ends(event)};

    now.changes = now.ends || darn_event_writes(event) || event->kind == DARN_EVENT_SIGNAL ||
                  event->kind == DARN_EVENT_BROADCAST;
    thread->used = thread->now.time;
    now.kept.access = darn_access_pack_call(event, darn_stamp_epoch(&thread->now),
                                            darn_held_holding(engine->base.held, event->thread));
    if (thread->now.slot < engine->since_count)
        now.kept.since = engine->since[thread->now.slot];
    if (darn_event_is_access(event))
        darn_shadow_pass(engine->base.shadow, event, visitor, &now);
    else if (now.ends)
        darn_shadow_end(engine->base.shadow, event->target, size, visitor, &now);
    else
        darn_shadow_visit(engine->base.shadow, event->target, size, visitor, &now);
}

static void see(struct orders *engine, const struct darn_event *event)
{
    /* As it is before it learns what an atomic access acquires: that is what it is about. */
    struct darn_order_thread *thread = darn_order_thread(engine->order, event);
    uint64_t behind = event->kind == DARN_EVENT_ALLOC ? event->flags : 0;

    if (event->flags & DARN_EVENT_HALF)
        return;
    if (darn_event_is_access(event))
        pass(engine, thread, event, 0, visit);
    else if (event->kind == DARN_EVENT_USE)
        pass(engine, thread, event, 1, visit);
    else if (darn_event_ends(event) && (event->site || event->stack))
        pass(engine, thread, event, event->extra, visit);
    else if (event->kind == DARN_EVENT_FREE || event->kind == DARN_EVENT_ALLOC ||
             event->kind == DARN_EVENT_STACK)
        darn_shadow_forget(engine->base.shadow, event->target, event->extra + behind);
    else if (is_about_waiting(engine, event))
        pass(engine, thread, event, 1, visit_waiting);
}

/* Whoever learns of this time knows that the lock is held. */
static void begin_section(struct orders *engine, struct darn_order_thread *thread)
{
    uint32_t slot = thread->now.slot;

    if (slot >= engine->since_count)
        engine->since = darn_grow(engine->since, &engine->since_count, (size_t)slot + 1,
                                  sizeof(*engine->since));
    engine->since[slot] = thread->now.time;
    thread->used = thread->now.time;
}

static void event(void *state, const struct darn_event *event)
{
    struct orders *engine = state;
    struct darn_order_thread *thread;

    if (event->kind == DARN_EVENT_SEND && event->target == DARN_EVENT_THINNED)
        return; /* not every value is seen from here on: few are enough */
    if (event->kind != DARN_EVENT_ACQUIRE && event->kind != DARN_EVENT_RELEASE)
        see(engine, event);
    thread = darn_order_before(engine->order, event);
    if (event->kind == DARN_EVENT_ACQUIRE && !darn_held_set(engine->base.held, event->thread))
        begin_section(engine, thread);
    darn_held_event(engine->base.held, event);
    darn_order_after(engine->order, thread, event);
    darn_racebase_count(&engine->base);
}

static void tell(struct orders *engine, const struct order *order)
{
    uint64_t key =
        darn_hash_word(darn_hash_word(DARN_HASH_START, order->places[0]), order->places[1]);
    struct darn_prediction *prediction =
        darn_pairs_see_key(engine->base.pairs, DARN_PREDICTS_ORDER, key, order->address);

    for (int i = 0; prediction && i < 2; i++)
        darn_holding_fill(engine->base.held, order->holdings[i],
                          darn_prediction_add(prediction, &order->events[i]));
    for (uint64_t i = 1; i < order->times[order->from_second]; i++)
        (void)darn_pairs_see_key(engine->base.pairs, DARN_PREDICTS_ORDER, key, order->address);
}

static void finish(void *state)
{
    struct orders *engine = state;
    size_t told = 0;

    for (int rank = 0; rank < RANKS; rank++)
        for (size_t i = 0; i < engine->count; i++) {
            const struct order *order = &engine->all[i];

            if ((int)order->rank != rank || (order->times[0] && order->times[1]))
                continue;
            if (told++ < TOLD)
                tell(engine, order);
            else
                engine->dropped++;
        }
    darn_racebase_measure(&engine->base);
}

static struct darn_engine_cost cost(const void *state)
{
    const struct orders *engine = state;
    struct darn_engine_cost cost = darn_racebase_cost(state);

    cost.dropped += engine->dropped + darn_order_degraded(engine->order);
    return cost;
}

const struct darn_engine darn_engine_orders = {
    .name = "orders",
    .help = "what always came in one order, under locks that do not enforce it",
    .create = create,
    .event = event,
    .finish = finish,
    .predictions = darn_racebase_predictions,
    .dynamic = darn_racebase_dynamic,
    .cost = cost,
    .destroy = destroy,
};
