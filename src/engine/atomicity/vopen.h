/*
 * A transaction that is going on, as the blocks engine sees it: of each variable what is needed to
 * make its blocks (Wang & Stoller 6.1 and 6.2), of the locks when they were acquired and given
 * back. 1v-blocks are made as the events come, but for what only the end can tell, that is which
 * write is the final one (6.6).
 *
 * Time is counted in accesses: an event has the number of accesses up to and including it, a lock
 * the number of accesses before it was acquired.
 */
#ifndef DARN_ENGINE_VOPEN_H
#define DARN_ENGINE_VOPEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/htable.h"
#include "engine/atomicity/vblock.h"
#include "engine/common/held.h"
#include "engine/common/lockset.h"

/* Of one variable in one transaction, initial reads beyond this take the place of the last. */
#define DARN_VOPEN_READS    16
/* Critical sections that were left, of one transaction. */
#define DARN_VOPEN_SECTIONS 4096

struct darn_vevent {
    uint32_t site, stack, holding;
    uint32_t set;  /* lockset */
    uint32_t node; /* the locks, with their times */
    uint32_t time;
    uint32_t step; /* counts acquisitions and releases: equal for two events with none between */
    uint8_t op;    /* enum darn_vop */
};

/* Two events that are a 1v-block. `is_last`: if its write is the final one, as it is so far. */
struct darn_vpair {
    struct darn_vevent event[2];
    uint32_t held;
    bool is_last[2];
};

struct darn_vrecord {
    uint32_t variable;
    uint32_t repeats; /* of the last event, without anything between that matters */
    uint32_t count;   /* of events, as far as 2 */
    bool has_read, has_write;
    struct darn_vevent last_read; /* before any write */
    struct darn_vevent last_write;
    uint32_t last_site, last_step;
    uint8_t last_op;
    struct darn_vevent *reads; /* initial ones */
    uint32_t read_count, read_capacity;
    struct darn_vpair *pairs;
    uint32_t pair_count, pair_capacity;
};

/* A lock that is or was held; `outer` is the one acquired before. */
struct darn_vnode {
    uint64_t lock;
    uint32_t outer; /* 0: none */
    uint32_t time;
    bool is_exclusive;
};

/* A critical section that was left: from `acquired` to `released`. */
struct darn_vsection {
    uint64_t lock;
    uint32_t acquired, released;
    bool is_exclusive;
};

struct darn_vopen {
    uint32_t thread, unit;
    bool is_open;
    bool is_cut; /* more sections than there is room for */
    uint32_t time, step;
    uint32_t top, top_count;  /* node, and how many are below it */
    struct darn_vnode *nodes; /* from 1 */
    size_t node_count, node_capacity, clean_at;
    struct darn_vsection *sections; /* in the order of their ends */
    size_t section_count, section_capacity;
    struct darn_vrecord *records;
    size_t record_count, record_capacity;
    struct darn_htable table; /* of records + 1, by variable */
    uint64_t signature[2];    /* of all its steps: equal transactions have equal blocks */
    uint64_t thinned;         /* initial reads that gave way */
    size_t lists;             /* bytes, of the records */
};

void darn_vopen_free(struct darn_vopen *open);

/* All locks that the thread holds now are held from before the beginning. */
void darn_vopen_begin(struct darn_vopen *open, const struct darn_held *held, uint32_t thread,
                      uint32_t unit);

/* Before the lock is acquired, or given back. */
void darn_vopen_acquire(struct darn_vopen *open, uint64_t lock, bool is_exclusive);
void darn_vopen_release(struct darn_vopen *open, uint64_t lock);

/* One access; counts. `is_second`: the write of an update, at the time of its read. True when the
 * variable is new to the transaction. */
bool darn_vopen_access(struct darn_vopen *open, struct darn_locksets *sets,
                       const struct darn_held *held, uint32_t variable, uint64_t serial,
                       const struct darn_event *event, enum darn_vop op, bool is_second);

/* The record of `whole` once more, for `part`. False when there is none. */
bool darn_vopen_split(struct darn_vopen *open, uint32_t whole, uint32_t part);

/* held(e1, e2), and heldmid(e1, e2) from scratch. */
uint32_t darn_vopen_held(const struct darn_vopen *open, struct darn_locksets *sets,
                         const struct darn_vevent *first, const struct darn_vevent *second);
uint32_t darn_vopen_mid(const struct darn_vopen *open, struct darn_locksets *sets,
                        const struct darn_vevent *first, const struct darn_vevent *second);

/* At the end. The 1v-blocks of a record, one by one: false when there are no more. `at` is 0 at
 * first. Of the block everything is set but the period. */
bool darn_vopen_next(const struct darn_vopen *open, struct darn_locksets *sets,
                     const struct darn_vrecord *record, uint32_t *at, struct darn_vblock *block);

size_t darn_vopen_memory(const struct darn_vopen *open);

#endif
