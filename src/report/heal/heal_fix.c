#include "report/heal/heal_fix.h"

#include <string.h>

#include "report/advice.h"
#include "report/text/ink.h"
#include "report/text/phrase.h"
#include "report/violation.h"

static bool holds(const struct darn_access *access, const struct darn_lock *lock)
{
    for (size_t i = 0; i < access->lock_count; i++)
        if (lock->address && access->locks[i].address == lock->address)
            return true;
    return false;
}

/* Of both accesses of the thread, before one of the thread that came in between. */
static const struct darn_lock *lock_of_violation(const struct darn_finding *finding)
{
    const struct darn_access *entry = &finding->accesses[DARN_VIOLATION_ENTRY];
    const struct darn_access *remote = &finding->accesses[DARN_VIOLATION_REMOTE];
    const struct darn_access *end = &finding->accesses[DARN_VIOLATION_END];
    const struct darn_lock *common = NULL;

    for (size_t i = 0; i < entry->lock_count; i++) {
        const struct darn_lock *lock = &entry->locks[i];

        if (holds(end, lock) && (!common || holds(remote, lock)))
            common = lock;
    }
    if (common)
        return common;
    return remote->lock_count ? &remote->locks[0] : NULL;
}

const struct darn_lock *darn_fix_lock(const struct darn_finding *finding)
{
    if (!finding)
        return NULL;
    if (darn_violation_is_whole(finding))
        return lock_of_violation(finding);
    for (size_t i = 0; i < finding->access_count; i++)
        if (finding->accesses[i].lock_count)
            return &finding->accesses[i].locks[0];
    return NULL;
}

static void say_range(struct darn_ink *ink, const struct darn_style *style,
                      const struct darn_fix_range *range)
{
    darn_phrase_position(ink, style, range->file, range->first, 0);
    if (range->last > range->first)
        darn_say(ink, " to %u", range->last);
}

/* Nothing is known but where the variable is used. */
static void say_ranges(struct darn_ink *ink, const struct darn_fix *fix,
                       const struct darn_style *style)
{
    darn_say(ink, "hold one lock ");
    for (size_t i = 0; i < fix->count; i++) {
        darn_say(ink, i == 0 ? "at " : i + 1 == fix->count ? " and at " : ", at ");
        say_range(ink, style, &fix->ranges[i]);
    }
    darn_say(ink, ", and wherever else '%s' is used", fix->variable);
}

static bool is_about_memory(const struct darn_finding *finding)
{
    return darn_finding_is(finding, "data-race") || darn_finding_is(finding, "atomicity-violation");
}

void darn_fix_print(FILE *out, const struct darn_fix *fix, const struct darn_style *style)
{
    struct darn_ink ink = {out, style->color};

    darn_say_in(&ink, DARN_TINT_LABEL, "fix:");
    darn_say(&ink, " ");
    if (fix->finding)
        darn_advice(&ink, fix->finding, style);
    else
        say_ranges(&ink, fix, style);
    darn_say(&ink, "\n");
    if (!fix->finding || is_about_memory(fix->finding))
        darn_fix_sketch(out, fix);
}
