#include "engine/atomicity/invariants.h"

#include <stdlib.h>

#include "base/grow.h"
#include "base/hash.h"
#include "base/htable.h"
#include "base/pool.h"
#include "engine/common/shadow.h"
#include "site/site_section.h"

/* Of a variable that one thread alone has touched so far. */
#define MOST_WAITING 64

/* Threads with higher numbers are never taken for ended: a damaged trace may have any number. */
#define MOST_THREADS ((uint32_t)1 << 20)

/* A moment and who did it; time 0: nobody. */
struct mark {
    uint64_t time;
    uint32_t thread;
    uint32_t unused;
};

/*
 * The last time that something was done, and the last time that another thread than that one did
 * it: enough to tell for every thread when one of the others did it last.
 */
struct marks {
    struct mark last, other;
};

struct cell {
    struct marks reads, writes;
    uint32_t threads; /* list: the last access of each */
    uint32_t waiting; /* list: pairs that count if the variable becomes shared */
    uint32_t owner;   /* the first thread */
    uint16_t waiting_count;
    uint8_t used;
    uint8_t several;
};

/* Items of the pools. */
struct last {
    uint64_t time;
    uint32_t next;
    uint32_t thread;
    uint32_t place;
    uint32_t kind;
};

struct waiting {
    uint32_t next;
    uint32_t pair;
};

struct darn_invariants {
    struct darn_invariants_sites sites;
    struct darn_shadow *shadow;
    struct darn_pool lasts, waitings;
    uint64_t now;
    bool *ended; /* by the number of the thread */
    size_t ended_capacity;
    struct darn_invariant *pairs;
    size_t pair_count, pair_capacity;
    struct darn_htable table; /* of pairs + 1 */
    uint64_t dropped;
};

/* One access, which may touch several cells: a pair is counted once. */
struct visit {
    struct darn_invariants *invariants;
    uint32_t thread;
    uint32_t place;
    uint8_t kind;
    uint32_t counted; /* pair + 1 */
    bool violated;
};

static void copy_cell(void *context, void *memory)
{
    struct darn_invariants *invariants = context;
    struct cell *cell = memory;

    for (uint32_t *at = &cell->threads; *at;) {
        uint32_t id = darn_pool_take(&invariants->lasts);
        struct last *last = darn_pool_at(&invariants->lasts, id);

        *last = *(struct last *)darn_pool_at(&invariants->lasts, *at);
        *at = id;
        at = &last->next;
    }
    for (uint32_t *at = &cell->waiting; *at;) {
        uint32_t id = darn_pool_take(&invariants->waitings);
        struct waiting *waiting = darn_pool_at(&invariants->waitings, id);

        *waiting = *(struct waiting *)darn_pool_at(&invariants->waitings, *at);
        *at = id;
        at = &waiting->next;
    }
}

static void drop_waiting(struct darn_invariants *invariants, struct cell *cell)
{
    while (cell->waiting) {
        uint32_t id = cell->waiting;

        cell->waiting = ((struct waiting *)darn_pool_at(&invariants->waitings, id))->next;
        darn_pool_give(&invariants->waitings, id);
    }
    cell->waiting_count = 0;
}

static void drop_cell(void *context, void *memory)
{
    struct darn_invariants *invariants = context;
    struct cell *cell = memory;

    while (cell->threads) {
        uint32_t id = cell->threads;

        cell->threads = ((struct last *)darn_pool_at(&invariants->lasts, id))->next;
        darn_pool_give(&invariants->lasts, id);
    }
    drop_waiting(invariants, cell);
}

static void close_trace(struct darn_invariants *invariants)
{
    if (invariants->shadow)
        darn_shadow_destroy(invariants->shadow);
    invariants->shadow = NULL;
    darn_pool_free(&invariants->lasts);
    darn_pool_free(&invariants->waitings);
    free(invariants->ended);
    invariants->ended = NULL;
    invariants->ended_capacity = 0;
}

struct darn_invariants *darn_invariants_create(void)
{
    return calloc(1, sizeof(struct darn_invariants));
}

void darn_invariants_destroy(struct darn_invariants *invariants)
{
    if (!invariants)
        return;
    close_trace(invariants);
    free(invariants->pairs);
    darn_htable_free(&invariants->table);
    free(invariants);
}

void darn_invariants_begin(struct darn_invariants *invariants,
                           const struct darn_invariants_sites *sites)
{
    const struct darn_shadow_type type = {
        .size = sizeof(struct cell), .copy = copy_cell, .drop = drop_cell, .context = invariants};

    close_trace(invariants);
    invariants->sites = *sites;
    invariants->now = 0;
    invariants->lasts = (struct darn_pool){.item = sizeof(struct last)};
    invariants->waitings = (struct darn_pool){.item = sizeof(struct waiting)};
    invariants->shadow = darn_need_memory(darn_shadow_create(&type));
}

static uint32_t hash_pair(const struct darn_invariant *pair)
{
    uint64_t key = ((uint64_t)pair->entry << 32 | pair->end) * 16 +
                   (unsigned)(pair->entry_kind << 2 | pair->end_kind);

    return darn_spread(key);
}

static bool is_same_pair(const struct darn_invariant *a, const struct darn_invariant *b)
{
    return a->entry == b->entry && a->end == b->end && a->entry_kind == b->entry_kind &&
           a->end_kind == b->end_kind;
}

/* The number of the pair; made if it is new. */
static uint32_t pair_of(struct darn_invariants *invariants, const struct last *entry,
                        const struct visit *end)
{
    struct darn_invariant pair = {.entry = entry->place,
                                  .end = end->place,
                                  .entry_kind = (uint8_t)entry->kind,
                                  .end_kind = end->kind};
    uint32_t hash = hash_pair(&pair), known;
    size_t at = hash;

    while ((known = darn_htable_next(&invariants->table, hash, &at))) {
        if (is_same_pair(&invariants->pairs[known - 1], &pair))
            return known - 1;
    }
    pair.allow = darn_section_allows(pair.entry_kind, pair.end_kind);
    invariants->pairs = darn_grow(invariants->pairs, &invariants->pair_capacity,
                                  invariants->pair_count + 1, sizeof(*invariants->pairs));
    invariants->pairs[invariants->pair_count++] = pair;
    darn_htable_add(&invariants->table, hash, (uint32_t)invariants->pair_count);
    return (uint32_t)invariants->pair_count - 1;
}

static bool is_shared(const struct cell *cell)
{
    return cell->several && cell->writes.last.time;
}

/* The pair was seen with this variable. */
static void note(struct darn_invariants *invariants, struct cell *cell, uint32_t pair)
{
    struct waiting *waiting;
    uint32_t id;

    if (is_shared(cell)) {
        invariants->pairs[pair].shared = true;
        return;
    }
    for (id = cell->waiting; id; id = waiting->next) {
        waiting = darn_pool_at(&invariants->waitings, id);
        if (waiting->pair == pair)
            return;
    }
    if (cell->waiting_count == MOST_WAITING) {
        invariants->dropped++;
        return;
    }
    id = darn_pool_take(&invariants->waitings);
    waiting = darn_pool_at(&invariants->waitings, id);
    *waiting = (struct waiting){cell->waiting, pair};
    cell->waiting = id;
    cell->waiting_count++;
}

static void release_waiting(struct darn_invariants *invariants, struct cell *cell)
{
    for (uint32_t id = cell->waiting; id;) {
        struct waiting *waiting = darn_pool_at(&invariants->waitings, id);

        invariants->pairs[waiting->pair].shared = true;
        id = waiting->next;
    }
    drop_waiting(invariants, cell);
}

static void set_mark(struct marks *marks, uint32_t thread, uint64_t now)
{
    if (marks->last.time && marks->last.thread != thread)
        marks->other = marks->last;
    marks->last = (struct mark){now, thread, 0};
}

/* When another thread did it last; 0: never. */
static uint64_t time_of_others(const struct marks *marks, uint32_t thread)
{
    return marks->last.thread == thread ? marks->other.time : marks->last.time;
}

static bool has_ended(const struct darn_invariants *invariants, uint32_t thread)
{
    return thread < invariants->ended_capacity && invariants->ended[thread];
}

/* The last access of the thread, made if there was none (time 0). What has ended goes on the way,
 * so that the list is no longer than the number of threads that live. */
static struct last *last_of(struct darn_invariants *invariants, struct cell *cell, uint32_t thread)
{
    struct last *last;
    uint32_t id;

    for (uint32_t *at = &cell->threads; (id = *at);) {
        last = darn_pool_at(&invariants->lasts, id);
        if (last->thread == thread)
            return last;
        if (has_ended(invariants, last->thread)) {
            *at = last->next;
            darn_pool_give(&invariants->lasts, id);
        } else {
            at = &last->next;
        }
    }
    id = darn_pool_take(&invariants->lasts);
    last = darn_pool_at(&invariants->lasts, id);
    *last = (struct last){.next = cell->threads, .thread = thread};
    cell->threads = id;
    return last;
}

static void on_pair(struct visit *visit, struct cell *cell, const struct last *entry)
{
    struct darn_invariants *invariants = visit->invariants;
    uint32_t number = pair_of(invariants, entry, visit);
    struct darn_invariant *pair = &invariants->pairs[number];
    uint8_t done = 0;

    if (time_of_others(&cell->reads, visit->thread) > entry->time)
        done |= DARN_ALLOW_READ;
    if (time_of_others(&cell->writes, visit->thread) > entry->time)
        done |= DARN_ALLOW_WRITE;
    if (visit->counted != number + 1) {
        visit->counted = number + 1;
        visit->violated = false;
        pair->seen++;
    }
    if (done & ~pair->allow && !visit->violated) {
        visit->violated = true;
        pair->violated++;
    }
    note(invariants, cell, number);
}

static void on_cell(void *to, void *memory, uint64_t address)
{
    struct visit *visit = to;
    struct darn_invariants *invariants = visit->invariants;
    struct cell *cell = memory;
    struct last *last = last_of(invariants, cell, visit->thread);
    bool was_shared = is_shared(cell);

    (void)address;
    if (!cell->used) {
        cell->used = 1;
        cell->owner = visit->thread;
    }
    cell->several |= cell->owner != visit->thread;
    if (last->time && last->place && visit->place)
        on_pair(visit, cell, last);
    if (visit->kind != DARN_SITE_WRITE)
        set_mark(&cell->reads, visit->thread, invariants->now);
    if (visit->kind != DARN_SITE_READ)
        set_mark(&cell->writes, visit->thread, invariants->now);
    last->time = invariants->now;
    last->place = visit->place;
    last->kind = visit->kind;
    if (!was_shared && is_shared(cell))
        release_waiting(invariants, cell);
}

static void on_access(struct darn_invariants *invariants, const struct darn_event *event)
{
    const struct darn_invariants_sites *sites = &invariants->sites;
    struct visit visit = {.invariants = invariants, .thread = event->thread};

    /* The second half of an update is no access of its own. */
    if (event->flags & DARN_EVENT_HALF)
        return;
    visit.place = event->site ? sites->place_of(sites->context, event->site) : 0;
    visit.kind = event->kind == DARN_EVENT_READ    ? DARN_SITE_READ
                 : event->kind == DARN_EVENT_WRITE ? DARN_SITE_WRITE
                                                   : DARN_SITE_UPDATE;
    if (visit.kind == DARN_SITE_WRITE && event->site && sites->covers &&
        sites->covers(sites->context, event->site))
        visit.kind = DARN_SITE_UPDATE;
    invariants->now++;
    darn_shadow_access(invariants->shadow, event, on_cell, &visit);
}

static void on_exit_of(struct darn_invariants *invariants, uint32_t thread)
{
    if (thread >= MOST_THREADS)
        return;
    invariants->ended = darn_grow(invariants->ended, &invariants->ended_capacity,
                                  (size_t)thread + 1, sizeof(*invariants->ended));
    invariants->ended[thread] = true;
}

void darn_invariants_event(struct darn_invariants *invariants, const struct darn_event *event)
{
    switch (event->kind) {
    case DARN_EVENT_READ:
    case DARN_EVENT_WRITE:
    case DARN_EVENT_UPDATE:
        on_access(invariants, event);
        break;
    case DARN_EVENT_ALLOC:
    case DARN_EVENT_FREE:
        darn_shadow_forget(invariants->shadow, event->target, event->extra);
        break;
    case DARN_EVENT_EXIT:
        on_exit_of(invariants, event->thread);
        break;
    default:
        break;
    }
}

const struct darn_invariant *darn_invariants_all(const struct darn_invariants *invariants,
                                                 size_t *count)
{
    *count = invariants->pair_count;
    return invariants->pairs;
}

uint64_t darn_invariants_dropped(const struct darn_invariants *invariants)
{
    return invariants->dropped;
}
