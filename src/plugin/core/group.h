/*
 * Groups of accesses that share one guard.
 *
 * A function often makes several accesses with no synchronization in between. All of them have
 * guards of their own, but in a second version of that stretch of code, out of the way: in front of
 * the first access the guard's byte is looked at once, for all of them.
 *
 *     if (the byte) {
 *         guard; access; …; guard; access;       the second version
 *     } else {
 *         access; …; access;                     as it was
 *     }
 *
 * A group may go on into the blocks that follow, as long as each can only be reached through blocks
 * of the group, and never around a loop: the byte is looked at again in every round, and behind
 * everything that may synchronize.
 *
 * The guards of the second version look at everything but that byte. An access that another one
 * covers (select.c) is only there a place to stop at: its guard looks at its own armed byte. Marks
 * of sections (mark.h) are members, too.
 */
#ifndef DARN_PLUGIN_GROUP_H
#define DARN_PLUGIN_GROUP_H

#include "plugin/core/access.h"
#include "plugin/core/guard.h"

/* A guard that darn_guards_place_member has placed, and for what. */
struct darn_member {
    LLVMValueRef guard;
    struct darn_plugin_access access;
    struct darn_record record;
};

struct darn_members {
    struct darn_member *items;
    size_t count, capacity;
};

void darn_members_add(struct darn_members *members, struct darn_guards *guards,
                      const struct darn_plugin_access *access, struct darn_record record);
void darn_members_free(struct darn_members *members);

/* Makes the second versions, when all else has been placed in the function. A member that is alone
 * gets a guard like any other. */
void darn_groups_split(struct darn_guards *guards, LLVMValueRef function,
                       const struct darn_members *members);

#endif
