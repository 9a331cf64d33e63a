/*
 * Thread periods (Wang & Stoller, section 4): the life of a thread is cut where it forks, joins or
 * passes a barrier, and one period happens before another if it must end before the other can
 * begin. Locks, condition variables and semaphores order nothing here: another schedule may turn
 * them round.
 *
 * Wang & Stoller search a graph and cache the answers, and name vector clocks as the faster way. We
 * take those (clock.h): a period is a pair of numbers, and no table of periods is needed. A thread
 * has a *slot*, in which its periods are counted. A thread that was joined leaves its slot to a
 * thread that can only begin after it, and that one goes on counting: the answers stay exact
 * (slots.h).
 *
 * Memory: a clock for each thread that was not joined and for each barrier, and for each period
 * that somebody keeps. The length of the trace does not matter.
 */
#ifndef DARN_ENGINE_PERIODS_H
#define DARN_ENGINE_PERIODS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/event.h"

/* Equal for two events if and only if they are in one period. `index` counts from 1: a zeroed
 * struct is no period. */
struct darn_period {
    uint32_t slot;
    uint32_t index;
};

struct darn_periods;

/* NULL when there is no memory. */
struct darn_periods *darn_periods_create(void);
void darn_periods_destroy(struct darn_periods *periods);

/* Takes notice of FORK, JOIN, ARRIVE, DEPART and EXIT, and of ALLOC and FREE for the sake of
 * barriers. FORK, JOIN, ARRIVE and DEPART end a period and begin the next. */
void darn_periods_event(struct darn_periods *periods, const struct darn_event *event);

static inline bool darn_period_equal(struct darn_period a, struct darn_period b)
{
    return a.slot == b.slot && a.index == b.index;
}

/* The period that the thread is in. A thread that nobody forked is concurrent with all. */
struct darn_period darn_periods_now(struct darn_periods *periods, uint32_t thread);

/* Whether an earlier step of the trace, in `period`, happens before what the thread does now, or is
 * in the same period. If not, the two periods are concurrent: nothing that is still going on
 * happens before anything. This is the question that race engines ask for each access. */
bool darn_periods_before_now(struct darn_periods *periods, struct darn_period period,
                             uint32_t thread);

/* The number of the thread whose period it is. */
uint32_t darn_periods_thread(const struct darn_periods *periods, struct darn_period period);

/*
 * Two periods that are both over can only be compared if one of them was kept. An engine that asks
 * such questions at the end keeps the periods of the steps that it remembers. The ids count from
 * 1; keeping one period twice gives the same id, and it has to be dropped as often.
 */
uint32_t darn_periods_keep(struct darn_periods *periods, uint32_t thread);
void darn_periods_drop(struct darn_periods *periods, uint32_t kept);
struct darn_period darn_periods_kept(const struct darn_periods *periods, uint32_t kept);

/* a must end before b can begin. */
bool darn_periods_before(const struct darn_periods *periods, uint32_t kept_a, uint32_t kept_b);
bool darn_periods_concurrent(const struct darn_periods *periods, uint32_t kept_a, uint32_t kept_b);

/* How often a period was put in order for want of numbers (slots.h). */
uint64_t darn_periods_degraded(const struct darn_periods *periods);
size_t darn_periods_memory(const struct darn_periods *periods);

#endif
