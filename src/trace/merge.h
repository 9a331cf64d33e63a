/*
 * The events of all threads of a binary trace, in one order: of the threads whose next event has a
 * stamp, that with the smallest one goes on until it comes to its next stamp.
 *
 * A thread has an unpacked block in memory only while it is between its first and its last event.
 */
#ifndef DARN_TRACE_MERGE_H
#define DARN_TRACE_MERGE_H

#include <stddef.h>
#include <stdint.h>

#include "trace/codec.h"
#include "trace/damage.h"
#include "trace/layout.h"
#include "trace/tables.h"
#include "trace/unpack.h"

struct darn_merge_stream {
    const uint8_t *at, *end; /* what is left of the block */
    struct darn_codec codec;
    uint64_t key;  /* stamp of `next`; 0 before the first event */
    uint64_t last; /* the last stamp of the blocks before */
    size_t block;  /* that is read, in the layout */
    size_t blocks_end;
    bool holds;  /* `next` was read, and not yet given */
    bool parked; /* the block was looked at, and given back: `skip` bytes of it are done */
    bool cut;    /* events are missing behind the last one */
    uint32_t thread;
    size_t skip;
    struct darn_coded next;
    struct darn_payload payload;
};

struct darn_merge {
    const struct darn_layout *layout;
    const struct darn_tables *tables;
    struct darn_unpack unpack;
    struct darn_merge_stream *streams;
    size_t stream_count;
    struct darn_merge_stream **heap; /* the smallest key first; those that are not at their end */
    size_t heap_count;
    struct darn_damage damage;
    uint64_t damaged_block; /* where the block with the damage begins */
    bool ended;             /* what follows is not known well enough */
    uint64_t unread;        /* events that follow after something that was lost */
};

void darn_merge_open(struct darn_merge *merge, const struct darn_layout *layout,
                     const struct darn_tables *tables);
void darn_merge_close(struct darn_merge *merge);

/* Starts, or starts again; the layout may have changed. 0, or -1 when there is damage where a
 * thread begins. */
int darn_merge_start(struct darn_merge *merge);

/* 1, 0 at the end, -1 for damage. Once it is not 1 it stays so. */
int darn_merge_next(struct darn_merge *merge, struct darn_event *event);

#endif
