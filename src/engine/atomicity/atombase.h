/*
 * What the engines for atomicity have in common: locks, periods, transactions, and variables.
 *
 * A variable is a cell of the shadow memory: bytes that were always accessed together. It has a
 * number, for which the engine keeps what it likes; when an access touches a part of it, the rest
 * becomes a variable of its own with the same past. Variables go with their memory.
 */
#ifndef DARN_ENGINE_ATOMBASE_H
#define DARN_ENGINE_ATOMBASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/atomicity/transactions.h"
#include "engine/common/engine.h"
#include "engine/common/escape.h"
#include "engine/common/held.h"
#include "engine/common/lockset.h"
#include "engine/common/pairs.h"
#include "engine/common/periods.h"
#include "base/pool.h"
#include "engine/common/shadow.h"

/* The first member of what an engine keeps of a variable. */
struct darn_variable {
    uint64_t address; /* of a byte of it, where an access found it */
    uint64_t serial;  /* from 1; never used again, as the number is */
    uint32_t size;    /* of the last access */
    bool has_escaped;
    bool is_gone; /* its memory was freed */
};

struct darn_atombase;

struct darn_atom_calls {
    size_t variable; /* bytes that the engine keeps of one; zeroed at first */
    /* One access to one variable that has escaped. Updates are a read and a write, and so are some
     * writes (darn_engine_config.reads_too): the kind of `event` tells. */
    void (*access)(struct darn_atombase *base, uint32_t variable, const struct darn_event *event,
                   bool writes);
    /* Before the thread has the lock, and before it has given it back; not for the inner levels of
     * a recursive lock, and not for a lock that is given back by another thread. */
    void (*acquire)(struct darn_atombase *base, const struct darn_event *event);
    void (*release)(struct darn_atombase *base, const struct darn_event *event);
    void (*begin)(void *base, uint32_t thread, uint32_t site);
    void (*end)(void *base, uint32_t thread);
    /* `part` was made as a copy of `whole`, byte by byte. May be NULL. */
    void (*split)(struct darn_atombase *base, uint32_t whole, uint32_t part);
    /* The memory is gone; the engine says when it needs the number no longer (darn_atom_give). */
    void (*gone)(struct darn_atombase *base, uint32_t variable);
    /* All other events, after periods and locks know them. May be NULL. */
    void (*other)(struct darn_atombase *base, const struct darn_event *event);
    size_t (*more)(const struct darn_atombase *base); /* memory, besides */
};

/* The first member of an engine's state. */
struct darn_atombase {
    struct darn_engine_config config;
    const struct darn_atom_calls *calls;
    struct darn_locksets *sets;
    struct darn_held *held;
    struct darn_periods *periods;
    struct darn_pairs *pairs;
    struct darn_shadow *shadow;
    struct darn_escape *escape;
    struct darn_transactions *transactions;
    struct darn_pool variables;
    uint8_t *reads_too; /* by site, what the caller has said: 0: not asked yet */
    size_t site_count;
    uint64_t serial;
    uint64_t accesses, unescaped; /* seen, and left out of them */
    uint64_t dropped, events;
    size_t peak;
    bool no_escape; /* all memory has escaped */
};

/* False when there is no memory. To be closed in either case. */
bool darn_atombase_open(struct darn_atombase *base, const struct darn_engine_config *config,
                        const struct darn_atom_calls *calls);
void darn_atombase_close(struct darn_atombase *base);

void darn_atombase_measure(struct darn_atombase *base);

static inline void *darn_atom_variable(const struct darn_atombase *base, uint32_t variable)
{
    return darn_pool_at(&base->variables, variable);
}

void darn_atom_give(struct darn_atombase *base, uint32_t variable);

/* Adds a step to a prediction. */
void darn_atom_step(struct darn_atombase *base, struct darn_prediction *prediction,
                    const struct darn_event *event, uint32_t holding, uint32_t unit);

/* For struct darn_engine. What ends transactions is called first by an engine's own. */
void darn_atombase_event(void *state, const struct darn_event *event);
void darn_atombase_finish(void *state);
const struct darn_prediction *darn_atombase_predictions(const void *state, size_t *count);
uint64_t darn_atombase_dynamic(const void *state);
struct darn_engine_cost darn_atombase_cost(const void *state);

/* Fills the facts that all have in common, and says how many. */
size_t darn_atombase_facts(const struct darn_atombase *base, struct darn_engine_fact *facts);

#endif
