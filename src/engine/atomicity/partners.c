#include "engine/atomicity/partners.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/map.h"

/* Memory is looked at in pieces of so many bytes; an access of more than MOST pieces counts for its
 * first ones. */
#define PIECE 8
#define MOST  16

/* Sites with their threads that are remembered for one piece: more are seldom, and only missed. */
#define VISITORS 12

struct visitor {
    uint32_t site, thread;
};

struct piece {
    uint32_t count;
    struct visitor visitors[VISITORS];
};

struct darn_partners {
    struct darn_map pieces; /* number of the piece + 1 -> index + 1 */
    struct piece *items;
    size_t count, room;
    struct darn_map known; /* pairs of sites */
    uint64_t *pairs;
    size_t pair_count, pair_room;
};

struct darn_partners *darn_partners_create(void)
{
    return calloc(1, sizeof(struct darn_partners));
}

void darn_partners_destroy(struct darn_partners *partners)
{
    if (!partners)
        return;
    darn_map_free(&partners->pieces);
    darn_map_free(&partners->known);
    free(partners->items);
    free(partners->pairs);
    free(partners);
}

static struct piece *piece_at(struct darn_partners *partners, uint64_t number)
{
    uintptr_t index = darn_map_get(&partners->pieces, number + 1, 0);

    if (index)
        return &partners->items[index - 1];
    if (partners->count == partners->room) {
        size_t room = partners->room ? 2 * partners->room : 1024;
        struct piece *items = realloc(partners->items, room * sizeof(*items));

        if (!items)
            return NULL;
        partners->items = items;
        partners->room = room;
    }
    partners->items[partners->count] = (struct piece){0};
    darn_map_put(&partners->pieces, number + 1, ++partners->count);
    return &partners->items[partners->count - 1];
}

static void add_pair(struct darn_partners *partners, uint32_t one, uint32_t other)
{
    uint64_t pair = (uint64_t)one << 32 | other;

    if (darn_map_get(&partners->known, pair, 0))
        return;
    if (partners->pair_count == partners->pair_room) {
        size_t room = partners->pair_room ? 2 * partners->pair_room : 256;
        uint64_t *pairs = realloc(partners->pairs, room * sizeof(*pairs));

        if (!pairs)
            return;
        partners->pairs = pairs;
        partners->pair_room = room;
    }
    darn_map_put(&partners->known, pair, 1);
    partners->pairs[partners->pair_count++] = pair;
}

static void visit_piece(struct darn_partners *partners, struct piece *piece, uint32_t site,
                        uint32_t thread)
{
    for (uint32_t i = 0; i < piece->count; i++) {
        if (piece->visitors[i].site == site && piece->visitors[i].thread == thread)
            return;
    }
    for (uint32_t i = 0; i < piece->count; i++) {
        if (piece->visitors[i].thread == thread)
            continue;
        add_pair(partners, site, piece->visitors[i].site);
        add_pair(partners, piece->visitors[i].site, site);
    }
    if (piece->count < VISITORS)
        piece->visitors[piece->count++] = (struct visitor){site, thread};
}

/* The memory has another use from here on. */
static void forget(struct darn_partners *partners, const struct darn_event *event)
{
    for (uint64_t i = 0; i < MOST && i * PIECE < event->size; i++) {
        uintptr_t index = darn_map_get(&partners->pieces, event->target / PIECE + i + 1, 0);

        if (index)
            partners->items[index - 1].count = 0;
    }
}

void darn_partners_event(struct darn_partners *partners, const struct darn_event *event)
{
    uint64_t first = event->target / PIECE, last = (event->target + event->size - 1) / PIECE;

    if (event->kind == DARN_EVENT_ALLOC || event->kind == DARN_EVENT_FREE)
        forget(partners, event);
    if (!darn_event_is_access(event) || !event->site || !event->size)
        return;
    for (uint64_t i = first; i <= last && i - first < MOST; i++) {
        struct piece *piece = piece_at(partners, i);

        if (piece)
            visit_piece(partners, piece, event->site, event->thread);
    }
}

void darn_partners_each(const struct darn_partners *partners,
                        void (*visit)(void *context, uint32_t one, uint32_t other), void *context)
{
    for (size_t i = 0; i < partners->pair_count; i++)
        visit(context, (uint32_t)(partners->pairs[i] >> 32), (uint32_t)partners->pairs[i]);
}
