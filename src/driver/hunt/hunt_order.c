/*
 * What a hunt does first, and how much of its time is for what.
 */
#include <stdlib.h>
#include <string.h>

#include "driver/analysis/verdicts.h"
#include "driver/hunt/hunt.h"

#define SHRINKING  0.1    /* of the whole time */
#define LONG       0.05   /* of it, for the trials of one target */
#define LONG_STEPS 100000 /* of a run */
#define WAITING    10     /* times as long by the clock: it waits, or the machine is very busy */

/* One way or the other it takes at least so much of nothing new before more is not worth the wait:
 * as many schedules as darn explore tries, or what many programs need seconds for. */
#define PATIENCE         10000
#define PATIENCE_SECONDS 10.0

#define LAST_RANK 4

/* The smaller, the sooner. What darn run has observed happened without our help. What hb tells of
 * was not ordered in the run that was recorded: it nearly happened. What syncp tells of can happen.
 * The others go by locks, and may name what something that they do not see orders. */
static int rank_of(const struct darn_target *target)
{
    if (darn_finding_is_observed(target->finding))
        return 0;
    if (target->kind == DARN_TARGET_ORDER)
        return LAST_RANK; /* most of them make no difference */
    if (target->kind != DARN_TARGET_RACE)
        return 3;
    if (darn_verdict_is_by(target->finding->engine, "hb"))
        return 1;
    return darn_verdict_is_by(target->finding->engine, "syncp") ? 2 : 3;
}

void darn_hunt_sort(struct darn_target *targets, size_t count)
{
    struct darn_target *sorted = count ? malloc(count * sizeof(*sorted)) : NULL;
    size_t at = 0;

    if (!sorted)
        return; /* as it is will do */
    for (int rank = 0; rank <= LAST_RANK; rank++)
        for (size_t i = 0; i < count; i++)
            if (rank_of(&targets[i]) == rank)
                sorted[at++] = targets[i];
    memcpy(targets, sorted, count * sizeof(*sorted));
    free(sorted);
}

bool darn_hunt_is_barren(double started, double news, double now, uint64_t schedules)
{
    double since = now - news;

    return since >= news - started && (schedules >= PATIENCE || since >= PATIENCE_SECONDS);
}

/* Of a run: the first one, or the mean of the trials. */
static double longer(const struct darn_hunt *hunt, double first, double trials)
{
    double mean = hunt->tried ? trials / (double)hunt->tried : 0;

    return mean > first ? mean : first;
}

/* What is decided here changes the schedules: they shall not depend on who else uses the machine. */
bool darn_hunt_is_long(const struct darn_hunt *hunt)
{
    const struct darn_exploration *exploration = &hunt->exploration;
    double trials = (double)hunt->options.trials, limit = (hunt->until - hunt->started) * LONG;

    return exploration->straight_steps > LONG_STEPS ||
           longer(hunt, exploration->used, hunt->tried_used) * trials > limit ||
           longer(hunt, exploration->seconds, hunt->tried_seconds) * trials > limit * WAITING;
}

double darn_hunt_work_ends(double started, double until, bool shrinks)
{
    return shrinks ? until - (until - started) * SHRINKING : until;
}
