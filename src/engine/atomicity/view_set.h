/*
 * Views: the sets of variables that critical sections of one lock touch, for each thread. Equal
 * ones are kept once, so that a lock has as many as its program has kinds of sections, not as it
 * takes the lock.
 */
#ifndef DARN_ENGINE_VIEW_SET_H
#define DARN_ENGINE_VIEW_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/common/engine_access.h"

#define DARN_VIEW_VARIABLES  64u /* of one view: a bit for each */
#define DARN_VIEWS_OF_THREAD 64u /* of one lock */
#define DARN_VIEWS_OF_LOCK   1024u

struct darn_view_element {
    uint32_t variable;
    bool writes;
    struct darn_access access; /* the first one; a write, if there was one */
    uint64_t address;
};

/* What a section has touched so far. Zeroed: nothing. */
struct darn_view_builder {
    uint32_t count;
    bool is_full; /* there was more */
    struct darn_view_element elements[DARN_VIEW_VARIABLES];
};

struct darn_view {
    uint32_t thread;
    uint32_t outer;  /* lockset: held besides when the section ended */
    uint32_t period; /* kept */
    uint32_t count;
    uint64_t hash;
    struct darn_view_element *elements; /* sorted by variable */
};

/* Of one lock. Zeroed: none. */
struct darn_views {
    struct darn_view *list;
    size_t count, capacity;
    size_t elements;  /* bytes */
    uint64_t dropped; /* sections */
};

void darn_view_clear(struct darn_view_builder *builder);
void darn_view_add(struct darn_view_builder *builder, const struct darn_view_element *element);

/* False when there is nothing new, or no room: the period is the caller's then. */
bool darn_views_add(struct darn_views *views, const struct darn_view *view,
                    struct darn_view_builder *builder);
void darn_views_free(struct darn_views *views);
size_t darn_views_memory(const struct darn_views *views);

/* NULL when it has no such variable. */
const struct darn_view_element *darn_view_find(const struct darn_view *view, uint32_t variable);

/* No other view of the same thread and period has all of its variables, and more. */
bool darn_views_is_maximal(const struct darn_views *views, size_t index);

/* Bits by the index in the large view. */
struct darn_view_overlap {
    uint64_t common;
    uint64_t conflicts; /* those of them that one of the two writes */
};

struct darn_view_overlap darn_view_overlap(const struct darn_view *large,
                                           const struct darn_view *view);

/* Of what the two lack of each other: what they conflict about, as indexes in the large view. */
struct darn_view_difference {
    uint32_t first, second; /* only in a; only in b */
};

/* Whether one of them is a part of the other, as far as it conflicts with the large view. */
bool darn_view_are_chain(const struct darn_view_overlap *a, const struct darn_view_overlap *b,
                         struct darn_view_difference *difference);

#endif
