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

/* NULL when there is no memory. */
struct darn_blocks *darn_blocks_create(void);
void darn_blocks_destroy(struct darn_blocks *blocks);

/* A block that begins at the same address, and was never freed, makes room. */
void darn_blocks_add(struct darn_blocks *blocks, uint64_t start, uint64_t size, uint32_t thread);
void darn_blocks_remove(struct darn_blocks *blocks, uint64_t start);

/* False when the address is in no block. */
bool darn_blocks_find(const struct darn_blocks *blocks, uint64_t address, uint32_t *thread);

/* From now on the thread of the block that has the address is said to be `thread`. */
void darn_blocks_pass(struct darn_blocks *blocks, uint64_t address, uint32_t thread);

size_t darn_blocks_memory(const struct darn_blocks *blocks);

#endif
