/*
 * A table from a pair of keys to bits, which grows as it must. Whoever adds does so alone; whoever
 * looks may look at any time: a table that was too small stays where it is.
 */
#ifndef DARN_RUNTIME_FACTS_H
#define DARN_RUNTIME_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct darn_facts_table;

struct darn_facts { /* starts with all zeroes */
    _Atomic(struct darn_facts_table *) table;
};

/* Adds bits to what is known of the pair, and returns what was; UINT32_MAX when there is no memory.
 * `bits` is not 0. */
uint32_t darn_facts_add(struct darn_facts *facts, uint64_t first, uint64_t second, uint32_t bits);

/* What is known of the pair; 0: nothing. */
uint32_t darn_facts_get(const struct darn_facts *facts, uint64_t first, uint64_t second);

/* Nobody looks any more. */
void darn_facts_free(struct darn_facts *facts);

#endif
