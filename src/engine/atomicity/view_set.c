#include "engine/atomicity/view_set.h"

#include <stdlib.h>

#include "base/grow.h"
#include "base/hash.h"

void darn_view_clear(struct darn_view_builder *builder)
{
    builder->count = 0;
    builder->is_full = false;
}

/* Sorted from the beginning: a section has few variables, and mostly the same one again. */
void darn_view_add(struct darn_view_builder *builder, const struct darn_view_element *element)
{
    struct darn_view_element *elements = builder->elements;
    uint32_t at = builder->count;

    while (at && elements[at - 1].variable > element->variable)
        at--;
    if (at && elements[at - 1].variable == element->variable) {
        if (element->writes && !elements[at - 1].writes)
            elements[at - 1] = *element;
        return;
    }
    if (builder->count == DARN_VIEW_VARIABLES) {
        builder->is_full = true;
        return;
    }
    memmove(&elements[at + 1], &elements[at], (builder->count - at) * sizeof(*elements));
    elements[at] = *element;
    builder->count++;
}

static uint64_t hash_of(const struct darn_view *view, const struct darn_view_builder *builder)
{
    uint64_t hash = darn_hash_number(DARN_HASH_START, view->thread);

    hash = darn_hash_number(darn_hash_number(hash, view->outer), view->period);
    for (uint32_t i = 0; i < builder->count; i++)
        hash = darn_hash_number(hash, builder->elements[i].variable);
    return hash;
}

/* The one that is there already learns what is written. */
static bool is_known(struct darn_views *views, uint64_t hash,
                     const struct darn_view_builder *builder)
{
    for (size_t i = views->count; i-- > 0;) {
        struct darn_view *view = &views->list[i];

        if (view->hash != hash || view->count != builder->count)
            continue;
        for (uint32_t j = 0; j < view->count; j++) {
            if (builder->elements[j].writes && !view->elements[j].writes)
                view->elements[j] = builder->elements[j];
        }
        return true;
    }
    return false;
}

static bool has_room(const struct darn_views *views, uint32_t thread)
{
    size_t mine = 0;

    for (size_t i = 0; i < views->count; i++)
        mine += views->list[i].thread == thread;
    return mine < DARN_VIEWS_OF_THREAD && views->count < DARN_VIEWS_OF_LOCK;
}

bool darn_views_add(struct darn_views *views, const struct darn_view *view,
                    struct darn_view_builder *builder)
{
    struct darn_view *made;
    uint64_t hash;

    if (!builder->count)
        return false;
    hash = hash_of(view, builder);
    if (!builder->is_full && is_known(views, hash, builder))
        return false;
    if (builder->is_full || !has_room(views, view->thread)) {
        views->dropped++;
        return false;
    }
    views->list = darn_grow(views->list, &views->capacity, views->count + 1, sizeof(*views->list));
    made = &views->list[views->count++];
    *made = *view;
    made->hash = hash;
    made->count = builder->count;
    made->elements =
        darn_need_memory(reallocarray(NULL, builder->count, sizeof(*builder->elements)));
    memcpy(made->elements, builder->elements, builder->count * sizeof(*builder->elements));
    views->elements += builder->count * sizeof(*builder->elements);
    return true;
}

void darn_views_free(struct darn_views *views)
{
    for (size_t i = 0; i < views->count; i++)
        free(views->list[i].elements);
    free(views->list);
    *views = (struct darn_views){0};
}

size_t darn_views_memory(const struct darn_views *views)
{
    return views->capacity * sizeof(*views->list) + views->elements;
}

const struct darn_view_element *darn_view_find(const struct darn_view *view, uint32_t variable)
{
    for (uint32_t i = 0; i < view->count; i++) {
        if (view->elements[i].variable == variable)
            return &view->elements[i];
    }
    return NULL;
}

struct darn_view_overlap darn_view_overlap(const struct darn_view *large,
                                           const struct darn_view *view)
{
    struct darn_view_overlap overlap = {0, 0};

    for (uint32_t i = 0, j = 0; i < large->count && j < view->count;) {
        uint32_t mine = large->elements[i].variable, other = view->elements[j].variable;

        if (mine == other) {
            overlap.common |= UINT64_C(1) << i;
            if (large->elements[i].writes || view->elements[j].writes)
                overlap.conflicts |= UINT64_C(1) << i;
        }
        i += mine <= other;
        j += other <= mine;
    }
    return overlap;
}

bool darn_views_is_maximal(const struct darn_views *views, size_t index)
{
    const struct darn_view *view = &views->list[index];

    for (size_t i = 0; i < views->count; i++) {
        const struct darn_view *other = &views->list[i];

        if (other->thread == view->thread && other->period == view->period &&
            other->count > view->count &&
            (uint32_t)__builtin_popcountll(darn_view_overlap(other, view).common) == view->count)
            return false;
    }
    return true;
}

bool darn_view_are_chain(const struct darn_view_overlap *a, const struct darn_view_overlap *b,
                         struct darn_view_difference *difference)
{
    uint64_t first = a->common & ~b->common & a->conflicts;
    uint64_t second = b->common & ~a->common & b->conflicts;

    if (!first || !second)
        return true;
    difference->first = (uint32_t)__builtin_ctzll(first);
    difference->second = (uint32_t)__builtin_ctzll(second);
    return false;
}
