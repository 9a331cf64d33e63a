#include "engine/atomicity/partners.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/grow.h"
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
    struct darn_map pieces; /* number of the piece -> index + 1 */
    struct piece *items;
    size_t count, room;
    struct darn_map pairs; /* of sites, as keys */
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
    darn_map_free(&partners->pairs);
    free(partners->items);
    free(partners);
}

static struct piece *piece_at(struct darn_partners *partners, uint64_t number)
{
    bool added;
    uintptr_t *index = darn_map_at(&partners->pieces, number, &added);

    if (added) {
        partners->items = darn_grow(partners->items, &partners->room, partners->count + 1,
                                    sizeof(*partners->items));
        *index = ++partners->count;
    }
    return &partners->items[*index - 1];
}

static void add_pair(struct darn_partners *partners, uint32_t one, uint32_t other)
{
    darn_map_put(&partners->pairs, (uint64_t)one << 32 | other, 1);
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
        uintptr_t index = darn_map_get(&partners->pieces, event->target / PIECE + i, 0);

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
    for (uint64_t i = first; i <= last && i - first < MOST; i++)
        visit_piece(partners, piece_at(partners, i), event->site, event->thread);
}

void darn_partners_each(const struct darn_partners *partners,
                        void (*visit)(void *context, uint32_t one, uint32_t other), void *context)
{
    for (size_t i = 0; i < partners->pairs.count; i++) {
        uint64_t pair = partners->pairs.entries[i].key;

        visit(context, (uint32_t)(pair >> 32), (uint32_t)pair);
    }
}
