/*
 * Sync-preserving races (Mathur, Pavlogiannis, Viswanathan, "Optimal Prediction of
 * Synchronization-Preserving Races", POPL 2021): two accesses that conflict, and before which two
 * threads can stand at once in a reordering of the run that keeps, for each lock, the order of
 * those critical sections that it has. What is predicted can happen: ideal.h builds the reordering.
 *
 * The paper keeps all accesses, to find for each one whether any earlier one races with it. Here a
 * cell remembers of each way to access it (site, thread, locks, reading or writing) the last one,
 * as `hybrid` does: what is wanted are pairs of sites, and memory does not grow with the trace.
 */
#include "engine/race/ordered.h"

#include "base/grow.h"
#include "base/map.h"
#include "engine/common/ideal.h"
#include "engine/common/place.h"

/* So many are remembered in one cell; when there are more, one is left out. */
#define MOST 32u

/* A pair of places is asked about each time at first, and then once in so many. */
#define ALWAYS    256u
#define SOMETIMES 64u

struct item {
    struct darn_access access;
    struct darn_clock *clock; /* what its thread knew; one reference is ours */
};

/* In no order. The keys come first, apart from the rest: most accesses find their own key, and a
 * read where nobody has written looks at nothing else. */
struct items {
    uint16_t count, capacity;
    uint16_t writes; /* how many of them write */
    uint32_t slot;   /* whose they all are, or SEVERAL */
    uint32_t victim; /* when full: the next one to be left out, modulo MOST */
    uint32_t keys[]; /* and behind the keys the items; the capacity is even */
};

#define SEVERAL UINT32_MAX

struct cell {
    struct item only; /* none when there are `items` */
    struct items *items;
};

struct syncp {
    struct darn_ordered ordered; /* first */
    struct darn_ideals *ideals;
    struct darn_map tries; /* how often a pair of places was a candidate */
    uint64_t unknown;      /* questions that were not answered: too long ago */
    uint64_t skipped;      /* and that were not asked, though their pair is no race so far */
};

static size_t items_bytes(uint32_t capacity)
{
    return sizeof(struct items) + capacity * (sizeof(uint32_t) + sizeof(struct item));
}

static struct item *list_of(struct items *items)
{
    return (struct item *)(void *)&items->keys[items->capacity];
}

static bool is_write(const struct darn_access *access)
{
    return darn_access_sort_of(access) & 1;
}

static void drop_clock(struct syncp *syncp, struct item *item)
{
    struct darn_stamp stamp = {.clock = item->clock};

    darn_stamp_drop(darn_order_clocks(syncp->ordered.order), &stamp);
}

static void drop_cell(void *context, void *memory)
{
    struct syncp *syncp = context;
    struct cell *cell = memory;

    drop_clock(syncp, &cell->only);
    if (!cell->items)
        return;
    for (uint32_t i = 0; i < cell->items->count; i++)
        drop_clock(syncp, &list_of(cell->items)[i]);
    syncp->ordered.own -= items_bytes(cell->items->capacity);
    free(cell->items);
    cell->items = NULL;
}

static void copy_cell(void *context, void *memory)
{
    struct syncp *syncp = context;
    struct cell *cell = memory;
    struct items *items;

    if (cell->only.clock)
        cell->only.clock->refs++;
    if (!cell->items)
        return;
    items = darn_need_memory(malloc(items_bytes(cell->items->capacity)));
    memcpy(items, cell->items, items_bytes(cell->items->capacity));
    for (uint32_t i = 0; i < items->count; i++) {
        if (list_of(items)[i].clock)
            list_of(items)[i].clock->refs++;
    }
    cell->items = items;
    syncp->ordered.own += items_bytes(items->capacity);
}

static void syncp_destroy(void *state)
{
    struct syncp *syncp = state;

    darn_ideals_destroy(syncp->ideals);
    darn_map_free(&syncp->tries);
    darn_ordered_close(&syncp->ordered);
    free(syncp);
}

/* Whether it is time to find out about this pair of places. */
static bool is_worth_it(struct syncp *syncp, const struct darn_passage *passage,
                        const struct darn_access *earlier, uint64_t address)
{
    const struct darn_engine_config *config = &syncp->ordered.base.config;
    uint64_t a = darn_place(config, earlier->site, earlier->stack);
    uint64_t b = darn_place(config, passage->event->site, passage->event->stack);
    uint64_t key = darn_hash_place(darn_hash_place(DARN_HASH_START, a, address), b, address);
    bool added;
    uintptr_t *count = darn_map_at(&syncp->tries, key, &added);

    ++*count;
    if (*count <= ALWAYS || *count % SOMETIMES == 0)
        return true;
    syncp->skipped++;
    return false;
}

static void meet(struct darn_passage *passage, const struct item *item, uint32_t set,
                 uint64_t address)
{
    struct syncp *syncp = (struct syncp *)passage->engine;
    struct darn_racebase *base = &syncp->ordered.base;
    const struct darn_access *earlier = &item->access;
    struct darn_ideal_point points[] = {
        {item->clock, darn_epoch_slot(earlier->epoch), darn_epoch_time(earlier->epoch)},
        {passage->now->clock, passage->now->slot, passage->now->time},
    };

    if (darn_stamp_knows(passage->now, earlier->epoch) ||
        !darn_passage_conflicts(passage, earlier) ||
        !darn_lockset_disjoint_for(base->sets, set, darn_holding_set(base->held, earlier->holding)))
        return;
    if (!is_worth_it(syncp, passage, earlier, address))
        return;
    switch (darn_ideal_reaches(syncp->ideals, points, 2)) {
    case DARN_IDEAL_OPEN:
        darn_passage_report(passage, earlier, address);
        break;
    case DARN_IDEAL_UNKNOWN:
        syncp->unknown++;
        break;
    case DARN_IDEAL_CLOSED:
        break;
    }
}

static void remove_item(struct syncp *syncp, struct items *items, uint32_t at)
{
    drop_clock(syncp, &list_of(items)[at]);
    items->writes -= is_write(&list_of(items)[at].access);
    items->count--;
    items->keys[at] = items->keys[items->count];
    list_of(items)[at] = list_of(items)[items->count];
}

/* Leaves out what comes before all that is still to come; if there is nothing, any one. Who has
 * looked in vain does not look again for a while. */
static void thin_out(struct syncp *syncp, struct items *items)
{
    for (uint32_t i = items->victim % MOST ? 0 : items->count; i-- > 0;) {
        if (darn_order_settled(syncp->ordered.order, list_of(items)[i].access.epoch))
            remove_item(syncp, items, i);
    }
    if (items->count < MOST)
        return;
    remove_item(syncp, items, items->victim++ % MOST);
    syncp->ordered.dropped++;
}

static void grow(struct syncp *syncp, struct cell *cell)
{
    struct items *old = cell->items, *items;
    uint16_t capacity = old ? (uint16_t)(2 * old->capacity) : 2;

    items = darn_need_memory(malloc(items_bytes(capacity)));
    *items = (struct items){.capacity = capacity};
    syncp->ordered.own += items_bytes(capacity);
    if (old) {
        items->count = old->count;
        items->writes = old->writes;
        items->slot = old->slot;
        memcpy(items->keys, old->keys, old->count * sizeof(old->keys[0]));
        memcpy(list_of(items), list_of(old), old->count * sizeof(struct item));
        syncp->ordered.own -= items_bytes(old->capacity);
        free(old);
    }
    cell->items = items;
}

static void add_item(struct syncp *syncp, struct cell *cell, uint32_t key, const struct item *item)
{
    uint32_t slot = darn_epoch_slot(item->access.epoch);
    struct items *items;

    if (cell->items && cell->items->count == MOST)
        thin_out(syncp, cell->items);
    if (!cell->items || cell->items->count == cell->items->capacity)
        grow(syncp, cell);
    items = cell->items;
    if (items->count == 0)
        items->slot = slot;
    else if (items->slot != slot)
        items->slot = SEVERAL;
    items->keys[items->count] = key;
    items->writes += is_write(&item->access);
    list_of(items)[items->count++] = *item;
}

static bool is_same_way(const struct darn_passage *passage, const struct darn_access *access,
                        uint32_t set)
{
    return darn_epoch_slot(access->epoch) == passage->now->slot &&
           access->site == passage->event->site && darn_access_sort_of(access) == passage->sort &&
           darn_holding_set(passage->engine->base.held, access->holding) == set;
}

static struct item *find_mine(const struct darn_passage *passage, struct cell *cell, uint32_t key,
                              uint32_t set)
{
    struct items *items = cell->items;

    if (cell->only.access.epoch && is_same_way(passage, &cell->only.access, set))
        return &cell->only;
    for (uint32_t i = 0; items && i < items->count; i++) {
        if (items->keys[i] == key && is_same_way(passage, &list_of(items)[i].access, set))
            return &list_of(items)[i];
    }
    return NULL;
}

static void meet_all(struct darn_passage *passage, struct cell *cell, uint32_t set,
                     uint64_t address)
{
    if (cell->only.access.epoch)
        meet(passage, &cell->only, set, address);
    if (cell->items && cell->items->slot == passage->now->slot)
        return; /* a thread comes after all that it did */
    for (uint32_t i = 0; cell->items && i < cell->items->count; i++)
        meet(passage, &list_of(cell->items)[i], set, address);
}

/* Besides what is remembered already. */
static void remember(struct syncp *syncp, struct cell *cell, uint32_t key, const struct item *item)
{
    if (!cell->items && !cell->only.access.epoch) {
        cell->only = *item;
        return;
    }
    if (!cell->items) {
        const struct darn_access *only = &cell->only.access;
        uint32_t set = darn_holding_set(syncp->ordered.base.held, only->holding);

        add_item(
            syncp, cell,
            darn_way_key(only->site, set, darn_epoch_slot(only->epoch), darn_access_sort_of(only)),
            &cell->only);
        cell->only = (struct item){0};
    }
    add_item(syncp, cell, key, item);
}

static void visit(void *to, void *memory, uint64_t address)
{
    struct darn_passage *passage = to;
    struct syncp *syncp = (struct syncp *)passage->engine;
    struct cell *cell = memory;
    uint32_t set = darn_held_set(passage->engine->base.held, passage->event->thread);
    uint32_t key = darn_way_key(passage->event->site, set, passage->now->slot, passage->sort);
    struct item *mine = find_mine(passage, cell, key, set), item;

    if (mine && mine->access.epoch == passage->epoch)
        return; /* it was compared with all that was there, and what came since with it */
    if (passage->sort & 1 || !cell->items || cell->items->writes)
        meet_all(passage, cell, set, address);
    item = (struct item){darn_passage_access(passage, address), passage->now->clock};
    if (item.clock)
        item.clock->refs++;
    if (!mine) {
        remember(syncp, cell, key, &item);
        return;
    }
    drop_clock(syncp, mine);
    *mine = item;
}

static void end_cell(void *to, void *memory, uint64_t address)
{
    struct darn_passage *passage = to;
    struct cell *cell = memory;

    meet_all(passage, cell, darn_held_set(passage->engine->base.held, passage->event->thread),
             address);
}

static void *syncp_create(const struct darn_engine_config *config)
{
    struct syncp *syncp = calloc(1, sizeof(*syncp));
    struct darn_shadow_type type = {
        .size = sizeof(struct cell), .copy = copy_cell, .drop = drop_cell, .context = syncp};

    if (!syncp)
        return NULL;
    if (!darn_ordered_open_flow(&syncp->ordered, config, &type) ||
        !(syncp->ideals = darn_ideals_create(darn_order_clocks(syncp->ordered.order)))) {
        syncp_destroy(syncp);
        return NULL;
    }
    syncp->ordered.on_end = end_cell;
    return syncp;
}

static void syncp_event(void *state, const struct darn_event *event)
{
    struct syncp *syncp = state;

    darn_ordered_event(&syncp->ordered, event, visit);
    if (!darn_event_is_access(event) && event->kind != DARN_EVENT_EXIT)
        darn_ideals_event(syncp->ideals, syncp->ordered.base.held,
                          &darn_order_thread(syncp->ordered.order, event)->now, event);
}

static struct darn_engine_cost syncp_cost(const void *state)
{
    const struct syncp *syncp = state;
    struct darn_engine_cost cost = darn_ordered_cost(state);
    size_t more = darn_ideals_memory(syncp->ideals) + darn_map_memory(&syncp->tries);

    cost.memory += more;
    cost.peak += more;
    cost.dropped += syncp->unknown;
    return cost;
}

static size_t syncp_facts(const void *state, struct darn_engine_fact *facts)
{
    const struct syncp *syncp = state;

    facts[0] = (struct darn_engine_fact){
        "pairs whose critical sections are too long ago to say whether they can race",
        syncp->unknown, false};
    facts[1] = (struct darn_engine_fact){
        "pairs of places that were seen too often to ask each time", syncp->skipped, false};
    return 2;
}

const struct darn_engine darn_engine_syncp = {
    .name = "syncp",
    .help = "races that can happen while locks are taken in the order of this run",
    .create = syncp_create,
    .event = syncp_event,
    .finish = darn_racebase_finish,
    .predictions = darn_racebase_predictions,
    .dynamic = darn_racebase_dynamic,
    .cost = syncp_cost,
    .facts = syncp_facts,
    .destroy = syncp_destroy,
};
