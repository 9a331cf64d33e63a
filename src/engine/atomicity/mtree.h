/*
 * The transaction tree of Wang & Stoller 5.6: the root is the transaction, each other node a
 * critical section, nested as they are. A node has the variables that were accessed in it and not
 * in a section inside of it: once (varsOne) or more often (varsMul).
 *
 * Which accesses race is known at the end only, so the trees are kept until then, each one once. Of
 * equal sections that follow one another two are kept: more make no difference to the pattern.
 */
#ifndef DARN_ENGINE_MTREE_H
#define DARN_ENGINE_MTREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/htable.h"
#include "engine/common/engine.h"
#include "trace/event.h"

/* The most nodes and variables of one transaction, and of all that are kept. */
#define DARN_MTREE_MOST  65536
#define DARN_MTREES_MOST (UINT32_C(1) << 22)

/* Where something is, for a report. */
struct darn_mstep {
    uint64_t target;
    uint32_t site, stack, holding;
    uint32_t size;
    uint8_t kind; /* enum darn_event_kind */
    uint8_t lock;
};

struct darn_mnode {
    uint64_t lock; /* of all but the root */
    uint64_t hash;
    uint32_t parent;          /* index; of the root: itself */
    uint32_t end;             /* nodes from this one to here are inside of it */
    uint32_t first_use, uses; /* its variables, in the tree's */
    struct darn_mstep step;   /* the ACQUIRE */
};

struct darn_muse {
    uint64_t variable; /* serial */
    uint32_t node;
    bool is_multiple;
    struct darn_mstep step;
};

struct darn_mtree {
    uint32_t thread, unit;
    bool is_open, is_cut;
    struct darn_mnode *nodes;
    size_t node_count, node_capacity;
    struct darn_muse *uses;
    size_t use_count, use_capacity;
    uint32_t now;             /* the innermost node that is open */
    struct darn_htable table; /* of uses + 1, by node and variable, while it is open */
};

void darn_mtree_free(struct darn_mtree *tree);
void darn_mtree_begin(struct darn_mtree *tree, uint32_t thread, uint32_t unit);
void darn_mtree_enter(struct darn_mtree *tree, uint64_t lock, const struct darn_mstep *step);
/* Of locks that are not given back in the order of a stack, those inside end with this one. */
void darn_mtree_leave(struct darn_mtree *tree, uint64_t lock);
void darn_mtree_access(struct darn_mtree *tree, uint64_t variable, const struct darn_mstep *step);
/* Closes what is open. The uses are by node then. */
void darn_mtree_end(struct darn_mtree *tree);
size_t darn_mtree_memory(const struct darn_mtree *tree);

/* Trees that are kept. A zeroed struct has none. */
struct darn_mtrees {
    struct darn_mtree *all; /* without their tables */
    size_t count, capacity;
    size_t nodes, uses;       /* of all */
    struct darn_htable table; /* of trees + 1 */
    uint64_t dropped;
};

void darn_mtrees_free(struct darn_mtrees *trees);
/* A copy of it, if there is none that is equal. True when it was new. */
bool darn_mtrees_keep(struct darn_mtrees *trees, const struct darn_mtree *tree);
size_t darn_mtrees_memory(const struct darn_mtrees *trees);

/* What the end knows of variables and locks. */
struct darn_mworld {
    void *context;
    bool (*races)(void *context, uint64_t variable);    /* non-movers */
    bool (*is_alone)(void *context, uint64_t variable); /* thread-local or read-only: A */
    bool (*is_both)(void *context, uint64_t lock);
};

/* Whether the tree is of the form of theorem 2, (R + AcqA*Rel)* N? (L + AcqA*Rel)*. If not, the two
 * steps that show it. */
bool darn_mtree_is_atomic(const struct darn_mtree *tree, const struct darn_mworld *world,
                          const struct darn_mstep *steps[2]);

/* The pattern of the tree (5.6, steps 1 to 3) in the order in which it is matched: the accesses of
 * a node, each once for varsOne and twice for varsMul, then the sections inside of it. `is_end`:
 * the release of the lock whose ACQUIRE the step is. */
typedef void darn_mtree_visit(void *context, const struct darn_mstep *step, enum darn_mover type,
                              bool is_end);
void darn_mtree_pattern(const struct darn_mtree *tree, const struct darn_mworld *world,
                        darn_mtree_visit *visit, void *context);

#endif
