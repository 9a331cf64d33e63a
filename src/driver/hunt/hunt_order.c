/*
 * What a hunt does first, and how much of its time is for what.
 */
#include <stdlib.h>
#include <string.h>

#include "driver/hunt/hunt.h"

#define SHRINKING 0.15 /* of the whole time */

/* One of several engines that have told of the same: "eraser, hb". */
static bool has_engine(const char *engines, const char *engine)
{
    size_t length = strlen(engine);

    for (const char *at = engines; at; at = strchr(at, ',')) {
        at += strspn(at, ", ");
        if (strncmp(at, engine, length) == 0 && (!at[length] || at[length] == ','))
            return true;
    }
    return false;
}

/* What hb tells of was not ordered in the run that was recorded: it nearly happened. The others go
 * by locks, and may name what something that they do not see orders. */
static bool is_sure(const struct darn_target *target)
{
    return target->kind == DARN_TARGET_RACE && has_engine(target->finding->engine, "hb");
}

void darn_hunt_sort(struct darn_target *targets, size_t count)
{
    struct darn_target *sorted = count ? malloc(count * sizeof(*sorted)) : NULL;
    size_t at = 0;

    if (!sorted)
        return; /* as it is will do */
    for (int sure = 1; sure >= 0; sure--)
        for (size_t i = 0; i < count; i++)
            if (is_sure(&targets[i]) == sure)
                sorted[at++] = targets[i];
    memcpy(targets, sorted, count * sizeof(*sorted));
    free(sorted);
}

double darn_hunt_work_ends(double started, double until, bool shrinks)
{
    return shrinks ? until - (until - started) * SHRINKING : until;
}
