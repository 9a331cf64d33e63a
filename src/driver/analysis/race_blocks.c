#include "driver/analysis/race_blocks.h"

#include <stdlib.h>

struct darn_race_wanted {
    uint64_t address;
    const struct darn_prediction *race;
    struct darn_event now;   /* the ALLOC of the block that the address is in; kind NONE: none */
    struct darn_event found; /* the same when the race's access came */
    uint32_t use_count;
    bool is_over; /* the block of the race is gone: what comes is another variable */
    struct {
        uint32_t thread, site, holding;
    } uses[DARN_RACE_USES];
};

void darn_race_blocks_free(struct darn_race_blocks *blocks)
{
    free(blocks->wanted);
    darn_held_destroy(blocks->held);
    darn_locksets_destroy(blocks->sets);
    *blocks = (struct darn_race_blocks){NULL, 0, 0, NULL, NULL};
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

static void note_use(const struct darn_race_blocks *blocks, struct darn_race_wanted *wanted,
                     const struct darn_event *access)
{
    uint32_t count = wanted->use_count;

    if (!blocks->held || wanted->is_over)
        return;
    for (uint32_t i = 0; i < count; i++)
        if (wanted->uses[i].thread == access->thread && wanted->uses[i].site == access->site)
            return;
    if (count == DARN_RACE_USES)
        return;
    wanted->uses[count].thread = access->thread;
    wanted->uses[count].site = access->site;
    wanted->uses[count].holding = darn_held_holding(blocks->held, access->thread);
    wanted->use_count++;
}

/* The access may begin before the address that both touch. */
static void visit(struct darn_race_blocks *blocks, const struct darn_event *access)
{
    for (size_t i = first_from(blocks, access->target);
         i < blocks->count && blocks->wanted[i].address - access->target < access->size; i++) {
        struct darn_race_wanted *wanted = &blocks->wanted[i];

        if (wanted->found.kind == DARN_EVENT_NONE && is_of(wanted->race, access))
            wanted->found = wanted->now;
        note_use(blocks, wanted, access);
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
        wanted->is_over = wanted->found.kind != DARN_EVENT_NONE;
        if (!wanted->is_over)
            wanted->use_count = 0;
    }
}

void darn_race_blocks_find(struct darn_race_blocks *blocks, struct darn_trace *trace)
{
    struct darn_event event;

    if (!blocks->count)
        return;
    qsort(blocks->wanted, blocks->count, sizeof(*blocks->wanted), compare);
    darn_trace_rewind(trace);
    blocks->sets = darn_locksets_create();
    blocks->held = blocks->sets ? darn_held_create(blocks->sets) : NULL;
    while (darn_trace_next(trace, &event) == 1) {
        if (event.kind == DARN_EVENT_ALLOC)
            enter(blocks, &event);
        else if (event.kind == DARN_EVENT_FREE)
            leave(blocks, &event);
        else if (darn_event_is_access(&event))
            visit(blocks, &event);
        else if (blocks->held)
            darn_held_event(blocks->held, &event);
    }
}

/* NULL when nobody has asked for it. */
static const struct darn_race_wanted *find_wanted(const struct darn_race_blocks *blocks,
                                                  const struct darn_prediction *race)
{
    for (size_t i = first_from(blocks, race->target);
         i < blocks->count && blocks->wanted[i].address == race->target; i++)
        if (blocks->wanted[i].race == race)
            return &blocks->wanted[i];
    return NULL;
}

size_t darn_race_blocks_uses(const struct darn_race_blocks *blocks,
                             const struct darn_prediction *race,
                             struct darn_prediction_step uses[DARN_RACE_USES])
{
    const struct darn_race_wanted *wanted = find_wanted(blocks, race);
    size_t count = wanted ? wanted->use_count : 0;

    for (size_t i = 0; i < count; i++)
        darn_holding_fill(blocks->held, wanted->uses[i].holding, &uses[i]);
    return count;
}

const struct darn_event *darn_race_blocks_get(const struct darn_race_blocks *blocks,
                                              const struct darn_prediction *race)
{
    const struct darn_race_wanted *wanted = find_wanted(blocks, race);

    return wanted && wanted->found.kind == DARN_EVENT_ALLOC ? &wanted->found : NULL;
}
