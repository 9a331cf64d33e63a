/*
 * Conflict serializability: transactions of the run that no serial order explains. Two accesses to
 * one variable, of which one writes, put their transactions in order; a cycle is a violation of
 * atomicity that has happened (Flanagan, Freund, Yi, "Velodrome", PLDI 2008), and not one that
 * could. serial_clocks.h finds it, serial_edges.h tells by which accesses.
 *
 * Locks put nothing in order here, other than in the paper: of two sections that touch nothing in
 * common, another order is as good.
 *
 * A recorded trace has the accesses of different threads in an order only where synchronization
 * gives them one. So unless the trace is known to be in order, two accesses that race make no edge:
 * the cycle might not have been there.
 */
#include <stdlib.h>

#include "base/grow.h"
#include "engine/atomicity/serial_private.h"

/* Its epoch is that of happens-before. */
struct entry {
    struct darn_access access;
    uint32_t node; /* 0: none */
    uint32_t unit;
};

/* The last write, and since then the last read of each thread. */
struct cell {
    struct entry writer, reader;
    struct entry *more; /* readers */
    uint32_t more_count, more_capacity;
};

/* One access on its way through its cells. */
struct passing {
    struct darn_serial *serial;
    const struct darn_event *event;
    struct darn_serial_thread *thread;
    const struct darn_stamp *now; /* happens-before; NULL: all that was before */
};

static void drop_entry(struct darn_serial *serial, struct entry *entry)
{
    darn_serial_drop(&serial->clocks, entry->node);
    entry->node = 0;
}

static void drop_readers(struct darn_serial *serial, struct cell *cell)
{
    drop_entry(serial, &cell->reader);
    for (uint32_t i = 0; i < cell->more_count; i++)
        drop_entry(serial, &cell->more[i]);
    serial->own -= cell->more_capacity * sizeof(*cell->more);
    free(cell->more);
    cell->more = NULL;
    cell->more_count = cell->more_capacity = 0;
}

static void drop_cell(void *context, void *memory)
{
    struct darn_serial *serial = context;
    struct cell *cell = memory;

    drop_entry(serial, &cell->writer);
    drop_readers(serial, cell);
}

static void copy_cell(void *context, void *memory)
{
    struct darn_serial *serial = context;
    struct cell *cell = memory;
    struct entry *more = cell->more;

    if (cell->writer.node)
        darn_serial_hold(&serial->clocks, cell->writer.node);
    if (cell->reader.node)
        darn_serial_hold(&serial->clocks, cell->reader.node);
    if (!more)
        return;
    cell->more = darn_need_memory(calloc(cell->more_capacity, sizeof(*more)));
    memcpy(cell->more, more, cell->more_count * sizeof(*more));
    serial->own += cell->more_capacity * sizeof(*more);
    for (uint32_t i = 0; i < cell->more_count; i++)
        darn_serial_hold(&serial->clocks, more[i].node);
}

static struct entry make_entry(struct passing *passing, uint64_t address)
{
    struct darn_serial *serial = passing->serial;
    struct darn_serial_thread *thread = passing->thread;
    struct entry entry = {.node = darn_serial_node(&serial->clocks, thread),
                          .unit = thread->is_open ? thread->unit : 0};
    darn_epoch epoch = passing->now ? darn_stamp_epoch(passing->now) : 1;

    entry.access =
        darn_access_pack(passing->event, epoch,
                         darn_held_holding(serial->base.held, thread->number), false, address);
    darn_serial_hold(&serial->clocks, entry.node);
    return entry;
}

static void put_entry(struct passing *passing, struct entry *at, uint64_t address)
{
    struct entry entry = make_entry(passing, address);

    drop_entry(passing->serial, at);
    *at = entry;
}

static bool is_same_slot(const struct passing *passing, const struct entry *entry)
{
    return darn_epoch_slot(darn_serial_epoch(&passing->serial->clocks, entry->node)) ==
           passing->thread->now.slot;
}

/* In the place of an earlier read of the same thread, or else as one more. */
static void put_reader(struct passing *passing, struct cell *cell, uint64_t address)
{
    struct entry *at = &cell->reader;
    size_t capacity = cell->more_capacity;

    for (uint32_t i = 0; at->node && !is_same_slot(passing, at) && i < cell->more_count; i++)
        at = &cell->more[i];
    if (at->node && !is_same_slot(passing, at)) {
        if (cell->more_count == capacity) {
            capacity = capacity ? 2 * capacity : 1;
            cell->more = darn_need_memory(reallocarray(cell->more, capacity, sizeof(*cell->more)));
            passing->serial->own += (capacity - cell->more_capacity) * sizeof(*cell->more);
            cell->more_capacity = (uint32_t)capacity;
        }
        at = &cell->more[cell->more_count++];
        *at = (struct entry){0};
    }
    put_entry(passing, at, address);
}

static void on_cycle(void *to, struct darn_serial_thread *thread, darn_epoch other)
{
    darn_serial_tell(to, thread, other, NULL);
}

static void meet(struct passing *passing, const struct entry *entry, uint64_t address)
{
    struct darn_serial *serial = passing->serial;
    struct darn_serial_thread *thread = passing->thread;
    unsigned news;
    struct darn_serial_edge edge;

    if (!entry->node || is_same_slot(passing, entry) ||
        (passing->now && !darn_stamp_knows(passing->now, entry->access.epoch)))
        return;
    news = darn_serial_learn(&serial->clocks, thread, entry->node);
    if (!news || !darn_serial_matters(&serial->clocks, entry->node))
        return;
    edge = (struct darn_serial_edge){
        .from = darn_serial_epoch(&serial->clocks, entry->node),
        .to = darn_stamp_epoch(&thread->now),
        .before = entry->access,
        .after =
            darn_access_pack(passing->event, passing->now ? darn_stamp_epoch(passing->now) : 1,
                             darn_held_holding(serial->base.held, thread->number), false, address),
        .address = address,
        .number = UINT64_MAX,
        .before_unit = entry->unit,
        .after_unit = thread->is_open ? thread->unit : 0,
    };
    if (news & DARN_SERIAL_CYCLE)
        darn_serial_tell(serial, thread, edge.from, &edge);
    if (news & DARN_SERIAL_NEWS)
        darn_serial_edges_add(&serial->edges, &edge);
}

/* The same transaction has done as much to it before. */
static bool is_known(const struct passing *passing, const struct cell *cell)
{
    uint32_t mine = passing->thread->node;

    if (!mine || darn_event_writes(passing->event))
        return mine && cell->writer.node == mine && !cell->reader.node;
    return cell->writer.node == mine || cell->reader.node == mine;
}

static void meet_cell(void *to, void *memory, uint64_t address)
{
    struct passing *passing = to;
    struct cell *cell = memory;

    if (is_known(passing, cell))
        return;
    meet(passing, &cell->writer, address);
    if (!darn_event_writes(passing->event))
        return;
    meet(passing, &cell->reader, address);
    for (uint32_t i = 0; i < cell->more_count; i++)
        meet(passing, &cell->more[i], address);
}

static void put_in_cell(void *to, void *memory, uint64_t address)
{
    struct passing *passing = to;
    struct cell *cell = memory;

    if (is_known(passing, cell))
        return;
    if (!darn_event_writes(passing->event)) {
        put_reader(passing, cell, address);
        return;
    }
    drop_readers(passing->serial, cell);
    put_entry(passing, &cell->writer, address);
}

static void on_begin(void *to, uint32_t thread, uint32_t site)
{
    struct darn_serial *serial = to;

    darn_serial_begin(&serial->clocks, darn_serial_thread(&serial->clocks, thread), site);
}

static void on_end(void *to, uint32_t thread)
{
    struct darn_serial *serial = to;

    darn_serial_end(&serial->clocks, darn_serial_thread(&serial->clocks, thread));
}

/* The beginning of a thread and its end are on the way, too. */
static void on_thread(struct darn_serial *serial, struct darn_serial_thread *thread,
                      const struct darn_event *event)
{
    uint32_t other = (uint32_t)event->target;
    struct darn_serial_edge edge = {0};

    if (event->kind == DARN_EVENT_FORK) {
        edge.from = darn_stamp_epoch(&thread->now);
        darn_serial_fork(&serial->clocks, thread, other);
        edge.to = darn_stamp_epoch(&darn_serial_thread(&serial->clocks, other)->now);
    } else {
        edge.from = darn_serial_join(&serial->clocks, thread, other);
        edge.to = darn_stamp_epoch(&thread->now);
    }
    if (edge.from)
        darn_serial_edges_add(&serial->edges, &edge);
}

/* What it learns from one of its cells, it hands on by all. */
static void on_access(struct darn_serial *serial, struct darn_serial_thread *thread,
                      const struct darn_event *event, const struct darn_stamp *now)
{
    struct passing passing = {serial, event, thread, now};

    if (!darn_racebase_is_variable(&serial->base, event))
        return;
    darn_shadow_pass(serial->base.shadow, event, meet_cell, &passing);
    darn_shadow_pass(serial->base.shadow, event, put_in_cell, &passing);
}

static void on_other(struct darn_serial *serial, const struct darn_event *event)
{
    struct darn_serial_clocks *clocks = &serial->clocks;

    switch (event->kind) {
    case DARN_EVENT_ALLOC:
    case DARN_EVENT_FREE:
    case DARN_EVENT_STACK:
        darn_shadow_forget(serial->base.shadow, event->target,
                           event->extra + (event->kind == DARN_EVENT_ALLOC ? event->flags : 0u));
        break;
    case DARN_EVENT_FORK:
    case DARN_EVENT_JOIN:
        on_thread(serial, darn_serial_thread(clocks, event->thread), event);
        break;
    default:
        darn_held_event(serial->base.held, event);
        break;
    }
}

static void serial_event(void *state, const struct darn_event *event)
{
    struct darn_serial *serial = state;
    struct darn_order_thread *order = NULL;

    darn_transactions_before(serial->transactions, event);
    if (serial->order) {
        order = darn_order_before(serial->order, event);
        order->used = order->now.time;
    }
    if (darn_event_is_access(event))
        on_access(serial, darn_serial_thread(&serial->clocks, event->thread), event,
                  order ? &order->now : NULL);
    else
        on_other(serial, event);
    if (serial->order)
        darn_order_after(serial->order, order, event);
    darn_transactions_after(serial->transactions, event);
    if (event->kind == DARN_EVENT_EXIT)
        darn_serial_exit(&serial->clocks, darn_serial_thread(&serial->clocks, event->thread));
    darn_racebase_count(&serial->base);
}

static void serial_finish(void *state)
{
    struct darn_serial *serial = state;

    darn_transactions_finish(serial->transactions);
    darn_racebase_finish(state);
}

static void serial_destroy(void *state)
{
    struct darn_serial *serial = state;

    darn_transactions_destroy(serial->transactions);
    darn_racebase_close(&serial->base);
    darn_order_destroy(serial->order);
    darn_serial_edges_free(&serial->edges);
    darn_serial_close(&serial->clocks);
    free(serial);
}

static size_t memory_besides(const struct darn_racebase *base)
{
    const struct darn_serial *serial = (const struct darn_serial *)base;

    return serial->own + darn_transactions_memory(serial->transactions) +
           darn_serial_memory(&serial->clocks) + darn_serial_edges_memory(&serial->edges) +
           (serial->order ? darn_order_memory(serial->order) : 0);
}

static void *serial_create(const struct darn_engine_config *config)
{
    struct darn_serial *serial = calloc(1, sizeof(*serial));
    struct darn_shadow_type type = {
        .size = sizeof(struct cell), .copy = copy_cell, .drop = drop_cell, .context = serial};
    struct darn_transactions_calls calls = {serial, on_begin, on_end};

    if (!serial)
        return NULL;
    serial->clocks.on_cycle = on_cycle;
    serial->clocks.to = serial;
    darn_serial_open(&serial->clocks);
    if (darn_racebase_open(&serial->base, config, &type, memory_besides))
        serial->transactions =
            darn_transactions_create(&serial->base.config, serial->base.held, &calls);
    if (!serial->base.config.in_order)
        serial->order = darn_order_create(
            &(struct darn_order_config){.locks = true,
                                        .ignore_sync = serial->base.config.ignore_sync,
                                        .ignore_atomic = serial->base.config.ignore_atomic});
    if (!serial->transactions || (!serial->order && !serial->base.config.in_order)) {
        serial_destroy(serial);
        return NULL;
    }
    return serial;
}

static struct darn_engine_cost serial_cost(const void *state)
{
    const struct darn_serial *serial = state;
    struct darn_engine_cost cost = darn_racebase_cost(state);

    cost.dropped += serial->untold + serial->clocks.exhausted + serial->clocks.slots.forced;
    return cost;
}

static size_t serial_facts(const void *state, struct darn_engine_fact *facts)
{
    const struct darn_serial *serial = state;

    facts[0] = (struct darn_engine_fact){"transactions",
                                         darn_transactions_count(serial->transactions), false};
    facts[1] = (struct darn_engine_fact){
        "transactions that are not serializable, by accesses that are too long ago to be told",
        serial->untold, true};
    return serial->untold ? 2 : 1;
}

const struct darn_engine darn_engine_serial = {
    .name = "serial",
    .help = "transactions of this run that no serial order explains",
    .create = serial_create,
    .event = serial_event,
    .finish = serial_finish,
    .predictions = darn_racebase_predictions,
    .dynamic = darn_racebase_dynamic,
    .cost = serial_cost,
    .facts = serial_facts,
    .destroy = serial_destroy,
};
