#include "engine/common/ideal.h"

#include <stdbool.h>
#include <string.h>

#include "base/grow.h"
#include "engine/common/shadow.h"

/* A critical section; it has ended when `end` has a time. */
struct section {
    struct darn_stamp end;
    uint32_t slot, time; /* of its beginning */
    bool shared;         /* held for reading */
};

struct lock {
    struct section *ring;
    uint64_t count;    /* sections so far; the last `capacity` of them are in the ring */
    uint32_t capacity; /* a power of two */
    uint32_t life;     /* goes up when the lock is gone and its number is used again */
    uint32_t next;     /* free locks: + 1 */
};

/* A set of locks held: one of them, and the rest. Sets share their rests. */
struct node {
    uint64_t section; /* its number among those of the lock */
    uint32_t lock, life;
    uint32_t outer; /* node, 0: none */
    uint32_t refs;  /* or, when it is free, the next free one */
};

/*
 * From `when` on, the slot held `node`. An acquisition in time t is at 2t, a release in it at
 * 2t + 1: who stands before an event of time t has all acquisitions of that time behind it and no
 * release; who has handed on time t has both.
 */
struct change {
    uint64_t when;
    uint32_t node;
};

struct slot {
    struct change *ring;
    uint64_t count;
    uint32_t capacity;
    uint32_t node; /* now */
};

struct cell {
    uint32_t lock; /* + 1 */
};

struct darn_ideals {
    struct darn_clocks *clocks;
    struct darn_shadow *cells; /* locks by address */
    struct lock *locks;
    size_t lock_count, lock_capacity;
    uint32_t free_lock; /* + 1 */
    struct node *nodes; /* from 1 on */
    size_t node_count, node_capacity;
    uint32_t free_node;
    struct slot *slots;
    size_t slot_capacity;
    size_t rings; /* bytes */
    /* Of the question that is being answered. */
    uint32_t *times, *pins; /* by slot; pins: the time of the event, 0: none */
    size_t times_capacity, pins_capacity;
    uint32_t width; /* no clock that was seen has more slots */
};

static void drop_lock(void *context, void *memory)
{
    struct darn_ideals *ideals = context;
    struct cell *cell = memory;
    struct lock *lock;

    if (!cell->lock)
        return;
    lock = &ideals->locks[cell->lock - 1];
    for (uint32_t i = 0; i < lock->capacity; i++)
        darn_stamp_drop(ideals->clocks, &lock->ring[i].end);
    ideals->rings -= lock->capacity * sizeof(*lock->ring);
    free(lock->ring);
    *lock = (struct lock){.life = lock->life + 1, .next = ideals->free_lock};
    ideals->free_lock = cell->lock;
}

struct darn_ideals *darn_ideals_create(struct darn_clocks *clocks)
{
    struct darn_ideals *ideals = calloc(1, sizeof(*ideals));
    struct darn_shadow_type type = {
        .size = sizeof(struct cell), .drop = drop_lock, .context = ideals};

    if (!ideals)
        return NULL;
    ideals->clocks = clocks;
    ideals->node_count = 1;
    ideals->cells = darn_shadow_create(&type);
    if (!ideals->cells) {
        free(ideals);
        return NULL;
    }
    return ideals;
}

void darn_ideals_destroy(struct darn_ideals *ideals)
{
    if (!ideals)
        return;
    darn_shadow_destroy(ideals->cells);
    for (size_t i = 0; i < ideals->slot_capacity; i++)
        free(ideals->slots[i].ring);
    free(ideals->slots);
    free(ideals->locks);
    free(ideals->nodes);
    free(ideals->times);
    free(ideals->pins);
    free(ideals);
}

static uint32_t make_node(struct darn_ideals *ideals, uint32_t outer)
{
    uint32_t node = ideals->free_node;

    if (node) {
        ideals->free_node = ideals->nodes[node].refs;
    } else {
        ideals->nodes = darn_grow(ideals->nodes, &ideals->node_capacity, ideals->node_count + 1,
                                  sizeof(*ideals->nodes));
        node = (uint32_t)ideals->node_count++;
    }
    ideals->nodes[node] = (struct node){.outer = outer, .refs = 1};
    if (outer)
        ideals->nodes[outer].refs++;
    return node;
}

static void drop_node(struct darn_ideals *ideals, uint32_t node)
{
    while (node && !--ideals->nodes[node].refs) {
        uint32_t outer = ideals->nodes[node].outer;

        ideals->nodes[node].refs = ideals->free_node;
        ideals->free_node = node;
        node = outer;
    }
}

static struct slot *slot_at(struct darn_ideals *ideals, uint32_t slot)
{
    ideals->slots =
        darn_grow(ideals->slots, &ideals->slot_capacity, (size_t)slot + 1, sizeof(*ideals->slots));
    return &ideals->slots[slot];
}

/* The slot holds `node` from now on, and owns it. */
static void change_to(struct darn_ideals *ideals, struct slot *slot, uint64_t when, uint32_t node)
{
    struct change *change;

    if (slot->count == slot->capacity && slot->capacity < DARN_IDEAL_CHANGES) {
        uint32_t capacity = slot->capacity ? 2 * slot->capacity : 8;

        slot->ring = darn_need_memory(reallocarray(slot->ring, capacity, sizeof(*slot->ring)));
        memset(slot->ring + slot->capacity, 0, (capacity - slot->capacity) * sizeof(*slot->ring));
        ideals->rings += (capacity - slot->capacity) * sizeof(*slot->ring);
        slot->capacity = capacity;
    }
    change = &slot->ring[slot->count++ & (slot->capacity - 1)];
    drop_node(ideals, change->node);
    *change = (struct change){when, node};
    slot->node = node;
}

static uint32_t lock_at(struct darn_ideals *ideals, uint64_t address)
{
    struct cell *cell = darn_shadow_at(ideals->cells, address);

    if (!cell->lock && ideals->free_lock) {
        cell->lock = ideals->free_lock;
        ideals->free_lock = ideals->locks[cell->lock - 1].next;
    } else if (!cell->lock) {
        ideals->locks = darn_grow(ideals->locks, &ideals->lock_capacity, ideals->lock_count + 1,
                                  sizeof(*ideals->locks));
        cell->lock = (uint32_t)++ideals->lock_count;
    }
    return cell->lock - 1;
}

/* NULL when it is too old. */
static struct section *section_at(const struct lock *lock, uint64_t number)
{
    if (number >= lock->count || lock->count - number > lock->capacity)
        return NULL;
    return &lock->ring[number & (lock->capacity - 1)];
}

static void add_section(struct darn_ideals *ideals, struct lock *lock, struct section section)
{
    struct section *place;

    if (lock->count == lock->capacity && lock->capacity < DARN_IDEAL_SECTIONS) {
        uint32_t capacity = lock->capacity ? 2 * lock->capacity : 4;

        lock->ring = darn_need_memory(reallocarray(lock->ring, capacity, sizeof(*lock->ring)));
        memset(lock->ring + lock->capacity, 0, (capacity - lock->capacity) * sizeof(*lock->ring));
        ideals->rings += (capacity - lock->capacity) * sizeof(*lock->ring);
        lock->capacity = capacity;
    }
    place = &lock->ring[lock->count++ & (lock->capacity - 1)];
    darn_stamp_drop(ideals->clocks, &place->end);
    *place = section;
}

static void begin_section(struct darn_ideals *ideals, struct darn_stamp *now,
                          const struct darn_event *event)
{
    uint32_t number = lock_at(ideals, event->target);
    struct lock *lock = &ideals->locks[number];
    struct slot *slot = slot_at(ideals, now->slot);
    struct darn_stamp before = darn_stamp_take(ideals->clocks, now);
    uint32_t node;

    darn_stamp_drop(ideals->clocks, &before);
    add_section(ideals, lock,
                (struct section){.slot = now->slot,
                                 .time = now->time,
                                 .shared = event->lock == DARN_EVENT_RDLOCK});
    node = make_node(ideals, slot->node);
    ideals->nodes[node].lock = number;
    ideals->nodes[node].life = lock->life;
    ideals->nodes[node].section = lock->count - 1;
    change_to(ideals, slot, 2 * (uint64_t)now->time, node);
}

static uint32_t wider(uint32_t width, uint32_t slot, const struct darn_clock *clock)
{
    if (width <= slot)
        width = slot + 1;
    return clock && width < clock->count ? clock->count : width;
}

/* The set without one of its locks. What was acquired after it comes again. */
static uint32_t without(struct darn_ideals *ideals, uint32_t node, uint32_t gone)
{
    struct node copy = ideals->nodes[node];
    uint32_t outer, made;

    if (node == gone) {
        if (copy.outer)
            ideals->nodes[copy.outer].refs++;
        return copy.outer;
    }
    outer = without(ideals, copy.outer, gone);
    made = make_node(ideals, outer);
    drop_node(ideals, outer);
    ideals->nodes[made].section = copy.section;
    ideals->nodes[made].lock = copy.lock;
    ideals->nodes[made].life = copy.life;
    return made;
}

/* A lock that another thread has taken is given back unseen: its section never ends, and what
 * depends on that is not known. */
static void end_section(struct darn_ideals *ideals, struct darn_stamp *now,
                        const struct darn_event *event)
{
    uint32_t number = lock_at(ideals, event->target);
    struct lock *lock = &ideals->locks[number];
    struct slot *slot = slot_at(ideals, now->slot);
    struct darn_stamp end = darn_stamp_take(ideals->clocks, now);
    struct section *section;
    uint32_t node = slot->node;

    while (node && (ideals->nodes[node].lock != number || ideals->nodes[node].life != lock->life))
        node = ideals->nodes[node].outer;
    if (!node) {
        darn_stamp_drop(ideals->clocks, &end);
        return;
    }
    section = section_at(lock, ideals->nodes[node].section);
    ideals->width = wider(ideals->width, end.slot, end.clock);
    if (section) {
        darn_stamp_drop(ideals->clocks, &section->end);
        section->end = darn_stamp_copy(&end);
    }
    change_to(ideals, slot, 2 * (uint64_t)end.time + 1, without(ideals, slot->node, node));
    darn_stamp_drop(ideals->clocks, &end);
}

void darn_ideals_event(struct darn_ideals *ideals, const struct darn_held *held,
                       struct darn_stamp *now, const struct darn_event *event)
{
    const struct darn_held_lock *lock;

    if (event->kind == DARN_EVENT_ALLOC || event->kind == DARN_EVENT_FREE)
        darn_shadow_forget(ideals->cells, event->target, event->extra);
    if (event->kind != DARN_EVENT_ACQUIRE && event->kind != DARN_EVENT_RELEASE)
        return;
    lock = darn_held_find(held, event->thread, event->target);
    if (event->kind == DARN_EVENT_ACQUIRE && lock && lock->depth == 1)
        begin_section(ideals, now, event);
    else if (event->kind == DARN_EVENT_RELEASE && !lock)
        end_section(ideals, now, event);
}

/* Gives what the slot held then. False when that is too long ago. */
static bool held_at(const struct slot *slot, uint64_t when, uint32_t *node)
{
    uint64_t oldest = slot->count > slot->capacity ? slot->count - slot->capacity : 0;
    uint64_t low = oldest, high = slot->count;

    while (low < high) {
        uint64_t middle = low + (high - low) / 2;

        if (slot->ring[middle & (slot->capacity - 1)].when <= when)
            low = middle + 1;
        else
            high = middle;
    }
    *node = low > oldest ? slot->ring[(low - 1) & (slot->capacity - 1)].node : 0;
    return low > oldest || !oldest;
}

/* Whether a section of the lock that excludes this one, and comes later, has begun. */
static bool is_followed(const struct darn_ideals *ideals, const struct lock *lock, uint64_t number,
                        bool shared)
{
    for (uint64_t i = number + 1; i < lock->count; i++) {
        const struct section *later = &lock->ring[i & (lock->capacity - 1)];

        if (!(shared && later->shared) && later->slot < ideals->width &&
            later->time <= ideals->times[later->slot])
            return true;
    }
    return false;
}

/* Takes in all that the clock knows. False when one of the events is in it. */
static bool take_in(struct darn_ideals *ideals, const struct darn_clock *clock, uint32_t own)
{
    for (uint32_t i = 0; clock && i < clock->count; i++) {
        if (i == own)
            continue;
        if (ideals->pins[i]) {
            if (clock->times[i] >= ideals->pins[i])
                return false;
        } else if (ideals->times[i] < clock->times[i]) {
            ideals->times[i] = clock->times[i];
        }
    }
    return true;
}

/* Of a thread's own slot its clock may say anything: the time outside of it is the one that counts.
 */
static void take_in_point(struct darn_ideals *ideals, const struct darn_ideal_point *point)
{
    for (uint32_t i = 0; point->clock && i < point->clock->count; i++) {
        if (!ideals->pins[i] && ideals->times[i] < point->clock->times[i])
            ideals->times[i] = point->clock->times[i];
    }
}

/* False when one of the events comes before the end. */
static bool take_in_end(struct darn_ideals *ideals, const struct darn_stamp *end)
{
    if (ideals->pins[end->slot] && end->time >= ideals->pins[end->slot])
        return false;
    if (!ideals->pins[end->slot] && ideals->times[end->slot] < end->time)
        ideals->times[end->slot] = end->time;
    return take_in(ideals, end->clock, end->slot);
}

/* Ends what a slot holds where a later section has begun; `changed` says whether there was any. */
static enum darn_ideal_answer close_slot(struct darn_ideals *ideals, uint32_t index, bool *changed)
{
    uint64_t when = 2 * (uint64_t)ideals->times[index] + (ideals->pins[index] ? 0 : 1);
    uint32_t node;

    if (!held_at(&ideals->slots[index], when, &node))
        return DARN_IDEAL_UNKNOWN;
    for (; node; node = ideals->nodes[node].outer) {
        const struct node *held = &ideals->nodes[node];
        const struct lock *lock = &ideals->locks[held->lock];
        const struct section *section = section_at(lock, held->section);

        if (held->life != lock->life || !section)
            return DARN_IDEAL_UNKNOWN;
        if (!is_followed(ideals, lock, held->section, section->shared))
            continue;
        if (!section->end.time)
            return DARN_IDEAL_UNKNOWN;
        if (!take_in_end(ideals, &section->end))
            return DARN_IDEAL_CLOSED;
        *changed = true;
    }
    return DARN_IDEAL_OPEN;
}

/* An ideal that has nothing yet but the points. */
static void start(struct darn_ideals *ideals, const struct darn_ideal_point *points, size_t count)
{
    for (size_t i = 0; i < count; i++)
        ideals->width = wider(ideals->width, points[i].slot, points[i].clock);
    ideals->times =
        darn_grow(ideals->times, &ideals->times_capacity, ideals->width, sizeof(uint32_t));
    ideals->pins = darn_grow(ideals->pins, &ideals->pins_capacity, ideals->width, sizeof(uint32_t));
    memset(ideals->times, 0, ideals->width * sizeof(uint32_t));
    memset(ideals->pins, 0, ideals->width * sizeof(uint32_t));
    for (size_t i = 0; i < count; i++)
        ideals->times[points[i].slot] = ideals->pins[points[i].slot] = points[i].time;
}

enum darn_ideal_answer darn_ideal_reaches(struct darn_ideals *ideals,
                                          const struct darn_ideal_point *points, size_t count)
{
    bool changed = true;

    start(ideals, points, count);
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < count; j++) {
            if (i != j && darn_clock_time(points[i].clock, points[j].slot) >= points[j].time)
                return DARN_IDEAL_CLOSED;
        }
        take_in_point(ideals, &points[i]);
    }
    while (changed) {
        changed = false;
        for (uint32_t i = 0; i < ideals->width && i < ideals->slot_capacity; i++) {
            enum darn_ideal_answer answer =
                ideals->times[i] ? close_slot(ideals, i, &changed) : DARN_IDEAL_OPEN;

            if (answer != DARN_IDEAL_OPEN)
                return answer;
        }
    }
    return DARN_IDEAL_OPEN;
}

bool darn_ideal_has(const struct darn_ideals *ideals, uint32_t slot, uint32_t time)
{
    return slot < ideals->width && time <= ideals->times[slot];
}

size_t darn_ideals_memory(const struct darn_ideals *ideals)
{
    return sizeof(*ideals) + ideals->rings + darn_shadow_memory(ideals->cells) +
           ideals->lock_capacity * sizeof(*ideals->locks) +
           ideals->node_capacity * sizeof(*ideals->nodes) +
           ideals->slot_capacity * sizeof(*ideals->slots) +
           (ideals->times_capacity + ideals->pins_capacity) * sizeof(uint32_t);
}
