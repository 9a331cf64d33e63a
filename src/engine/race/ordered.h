/*
 * What the engines that know an order of events (order.h) have in common: an access goes through
 * the cells that it touches, is compared with the accesses that they remember, and is remembered.
 */
#ifndef DARN_ENGINE_ORDERED_H
#define DARN_ENGINE_ORDERED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"
#include "engine/common/engine_access.h"
#include "engine/common/order.h"
#include "engine/race/racebase.h"

/* The first member of an engine's state. */
struct darn_ordered {
    struct darn_racebase base;
    struct darn_order *order;
    darn_shadow_visitor *on_end; /* of what is freed, as by an access; NULL: ends and uses are no
                                    accesses */
    size_t own;                  /* bytes that the engine uses besides, counted by the engine */
    uint64_t dropped;            /* counted by the engine, too */
};

/* One access on its way through its cells, or a use or end of an object or of memory. */
struct darn_passage {
    struct darn_ordered *engine;
    const struct darn_event *event;
    const struct darn_stamp *now;
    darn_epoch epoch;
    enum darn_access_sort sort;
    struct darn_access reported; /* the last one; a range is not reported for each of its cells */
};

/* What one thread does at one site with the same locks, the set of which has this number, has one
 * key. */
static inline uint32_t darn_way_key(uint32_t site, uint32_t set, uint32_t slot,
                                    enum darn_access_sort sort)
{
    return darn_spread(darn_fold((uint64_t)site << 32 | set, (uint64_t)slot << 8 | sort));
}

/* False when there is no memory. To be closed in either case. */
bool darn_ordered_open(struct darn_ordered *engine, const struct darn_engine_config *config,
                       const struct darn_shadow_type *type, bool locks);

/* The same with an order in which a read comes after the write that it sees, and locks order
 * nothing. */
bool darn_ordered_open_flow(struct darn_ordered *engine, const struct darn_engine_config *config,
                            const struct darn_shadow_type *type);
void darn_ordered_close(struct darn_ordered *engine);

/* Takes notice of an event; for an access, each cell is visited with a darn_passage. */
void darn_ordered_event(struct darn_ordered *engine, const struct darn_event *event,
                        darn_shadow_visitor *visit);

/* For struct darn_engine, besides those of racebase.h. */
struct darn_engine_cost darn_ordered_cost(const void *state);

/* The access, to be remembered in the cell at this address. */
struct darn_access darn_passage_access(const struct darn_passage *passage, uint64_t address);

/* Whether the two race when nothing orders them. A use of an object conflicts with its end alone.
 */
bool darn_passage_conflicts(const struct darn_passage *passage, const struct darn_access *earlier);

/* Predicts a race with an access that the cell remembers. */
void darn_passage_report(struct darn_passage *passage, const struct darn_access *earlier,
                         uint64_t address);

#endif
