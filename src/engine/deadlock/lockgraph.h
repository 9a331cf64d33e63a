/*
 * The graph in which deadlocks are cycles.
 *
 * Its nodes are what a thread can wait for: locks, and the ends of threads that somebody joins. A
 * *shape* is what dependencies have in common as far as waiting goes: the set of locks held, the
 * node asked for, and the mode. A hundred threads that run the same code are one shape, and so are
 * all the places in the source that nest the same locks. A shape is an edge from each node that it
 * holds to the one that it asks for; shapes that can be part of a cycle lie in one strongly
 * connected component of the nodes.
 */
#ifndef DARN_ENGINE_LOCKGRAPH_H
#define DARN_ENGINE_LOCKGRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/deadlock/lockdep.h"

struct darn_lock_shape {
    uint32_t set;          /* lockset of objects */
    uint32_t asked;        /* node */
    uint32_t first, count; /* its dependencies, in `order` */
    bool is_exclusive; /* asked for in a mode that excludes readers; so is the end of a thread */
};

/* A node that a shape holds: a lock of its set, or the end of a thread that has made the step. */
struct darn_lock_hold {
    uint32_t node;
    uint32_t shape;
    bool is_exclusive;
};

/* Items of an array by a number: those of n are from start[n] to start[n + 1]. */
struct darn_lock_index {
    uint32_t *start;
    uint32_t *items;
};

struct darn_lockgraph {
    struct darn_lockdeps *deps;
    uint32_t *order;                     /* indexes of dependencies, by shape */
    const struct darn_moments **moments; /* of the dependencies, in the same order */
    struct darn_lock_shape *shapes;
    uint32_t shape_count;
    uint32_t lock_count; /* nodes 1 to lock_count are locks, those above are ends of threads */
    uint32_t node_count;
    uint32_t *joined;             /* the threads whose ends are nodes, in ascending order */
    struct darn_lock_hold *holds; /* by shape, the locks of each first */
    uint32_t hold_count;
    uint32_t *hold_start;              /* of a shape, in `holds`; it ends where the next begins */
    struct darn_lock_index holders_of; /* of a node: indexes of holds */
    struct darn_lock_index askers_of;  /* of a node: shapes */
    uint32_t *component;               /* of a node */
    uint32_t component_count;
    struct darn_lock_index
        members_of; /* of a component: shapes that can be in a cycle, ascending */
};

void darn_lockgraph_build(struct darn_lockgraph *graph, struct darn_lockdeps *deps);
void darn_lockgraph_free(struct darn_lockgraph *graph);

static inline bool darn_lockgraph_is_lock(const struct darn_lockgraph *graph, uint32_t node)
{
    return node <= graph->lock_count;
}

/* The thread whose end a node is. */
static inline uint32_t darn_lockgraph_thread(const struct darn_lockgraph *graph, uint32_t node)
{
    return graph->joined[node - graph->lock_count - 1];
}

/* Whether the lock that a asks for is held by b in a mode that makes a wait; of the ends of
 * threads: no, since not all that are of this shape are of that thread. */
bool darn_lockgraph_waits(const struct darn_lockgraph *graph, uint32_t a, uint32_t b);

size_t darn_lockgraph_memory(const struct darn_lockgraph *graph);

#endif
