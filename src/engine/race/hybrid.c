/*
 * Hybrid race prediction (RaceFuzzer, section 2.2, phase 1): two accesses of different threads to a
 * common byte, of which one writes, with no lock that keeps them apart, and not ordered by anything
 * but locks. The order of locks is left out on purpose: in another schedule it may be the other way
 * round.
 *
 * A cell remembers each access that a later one might pair up with. One is *covered*, and goes,
 * when a later one happens after it, at the same site, with no more locks, and conflicts with the
 * same: whatever pairs up with the first pairs up with the second. So what is left are the
 * different ways to access the cell, as many as there are sites, threads and locksets, not as many
 * as accesses.
 */
#include "engine/race/ordered.h"

#include "base/grow.h"

/* So many are remembered in one cell; when there are more, one is left out. */
#define MOST 32u

/* In no order. The keys come first, apart from the items: most accesses find their own key, and
 * look at no item but that. */
struct more {
    uint32_t count, capacity;
    uint32_t patience; /* when full: look for settled ones after so many, not to look in vain each
                          time */
    uint32_t victim;   /* when full: the next one to be left out */
    uint32_t keys[];   /* and behind the keys the items */
};

struct cell {
    struct darn_access only; /* none when there is `more` */
    struct more *more;
};

struct hybrid {
    struct darn_ordered ordered; /* first */
    /* Settled accesses that were left out, and how many threads there were by then that nobody had
     * forked. If there is another one, it may have paired up with them. */
    uint64_t settled, orphans;
};

static size_t more_bytes(uint32_t capacity)
{
    return sizeof(struct more) + capacity * (sizeof(uint32_t) + sizeof(struct darn_access));
}

/* The capacity is even: items are aligned. */
static struct darn_access *items_of(struct more *more)
{
    return (struct darn_access *)(void *)&more->keys[more->capacity];
}

static void drop_cell(void *context, void *memory)
{
    struct hybrid *hybrid = context;
    struct cell *cell = memory;

    if (!cell->more)
        return;
    hybrid->ordered.own -= more_bytes(cell->more->capacity);
    free(cell->more);
}

static void copy_cell(void *context, void *memory)
{
    struct hybrid *hybrid = context;
    struct cell *cell = memory;
    struct more *more;

    if (!cell->more)
        return;
    more = darn_need_memory(malloc(more_bytes(cell->more->capacity)));
    memcpy(more, cell->more, more_bytes(cell->more->capacity));
    cell->more = more;
    hybrid->ordered.own += more_bytes(more->capacity);
}

static void hybrid_destroy(void *state)
{
    darn_ordered_close(state);
    free(state);
}

static void *hybrid_create(const struct darn_engine_config *config)
{
    struct hybrid *hybrid = calloc(1, sizeof(*hybrid));
    struct darn_shadow_type type = {.size = sizeof(struct cell),
                                    .copy = copy_cell,
                                    .drop = drop_cell,
                                    .context = hybrid,
                                    .merge = true};

    if (hybrid && !darn_ordered_open(&hybrid->ordered, config, &type, false)) {
        hybrid_destroy(hybrid);
        return NULL;
    }
    return hybrid;
}

static uint32_t key_of(const struct darn_passage *passage, uint32_t set)
{
    return darn_way_key(passage->event->site, set, darn_epoch_slot(passage->epoch), passage->sort);
}

/* Whether the same was remembered since the thread last handed anything on. It was compared with
 * all that was there, and what came later was compared with it: nothing new can come of it. */
static bool is_known(const struct darn_passage *passage, const struct darn_access *item,
                     uint32_t set)
{
    return item->epoch == passage->epoch && item->site == passage->event->site &&
           darn_access_sort_of(item) == passage->sort &&
           darn_holding_set(passage->engine->base.held, item->holding) == set;
}

/* Reports the pair if it is one. True if the item is covered by the access. */
static bool meet(struct darn_passage *passage, const struct darn_access *item, uint32_t set,
                 uint64_t address)
{
    struct darn_racebase *base = &passage->engine->base;
    enum darn_access_sort sort = darn_access_sort_of(item);
    uint32_t item_set = darn_holding_set(base->held, item->holding);

    if (darn_stamp_knows(passage->now, item->epoch))
        return item->site == passage->event->site && darn_sort_covers(passage->sort, sort) &&
               darn_lockset_is_subset(base->sets, set, item_set);
    if (darn_sorts_conflict(passage->sort, sort) &&
        darn_lockset_disjoint_for(base->sets, set, item_set))
        darn_passage_report(passage, item, address);
    return false;
}

static void remove_item(struct more *more, uint32_t at)
{
    more->count--;
    more->keys[at] = more->keys[more->count];
    items_of(more)[at] = items_of(more)[more->count];
}

/* Leaves out what comes before all that is still to come. */
static void drop_settled(struct hybrid *hybrid, struct more *more)
{
    for (uint32_t i = more->count; i-- > 0;) {
        if (darn_order_settled(hybrid->ordered.order, items_of(more)[i].epoch)) {
            remove_item(more, i);
            hybrid->settled++;
        }
    }
}

static void grow(struct hybrid *hybrid, struct cell *cell)
{
    struct more *old = cell->more, *more;
    uint32_t capacity = old ? 2 * old->capacity : 4;

    more = darn_need_memory(malloc(more_bytes(capacity)));
    *more = (struct more){.capacity = capacity};
    if (old) {
        more->count = old->count;
        memcpy(more->keys, old->keys, old->count * sizeof(old->keys[0]));
        memcpy(items_of(more), items_of(old), old->count * sizeof(struct darn_access));
    }
    hybrid->ordered.own += more_bytes(capacity);
    drop_cell(hybrid, cell);
    cell->more = more;
}

static void make_room(struct hybrid *hybrid, struct cell *cell)
{
    struct more *more = cell->more;

    if (!more || (more->count == more->capacity && more->capacity < MOST)) {
        grow(hybrid, cell);
        return;
    }
    if (more->count == MOST && (!more->patience || !--more->patience)) {
        drop_settled(hybrid, more);
        more->patience = more->count > MOST * 3 / 4 ? MOST : 0;
    }
    if (more->count == MOST) {
        remove_item(more, more->victim++ % MOST);
        hybrid->ordered.dropped++;
    }
}

static void add_item(struct hybrid *hybrid, struct cell *cell, uint32_t key,
                     const struct darn_access *item)
{
    make_room(hybrid, cell);
    cell->more->keys[cell->more->count] = key;
    items_of(cell->more)[cell->more->count++] = *item;
}

static void visit_more(struct darn_passage *passage, struct cell *cell, uint32_t set,
                       uint64_t address)
{
    struct more *more = cell->more;
    uint32_t key = key_of(passage, set);
    struct darn_access access;

    for (uint32_t i = 0; i < more->count; i++) {
        if (more->keys[i] == key && is_known(passage, &items_of(more)[i], set))
            return;
    }
    for (uint32_t i = more->count; i-- > 0;) {
        if (meet(passage, &items_of(more)[i], set, address))
            remove_item(more, i);
    }
    access = darn_passage_access(passage, address);
    add_item((struct hybrid *)passage->engine, cell, key, &access);
}

static void visit(void *to, void *memory, uint64_t address)
{
    struct darn_passage *passage = to;
    struct hybrid *hybrid = (struct hybrid *)passage->engine;
    struct cell *cell = memory;
    uint32_t set = darn_held_set(passage->engine->base.held, passage->event->thread);
    struct darn_access access;

    if (cell->more) {
        visit_more(passage, cell, set, address);
        return;
    }
    if (cell->only.epoch && is_known(passage, &cell->only, set))
        return;
    access = darn_passage_access(passage, address);
    if (!cell->only.epoch || meet(passage, &cell->only, set, address)) {
        cell->only = access;
        return;
    }
    add_item(hybrid, cell, 0, &cell->only);
    add_item(hybrid, cell, key_of(passage, set), &access);
    cell->only = (struct darn_access){0};
}

static void hybrid_event(void *state, const struct darn_event *event)
{
    struct hybrid *hybrid = state;

    darn_ordered_event(&hybrid->ordered, event, visit);
    if (hybrid->orphans != darn_order_orphans(hybrid->ordered.order)) {
        hybrid->orphans = darn_order_orphans(hybrid->ordered.order);
        hybrid->ordered.dropped += hybrid->settled;
        hybrid->settled = 0;
    }
}

const struct darn_engine darn_engine_hybrid = {
    .name = "hybrid",
    .help = "races that locks or the like do not exclude, though this run may have ordered them",
    .create = hybrid_create,
    .event = hybrid_event,
    .finish = darn_racebase_finish,
    .predictions = darn_racebase_predictions,
    .dynamic = darn_racebase_dynamic,
    .cost = darn_ordered_cost,
    .destroy = hybrid_destroy,
};
