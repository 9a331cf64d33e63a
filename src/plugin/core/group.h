/*
 * Groups of accesses that share one guard.
 *
 * Where a block makes several accesses with no synchronization in between, the guard in front of
 * the first can speak for all: a thread that stands there will make each of them with nothing in
 * between that could order it with another thread. The hot path then looks at attention once for
 * all of them.
 */
#ifndef DARN_PLUGIN_GROUP_H
#define DARN_PLUGIN_GROUP_H

#include "base/map.h"
#include "plugin/core/access.h"

/* The most that one guard speaks for. */
#define DARN_GROUP_MAX 8

/* Numbers the instructions of a function in their order, by twos: what is moved in front of another
 * gets the odd number below. */
void darn_group_number(struct darn_map *order, LLVMValueRef function);

/*
 * How many of the accesses from `first` on, which is not dropped, can share the guard in front of
 * it; at least 1. The dropped ones in between are counted but need no guard. Moves address
 * computations up to the guard where that is needed and possible.
 */
size_t darn_group_extent(struct darn_accesses *accesses, size_t first, struct darn_map *order);

#endif
