/*
 * What all race engines have in common: locks, shadow memory, predictions, and what they cost.
 */
#ifndef DARN_ENGINE_RACEBASE_H
#define DARN_ENGINE_RACEBASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/common/engine.h"
#include "engine/common/held.h"
#include "engine/common/lockset.h"
#include "engine/common/pairs.h"
#include "engine/common/shadow.h"

/* The first member of an engine's state. */
struct darn_racebase {
    struct darn_engine_config config;
    /* What the engine uses besides, in bytes: its own state and what cells point to. */
    size_t (*more)(const struct darn_racebase *base);
    struct darn_locksets *sets;
    struct darn_held *held;
    struct darn_pairs *pairs;
    struct darn_shadow *shadow;
    uint64_t events;
    size_t peak;
};

/* False when there is no memory. To be closed in either case. */
bool darn_racebase_open(struct darn_racebase *base, const struct darn_engine_config *config,
                        const struct darn_shadow_type *type,
                        size_t (*more)(const struct darn_racebase *base));
void darn_racebase_close(struct darn_racebase *base);

/* Adds up the memory. */
void darn_racebase_measure(struct darn_racebase *base);

/* To be called for each event: the peak is looked for now and then. */
static inline void darn_racebase_count(struct darn_racebase *base)
{
    if ((++base->events & 0xfff) == 0)
        darn_racebase_measure(base);
}

/* For struct darn_engine. */
void darn_racebase_finish(void *state);
const struct darn_prediction *darn_racebase_predictions(const void *state, size_t *count);
uint64_t darn_racebase_dynamic(const void *state);
struct darn_engine_cost darn_racebase_cost(const void *state);

/* For lockset engines what is used to synchronize is no variable: recognised spins and atomic
 * operations. */
static inline bool darn_racebase_is_variable(const struct darn_racebase *base,
                                             const struct darn_event *event)
{
    if (!(event->flags & (DARN_EVENT_SYNC | DARN_EVENT_ATOMIC)))
        return true;
    if (event->flags & DARN_EVENT_HALF)
        return false;
    return !((event->flags & DARN_EVENT_SYNC && !base->config.ignore_sync) ||
             (event->flags & DARN_EVENT_ATOMIC && !base->config.ignore_atomic));
}

/* Predicts a race between two accesses; the locks are given as holdings. */
void darn_racebase_report(struct darn_racebase *base, uint64_t address,
                          const struct darn_event *earlier, uint32_t earlier_holding,
                          const struct darn_event *later, uint32_t later_holding);

/* Of reads and writes, which were seen. */
enum { DARN_SEEN_READ = 1, DARN_SEEN_WRITE = 2 };

static inline uint8_t darn_seen(const struct darn_event *event)
{
    return darn_event_writes(event) ? DARN_SEEN_WRITE : DARN_SEEN_READ;
}

#endif
