/*
 * How transactions have come to be in order: the last conflicts from which a thread has learnt
 * something, so that a cycle can be told. Vector clocks say that there is one and not by which
 * accesses.
 *
 * They have an end: DARN_SERIAL_EDGES. A cycle with an older conflict is not told.
 */
#ifndef DARN_ENGINE_SERIAL_EDGES_H
#define DARN_ENGINE_SERIAL_EDGES_H

#include <stddef.h>
#include <stdint.h>

#include "engine/common/engine_access.h"

#define DARN_SERIAL_EDGES 16384u

/* The longest way that is told. */
#define DARN_SERIAL_WAY 7u

/* From an access of one transaction to an access of another. The fork of a thread, and its join,
 * have no accesses: their epochs are 0. */
struct darn_serial_edge {
    darn_epoch from, to;
    struct darn_access before, after;
    uint64_t address;
    uint64_t number; /* which one it is */
    uint32_t before_unit, after_unit;
};

/* Zeroed: none yet. */
struct darn_serial_edges {
    struct darn_serial_edge *ring;
    size_t capacity;
    uint64_t count;
    /* Of the search that is going on. */
    struct darn_serial_visit *visits;
    size_t visit_capacity;
};

void darn_serial_edges_free(struct darn_serial_edges *edges);
void darn_serial_edges_add(struct darn_serial_edges *edges, const struct darn_serial_edge *edge);

/* The shortest way from one transaction to another, in the order of the edges: how many there are,
 * at most DARN_SERIAL_WAY; 0 when none is known. A later transaction of a thread comes after an
 * earlier one; the way begins at just the one that is named. */
size_t darn_serial_edges_way(struct darn_serial_edges *edges, darn_epoch from, darn_epoch to,
                             struct darn_serial_edge way[DARN_SERIAL_WAY]);

size_t darn_serial_edges_memory(const struct darn_serial_edges *edges);

#endif
