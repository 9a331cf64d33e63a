/*
 * The blocks of the heap that are allocated now, and by which thread each was.
 *
 * A block is found by any address in it. Blocks are kept by size: those of up to 64 bytes, up to
 * 1024, and so on, each in pages as long as the longest of them. A block that contains an address
 * then begins in the same page or in the one before, and no page has many.
 */
#ifndef DARN_ENGINE_BLOCKS_H
#define DARN_ENGINE_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct darn_blocks;

struct darn_block {
    uint64_t start, size;
    uint32_t thread;
    uint32_t list;  /* whatever the owner of the blocks likes to keep here; 0 at first */
    uint64_t order; /* among those that were added */
};

/* NULL when there is no memory. */
struct darn_blocks *darn_blocks_create(void);
void darn_blocks_destroy(struct darn_blocks *blocks);

/* A block that begins at the same address, and was never freed, makes room. */
void darn_blocks_add(struct darn_blocks *blocks, uint64_t start, uint64_t size, uint32_t thread);
/* The list of the block that is gone, or 0. */
uint32_t darn_blocks_remove(struct darn_blocks *blocks, uint64_t start);

/* False when the address is in no block. */
bool darn_blocks_find(const struct darn_blocks *blocks, uint64_t address, uint32_t *thread);

/* The block that has the address, or NULL. Good until it is removed. */
struct darn_block *darn_blocks_at(const struct darn_blocks *blocks, uint64_t address);

/* The same, and the last that was added, where an end was not seen and the memory has another
 * owner. */
struct darn_block *darn_blocks_newest(const struct darn_blocks *blocks, uint64_t address);

/* Some block that has bytes in common with these, or NULL. Of ranges that are much longer than the
 * blocks, those far inside may be overlooked. */
const struct darn_block *darn_blocks_overlapping(const struct darn_blocks *blocks, uint64_t start,
                                                 uint64_t size);

size_t darn_blocks_memory(const struct darn_blocks *blocks);

#endif
