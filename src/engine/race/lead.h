/*
 * The schedule that a prediction comes with: which synchronization has to happen, and in what
 * order, before two threads stand right before two accesses. It is the sync-preserving ideal of the
 * two (ideal.h) in the order of the run, and so can be made, as long as the program does what it
 * did then.
 *
 * No engine: it predicts nothing. It is told which pairs of sites are in question and given the
 * events of the run once more.
 */
#ifndef DARN_ENGINE_LEAD_H
#define DARN_ENGINE_LEAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/common/engine.h"

/* So much synchronization of a run is remembered; of what comes later there is no schedule. */
#define DARN_LEAD_MOST (1u << 20)

struct darn_lead_step {
    uint32_t thread;
    uint8_t kind;    /* enum darn_event_kind; NONE: on to its access */
    uint8_t lock;    /* of ACQUIRE and RELEASE */
    uint8_t side;    /* of NONE: which of the two accesses, 0 or 1 */
    uint32_t visits; /* of NONE: the thread comes to sites of that side so often, the access
                        included, after its last synchronization */
};

/* The last two steps are the two accesses. */
struct darn_lead {
    struct darn_lead_step *steps;
    size_t count; /* 0: none is known */
};

struct darn_leads;

/* For so many pairs. Of two accesses that nothing orders, not even locks, all that happens before
 * them leads to them, `by_order`: reads see what they saw unless another race comes first. NULL
 * when there is no memory. */
struct darn_leads *darn_leads_create(const struct darn_engine_config *config, size_t pairs,
                                     bool by_order);
void darn_leads_destroy(struct darn_leads *leads);

/* The accesses at the site are on this side (0 or 1) of the pair. */
void darn_leads_site(struct darn_leads *leads, size_t pair, uint32_t side, uint32_t site);

void darn_leads_event(struct darn_leads *leads, const struct darn_event *event);

/* Valid as long as the leads. */
const struct darn_lead *darn_leads_get(const struct darn_leads *leads, size_t pair);

#endif
