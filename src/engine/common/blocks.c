#include "engine/common/blocks.h"

#include <stdlib.h>

#include "engine/common/grow.h"

#define FIRST_SHIFT 6
#define SHIFT_STEP  4
#define LEVELS      15 /* up to 1 << 62 bytes; longer blocks do not exist */

struct darn_blocks {
    struct darn_block *all; /* from 1; `next` is in the bucket, or among the free ones */
    size_t count, capacity;
    uint32_t first_free;
    size_t live;
    uint32_t *buckets;
    size_t bucket_count; /* a power of two */
    size_t on_level[LEVELS];
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

static size_t bucket_of(const struct darn_blocks *blocks, unsigned level, uint64_t page)
{
    return darn_spread(page * LEVELS + level) & (blocks->bucket_count - 1);
}

static size_t bucket_at(const struct darn_blocks *blocks, const struct darn_block *block)
{
    unsigned level = level_of(block->size);

    return bucket_of(blocks, level, block->start >> shift_of(level));
}

struct darn_blocks *darn_blocks_create(void)
{
    struct darn_blocks *blocks = calloc(1, sizeof(*blocks));

    if (!blocks)
        return NULL;
    blocks->bucket_count = 64;
    blocks->buckets = calloc(blocks->bucket_count, sizeof(*blocks->buckets));
    if (!blocks->buckets) {
        free(blocks);
        return NULL;
    }
    return blocks;
}

void darn_blocks_destroy(struct darn_blocks *blocks)
{
    if (!blocks)
        return;
    free(blocks->all);
    free(blocks->buckets);
    free(blocks);
}

/* Several blocks of one page are in one bucket anyway: half as many buckets as blocks will do. */
static void grow_buckets(struct darn_blocks *blocks)
{
    uint32_t *old = blocks->buckets;
    size_t old_count = blocks->bucket_count;

    if (blocks->live <= 2 * old_count)
        return;
    blocks->bucket_count = 4 * old_count;
    blocks->buckets = darn_need_memory(calloc(blocks->bucket_count, sizeof(*old)));
    for (size_t i = 0; i < old_count; i++) {
        for (uint32_t at = old[i]; at;) {
            struct darn_block *block = &blocks->all[at];
            uint32_t *to = &blocks->buckets[bucket_at(blocks, block)], next = block->next;

            block->next = *to;
            *to = at;
            at = next;
        }
    }
    free(old);
}

/* The link that leads to the block; NULL when there is none. */
static uint32_t *link_to(struct darn_blocks *blocks, unsigned level, uint64_t start)
{
    uint32_t *link = &blocks->buckets[bucket_of(blocks, level, start >> shift_of(level))];

    while (*link && blocks->all[*link].start != start)
        link = &blocks->all[*link].next;
    return *link ? link : NULL;
}

uint32_t darn_blocks_remove(struct darn_blocks *blocks, uint64_t start)
{
    for (unsigned level = 0; level < LEVELS; level++) {
        uint32_t *link = blocks->on_level[level] ? link_to(blocks, level, start) : NULL;
        struct darn_block *block;
        uint32_t at;

        if (!link)
            continue;
        at = *link;
        block = &blocks->all[at];
        *link = block->next;
        blocks->on_level[level_of(block->size)]--;
        blocks->live--;
        block->next = blocks->first_free;
        blocks->first_free = at;
        return block->list;
    }
    return 0;
}

void darn_blocks_add(struct darn_blocks *blocks, uint64_t start, uint64_t size, uint32_t thread)
{
    unsigned level = level_of(size);
    uint32_t at = blocks->first_free, *bucket;

    darn_blocks_remove(blocks, start);
    grow_buckets(blocks);
    at = blocks->first_free;
    if (at) {
        blocks->first_free = blocks->all[at].next;
    } else {
        at = (uint32_t)++blocks->count;
        blocks->all =
            darn_grow(blocks->all, &blocks->capacity, blocks->count + 1, sizeof(*blocks->all));
    }
    bucket = &blocks->buckets[bucket_of(blocks, level, start >> shift_of(level))];
    blocks->all[at] =
        (struct darn_block){.start = start, .size = size, .thread = thread, .next = *bucket};
    *bucket = at;
    blocks->on_level[level]++;
    blocks->live++;
}

/* The block that has the address; 0: none. */
static uint32_t block_with(const struct darn_blocks *blocks, uint64_t address)
{
    for (unsigned level = 0; level < LEVELS; level++) {
        uint64_t page = address >> shift_of(level);

        for (unsigned back = 0; blocks->on_level[level] && back <= 1 && back <= page; back++) {
            uint32_t at = blocks->buckets[bucket_of(blocks, level, page - back)];

            for (; at; at = blocks->all[at].next) {
                if (address - blocks->all[at].start < blocks->all[at].size)
                    return at;
            }
        }
    }
    return 0;
}

bool darn_blocks_find(const struct darn_blocks *blocks, uint64_t address, uint32_t *thread)
{
    uint32_t at = block_with(blocks, address);

    if (at)
        *thread = blocks->all[at].thread;
    return at != 0;
}

struct darn_block *darn_blocks_at(struct darn_blocks *blocks, uint64_t address)
{
    uint32_t at = block_with(blocks, address);

    return at ? &blocks->all[at] : NULL;
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
            uint32_t at = blocks->buckets[bucket_of(blocks, level, page)];

            for (; at; at = blocks->all[at].next) {
                const struct darn_block *block = &blocks->all[at];

                if (start - block->start < block->size || block->start - start < size)
                    return block;
            }
        }
    }
    return NULL;
}

size_t darn_blocks_memory(const struct darn_blocks *blocks)
{
    return sizeof(*blocks) + blocks->capacity * sizeof(*blocks->all) +
           blocks->bucket_count * sizeof(*blocks->buckets);
}
