/*
 * Groups of accesses that share one look at attention.
 *
 * A block often makes several accesses with no synchronization in between. All of them have guards
 * of their own, but in a second version of that stretch of code, out of the way: in front of the
 * first access attention is looked at once, for all of them.
 *
 *     if (attention) {
 *         guard; access; …; guard; access;       the second version
 *     } else {
 *         access; …; access;                     as it was
 *     }
 *
 * The guards of the second version look at everything but attention. An access that another one
 * covers (select.c) is only there a place to stop at: its guard looks at its own armed byte.
 */
#ifndef DARN_PLUGIN_GROUP_H
#define DARN_PLUGIN_GROUP_H

#include "plugin/core/access.h"
#include "plugin/core/guard.h"

/* The most that one look is for: bounds what is there twice. */
#define DARN_GROUP_MAX 32

/* How many of the accesses from `first` on are of one group; at least 1. */
size_t darn_group_extent(const struct darn_accesses *accesses, size_t first);

/* Makes the second version. `first` is the guard of the first access, `last` the last access; in
 * between are guards (darn_guards_place_member), which go from the first version. */
void darn_group_split(struct darn_guards *guards, LLVMValueRef first, LLVMValueRef last);

#endif
