/*
 * Happens-before race detection (Letko 2.1.1; the order is in order.h), with epochs as in
 * FastTrack: of the past of a cell as little is kept as is needed to notice the next race.
 *
 * That is the last plain write, and of all that has happened since, each access that is not
 * *covered* by a later one: a later one covers it if it happens after it and conflicts with all
 * that it conflicts with. While nothing races, what is left out cannot matter: whatever would race
 * with it races with what covers it. Without atomic accesses this is FastTrack: one write, and one
 * read or a read of each thread.
 */
#include "engine/race/ordered.h"

#include "base/grow.h"

/* Sorted by slot, then by sort; at most one of each. */
struct more {
    uint32_t count, capacity;
    uint32_t sorts[4]; /* how many there are of each */
    struct darn_access items[];
};

struct cell {
    struct darn_access write; /* DARN_PLAIN_WRITE */
    struct darn_access other; /* the only other one; none when there is `more` */
    struct more *more;
};

static size_t more_bytes(uint32_t capacity)
{
    return sizeof(struct more) + capacity * sizeof(struct darn_access);
}

static void drop_more(struct darn_ordered *hb, struct cell *cell)
{
    if (!cell->more)
        return;
    hb->own -= more_bytes(cell->more->capacity);
    free(cell->more);
    cell->more = NULL;
}

static void drop_cell(void *context, void *memory)
{
    drop_more(context, memory);
}

static void copy_cell(void *context, void *memory)
{
    struct darn_ordered *hb = context;
    struct cell *cell = memory;
    struct more *more;

    if (!cell->more)
        return;
    more = darn_need_memory(malloc(more_bytes(cell->more->capacity)));
    memcpy(more, cell->more, more_bytes(cell->more->count));
    more->capacity = cell->more->capacity;
    cell->more = more;
    hb->own += more_bytes(more->capacity);
}

static void hb_destroy(void *state)
{
    darn_ordered_close(state);
    free(state);
}

static void check(struct darn_passage *passage, const struct darn_access *earlier, uint64_t address)
{
    if (earlier->epoch && darn_passage_conflicts(passage, earlier) &&
        !darn_stamp_knows(passage->now, earlier->epoch))
        darn_passage_report(passage, earlier, address);
}

static void check_all(struct darn_passage *passage, const struct cell *cell, uint64_t address)
{
    check(passage, &cell->write, address);
    check(passage, &cell->other, address);
    for (uint32_t i = 0; cell->more && i < cell->more->count; i++)
        check(passage, &cell->more->items[i], address);
}

static void end_cell(void *to, void *cell, uint64_t address)
{
    check_all(to, cell, address);
}

static void *hb_create(const struct darn_engine_config *config)
{
    struct darn_ordered *hb = calloc(1, sizeof(*hb));
    struct darn_shadow_type type = {.size = sizeof(struct cell),
                                    .copy = copy_cell,
                                    .drop = drop_cell,
                                    .context = hb,
                                    .merge = true};

    if (hb && !darn_ordered_open(hb, config, &type, true)) {
        hb_destroy(hb);
        return NULL;
    }
    if (hb)
        hb->on_end = end_cell;
    return hb;
}

static void write_cell(struct darn_passage *passage, struct cell *cell, uint64_t address)
{
    check_all(passage, cell, address);
    drop_more(passage->engine, cell);
    cell->other = (struct darn_access){0};
    cell->write = darn_passage_access(passage, address);
}

static uint64_t place_of(const struct darn_access *access)
{
    return (uint64_t)darn_epoch_slot(access->epoch) << 2 | darn_access_sort_of(access);
}

/* The first item that is not before this place. */
static uint32_t find_item(const struct more *more, uint64_t place)
{
    uint32_t low = 0, high = more->count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (place_of(&more->items[middle]) < place)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void insert_item(struct darn_ordered *hb, struct cell *cell,
                        const struct darn_access *access)
{
    struct more *more = cell->more;
    uint32_t at = more ? find_item(more, place_of(access)) : 0;

    if (more && at < more->count && place_of(&more->items[at]) == place_of(access)) {
        more->items[at] = *access;
        return;
    }
    if (!more || more->count == more->capacity) {
        uint32_t capacity = more ? 2 * more->capacity : 4;

        hb->own += more_bytes(capacity) - (more ? more_bytes(more->capacity) : 0);
        more = darn_need_memory(realloc(more, more_bytes(capacity)));
        if (!cell->more)
            *more = (struct more){0};
        more->capacity = capacity;
        cell->more = more;
    }
    memmove(&more->items[at + 1], &more->items[at], (more->count - at) * sizeof(*access));
    more->items[at] = *access;
    more->count++;
    more->sorts[darn_access_sort_of(access)]++;
}

/* Whether an item of the same epoch says all that the access would. */
static bool has_item(const struct more *more, const struct darn_passage *passage)
{
    uint32_t slot = darn_epoch_slot(passage->epoch);

    for (uint32_t i = find_item(more, (uint64_t)slot << 2); i < more->count; i++) {
        if (darn_epoch_slot(more->items[i].epoch) != slot)
            return false;
        if (more->items[i].epoch == passage->epoch &&
            darn_sort_covers(darn_access_sort_of(&more->items[i]), passage->sort))
            return true;
    }
    return false;
}

static void touch_more(struct darn_passage *passage, struct cell *cell, uint64_t address)
{
    static const enum darn_access_sort against[] = {
        [DARN_PLAIN_READ] = DARN_SYNC_WRITE,
        [DARN_SYNC_WRITE] = DARN_PLAIN_READ,
    };
    struct darn_access access;

    if (passage->sort != DARN_SYNC_READ && cell->more->sorts[against[passage->sort]]) {
        for (uint32_t i = 0; i < cell->more->count; i++)
            check(passage, &cell->more->items[i], address);
    }
    if (has_item(cell->more, passage))
        return;
    access = darn_passage_access(passage, address);
    insert_item(passage->engine, cell, &access);
}

/* All but plain writes. */
static void touch_cell(struct darn_passage *passage, struct cell *cell, uint64_t address)
{
    struct darn_access *other = &cell->other, access;

    check(passage, &cell->write, address);
    if (cell->more) {
        touch_more(passage, cell, address);
        return;
    }
    check(passage, other, address);
    if (cell->write.epoch == passage->epoch && passage->event->kind != DARN_EVENT_USE)
        return; /* of two ends that follow each other only the second conflicts with a use */
    if (other->epoch == passage->epoch &&
        darn_sort_covers(darn_access_sort_of(other), passage->sort))
        return;
    access = darn_passage_access(passage, address);
    if (!other->epoch || (darn_sort_covers(passage->sort, darn_access_sort_of(other)) &&
                          darn_stamp_knows(passage->now, other->epoch))) {
        *other = access;
        return;
    }
    insert_item(passage->engine, cell, other);
    insert_item(passage->engine, cell, &access);
    *other = (struct darn_access){0};
}

static void visit(void *to, void *memory, uint64_t address)
{
    struct darn_passage *passage = to;
    struct cell *cell = memory;

    if (passage->sort != DARN_PLAIN_WRITE)
        touch_cell(passage, cell, address);
    else if (cell->write.epoch != passage->epoch || cell->other.epoch || cell->more)
        write_cell(passage, cell, address);
}

static void hb_event(void *state, const struct darn_event *event)
{
    darn_ordered_event(state, event, visit);
}

const struct darn_engine darn_engine_hb = {
    .name = "hb",
    .help = "races that nothing in this run has put in order (happens-before)",
    .create = hb_create,
    .event = hb_event,
    .finish = darn_racebase_finish,
    .predictions = darn_racebase_predictions,
    .dynamic = darn_racebase_dynamic,
    .cost = darn_ordered_cost,
    .destroy = hb_destroy,
};
