#include "engine/atomicity/serial_edges.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/grow.h"

/* A transaction from which the end of the way is reached, and the edge that it is reached by. */
struct darn_serial_visit {
    darn_epoch epoch;
    uint64_t edge;
    size_t next; /* visit; its own index: this is the end */
};

/* So many transactions are looked at. */
#define MOST_VISITS 256u

void darn_serial_edges_free(struct darn_serial_edges *edges)
{
    free(edges->ring);
    free(edges->visits);
    *edges = (struct darn_serial_edges){0};
}

void darn_serial_edges_add(struct darn_serial_edges *edges, const struct darn_serial_edge *edge)
{
    if (edges->count < DARN_SERIAL_EDGES)
        edges->ring = darn_grow(edges->ring, &edges->capacity, (size_t)edges->count + 1,
                                sizeof(*edges->ring));
    edges->ring[edges->count % DARN_SERIAL_EDGES] = *edge;
    edges->ring[edges->count % DARN_SERIAL_EDGES].number = edges->count;
    edges->count++;
}

/* What a thread did at a time reaches what it did later. */
static bool reaches(darn_epoch epoch, darn_epoch later)
{
    return darn_epoch_slot(epoch) == darn_epoch_slot(later) &&
           darn_epoch_time(epoch) <= darn_epoch_time(later);
}

static bool was_visited(const struct darn_serial_edges *edges, size_t count, darn_epoch epoch)
{
    for (size_t i = 0; i < count; i++) {
        if (reaches(epoch, edges->visits[i].epoch))
            return true;
    }
    return false;
}

static size_t tell_way(const struct darn_serial_edges *edges, size_t at,
                       struct darn_serial_edge *way)
{
    size_t count = 0;

    for (; edges->visits[at].next != at; at = edges->visits[at].next) {
        if (count == DARN_SERIAL_WAY)
            return 0;
        way[count++] = edges->ring[edges->visits[at].edge % DARN_SERIAL_EDGES];
    }
    return count;
}

/* Breadth first, from the end: the edges into one transaction of the way, or into an earlier one of
 * its thread. */
size_t darn_serial_edges_way(struct darn_serial_edges *edges, darn_epoch from, darn_epoch to,
                             struct darn_serial_edge way[DARN_SERIAL_WAY])
{
    uint64_t first = edges->count > DARN_SERIAL_EDGES ? edges->count - DARN_SERIAL_EDGES : 0;
    size_t count = 0;

    edges->visits =
        darn_grow(edges->visits, &edges->visit_capacity, MOST_VISITS + 1, sizeof(*edges->visits));
    edges->visits[count++] = (struct darn_serial_visit){to, 0, 0};
    for (size_t at = 0; at < count && count < MOST_VISITS; at++) {
        for (uint64_t i = edges->count; i-- > first && count < MOST_VISITS;) {
            const struct darn_serial_edge *edge = &edges->ring[i % DARN_SERIAL_EDGES];

            if (!reaches(edge->to, edges->visits[at].epoch))
                continue;
            edges->visits[count] = (struct darn_serial_visit){edge->from, i, at};
            if (edge->from == from)
                return tell_way(edges, count, way);
            if (!was_visited(edges, count, edge->from))
                count++;
        }
    }
    return 0;
}

size_t darn_serial_edges_memory(const struct darn_serial_edges *edges)
{
    return edges->capacity * sizeof(*edges->ring) +
           edges->visit_capacity * sizeof(struct darn_serial_visit);
}
