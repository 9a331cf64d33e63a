#include "runtime/report/found_cause.h"

#include <string.h>

#include "base/fingerprint.h"
#include "base/hash.h"
#include "runtime/watch/heap.h"

uintptr_t darn_side_place(const struct darn_side *side)
{
    return side->touch.site    ? (uintptr_t)side->touch.site
           : side->stack.depth ? side->stack.pcs[0]
                               : 0;
}

static uint64_t function_of(const struct darn_side *side)
{
    return side && side->touch.site
               ? darn_hash_string(DARN_HASH_START, darn_site_function(side->touch.site))
               : 0;
}

void darn_cause_describe(struct darn_known_finding *finding, const struct darn_race *race)
{
    uint64_t one = function_of(race->first), other = function_of(race->second);
    struct darn_heap_block block;

    finding->site = race->first->touch.site;
    finding->other = race->second ? race->second->touch.site : NULL;
    finding->places[0] = darn_side_place(race->first);
    finding->places[1] = race->second ? darn_side_place(race->second) : 0;
    finding->address = race->first->touch.address;
    finding->functions = one && other ? one + other : 0; /* in either order */
    finding->block = !race->first->touch.object && darn_heap_find(finding->address, &block)
                         ? block.address
                         : 0;
}

static bool has_same_side(const struct darn_known_finding *a, const struct darn_known_finding *b)
{
    for (int i = 0; i < 2; i++) {
        if (a->places[i] && (a->places[i] == b->places[0] || a->places[i] == b->places[1]))
            return true;
    }
    return false;
}

static bool has_same_variable(const struct darn_known_finding *a,
                              const struct darn_known_finding *b)
{
    return *a->variable && strcmp(a->variable, b->variable) == 0 &&
           (a->address == b->address || darn_fingerprint_is_telling(a->variable));
}

/* Who uses a struct without a lock races at each of its members. */
static bool has_same_block(const struct darn_known_finding *a, const struct darn_known_finding *b)
{
    return a->block && a->block == b->block && a->functions && a->functions == b->functions;
}

uint64_t darn_cause_find(const struct darn_known_finding *findings, uint32_t count,
                         const struct darn_known_finding *finding)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct darn_known_finding *other = &findings[i];

        if (other != finding && other->count && other->kind && !other->suppressed &&
            !other->variant_of && strcmp(other->kind, DARN_KIND_RACE) == 0 &&
            (finding->is_predicted || !other->is_predicted) &&
            (has_same_side(finding, other) || has_same_variable(finding, other) ||
             has_same_block(finding, other)))
            return other->id;
    }
    return 0;
}

bool darn_cause_is_told(const struct darn_known_finding *findings, uint32_t count,
                        const struct darn_known_finding *variant)
{
    uint32_t told = 0;

    for (uint32_t i = 0; i < count; i++)
        told += &findings[i] != variant && findings[i].count &&
                findings[i].variant_of == variant->variant_of;
    return told >= DARN_VARIANTS_TOLD;
}
