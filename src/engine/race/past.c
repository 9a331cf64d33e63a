#include "engine/race/past.h"

#include <string.h>

struct darn_access darn_past_access(const struct darn_event *event, uint32_t holding,
                                    uint64_t address)
{
    return darn_access_pack(event, darn_epoch_make(event->thread, 1), holding, false, address);
}

void darn_past_add(struct darn_past *past, const struct darn_access *access)
{
    struct darn_access *first = &past->first, *second = &past->second;
    bool is_first = !first->epoch || first->epoch == access->epoch;

    if (darn_access_writes(access)) {
        if (!is_first)
            *second = *first;
        *first = *access;
    } else if (!is_first) {
        *second = *access;
    } else if (!darn_access_writes(first)) {
        *first = *access;
    }
}

void darn_past_share(struct darn_past *past, const struct darn_access *access, uint32_t owner)
{
    bool is_second = past->second.epoch && darn_past_thread(&past->second) == owner;

    *past = (struct darn_past){.first = *access, .second = is_second ? past->second : past->first};
}

static bool conflict(const struct darn_access *a, const struct darn_access *b)
{
    return a->epoch && a->epoch != b->epoch && (darn_access_writes(a) || darn_access_writes(b));
}

static bool is_guarded(struct darn_racebase *base, const struct darn_access *a,
                       const struct darn_access *b)
{
    return !darn_lockset_disjoint_for(base->sets, darn_holding_set(base->held, a->holding),
                                      darn_holding_set(base->held, b->holding));
}

void darn_past_report(struct darn_racebase *base, const struct darn_past *past,
                      const struct darn_access *access, uint64_t address,
                      struct darn_access *reported)
{
    const struct darn_access *earlier = &past->first, *later = access;
    struct darn_event events[2];

    if (!conflict(earlier, access)) {
        earlier = &past->second;
        if (!conflict(earlier, access))
            later = &past->first;
    } else if (conflict(&past->second, access) && is_guarded(base, earlier, access) &&
               !is_guarded(base, &past->second, access)) {
        earlier = &past->second;
    }
    if (memcmp(reported, earlier, sizeof(*earlier)) == 0)
        return;
    *reported = *earlier;
    events[0] = darn_access_event(earlier, address);
    events[0].thread = darn_past_thread(earlier);
    events[1] = darn_access_event(later, address);
    events[1].thread = darn_past_thread(later);
    darn_racebase_report(base, address, &events[0], earlier->holding, &events[1], later->holding);
}
