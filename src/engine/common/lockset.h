/*
 * Sets of locks as numbers: equal sets have equal ids, so that a variable keeps four bytes and the
 * usual questions are answered by comparing numbers or from a cache.
 *
 * A lock is in a set with its mode: exclusive, or shared (a read-write lock held for reading). An
 * exclusive holder has everything that a shared one has, and the operations follow: what is shared
 * in one set and exclusive in the other is shared in their intersection, and {l shared} is a subset
 * of {l exclusive}. With mutexes alone all of it is plain sets.
 *
 * Sets are never given back: their number is that of the combinations of locks that the program
 * uses, not that of its steps. The caches have a fixed size.
 */
#ifndef DARN_ENGINE_LOCKSET_H
#define DARN_ENGINE_LOCKSET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DARN_LOCKSET_EMPTY 0u
#define DARN_LOCKSET_ALL   UINT32_MAX /* all possible locks, exclusively; not for add and remove */

struct darn_lockset_member {
    uint64_t lock;
    bool exclusive;
};

struct darn_locksets;

/* NULL when there is no memory. */
struct darn_locksets *darn_locksets_create(void);
void darn_locksets_destroy(struct darn_locksets *sets);

/* A lock that is there already gets the stronger mode of the two. */
uint32_t darn_lockset_add(struct darn_locksets *sets, uint32_t set, uint64_t lock, bool exclusive);
uint32_t darn_lockset_remove(struct darn_locksets *sets, uint32_t set, uint64_t lock);

/* The locks of both, each in the weaker mode of the two. */
uint32_t darn_lockset_intersect(struct darn_locksets *sets, uint32_t a, uint32_t b);

/* The locks that are in the set exclusively. */
uint32_t darn_lockset_exclusive(struct darn_locksets *sets, uint32_t set);

/* Each lock of a is in b, in the same or a stronger mode. */
bool darn_lockset_is_subset(struct darn_locksets *sets, uint32_t a, uint32_t b);

/* No lock keeps a thread that holds a and a thread that holds b apart: of each lock that is in
 * both, both have it in shared mode. This is the question for two conflicting accesses. */
bool darn_lockset_disjoint_for(struct darn_locksets *sets, uint32_t a, uint32_t b);

/* The mode is not asked for. */
bool darn_lockset_contains(const struct darn_locksets *sets, uint32_t set, uint64_t lock);

/* How many locks are in it; none for DARN_LOCKSET_ALL. The order of the members is that in which
 * the locks were first seen. */
size_t darn_lockset_size(const struct darn_locksets *sets, uint32_t set);
struct darn_lockset_member darn_lockset_member(const struct darn_locksets *sets, uint32_t set,
                                               size_t index);

/* What they cost. */
size_t darn_locksets_memory(const struct darn_locksets *sets);

#endif
