#include "runtime/report/fingerprints.h"

#include <stddef.h>

#include "base/fingerprint.h"
#include "base/hash.h"
#include "runtime/report/deliver_parts.h"
#include "runtime/thread/stuck.h"

static uint64_t fingerprint_side(const char *kind, const struct darn_side *side)
{
    const struct darn_site *site = side ? side->touch.site : NULL;

    if (!site)
        return darn_fingerprint_word(kind, side ? "free" : "unknown");
    return darn_fingerprint_site(kind, darn_site_file(site), darn_site_function(site), site->line,
                                 site->column);
}

/* Of this process: a place without a site is known by its way. */
static uint64_t fingerprint_way(const struct darn_side *side)
{
    uint64_t hash = darn_hash_string(DARN_HASH_START, darn_part_op(side));

    for (uint32_t i = 0; i < 2 && i < side->stack.depth; i++)
        hash = darn_hash_number(hash, (uint32_t)side->stack.pcs[i]);
    return hash;
}

const char *darn_side_variable(const struct darn_side *side)
{
    return side && side->touch.site ? darn_site_variable(side->touch.site) : "";
}

const char *darn_race_variable(const struct darn_side *one, const struct darn_side *other)
{
    return darn_fingerprint_variable(darn_side_variable(one), darn_side_variable(other));
}

uint64_t darn_race_fingerprint(const struct darn_race *race, const char *variable)
{
    if (race->second && !race->first->touch.site && !race->second->touch.site)
        return darn_fingerprint_race(fingerprint_way(race->first), fingerprint_way(race->second),
                                     variable);
    return darn_fingerprint_race(fingerprint_side(DARN_KIND_RACE, race->first),
                                 fingerprint_side(DARN_KIND_RACE, race->second), variable);
}

uint64_t darn_violation_fingerprint(const struct darn_violation *violation, const char *variable)
{
    const struct darn_side *sides[] = {violation->entry, violation->remote, violation->end};
    uint64_t places[3];

    for (int i = 0; i < 3; i++)
        places[i] = darn_hash_string(fingerprint_side(DARN_KIND_VIOLATION, sides[i]),
                                     darn_part_op(sides[i]));
    return darn_fingerprint_places(DARN_KIND_VIOLATION, places, 3, NULL, variable);
}

/* By what they wait for, and where: the threads may come in any order. Of a misuse by where it
 * happens: it may be another object each time, and another thread that has it. */
uint64_t darn_stuck_fingerprint(const struct darn_stuck *stuck)
{
    uint64_t sum = darn_hash_string(DARN_HASH_START, stuck->reason ? stuck->reason : stuck->kind);

    for (uint32_t i = 0; i < (stuck->threads[0].op ? 1 : stuck->count); i++) {
        const struct darn_stuck_thread *thread = &stuck->threads[i];
        uint64_t hash =
            darn_hash_number(DARN_HASH_START, thread->op ? 0 : (uint32_t)thread->target);

        for (uint32_t j = 0; j < 2 && j < thread->side.stack.depth; j++)
            hash = darn_hash_number(hash, (uint32_t)thread->side.stack.pcs[j]);
        sum += hash;
    }
    return sum;
}
