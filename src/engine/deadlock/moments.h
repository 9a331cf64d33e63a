/*
 * When a step was made: the periods in which it was seen, for questions at the end of the trace.
 * The step is that of one slot of periods.h, that is of one thread, or of several of which each can
 * only begin after the last, so that its moments are in an order.
 *
 * Periods are kept with their clocks, and a program that runs through a barrier a million times has
 * a million of them. Kept are the first DARN_MOMENTS_FIRST, the last, and, as long as there are
 * fewer than DARN_MOMENTS_MOST, those around the time when some other step was seen for the first
 * time. Of the periods of this step, the last one before that time and the first one after it are
 * the two that can be concurrent with the other step if any is. What is lost is a meeting of two
 * steps that had both been seen often before without meeting.
 */
#ifndef DARN_ENGINE_MOMENTS_H
#define DARN_ENGINE_MOMENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/common/periods.h"

#define DARN_MOMENTS_FIRST 16
#define DARN_MOMENTS_MOST  64

struct darn_moment {
    uint32_t kept; /* period */
    uint32_t thread;
};

/* A zeroed struct has none. */
struct darn_moments {
    struct darn_moment *all; /* in order */
    uint32_t count, capacity;
    uint32_t pinned; /* so many of them stay; one that comes after them gives way to the next */
    struct darn_period last;
    uint32_t news; /* how many new steps there were when the last one was pinned */
    bool thinned;  /* some are missing */
};

void darn_moments_free(struct darn_moments *moments);

/* The thread makes the step now. `news` counts the steps that were ever seen for the first time. */
void darn_moments_see(struct darn_moments *moments, struct darn_periods *periods, uint32_t thread,
                      uint32_t news);

/* One role in a choice: a step that any of several may have made. */
struct darn_candidates {
    const struct darn_moments *const *from;
    uint32_t count;
    bool is_of; /* only moments of this thread count */
    uint32_t of;
};

#define DARN_CHOICE_MOST 16

struct darn_chosen {
    uint32_t which; /* of the candidates */
    uint32_t thread;
};

/* Whether the steps can all be waiting at one time: for each role a candidate and a moment, of
 * threads that are all different, in periods that are concurrent with each other. Takes from `work`
 * one for each comparison; when there is none left, the answer is no. */
bool darn_choose(const struct darn_periods *periods, const struct darn_candidates *roles,
                 uint32_t count, struct darn_chosen *chosen, uint64_t *work);

#endif
