/*
 * Interned sets of sites: equal sets have the same number, and the empty set is 0. Sets only grow,
 * one site at a time, and are never dropped. Nothing here takes a lock or minds a signal.
 */
#ifndef DARN_RUNTIME_SETS_H
#define DARN_RUNTIME_SETS_H

#include <stdint.h>

#define DARN_SET_BITS 20
#define DARN_SET_NONE (UINT32_C(1) << DARN_SET_BITS) /* not a set */

/* The set with this site in it, which is `set` itself if it was there. DARN_SET_NONE when that set
 * cannot be had: there are too many, it would be too large, or there is no memory. */
uint32_t darn_set_with(uint32_t set, uint32_t site);

void darn_set_each(uint32_t set, void (*visit)(uint32_t site));

#endif
