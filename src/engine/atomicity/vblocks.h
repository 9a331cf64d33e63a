/*
 * The state of the engine `blocks`, for the files that it is made of: vblocks.c (events),
 * vblocks_emit.c (from transactions to blocks), vblocks_retire.c (blocks that nothing can be
 * compared with any more).
 */
#ifndef DARN_ENGINE_VBLOCKS_H
#define DARN_ENGINE_VBLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/htable.h"
#include "engine/atomicity/atombase.h"
#include "engine/atomicity/vblock.h"
#include "engine/atomicity/vcheck.h"
#include "engine/atomicity/vopen.h"
#include "engine/atomicity/vpair.h"
#include "engine/atomicity/vset.h"
#include "engine/common/threads.h"

/* Comparisons at the end, events of one transaction that are put in pairs, and distinct blocks at
 * one time, if nothing is said. */
#define DARN_VBLOCKS_WORK   UINT64_C(200000000)
#define DARN_VBLOCKS_EVENTS 128
#define DARN_VBLOCKS_COUNT  4000000

struct darn_vvariable {
    struct darn_variable variable; /* first */
    uint32_t set;                  /* of 1v-blocks */
    uint32_t users;                /* open transactions that have touched it */
    /* The last access outside of transactions: the same again changes nothing. */
    uint32_t single_site, single_set;
    struct darn_period single_period;
    uint8_t single_op;
};

/* Of a transaction that was seen. */
struct darn_vsignature {
    uint64_t word[2]; /* both 0: free */
};

struct darn_vblocks_engine {
    struct darn_atombase base; /* first */
    void *deadlock;            /* the state of that engine */
    struct darn_vblocks blocks;
    struct darn_vsets sets;
    struct darn_vpairs pairs;
    struct darn_vcheck check;
    struct darn_threads threads;
    struct darn_vopen *open; /* by thread */
    size_t open_capacity;
    bool *is_live; /* by thread: more events may come */
    size_t live_capacity;
    uint32_t *numbers; /* of the threads */
    size_t number_capacity;
    struct darn_htable known; /* of signatures */
    struct darn_vsignature *signatures;
    size_t signature_count, signature_capacity;
    size_t retire_at;     /* how many blocks there must be before somebody looks for old ones */
    uint64_t retire_full; /* blocks_full at the last time */
    uint64_t events_most, blocks_most;
    uint64_t repeated;             /* transactions that were known */
    uint64_t cut;                  /* transactions that were too long for all of their pairs */
    uint64_t pairs_full;           /* 2v-blocks for which there was no room */
    uint64_t blocks_full;          /* blocks that were one too many */
    uint64_t one_count, two_count; /* blocks that were made, with repetitions */
    uint64_t retired;
    size_t deadlocks;
};

/* A transaction has ended: its blocks. */
void darn_vblocks_emit(struct darn_vblocks_engine *engine, struct darn_vopen *open);

/* An access outside of transactions is one of its own. */
void darn_vblocks_emit_single(struct darn_vblocks_engine *engine, uint32_t variable,
                              const struct darn_event *event, bool writes);

/* Blocks of periods that happen before all that is still to come are checked and removed, if there
 * are many. */
void darn_vblocks_retire(struct darn_vblocks_engine *engine);

/* The sets that variables and pairs have now are complete: they are to be checked. */
void darn_vblocks_end_sets(struct darn_vblocks_engine *engine);

/* All blocks of a variable are there. */
void darn_vblocks_end_variable(struct darn_vblocks_engine *engine, uint32_t variable);

struct darn_vtarget darn_vblocks_place(const struct darn_vblocks_engine *engine, uint32_t first,
                                       uint32_t second);

#endif
