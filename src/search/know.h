/*
 * What the runs have shown of the program itself: its places, its objects, which place concerns
 * which object, and with what locks held.
 */
#ifndef DARN_SEARCH_KNOW_H
#define DARN_SEARCH_KNOW_H

#include "base/map.h"
#include "search/array.h"
#include "search/trail.h"

#define DARN_KNOWN_SIDES                                                                           \
    16 /* places that read an object, or change it; more are not told apart                        \
        */

struct darn_known_place {
    uint64_t place;
    uint32_t object;     /* index of one of its objects + 1; 0: none */
    uint32_t threads[2]; /* the first that came here, and the last one, + 1 */
    uint8_t op;          /* enum darn_step_op */
    uint8_t locks;       /* the fewest that were held here */
    bool others;         /* another thread could have gone on instead */
    bool later;          /* the thread had touched shared objects before */
    bool amid;           /* the last memory that it had touched it had changed */
};

struct darn_known_object {
    uint64_t object;
    uint32_t thread; /* the first one + 1 */
    bool shared, changed, memory;
    uint8_t lock_count; /* of locks[] */
    bool locked_once;   /* locks[] is valid: what was held at all accesses from two threads on */
    uint64_t locks[2];
    uint8_t read_count, write_count;
    uint64_t reads[DARN_KNOWN_SIDES], writes[DARN_KNOWN_SIDES]; /* places */
};

struct darn_know {
    struct darn_array places, objects;
    uint64_t runs;
    /* Private. */
    struct darn_map place_index, object_index;
    struct darn_array threads;
};

void darn_know_learn(struct darn_know *know, const struct darn_trail *trail);
void darn_know_free(struct darn_know *know);

/* The index of the place; SIZE_MAX: not known. */
size_t darn_know_find(const struct darn_know *know, uint64_t place);

static inline struct darn_known_place *darn_know_place(const struct darn_know *know, size_t i)
{
    return (struct darn_known_place *)know->places.at + i;
}

static inline struct darn_known_object *darn_know_object(const struct darn_know *know, size_t i)
{
    return (struct darn_known_object *)know->objects.at + i;
}

/* Two threads or more are concerned, and one of them changes it. */
static inline bool darn_know_conflicts(const struct darn_known_object *object)
{
    return object->shared && object->changed;
}

#endif
