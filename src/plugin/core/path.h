/*
 * Access paths: which pointers lead to the same place, as far as the code tells.
 *
 * A path is a root, a distance from it, and pointers that are followed from there: `q->head->next`
 * is the root q, +16, followed, +8. The answer may be wrong where somebody changes a pointer in
 * between: whoever asks looks at the addresses in the end.
 */
#ifndef DARN_PLUGIN_PATH_H
#define DARN_PLUGIN_PATH_H

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>
#include <stdint.h>

#include "base/map.h"
#include "plugin/core/plugin_escape.h"

#define DARN_PATH_STEPS  5
#define DARN_PATH_LEAVES 4
#define DARN_SLOT_STORES 8

struct darn_path {
    LLVMValueRef root; /* a global, an argument, a local, or what an instruction yields; NULL: it is
                          not known */
    unsigned depth;    /* pointers that are followed; one less than the steps in use */
    struct {
        int64_t offset;
        uint64_t index; /* what was chosen at run time, as a hash; 0: nothing */
    } steps[DARN_PATH_STEPS];
    /* When one of these gets another value, the path leads elsewhere: phis and results of calls,
     * and the stack slots of variables at -O0. */
    LLVMValueRef leaves[DARN_PATH_LEAVES];
    unsigned leaf_count;
};

/* A local that is only loaded and stored as a whole: a variable at -O0. */
struct darn_guard_slot {
    LLVMValueRef stores[DARN_SLOT_STORES];
    unsigned count;
    int too_many; /* stores */
};

struct darn_paths {
    LLVMTargetDataRef layout;
    struct darn_map known; /* local -> number of its slot + 2, or 1 when it is none */
    struct darn_guard_slot *slots;
    size_t count, capacity;
};

void darn_paths_init(struct darn_paths *paths, LLVMTargetDataRef layout);
void darn_paths_free(struct darn_paths *paths);

void darn_path_find(struct darn_paths *paths, LLVMValueRef pointer, struct darn_path *path);

/* Equal for equal paths, never 0. */
uint64_t darn_path_hash(const struct darn_path *path);

/* `path` of a function whose argument, its root, is `argument` in the caller: becomes the caller's.
 * 0, or -1 when it gets too long. */
int darn_path_join(struct darn_path *path, const struct darn_path *argument);

/* The slot that the pointer is, or NULL. Valid until the next call. */
const struct darn_guard_slot *darn_path_slot(struct darn_paths *paths, LLVMValueRef pointer);

#endif
