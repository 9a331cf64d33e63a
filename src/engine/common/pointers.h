/*
 * The pointers that are known to be stored in memory that has not escaped: what escapes with it.
 *
 * Each belongs to a list, that of the object in which it is stored. A list is the number of its
 * first pointer, kept by the owner; 0 is an empty one. An object has one pointer at an address: a
 * later one takes its place. What overwrites a pointer without being one is not told, so a list may
 * have more than memory has.
 */
#ifndef DARN_ENGINE_POINTERS_H
#define DARN_ENGINE_POINTERS_H

#include <stddef.h>
#include <stdint.h>

#include "base/htable.h"
#include "base/pool.h"

struct darn_pointer {
    uint64_t at;     /* where it is stored, */
    uint64_t holder; /* in which object: where that begins */
    uint64_t value;  /* what it points to, */
    uint32_t size;   /* and how much of that; 0: the block of the heap that has the address */
    uint32_t next;   /* in its list */
};

struct darn_pointers {
    struct darn_pool all;
    struct darn_htable table; /* by where they are stored */
};

void darn_pointers_init(struct darn_pointers *pointers);
void darn_pointers_free(struct darn_pointers *pointers);

/* The list is that of the holder. */
void darn_pointers_put(struct darn_pointers *pointers, uint32_t *list,
                       const struct darn_pointer *pointer);

/* Takes those from the list that are stored in [start, start + size), all with UINT64_MAX, and
 * hands them over; `each` may be NULL, and must not call the functions above. */
void darn_pointers_take(struct darn_pointers *pointers, uint32_t *list, uint64_t start,
                        uint64_t size,
                        void (*each)(void *context, const struct darn_pointer *pointer),
                        void *context);

size_t darn_pointers_memory(const struct darn_pointers *pointers);

#endif
