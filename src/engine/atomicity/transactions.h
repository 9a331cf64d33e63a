/*
 * Transactions: the pieces of execution that are expected to be atomic (Wang & Stoller, section 7,
 * taken over to C). These are
 *  - executions of functions that others can call, that is with external linkage: the caller of the
 *    engine says which BEGINs count (darn_engine_config.is_unit);
 *  - critical sections outside of those, from the first lock to the last.
 *
 * Of nested ones the outermost counts. The first function of a thread, main or a start routine, is
 * its whole life and is none, unless somebody has named it. A transaction ends at a FORK, JOIN or
 * barrier, and the next begins after it. So it does where the thread waits for others in another
 * way (condition variable, semaphore, message): what waits for a change cannot be atomic. This is
 * ours: the paper leaves wait and notify out.
 *
 * A function that returns with a lock held (a wrapper of lock) leaves a critical section behind.
 *
 * Transactions begin when there is something in them: at the first access or ACQUIRE.
 */
#ifndef DARN_ENGINE_TRANSACTIONS_H
#define DARN_ENGINE_TRANSACTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/common/engine.h"
#include "engine/common/held.h"

struct darn_transactions;

struct darn_transactions_calls {
    void *to;
    /* `site` is where the function begins, or where the first lock was acquired. */
    void (*begin)(void *to, uint32_t thread, uint32_t site);
    void (*end)(void *to, uint32_t thread);
};

/* All are the caller's, and live longer. NULL when there is no memory. */
struct darn_transactions *darn_transactions_create(const struct darn_engine_config *config,
                                                   const struct darn_held *held,
                                                   const struct darn_transactions_calls *calls);
void darn_transactions_destroy(struct darn_transactions *transactions);

/* To be called around whatever else is done with an event, above all darn_held_event. */
void darn_transactions_before(struct darn_transactions *transactions,
                              const struct darn_event *event);
void darn_transactions_after(struct darn_transactions *transactions,
                             const struct darn_event *event);

/* Ends those that are open, in the order in which their threads were first seen. */
void darn_transactions_finish(struct darn_transactions *transactions);

/* How many there were. */
uint64_t darn_transactions_count(const struct darn_transactions *transactions);
size_t darn_transactions_memory(const struct darn_transactions *transactions);

/*
 * What overrides the defaults, for whoever has the names of functions. `include` and `exclude` are
 * names separated by commas or blanks, with * for any letters; they may be NULL. A name in full
 * counts for more than a pattern, and of equals the exclusion wins. `otherwise` is what the
 * function says of itself: that it is annotated (DARN_UNIT_NAMED, or DARN_UNIT_NO), or its linkage
 * (DARN_UNIT_YES, or DARN_UNIT_NO); main is no transaction by its linkage.
 */
struct darn_unit_rules {
    const char *include, *exclude;
};

/* Whether one word of such a list names the function. */
bool darn_unit_name_matches(const char *pattern, size_t length, const char *name);

enum darn_unit darn_unit_rules_say(const struct darn_unit_rules *rules, const char *function,
                                   enum darn_unit otherwise);

#endif
