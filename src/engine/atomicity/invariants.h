/*
 * Access interleaving invariants (AVIO), learned from traces: each two accesses that follow each
 * other in one thread, to one variable, are a pair of places. A pair that no access of another
 * thread ever interrupted in a way that AtomRace's table 1 does not allow, in runs that went well,
 * was probably meant to be atomic.
 *
 * Not an engine of engine.h: it predicts nothing. Events of several traces are given one after the
 * other; the counts of all are added up.
 *
 * Plain accesses of different threads stand in a trace in any order (event.h) as long as no
 * synchronization is between them. So a pair that races with the others may look unbroken though it
 * is not. It never was seen broken: that is all that is said here. Runs with sections tell.
 */
#ifndef DARN_ENGINE_INVARIANTS_H
#define DARN_ENGINE_INVARIANTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/event.h"

struct darn_invariant {
    uint32_t entry, end; /* places */
    /* enum darn_site_kind: READ, WRITE or UPDATE. */
    uint8_t entry_kind, end_kind;
    uint8_t allow; /* enum darn_section_allow, or-ed */
    bool shared;   /* seen with a variable that several threads touch, and one of them writes */
    uint64_t seen, violated;
};

/* Whether it may become a section. */
static inline bool darn_invariant_holds(const struct darn_invariant *invariant)
{
    return invariant->shared && !invariant->violated;
}

/* What the sites of one trace are. */
struct darn_invariants_sites {
    /* The same number for the same place in all traces; 0: it is not to be in a pair. */
    uint32_t (*place_of)(void *context, uint32_t site);
    /* Whether the write stands for a read right before it, too (DARN_SITE_COVERS): like an atomic
     * update it ends a pair by reading and begins one by writing. May be NULL. */
    bool (*covers)(void *context, uint32_t site);
    void *context;
};

struct darn_invariants;

/* NULL when there is no memory. */
struct darn_invariants *darn_invariants_create(void);
void darn_invariants_destroy(struct darn_invariants *invariants);

/* Another trace begins: all memory is new. `sites` lives until the next one. */
void darn_invariants_begin(struct darn_invariants *invariants,
                           const struct darn_invariants_sites *sites);
void darn_invariants_event(struct darn_invariants *invariants, const struct darn_event *event);

/* All pairs, in the order in which they were met; valid until the next event. */
const struct darn_invariant *darn_invariants_all(const struct darn_invariants *invariants,
                                                 size_t *count);

/* How often a pair was not noted because its variable had too many already. */
uint64_t darn_invariants_dropped(const struct darn_invariants *invariants);

#endif
