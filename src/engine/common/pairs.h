/*
 * What an engine has predicted so far: each combination of places once, with the first example, and
 * a count of how often it was seen.
 *
 * Places are sites after darn_engine_config.place_of. Where a place is not known (0), the address
 * takes its part, so that unknown places do not all become one.
 */
#ifndef DARN_ENGINE_PAIRS_H
#define DARN_ENGINE_PAIRS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/common/engine.h"

struct darn_pairs;

/* NULL when there is no memory. */
struct darn_pairs *darn_pairs_create(const struct darn_engine_config *config);
void darn_pairs_destroy(struct darn_pairs *pairs);

/* Two places, whichever of them came first, were seen together once more. NULL when they are known
 * already; otherwise a new prediction, with kind, target and count set and without steps, for the
 * caller to fill; valid until the next new one. */
struct darn_prediction *darn_pairs_see(struct darn_pairs *pairs, enum darn_prediction_kind kind,
                                       uint32_t site_a, uint32_t site_b, uint64_t target);

/* The same for what has more than two places: the caller makes the key, from darn_pairs_place. */
struct darn_prediction *darn_pairs_see_key(struct darn_pairs *pairs, enum darn_prediction_kind kind,
                                           uint64_t key, uint64_t target);

/* The place of a site. */
uint32_t darn_pairs_place(struct darn_pairs *pairs, uint32_t site);

/* Adds a step; its locks are the caller's to fill (darn_holding_fill of held.h). NULL when there is
 * no room for more. */
struct darn_prediction_step *darn_prediction_add(struct darn_prediction *prediction,
                                                 const struct darn_event *event);

/* In the order in which they were found; valid until the next new one. */
const struct darn_prediction *darn_pairs_predictions(const struct darn_pairs *pairs, size_t *count);
uint64_t darn_pairs_dynamic(const struct darn_pairs *pairs);
size_t darn_pairs_memory(const struct darn_pairs *pairs);

#endif
