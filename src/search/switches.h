/*
 * A run written down as the switches of a script (schedule/strategy.h), and how many there are.
 */
#ifndef DARN_SEARCH_SWITCHES_H
#define DARN_SEARCH_SWITCHES_H

#include <stddef.h>
#include <stdint.h>

#include "schedule/block.h"

/* All decisions of the run that a script can make: SCRIPT with these makes the same run again. The
 * preemptions come first, then the other switches, then who was woken by a signal, then where a
 * thread went on although it had given way; each in the order of the run. The caller frees the
 * list; NULL when there is none, or no memory. */
struct darn_switch *darn_switches_of(const struct darn_step *steps, size_t step_count,
                                     size_t *count);

/* The number of the step that the run makes where the switch is; step_count when it has none. */
size_t darn_switches_step(const struct darn_step *steps, size_t step_count,
                          const struct darn_switch *at);

/* What it takes a reader to follow the run. */
struct darn_switch_count {
    uint64_t switches;    /* of the thread that runs */
    uint64_t preemptions; /* among them: the thread before could have gone on */
};

struct darn_switch_count darn_switches_count(const struct darn_step *steps, size_t step_count);

/* Whether `one` is easier to follow: fewer preemptions, then fewer switches. */
static inline int darn_switch_count_less(struct darn_switch_count one,
                                         struct darn_switch_count other)
{
    return one.preemptions != other.preemptions ? one.preemptions < other.preemptions
                                                : one.switches < other.switches;
}

#endif
