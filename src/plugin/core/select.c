/*
 * An access repeats another if it touches the same bytes with no synchronization in between:
 * whoever races with one of them races with the other. Leaving out a hook never causes a false
 * alarm, it only has to be sure not to hide a race:
 *
 * - a later access is covered by an earlier one to the same bytes that writes, or if both read;
 *   but not one that stores a pointer, for which pointer it is matters, too;
 * - an earlier read is covered by a later write in the same block (x += 1 needs one hook, as a
 * write).
 *
 * What is known at the end of a block holds at the start of its only successor's block if that
 * block has no other way in.
 */
#include "plugin/core/select.h"

#include <stdlib.h>

#include "plugin/core/pointer.h"
#include "site/site.h"

/* How many earlier accesses are compared with: bounds the work in huge blocks. */
#define MEMORY 24

/* Blocks larger than a function of this many blocks has are not followed across: memory. */
#define MAX_BLOCKS 20000

struct recent {
    struct darn_plugin_access *items[MEMORY];
    unsigned count;
    unsigned next; /* a ring, once it is full */
};

struct blocks {
    struct darn_map index;        /* block -> its number + 1 */
    struct darn_map predecessors; /* block -> its only predecessor, or 1 for several */
    struct recent *at_end;        /* by number */
};

static void remember(struct recent *recent, struct darn_plugin_access *access)
{
    recent->items[recent->next] = access;
    recent->next = (recent->next + 1) % MEMORY;
    if (recent->count < MEMORY)
        recent->count++;
}

static int writes(const struct darn_plugin_access *access)
{
    return access->kind == DARN_SITE_WRITE;
}

/* Returns whether the new access must be remembered. */
static int compare(struct recent *recent, struct darn_plugin_access *access)
{
    for (unsigned i = 0; i < recent->count; i++) {
        struct darn_plugin_access *earlier = recent->items[i];

        if (earlier->dropped || earlier->pointer != access->pointer)
            continue;
        if (earlier->size >= access->size && !(earlier->flags & DARN_SITE_GAPS) &&
            (writes(earlier) || !writes(access)) && !darn_access_stores_pointer(access)) {
            access->dropped = 1;
            return 0;
        }
        if (!writes(earlier) && writes(access) && earlier->size <= access->size &&
            LLVMGetInstructionParent(earlier->instruction) ==
                LLVMGetInstructionParent(access->instruction)) {
            earlier->dropped = 1;
            access->flags |= DARN_SITE_COVERS;
            recent->items[i] = access;
            return 0;
        }
    }
    return 1;
}

static void find_predecessors(struct blocks *blocks, LLVMValueRef function)
{
    LLVMBasicBlockRef block;

    for (block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block)) {
        LLVMValueRef terminator = LLVMGetBasicBlockTerminator(block);

        for (unsigned i = 0; i < LLVMGetNumSuccessors(terminator); i++) {
            uintptr_t next = (uintptr_t)LLVMGetSuccessor(terminator, i);
            uintptr_t known = darn_map_get(&blocks->predecessors, next, 0);

            darn_map_put(&blocks->predecessors, next,
                         known && known != (uintptr_t)block ? 1 : (uintptr_t)block);
        }
    }
}

/* What is known when the block starts. */
static struct recent inherit(struct blocks *blocks, LLVMBasicBlockRef block)
{
    uintptr_t predecessor = darn_map_get(&blocks->predecessors, (uintptr_t)block, 0);
    uintptr_t number = predecessor > 1 ? darn_map_get(&blocks->index, predecessor, 0) : 0;

    return number ? blocks->at_end[number - 1] : (struct recent){0};
}

static size_t select_in_block(struct darn_accesses *accesses, size_t at, LLVMBasicBlockRef block,
                              struct recent *recent)
{
    LLVMValueRef instruction;

    for (instruction = LLVMGetFirstInstruction(block); instruction;
         instruction = LLVMGetNextInstruction(instruction)) {
        if (darn_may_synchronize(instruction))
            recent->count = recent->next = 0;
        for (; at < accesses->count && accesses->items[at].instruction == instruction; at++) {
            struct darn_plugin_access *access = &accesses->items[at];

            if (access->flags & DARN_SITE_SPIN) /* a plain variable can be a flag, too */
                recent->count = recent->next = 0;
            if (darn_access_is_plain(access) && compare(recent, access))
                remember(recent, access);
        }
    }
    return at;
}

void darn_accesses_select(struct darn_accesses *accesses, LLVMValueRef function)
{
    struct blocks blocks = {0};
    unsigned count = LLVMCountBasicBlocks(function);
    LLVMBasicBlockRef block;
    size_t at = 0, number = 0;

    blocks.at_end = count <= MAX_BLOCKS ? calloc(count, sizeof(*blocks.at_end)) : NULL;
    if (blocks.at_end)
        find_predecessors(&blocks, function);
    for (block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block)) {
        struct recent recent = blocks.at_end ? inherit(&blocks, block) : (struct recent){0};

        at = select_in_block(accesses, at, block, &recent);
        if (blocks.at_end) {
            blocks.at_end[number] = recent;
            darn_map_put(&blocks.index, (uintptr_t)block, ++number);
        }
    }
    free(blocks.at_end);
    darn_map_free(&blocks.index);
    darn_map_free(&blocks.predecessors);
}
