#include "engine/common/blocks.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/htable.h"
#include "base/pool.h"

#define FIRST_SHIFT 6
#define SHIFT_STEP  4
#define LEVELS      15 /* up to 1 << 62 bytes; longer blocks do not exist */

struct darn_blocks {
    struct darn_pool all;
    struct darn_htable table; /* by page: those of one page have one hash */
    size_t on_level[LEVELS];
    uint64_t added;
};

static unsigned shift_of(unsigned level)
{
    return FIRST_SHIFT + level * SHIFT_STEP;
}

static unsigned level_of(uint64_t size)
{
    unsigned level = 0;

    while (level < LEVELS - 1 && size > UINT64_C(1) << shift_of(level))
        level++;
    return level;
}

static uint32_t hash_page(unsigned level, uint64_t page)
{
    return darn_spread(page * LEVELS + level);
}

struct darn_blocks *darn_blocks_create(void)
{
    struct darn_blocks *blocks = calloc(1, sizeof(*blocks));

    if (blocks)
        blocks->all.item = sizeof(struct darn_block);
    return blocks;
}

void darn_blocks_destroy(struct darn_blocks *blocks)
{
    if (!blocks)
        return;
    darn_pool_free(&blocks->all);
    darn_htable_free(&blocks->table);
    free(blocks);
}

static struct darn_block *block_at(const struct darn_blocks *blocks, uint32_t number)
{
    return darn_pool_at(&blocks->all, number);
}

/* The number of the block of this level that begins there; 0: none. */
static uint32_t find_start(const struct darn_blocks *blocks, uint32_t hash, uint64_t start)
{
    size_t at = hash;
    uint32_t number;

    while ((number = darn_htable_next(&blocks->table, hash, &at)) &&
           block_at(blocks, number)->start != start)
        continue;
    return number;
}

uint32_t darn_blocks_remove(struct darn_blocks *blocks, uint64_t start)
{
    for (unsigned level = 0; level < LEVELS; level++) {
        uint32_t hash = hash_page(level, start >> shift_of(level)), list;
        uint32_t number = blocks->on_level[level] ? find_start(blocks, hash, start) : 0;

        if (!number)
            continue;
        list = block_at(blocks, number)->list;
        blocks->on_level[level_of(block_at(blocks, number)->size)]--;
        darn_htable_remove(&blocks->table, hash, number);
        darn_pool_give(&blocks->all, number);
        return list;
    }
    return 0;
}

void darn_blocks_add(struct darn_blocks *blocks, uint64_t start, uint64_t size, uint32_t thread)
{
    unsigned level = level_of(size);
    uint32_t number;

    darn_blocks_remove(blocks, start);
    number = darn_pool_take(&blocks->all);
    *block_at(blocks, number) = (struct darn_block){
        .start = start, .size = size, .thread = thread, .order = blocks->added++};
    darn_htable_add(&blocks->table, hash_page(level, start >> shift_of(level)), number);
    blocks->on_level[level]++;
}

/* The block of the page that has the address; NULL: none. */
static struct darn_block *find_in_page(const struct darn_blocks *blocks, unsigned level,
                                       uint64_t page, uint64_t address)
{
    uint32_t hash = hash_page(level, page), number;
    size_t at = hash;

    while ((number = darn_htable_next(&blocks->table, hash, &at))) {
        struct darn_block *block = block_at(blocks, number);

        if (address - block->start < block->size)
            return block;
    }
    return NULL;
}

struct darn_block *darn_blocks_at(const struct darn_blocks *blocks, uint64_t address)
{
    for (unsigned level = 0; level < LEVELS; level++) {
        uint64_t page = address >> shift_of(level);

        for (unsigned back = 0; blocks->on_level[level] && back <= 1 && back <= page; back++) {
            struct darn_block *block = find_in_page(blocks, level, page - back, address);

            if (block)
                return block;
        }
    }
    return NULL;
}

struct darn_block *darn_blocks_newest(const struct darn_blocks *blocks, uint64_t address)
{
    struct darn_block *newest = NULL;

    for (unsigned level = 0; level < LEVELS; level++) {
        uint64_t page = address >> shift_of(level);

        for (unsigned back = 0; blocks->on_level[level] && back <= 1 && back <= page; back++) {
            struct darn_block *block = find_in_page(blocks, level, page - back, address);

            if (block && (!newest || block->order > newest->order))
                newest = block;
        }
    }
    return newest;
}

bool darn_blocks_find(const struct darn_blocks *blocks, uint64_t address, uint32_t *thread)
{
    const struct darn_block *block = darn_blocks_at(blocks, address);

    if (block)
        *thread = block->thread;
    return block;
}

/* A block of the page that has bytes in common with these; NULL: none. */
static const struct darn_block *overlapping_in_page(const struct darn_blocks *blocks, uint32_t hash,
                                                    uint64_t start, uint64_t size)
{
    size_t at = hash;
    uint32_t number;

    while ((number = darn_htable_next(&blocks->table, hash, &at))) {
        const struct darn_block *block = block_at(blocks, number);

        if (start - block->start < block->size || block->start - start < size)
            return block;
    }
    return NULL;
}

/* How many pages of a level are looked at. */
#define PAGES 64

const struct darn_block *darn_blocks_overlapping(const struct darn_blocks *blocks, uint64_t start,
                                                 uint64_t size)
{
    for (unsigned level = 0; level < LEVELS && size; level++) {
        uint64_t first = start >> shift_of(level), last = (start + (size - 1)) >> shift_of(level);

        if (!blocks->on_level[level])
            continue;
        for (uint64_t page = first ? first - 1 : 0; page <= last && page < first + PAGES; page++) {
            const struct darn_block *block =
                overlapping_in_page(blocks, hash_page(level, page), start, size);

            if (block)
                return block;
        }
    }
    return NULL;
}

size_t darn_blocks_memory(const struct darn_blocks *blocks)
{
    return sizeof(*blocks) + darn_pool_memory(&blocks->all) + darn_htable_memory(&blocks->table);
}
