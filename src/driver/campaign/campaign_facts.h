/*
 * Coverage: what a round has seen threads do, as darn run --coverage writes it
 * (src/trace/covered.h), and what of it is new.
 */
#ifndef DARN_DRIVER_CAMPAIGN_FACTS_H
#define DARN_DRIVER_CAMPAIGN_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/htable.h"

struct darn_campaign_fact {
    uint32_t kind;
    uint64_t first, second;
};

/* A site that facts name. */
struct darn_campaign_site {
    uint64_t key;
    char *place; /* bank.c:29:19 write acct->balance */
};

/* In how many rounds of a shard each fact was seen: 3 stands for more. Estimates of what is missing
 * need to know no more, and facts that are seen always cost nothing. */
#define DARN_CAMPAIGN_OFTEN     3
#define DARN_CAMPAIGN_ELSEWHERE 0x80 /* or-ed: another shard has seen it */

struct darn_campaign_facts {
    struct darn_campaign_fact *items;
    uint8_t *seen;
    size_t count, room;
    struct darn_htable table;
};

/* How often it was seen, to be changed; a new one was seen 0 times. Good until the next call. */
uint8_t *darn_campaign_facts_at(struct darn_campaign_facts *facts,
                                const struct darn_campaign_fact *fact);
bool darn_campaign_facts_has(const struct darn_campaign_facts *facts,
                             const struct darn_campaign_fact *fact);
void darn_campaign_facts_free(struct darn_campaign_facts *facts);

/* Of one round. A zeroed struct has none; a fact that comes twice is one. */
struct darn_campaign_coverage {
    struct darn_campaign_facts facts;
    struct darn_campaign_site *sites;
    size_t site_count, site_room;
};

void darn_campaign_coverage_add(struct darn_campaign_coverage *coverage,
                                const struct darn_campaign_fact *fact);
void darn_campaign_coverage_name(struct darn_campaign_coverage *coverage, uint64_t key,
                                 const char *place);
void darn_campaign_coverage_free(struct darn_campaign_coverage *coverage);

#endif
