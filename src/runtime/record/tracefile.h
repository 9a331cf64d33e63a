/*
 * The file of a trace, mapped into memory (src/trace/format.h): what is written is in the file,
 * even if the program is killed. Blocks are given out to threads and tables; when the file is full
 * or the disk is, there are no more.
 */
#ifndef DARN_RUNTIME_TRACEFILE_H
#define DARN_RUNTIME_TRACEFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/format.h"

/* 0 or a negative errno. `size` is the most bytes that the file may take. Without a path there is
 * no file yet, only memory. */
int darn_tracefile_open(const char *path, uint64_t size);

/* Whether the file, or the streams of all threads, may take so much address space. Where there is a
 * limit (ulimit -v), what we take the program's heap and its threads' stacks cannot have. */
bool darn_tracefile_may_take(uint64_t size);

/* Whether the file was written by a program that this one has taken the place of (exec). */
bool darn_tracefile_is_ours(const char *path);

/* The whole trace, when it has finished. */
const char *darn_tracefile_bytes(size_t *length);

/* A new block of so many pages, with its header filled in; NULL when there is no room. */
struct darn_block_header *darn_tracefile_block(enum darn_block_type type, uint32_t thread,
                                               uint32_t sequence, uint32_t pages);

/* So many events could not be recorded; the first one that a thread could not record has this
 * stamp, or would have had a later one than all that were given so far; a thread has no memory for
 * a stream, and cannot even count. */
void darn_tracefile_lost(uint64_t count);
void darn_tracefile_lost_from(uint64_t stamp);
void darn_tracefile_lost_thread(uint64_t stamp);

/* Whether somebody reads the file while it is written, and has more before him than he likes. */
bool darn_tracefile_is_ahead(void);

/* Where the payload of a block begins and ends. */
static inline uint8_t *darn_block_start(struct darn_block_header *block)
{
    return (uint8_t *)(block + 1);
}

static inline uint8_t *darn_block_end(struct darn_block_header *block)
{
    return darn_block_start(block) + block->capacity;
}

/* Everything up to here is valid. The bytes come first, then the number that vouches for them. */
static inline void darn_block_used(struct darn_block_header *block, const uint8_t *end)
{
    __atomic_store_n(&block->used, (uint32_t)(end - darn_block_start(block)), __ATOMIC_RELEASE);
}

/* The program has ended in good order: cuts the file to what is used. */
void darn_tracefile_finish(void);

#endif
