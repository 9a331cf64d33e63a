/*
 * Where the blocks of a binary trace lie (format.h): the tables, and a stream of events for each
 * thread. 16 bytes for each block of up to 64 KiB are all that grows with the length of a trace.
 *
 * A file with damage can be read up to it. What is left must still be a possible beginning of the
 * run: a thread whose last block is full may have gone on behind the damage, and what others do
 * after its last known event may depend on an event that we do not have. Such a stream is `cut`,
 * and the reader stops where it ends. The same holds when events were lost because the file was
 * full.
 */
#ifndef DARN_TRACE_LAYOUT_H
#define DARN_TRACE_LAYOUT_H

#include <stddef.h>
#include <stdint.h>

#include "trace/damage.h"
#include "trace/file.h"
#include "trace/format.h"

#define DARN_LAYOUT_TABLES UINT32_MAX /* stands for a thread */

struct darn_layout_block {
    uint64_t at;     /* its header */
    uint32_t thread; /* or DARN_LAYOUT_TABLES */
    uint32_t sequence;
};

struct darn_layout_stream {
    size_t first, count; /* blocks */
    uint32_t thread;
    bool cut;
};

struct darn_layout {
    const struct darn_trace_file *file;
    struct darn_trace_header header;
    struct darn_layout_block *blocks; /* sorted by thread and sequence */
    size_t block_count, block_room;
    struct darn_layout_stream *streams; /* sorted by thread */
    size_t stream_count, stream_room;
    struct darn_layout_stream tables;
    uint64_t end;    /* blocks from here on are left out */
    bool is_partial; /* events are missing: there is damage, or some were lost */
};

/* Reads and checks the file header. 0, or -1. With a file that ends within it, the damage says so
 * and the header is what there is. */
int darn_layout_header(const struct darn_trace_file *file, struct darn_trace_header *header,
                       struct darn_damage *damage);

/* The block at *at, or the next one that was used; *at is moved to it, and *next behind it. 1, 0 at
 * the end of the file, -1 for damage; `block` is then valid if its magic is: only its payload is
 * not all there. */
int darn_layout_block(const struct darn_trace_file *file, bool packed, uint64_t *at, uint64_t *next,
                      struct darn_block_header *block, struct darn_damage *damage);

/* Finds all blocks. 0, or -1 for damage; what comes before it is there. */
int darn_layout_read(struct darn_layout *layout, const struct darn_trace_file *file,
                     struct darn_damage *damage);
void darn_layout_free(struct darn_layout *layout);

/* Leaves out what comes from byte `end` on. */
void darn_layout_cut(struct darn_layout *layout, uint64_t end);

struct darn_block_header darn_layout_header_of(const struct darn_layout *layout, size_t block);

/* The valid bytes of the payload that are in the file. */
size_t darn_layout_used(const struct darn_layout *layout, size_t block);

#endif
