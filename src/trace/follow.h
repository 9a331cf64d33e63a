/*
 * The events of a program that still runs, from the file that it writes (format.h).
 *
 * Every stamp that is taken is written: so the next event with a stamp is the one with the next
 * number, and while its thread has not written it yet, we wait. A stamp is taken before anybody can
 * know of it, and what its thread did before stands before it; so the order is that of merge.h, but
 * that events without a stamp may stand behind stamps that others took later. All that had happened
 * when a stamp was taken stands before its event.
 *
 * What was read is given back to the disk. In memory are the tables, and 16 bytes for each block
 * that is not read yet; of each thread that runs, a block is mapped.
 */
#ifndef DARN_TRACE_FOLLOW_H
#define DARN_TRACE_FOLLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/codec.h"
#include "trace/damage.h"
#include "trace/format.h"
#include "trace/tables.h"

struct darn_follow_block {
    uint64_t at; /* its header */
    uint32_t size;
    uint32_t sequence;
};

struct darn_follow_stream {
    uint32_t thread;
    uint32_t sequence;                /* of the next block */
    struct darn_follow_block *blocks; /* from `block` on they are still to be read */
    size_t block, block_count, block_room;
    const struct darn_block_header *mapped; /* the block that is read, or NULL */
    const uint8_t *at, *end;                /* what is known of it, and not read yet */
    const uint8_t *safe;                    /* up to here all that had happened before is known */
    struct darn_codec codec;
    uint64_t key; /* stamp of `next`, or the last one */
    bool holds;   /* `next` has a stamp, and waits for its turn */
    bool is_over; /* its thread has ended */
    struct darn_coded next;
};

struct darn_follow {
    int descriptor;
    struct darn_trace_header *header; /* mapped */
    uint64_t next;                    /* where the next block begins */
    uint64_t stamp;                   /* the next one */
    bool ended;                       /* nobody writes any more */
    bool is_left;                     /* the program runs, but we know enough */
    struct darn_follow_stream tables_stream;
    struct darn_follow_stream **streams, **heap; /* all; those that hold, the smallest key first */
    size_t stream_count, stream_room, heap_count, heap_room;
    struct darn_follow_stream **by_thread; /* by their numbers */
    size_t thread_room;
    struct darn_follow_stream *current; /* goes on until its next stamp */
    size_t drained;                     /* streams that have given what needs no stamp */
    struct darn_tables *tables;
    struct darn_damage damage;
};

/* 1, or 0 when the program has not begun yet; a negative errno. The program waits when it is
 * `ahead` so many bytes. */
int darn_follow_open(struct darn_follow *follow, const char *path, uint64_t ahead,
                     struct darn_tables *tables);
void darn_follow_close(struct darn_follow *follow);

/* Whether the file is still the one at this path: a program that has replaced itself by exec begins
 * another one. */
bool darn_follow_is_at(const struct darn_follow *follow, const char *path);

/* What is there is all. If the program still runs (who has started it has ended before it), no
 * stamp is passed over: its thread may be about to write it. */
void darn_follow_end(struct darn_follow *follow);

/* 1, 0 when there is nothing for now, -1 for damage. */
int darn_follow_next(struct darn_follow *follow, struct darn_event *event);

/* After the end: events that are there, but come after something that was lost. */
uint64_t darn_follow_unread(struct darn_follow *follow);

#endif
