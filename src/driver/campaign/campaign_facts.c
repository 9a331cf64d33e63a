#include "driver/campaign/campaign_facts.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/hash.h"

static uint32_t hash_of(const struct darn_campaign_fact *fact)
{
    uint64_t hash = darn_hash_number(DARN_HASH_START, fact->kind);

    hash = darn_hash_word(darn_hash_word(hash, fact->first), fact->second);
    return (uint32_t)(hash ^ hash >> 32);
}

static void add(struct darn_campaign_facts *facts, const struct darn_campaign_fact *fact)
{
    if (facts->count == facts->room) {
        facts->room = facts->room ? 2 * facts->room : 1024;
        facts->items = darn_need_memory(realloc(facts->items, facts->room * sizeof(*facts->items)));
        facts->seen = darn_need_memory(realloc(facts->seen, facts->room));
    }
    facts->items[facts->count] = *fact;
    facts->seen[facts->count++] = 0;
    darn_htable_add(&facts->table, hash_of(fact), (uint32_t)facts->count);
}

/* Its number; 0: it is not there. */
static uint32_t find_fact(const struct darn_campaign_facts *facts,
                          const struct darn_campaign_fact *fact)
{
    uint32_t hash = hash_of(fact), item;
    size_t at = hash;

    while ((item = darn_htable_next(&facts->table, hash, &at))) {
        const struct darn_campaign_fact *known = &facts->items[item - 1];

        if (known->kind == fact->kind && known->first == fact->first &&
            known->second == fact->second)
            return item;
    }
    return 0;
}

bool darn_campaign_facts_has(const struct darn_campaign_facts *facts,
                             const struct darn_campaign_fact *fact)
{
    return find_fact(facts, fact);
}

uint8_t *darn_campaign_facts_at(struct darn_campaign_facts *facts,
                                const struct darn_campaign_fact *fact)
{
    uint32_t item = find_fact(facts, fact);

    if (!item)
        add(facts, fact);
    return &facts->seen[item ? item - 1 : facts->count - 1];
}

void darn_campaign_facts_free(struct darn_campaign_facts *facts)
{
    free(facts->items);
    free(facts->seen);
    darn_htable_free(&facts->table);
    *facts = (struct darn_campaign_facts){0};
}

void darn_campaign_coverage_add(struct darn_campaign_coverage *coverage,
                                const struct darn_campaign_fact *fact)
{
    uint8_t *seen = darn_campaign_facts_at(&coverage->facts, fact);

    *seen = 1;
}

void darn_campaign_coverage_name(struct darn_campaign_coverage *coverage, uint64_t key,
                                 const char *place)
{
    coverage->sites = darn_grow(coverage->sites, &coverage->site_room, coverage->site_count + 1,
                                sizeof(*coverage->sites));
    coverage->sites[coverage->site_count++] =
        (struct darn_campaign_site){key, darn_need_memory(strdup(place))};
}

void darn_campaign_coverage_free(struct darn_campaign_coverage *coverage)
{
    for (size_t i = 0; i < coverage->site_count; i++)
        free(coverage->sites[i].place);
    free(coverage->sites);
    darn_campaign_facts_free(&coverage->facts);
    *coverage = (struct darn_campaign_coverage){0};
}
