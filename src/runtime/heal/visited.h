/*
 * Where sections have been: what companions ask (struct darn_rule).
 *
 * A bit for each few bytes, by a hash. Nothing is ever forgotten. Two addresses that share a bit
 * are both known: then somebody is healed who need not be, which costs time and does no harm.
 */
#ifndef DARN_RUNTIME_VISITED_H
#define DARN_RUNTIME_VISITED_H

#include <stdbool.h>
#include <stdint.h>

/* 0, or -1 when there is no memory. */
int darn_visited_open(void);

/* A section is entered, and its variable is there. */
void darn_visited_add(uintptr_t address);

bool darn_visited_has(uintptr_t address);

#endif
