/*
 * A cell remembers the accesses that a later one may have to be compared with. There are two
 * questions about a pair, and an access goes when both have an answer without it:
 *  - the order: whoever does not know the first of two accesses, the second of which knows the
 *    first, does not know the second either;
 *  - the locks: whoever shares a lock with the first shares it with one that holds as much. But
 *    this one may be of the same thread as the access to come: of two threads, one is not.
 * And another access can only stand for it if it conflicts with the same, does as much harm to the
 * others, and is at the same place. Of a place that was harmed in all ways that are asked about,
 * nothing is left to be found out: then any place does. So what is left of hot memory is little,
 * and private memory has one access for each place.
 */
#include "engine/atomicity/shared.h"

#include <assert.h>

#include "base/grow.h"
#include "engine/common/held.h"
#include "engine/common/lockset.h"
#include "engine/common/order.h"
#include "engine/common/shadow.h"

/* So many are remembered in one cell; when there are more, one is left out. */
#define MOST 128u

/* What an access is, besides the harm that it may do (enum darn_section_allow). */
#define WRITES 4u

struct item {
    darn_epoch epoch; /* 0: no access */
    uint32_t thread;
    uint32_t place; /* 0: none, or one of which nothing is left to be found out */
    uint32_t set;   /* the locks that were held */
    uint32_t does;  /* WRITES, and what of it is a harm to anybody */
};

static_assert(sizeof(struct item) == 24, "cells are compared by their bytes: no holes");

struct more {
    uint32_t count, capacity;
    uint32_t victim; /* when full: the next one to be left out */
    uint32_t unused;
    struct item items[];
};

struct cell {
    struct item only; /* none when there is `more` */
    struct more *more;
};

/* What is asked about a place, and what was found. */
struct place {
    uint8_t harm, found; /* enum darn_section_allow, or-ed */
};

struct darn_shared {
    darn_shared_ask *ask;
    void *context;
    uint8_t harm;
    struct darn_locksets *sets;
    struct darn_held *held;
    struct darn_order *order;
    struct darn_shadow *shadow;
    struct place *places; /* by number */
    size_t place_room;
    size_t own; /* bytes that cells point to */
    uint64_t events, dropped;
    size_t peak;
};

/* One access on its way through its cells. */
struct passage {
    struct darn_shared *shared;
    const struct darn_stamp *now;
    struct item access;
};

static size_t more_bytes(uint32_t capacity)
{
    return sizeof(struct more) + capacity * sizeof(struct item);
}

static void drop_cell(void *context, void *memory)
{
    struct darn_shared *shared = context;
    struct cell *cell = memory;

    if (!cell->more)
        return;
    shared->own -= more_bytes(cell->more->capacity);
    free(cell->more);
    cell->more = NULL;
}

static void copy_cell(void *context, void *memory)
{
    struct darn_shared *shared = context;
    struct cell *cell = memory;
    struct more *more;

    if (!cell->more)
        return;
    more = darn_need_memory(malloc(more_bytes(cell->more->capacity)));
    memcpy(more, cell->more, more_bytes(cell->more->count));
    cell->more = more;
    shared->own += more_bytes(more->capacity);
}

struct darn_shared *darn_shared_create(darn_shared_ask *ask, void *context, uint8_t harm)
{
    struct darn_shared *shared = calloc(1, sizeof(*shared));
    struct darn_order_config order = {.locks = true};
    struct darn_shadow_type type = {.size = sizeof(struct cell),
                                    .copy = copy_cell,
                                    .drop = drop_cell,
                                    .context = shared,
                                    .merge = true};

    if (!shared)
        return NULL;
    shared->ask = ask;
    shared->context = context;
    shared->harm = harm;
    shared->sets = darn_locksets_create();
    shared->held = shared->sets ? darn_held_create(shared->sets) : NULL;
    shared->order = darn_order_create(&order);
    shared->shadow = darn_shadow_create(&type);
    if (!shared->held || !shared->order || !shared->shadow) {
        darn_shared_destroy(shared);
        return NULL;
    }
    return shared;
}

void darn_shared_destroy(struct darn_shared *shared)
{
    if (!shared)
        return;
    if (shared->shadow)
        darn_shadow_destroy(shared->shadow);
    darn_order_destroy(shared->order);
    darn_held_destroy(shared->held);
    darn_locksets_destroy(shared->sets);
    free(shared->places);
    free(shared);
}

uint8_t darn_shared_by(const struct darn_shared *shared, uint32_t place)
{
    return place < shared->place_room ? shared->places[place].found : 0;
}

/* The number of the place; 0: there is nothing to be found out. */
static uint32_t note_place(struct darn_shared *shared, const struct darn_shared_place *asked)
{
    if (!asked->number || !asked->harm)
        return 0;
    shared->places = darn_grow(shared->places, &shared->place_room, (size_t)asked->number + 1,
                               sizeof(*shared->places));
    shared->places[asked->number].harm = asked->harm;
    return asked->number;
}

/* What is left to be found out about a place. */
static uint32_t left_of(const struct darn_shared *shared, uint32_t place)
{
    return place ? shared->places[place].harm & ~(uint32_t)shared->places[place].found : 0;
}

static uint32_t open_place(const struct darn_shared *shared, uint32_t place)
{
    return left_of(shared, place) ? place : 0;
}

static void find(struct darn_shared *shared, uint32_t place, const struct item *other)
{
    shared->places[place].found |= (uint8_t)(left_of(shared, place) & other->does);
}

/* Finds out whether the access shares the memory with an earlier one. */
static void meet(struct passage *passage, const struct item *item)
{
    struct darn_shared *shared = passage->shared;
    struct item *access = &passage->access;

    if (item->thread == access->thread || !((item->does | access->does) & WRITES))
        return;
    if (!(left_of(shared, item->place) & access->does) &&
        !(left_of(shared, access->place) & item->does))
        return;
    if (darn_stamp_knows(passage->now, item->epoch) &&
        darn_lockset_disjoint_for(shared->sets, item->set, access->set))
        return;
    find(shared, item->place, access);
    find(shared, access->place, item);
    access->place = open_place(shared, access->place);
}

/* Whether the one does all that the other does. */
static bool does_as_much(const struct item *one, const struct item *other)
{
    return !(other->does & ~one->does);
}

/* Whether the same was remembered since the thread last handed anything on. It was compared with
 * all that was there, and what came later was compared with it. */
static bool is_known(const struct passage *passage, const struct item *item)
{
    const struct item *access = &passage->access;

    return item->epoch == access->epoch && item->set == access->set && does_as_much(item, access) &&
           (!access->place || item->place == access->place);
}

/* Whether what conflicts with the item conflicts with the other, and says as much about the places
 * of both. */
static bool stands_for(const struct darn_shared *shared, const struct item *other,
                       const struct item *item)
{
    return does_as_much(other, item) &&
           (item->place == other->place || !open_place(shared, item->place));
}

static bool is_subset(const struct passage *passage, uint32_t set, uint32_t of)
{
    return set == of || darn_lockset_is_subset(passage->shared->sets, set, of);
}

/* Whether the item is not needed any more, now that the access is remembered. */
static bool is_covered(const struct passage *passage, const struct item *items, uint32_t count,
                       const struct item *item)
{
    const struct item *access = &passage->access;

    if (!darn_stamp_knows(passage->now, item->epoch) || !stands_for(passage->shared, access, item))
        return false;
    if (item->set == DARN_LOCKSET_EMPTY)
        return true;
    if (!is_subset(passage, item->set, access->set))
        return false;
    if (item->thread == access->thread)
        return true;
    for (uint32_t i = 0; i < count; i++) {
        if (&items[i] != item && items[i].thread != access->thread &&
            stands_for(passage->shared, &items[i], item) &&
            is_subset(passage, item->set, items[i].set))
            return true;
    }
    return false;
}

static void remove_item(struct more *more, uint32_t at)
{
    more->items[at] = more->items[--more->count];
}

/* Leaves out what comes before all that is still to come, and was done without a lock. */
static void drop_settled(struct darn_shared *shared, struct more *more)
{
    for (uint32_t i = more->count; i-- > 0;) {
        if (more->items[i].set == DARN_LOCKSET_EMPTY &&
            darn_order_settled(shared->order, more->items[i].epoch))
            remove_item(more, i);
    }
}

static void make_room(struct darn_shared *shared, struct cell *cell)
{
    struct more *more = cell->more;
    uint32_t capacity = more ? 2 * more->capacity : 4;

    if (more && more->count < more->capacity)
        return;
    if (capacity <= MOST) {
        shared->own += more_bytes(capacity) - (more ? more_bytes(more->capacity) : 0);
        more = darn_need_memory(realloc(more, more_bytes(capacity)));
        if (!cell->more)
            *more = (struct more){0};
        more->capacity = capacity;
        cell->more = more;
        return;
    }
    drop_settled(shared, more);
    if (more->count == MOST) {
        remove_item(more, more->victim++ % MOST);
        shared->dropped++;
    }
}

static void add_item(struct darn_shared *shared, struct cell *cell, const struct item *item)
{
    make_room(shared, cell);
    cell->more->items[cell->more->count++] = *item;
}

static void visit_more(struct passage *passage, struct cell *cell)
{
    struct more *more = cell->more;

    for (uint32_t i = 0; i < more->count; i++) {
        if (is_known(passage, &more->items[i]))
            return;
    }
    for (uint32_t i = 0; i < more->count; i++)
        meet(passage, &more->items[i]);
    for (uint32_t i = more->count; i-- > 0;) {
        if (is_covered(passage, more->items, more->count, &more->items[i]))
            remove_item(more, i);
    }
    add_item(passage->shared, cell, &passage->access);
}

static void visit(void *to, void *memory, uint64_t address)
{
    struct passage *passage = to;
    struct cell *cell = memory;

    (void)address;
    /* It may have been found in the cell before. */
    passage->access.place = open_place(passage->shared, passage->access.place);
    if (cell->more) {
        visit_more(passage, cell);
        return;
    }
    if (cell->only.epoch && is_known(passage, &cell->only))
        return;
    if (cell->only.epoch)
        meet(passage, &cell->only);
    if (!cell->only.epoch || is_covered(passage, &cell->only, 1, &cell->only)) {
        cell->only = passage->access;
        return;
    }
    add_item(passage->shared, cell, &cell->only);
    add_item(passage->shared, cell, &passage->access);
    cell->only = (struct item){0};
}

static uint32_t does_of(const struct darn_shared *shared, const struct darn_event *event,
                        bool reads)
{
    uint32_t kinds = event->kind == DARN_EVENT_READ    ? DARN_ALLOW_READ
                     : event->kind == DARN_EVENT_WRITE ? DARN_ALLOW_WRITE
                                                       : DARN_ALLOW_ALL;

    if (reads)
        kinds |= DARN_ALLOW_READ;
    return (kinds & shared->harm) | (kinds & DARN_ALLOW_WRITE ? WRITES : 0);
}

static void on_access(struct darn_shared *shared, const struct darn_event *event)
{
    struct darn_order_thread *thread = darn_order_thread(shared->order, event);
    struct darn_shared_place asked = shared->ask(shared->context, event->site);
    struct passage passage = {
        .shared = shared,
        .now = &thread->now,
        .access = {.epoch = darn_stamp_epoch(&thread->now),
                   .thread = event->thread,
                   .place = note_place(shared, &asked),
                   .set = darn_held_set(shared->held, event->thread),
                   .does = does_of(shared, event, asked.reads)},
    };

    thread->used = thread->now.time;
    darn_shadow_pass(shared->shadow, event, visit, &passage);
}

static size_t memory_of(const struct darn_shared *shared)
{
    return sizeof(*shared) + shared->own + shared->place_room * sizeof(struct place) +
           darn_locksets_memory(shared->sets) + darn_held_memory(shared->held) +
           darn_order_memory(shared->order) + darn_shadow_memory(shared->shadow);
}

static void measure(struct darn_shared *shared)
{
    size_t memory = memory_of(shared);

    if (shared->peak < memory)
        shared->peak = memory;
}

void darn_shared_event(struct darn_shared *shared, const struct darn_event *event)
{
    struct darn_order_thread *thread;

    if (darn_event_is_access(event)) {
        if (!(event->flags & DARN_EVENT_HALF))
            on_access(shared, event);
    } else if (event->kind == DARN_EVENT_ALLOC || event->kind == DARN_EVENT_FREE ||
               event->kind == DARN_EVENT_STACK) {
        darn_shadow_forget(shared->shadow, event->target, event->extra);
    } else {
        darn_held_event(shared->held, event);
    }
    thread = darn_order_before(shared->order, event);
    darn_order_after(shared->order, thread, event);
    if ((++shared->events & 0xfff) == 0)
        measure(shared);
}

struct darn_engine_cost darn_shared_cost(const struct darn_shared *shared)
{
    size_t memory = memory_of(shared);

    return (struct darn_engine_cost){.memory = memory,
                                     .peak = shared->peak > memory ? shared->peak : memory,
                                     .dropped =
                                         shared->dropped + darn_order_degraded(shared->order)};
}
