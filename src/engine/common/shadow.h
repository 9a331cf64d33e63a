/*
 * Shadow memory: what an engine remembers of each byte of the program's memory.
 *
 * Bytes that were always accessed together share a *cell*, whose type is the engine's own. Memory
 * is cut into granules of eight bytes; a cell covers some bytes of one granule, or a whole page.
 * When an access touches a part of a cell only, the cell is split and the two parts have the same
 * past; so neighbours in one granule are never taken for one another. An access to a long range is
 * one cell per page as long as nobody looks closer.
 *
 * Cells go when their memory is freed or allocated anew: what is kept is bounded by the memory
 * that the program uses, not by the length of the trace.
 */
#ifndef DARN_ENGINE_SHADOW_H
#define DARN_ENGINE_SHADOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/event.h"

#define DARN_SHADOW_GRANULE 8u
#define DARN_SHADOW_PAGE    256u

struct darn_shadow_type {
    size_t size; /* of a cell, in bytes; a new cell is zeroed */
    /* The cell was made as a copy of another one's bytes: what it points to needs a second owner.
     * May be NULL. */
    void (*copy)(void *context, void *cell);
    /* The cell is about to go. May be NULL. */
    void (*drop)(void *context, void *cell);
    void *context;
    /* Cells of one granule whose bytes are equal after an access to one of them become one again.
     * Keeps buffers small that are filled byte by byte. */
    bool merge;
};

struct darn_shadow;

/* NULL when there is no memory. */
struct darn_shadow *darn_shadow_create(const struct darn_shadow_type *type);
void darn_shadow_destroy(struct darn_shadow *shadow);

/* Called for each cell of an access, with the first byte that the cell covers: all of its bytes are
 * touched by the access. It may change the cell; it must not call into this shadow memory. */
typedef void darn_shadow_visitor(void *to, void *cell, uint64_t address);

/* Splits and makes cells as needed, and visits those of the range in the order of addresses. */
void darn_shadow_visit(struct darn_shadow *shadow, uint64_t address, uint64_t size,
                       darn_shadow_visitor *visit, void *to);

/* The same for the bytes of an access event, without those that DARN_EVENT_GAPS leaves out. */
void darn_shadow_access(struct darn_shadow *shadow, const struct darn_event *event,
                        darn_shadow_visitor *visit, void *to);

/* The cell of one byte, made if needed; valid until the next call. */
void *darn_shadow_at(struct darn_shadow *shadow, uint64_t address);

/* The cell that covers just these bytes, when there is one; NULL when there is none, also when
 * there are cells that cover more or less. */
void *darn_shadow_exact(struct darn_shadow *shadow, uint64_t address, uint64_t size);

/* darn_shadow_access, where most accesses touch what others before have touched: the one cell is
 * found first, and the visitor can be put in place. */
static inline void darn_shadow_pass(struct darn_shadow *shadow, const struct darn_event *event,
                                    darn_shadow_visitor *visit, void *to)
{
    void *cell = event->flags & DARN_EVENT_GAPS
                     ? NULL
                     : darn_shadow_exact(shadow, event->target, event->size);

    if (cell)
        visit(to, cell, event->target);
    else
        darn_shadow_access(shadow, event, visit, to);
}

/* For ALLOC and FREE. */
void darn_shadow_forget(struct darn_shadow *shadow, uint64_t address, uint64_t size);

/* The same, but each cell that there is is visited before it goes, or loses a part; the visitor
 * does not change it. */
void darn_shadow_end(struct darn_shadow *shadow, uint64_t address, uint64_t size,
                     darn_shadow_visitor *visit, void *to);

/* Bytes in use; without what cells point to. */
size_t darn_shadow_memory(const struct darn_shadow *shadow);
size_t darn_shadow_cells(const struct darn_shadow *shadow);

#endif
