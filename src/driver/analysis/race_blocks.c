#include "driver/analysis/race_blocks.h"

#include <stdlib.h>

struct darn_race_wanted {
    uint64_t address;
    const struct darn_prediction *race;
    struct darn_event now;   /* the ALLOC of the block that the address is in; kind NONE: none */
    struct darn_event found; /* the same when the race's access came */
};

void darn_race_blocks_free(struct darn_race_blocks *blocks)
{
    free(blocks->wanted);
    *blocks = (struct darn_race_blocks){NULL, 0, 0};
}

void darn_race_blocks_want(struct darn_race_blocks *blocks, const struct darn_prediction *race)
{
    if (blocks->count == blocks->room) {
        size_t room = blocks->room ? blocks->room * 2 : 64;
        void *grown = realloc(blocks->wanted, room * sizeof(*blocks->wanted));

        if (!grown)
            return;
        blocks->wanted = grown;
        blocks->room = room;
    }
    blocks->wanted[blocks->count++] =
        (struct darn_race_wanted){.address = race->target, .race = race};
}

static int compare(const void *a, const void *b)
{
    const struct darn_race_wanted *one = a, *other = b;

    return (one->address > other->address) - (one->address < other->address);
}

/* The first one at or behind the address. */
static size_t first_from(const struct darn_race_blocks *blocks, uint64_t address)
{
    size_t low = 0, high = blocks->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (blocks->wanted[middle].address < address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void enter(struct darn_race_blocks *blocks, const struct darn_event *alloc)
{
    for (size_t i = first_from(blocks, alloc->target);
         i < blocks->count && blocks->wanted[i].address - alloc->target < alloc->extra; i++)
        blocks->wanted[i].now = *alloc;
}

static bool is_same(const struct darn_event *a, const struct darn_event *b)
{
    return a->kind == b->kind && a->thread == b->thread && a->site == b->site;
}

/* Whether the event is one of the two that the race is made of. */
static bool is_of(const struct darn_prediction *race, const struct darn_event *event)
{
    for (size_t i = 0; i < race->step_count; i++)
        if (is_same(&race->steps[i].event, event))
            return true;
    return false;
}

/* The access may begin before the address that both touch. */
static void visit(struct darn_race_blocks *blocks, const struct darn_event *access)
{
    for (size_t i = first_from(blocks, access->target);
         i < blocks->count && blocks->wanted[i].address - access->target < access->size; i++) {
        struct darn_race_wanted *wanted = &blocks->wanted[i];

        if (wanted->found.kind == DARN_EVENT_NONE && is_of(wanted->race, access))
            wanted->found = wanted->now;
    }
}

static void leave(struct darn_race_blocks *blocks, const struct darn_event *event)
{
    for (size_t i = first_from(blocks, event->target);
         i < blocks->count && blocks->wanted[i].now.target == event->target; i++) {
        struct darn_race_wanted *wanted = &blocks->wanted[i];

        /* A free may be one side of the race itself. */
        if (wanted->found.kind == DARN_EVENT_NONE && is_of(wanted->race, event))
            wanted->found = wanted->now;
        wanted->now.kind = DARN_EVENT_NONE;
    }
}

void darn_race_blocks_find(struct darn_race_blocks *blocks, struct darn_trace *trace)
{
    struct darn_event event;

    if (!blocks->count)
        return;
    qsort(blocks->wanted, blocks->count, sizeof(*blocks->wanted), compare);
    darn_trace_rewind(trace);
    while (darn_trace_next(trace, &event) == 1) {
        if (event.kind == DARN_EVENT_ALLOC)
            enter(blocks, &event);
        else if (event.kind == DARN_EVENT_FREE)
            leave(blocks, &event);
        else if (darn_event_is_access(&event))
            visit(blocks, &event);
    }
}

const struct darn_event *darn_race_blocks_get(const struct darn_race_blocks *blocks,
                                              const struct darn_prediction *race)
{
    for (size_t i = first_from(blocks, race->target);
         i < blocks->count && blocks->wanted[i].address == race->target; i++)
        if (blocks->wanted[i].race == race)
            return blocks->wanted[i].found.kind == DARN_EVENT_ALLOC ? &blocks->wanted[i].found
                                                                    : NULL;
    return NULL;
}
