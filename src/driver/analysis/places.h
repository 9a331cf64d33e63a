/*
 * What engines ask about sites: which of them are one place in the source, what a wait waits for,
 * and which functions are expected to be atomic.
 */
#ifndef DARN_DRIVER_PLACES_H
#define DARN_DRIVER_PLACES_H

#include "base/map.h"
#include "engine/atomicity/transactions.h"
#include "trace/trace.h"

struct darn_places {
    const struct darn_trace *trace;
    uint32_t *first; /* by id: the first site of the same place */
    size_t count, room;
    struct darn_map known;        /* hash of a place to its first site */
    struct darn_unit_rules rules; /* which functions are expected to be atomic; set by the owner */
};

/* A zeroed struct but for its rules becomes the places of the trace. */
void darn_places_make(struct darn_places *places, const struct darn_trace *trace);
/* The trace knows more sites than before. */
void darn_places_more(struct darn_places *places);
void darn_places_free(struct darn_places *places);

/* For struct darn_engine_config: `context` is the struct darn_places. */
uint32_t darn_places_of(const void *context, uint32_t site);
uint64_t darn_places_predicate(const void *context, uint32_t site);
enum darn_unit darn_places_is_unit(const void *context, uint32_t site);
bool darn_places_reads_too(const void *context, uint32_t site);

#endif
