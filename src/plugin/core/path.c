#include "plugin/core/path.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

/* How far computations are followed. */
#define MAX_DEPTH 16

/* Uses of a local that are looked at. */
#define MAX_USES 400

void darn_paths_init(struct darn_paths *paths, LLVMTargetDataRef layout)
{
    *paths = (struct darn_paths){.layout = layout};
}

void darn_paths_free(struct darn_paths *paths)
{
    free(paths->slots);
    darn_map_free(&paths->known);
    *paths = (struct darn_paths){0};
}

static int describe_slot(LLVMValueRef local, struct darn_guard_slot *slot)
{
    unsigned uses = 0;

    for (LLVMUseRef use = LLVMGetFirstUse(local); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);

        if (++uses > MAX_USES)
            return 0;
        if (LLVMIsALoadInst(user) || (LLVMIsAIntrinsicInst(user) && !LLVMIsAMemIntrinsic(user)))
            continue;
        if (!LLVMIsAStoreInst(user) || LLVMGetOperand(user, 1) != local)
            return 0;
        if (slot->count == DARN_SLOT_STORES)
            slot->too_many = 1;
        else
            slot->stores[slot->count++] = user;
    }
    return 1;
}

const struct darn_guard_slot *darn_path_slot(struct darn_paths *paths, LLVMValueRef pointer)
{
    struct darn_guard_slot slot = {0};
    uintptr_t known;

    if (!LLVMIsAAllocaInst(pointer))
        return NULL;
    known = darn_map_get(&paths->known, (uintptr_t)pointer, 0);
    if (known)
        return known == 1 ? NULL : &paths->slots[known - 2];
    if (!describe_slot(pointer, &slot)) {
        darn_map_put(&paths->known, (uintptr_t)pointer, 1);
        return NULL;
    }
    if (paths->count == paths->capacity) {
        paths->capacity = paths->capacity ? 2 * paths->capacity : 64;
        paths->slots = realloc(paths->slots, paths->capacity * sizeof(*paths->slots));
        if (!paths->slots)
            abort();
    }
    paths->slots[paths->count++] = slot;
    darn_map_put(&paths->known, (uintptr_t)pointer, paths->count + 1);
    return &paths->slots[paths->count - 1];
}

static void forget(struct darn_path *path)
{
    *path = (struct darn_path){0};
}

static int add_leaf(struct darn_path *path, LLVMValueRef leaf)
{
    for (unsigned i = 0; i < path->leaf_count; i++) {
        if (path->leaves[i] == leaf)
            return 1;
    }
    if (path->leaf_count == DARN_PATH_LEAVES)
        return 0;
    path->leaves[path->leaf_count++] = leaf;
    return 1;
}

uint64_t darn_path_hash(const struct darn_path *path)
{
    uint64_t hash = darn_fold(1, (uintptr_t)path->root);

    for (unsigned i = 0; i <= path->depth; i++) {
        hash = darn_fold(hash, (uint64_t)path->steps[i].offset);
        hash = darn_fold(hash, path->steps[i].index);
    }
    return hash | 1;
}

/* Both add to the path, and make it unknown where they cannot go on. */
static void follow(struct darn_paths *paths, LLVMValueRef pointer, struct darn_path *path,
                   int depth);
static uint64_t hash_value(struct darn_paths *paths, LLVMValueRef value, struct darn_path *path,
                           int depth);

/* The only value that a variable ever has: an argument at -O0. */
static LLVMValueRef only_value(const struct darn_guard_slot *slot)
{
    return slot->count == 1 && !slot->too_many ? LLVMGetOperand(slot->stores[0], 0) : NULL;
}

static uint64_t hash_load(struct darn_paths *paths, LLVMValueRef load, struct darn_path *path,
                          int depth)
{
    LLVMValueRef pointer = LLVMGetOperand(load, 0);
    const struct darn_guard_slot *slot = darn_path_slot(paths, pointer);
    struct darn_path from = {0};

    if (slot && only_value(slot))
        return hash_value(paths, only_value(slot), path, depth - 1);
    if (slot) {
        if (!add_leaf(path, pointer))
            forget(path);
        return darn_fold(3, (uintptr_t)pointer);
    }
    follow(paths, pointer, &from, depth - 1);
    for (unsigned i = 0; i < from.leaf_count; i++) {
        if (!add_leaf(path, from.leaves[i]))
            from.root = NULL;
    }
    if (!from.root)
        forget(path);
    return darn_fold(5, darn_path_hash(&from));
}

static uint64_t hash_computation(struct darn_paths *paths, LLVMValueRef value,
                                 struct darn_path *path, int depth)
{
    uint64_t hash = darn_fold(7, LLVMGetInstructionOpcode(value));

    for (int i = 0; i < LLVMGetNumOperands(value) && path->root; i++)
        hash =
            darn_fold(hash, hash_value(paths, LLVMGetOperand(value, (unsigned)i), path, depth - 1));
    return hash;
}

static uint64_t hash_value(struct darn_paths *paths, LLVMValueRef value, struct darn_path *path,
                           int depth)
{
    if (!path->root)
        return 0;
    if (LLVMIsAConstantInt(value) && LLVMGetIntTypeWidth(LLVMTypeOf(value)) <= 64)
        return darn_fold(2, (uint64_t)LLVMConstIntGetSExtValue(value));
    if (!LLVMIsAInstruction(value))
        return darn_fold(1, (uintptr_t)value);
    if (depth > 0 && (LLVMIsACastInst(value) || LLVMIsAFreezeInst(value)))
        return hash_value(paths, LLVMGetOperand(value, 0), path, depth - 1);
    if (depth > 0 && LLVMIsALoadInst(value))
        return hash_load(paths, value, path, depth);
    if (depth > 0 && (LLVMIsABinaryOperator(value) || LLVMIsAGetElementPtrInst(value)))
        return hash_computation(paths, value, path, depth);
    if (!add_leaf(path, value))
        forget(path);
    return darn_fold(1, (uintptr_t)value);
}

static int64_t field_offset(struct darn_paths *paths, LLVMTypeRef type, LLVMValueRef index)
{
    return (int64_t)LLVMOffsetOfElement(paths->layout, type,
                                        (unsigned)LLVMConstIntGetZExtValue(index));
}

/* Adds what the computation adds to its base. */
static void add_offsets(struct darn_paths *paths, LLVMValueRef gep, struct darn_path *path,
                        int depth)
{
    LLVMTypeRef type = LLVMGetGEPSourceElementType(gep);

    for (int i = 1; i < LLVMGetNumOperands(gep) && path->root; i++) {
        LLVMValueRef index = LLVMGetOperand(gep, (unsigned)i);
        int is_field = i > 1 && LLVMGetTypeKind(type) == LLVMStructTypeKind;
        int64_t stride;

        if (is_field) {
            path->steps[path->depth].offset += field_offset(paths, type, index);
            type = LLVMStructGetTypeAtIndex(type, (unsigned)LLVMConstIntGetZExtValue(index));
            continue;
        }
        if (i > 1)
            type = LLVMGetElementType(type);
        stride = (int64_t)LLVMABISizeOfType(paths->layout, type);
        if (LLVMIsAConstantInt(index)) {
            path->steps[path->depth].offset += stride * LLVMConstIntGetSExtValue(index);
        } else {
            uint64_t hash = hash_value(paths, index, path, depth - 1);

            path->steps[path->depth].index += darn_fold((uint64_t)stride, hash) | 1;
        }
    }
}

static void follow_load(struct darn_paths *paths, LLVMValueRef load, struct darn_path *path,
                        int depth)
{
    LLVMValueRef pointer = LLVMGetOperand(load, 0);
    const struct darn_guard_slot *slot = darn_path_slot(paths, pointer);

    if (slot && only_value(slot)) {
        follow(paths, only_value(slot), path, depth - 1);
        return;
    }
    if (slot) {
        path->root = pointer;
        if (!add_leaf(path, pointer))
            forget(path);
    } else {
        follow(paths, pointer, path, depth - 1);
    }
    if (path->root && ++path->depth == DARN_PATH_STEPS)
        forget(path);
}

static int is_gep(LLVMValueRef value)
{
    return LLVMIsAGetElementPtrInst(value) ||
           (LLVMIsAConstantExpr(value) && LLVMGetConstOpcode(value) == LLVMGetElementPtr);
}

static void follow(struct darn_paths *paths, LLVMValueRef pointer, struct darn_path *path,
                   int depth)
{
    LLVMValueRef root;

    if (depth <= 0) {
        forget(path);
        return;
    }
    if (is_gep(pointer)) {
        follow(paths, LLVMGetOperand(pointer, 0), path, depth - 1);
        if (path->root)
            add_offsets(paths, pointer, path, depth);
        return;
    }
    if (LLVMIsALoadInst(pointer)) {
        follow_load(paths, pointer, path, depth);
        return;
    }
    root = darn_pointer_root(pointer);
    if (root != pointer) { /* casts, and the address of a thread-local variable */
        follow(paths, root, path, depth - 1);
        return;
    }
    path->root = pointer;
    if (LLVMIsAInstruction(pointer) && !LLVMIsAAllocaInst(pointer) && !add_leaf(path, pointer))
        forget(path);
}

void darn_path_find(struct darn_paths *paths, LLVMValueRef pointer, struct darn_path *path)
{
    forget(path);
    follow(paths, pointer, path, MAX_DEPTH);
}

int darn_path_join(struct darn_path *path, const struct darn_path *argument)
{
    struct darn_path joined = *argument;

    if (!argument->root || argument->depth + path->depth >= DARN_PATH_STEPS)
        return -1;
    joined.steps[joined.depth].offset += path->steps[0].offset;
    joined.steps[joined.depth].index += path->steps[0].index;
    for (unsigned i = 1; i <= path->depth; i++)
        joined.steps[++joined.depth] = path->steps[i];
    *path = joined;
    return 0;
}
