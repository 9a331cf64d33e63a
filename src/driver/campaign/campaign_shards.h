/*
 * A campaign on more than one machine, by GNU parallel or Slurm: each shard is `darn campaign work`
 * with a name, a seed and a time, and writes a database of its own; afterwards all are merged. A
 * shard that has not come to its end is run once more.
 */
#ifndef DARN_DRIVER_CAMPAIGN_SHARDS_H
#define DARN_DRIVER_CAMPAIGN_SHARDS_H

#include "driver/campaign/campaign_run.h"

struct darn_campaign_shards {
    const char *on;            /* "parallel:HOSTS" or "slurm" */
    const char *slurm_options; /* words for sbatch; NULL: none */
    uint64_t count;            /* of shards; with parallel, for each host */
    bool transfer;             /* parallel brings what is needed to the hosts, */
    const char *transferred;   /* and these paths, with commas; NULL: no more */
};

/* Whether the text names an engine: local, parallel:HOSTS, slurm. */
bool darn_campaign_engine_is_known(const char *on);

/* 0 or DARN_REFUSED. */
int darn_campaign_shards_run(const struct darn_campaign *campaign, struct darn_listener *listener,
                             struct darn_campaign_store *store,
                             const struct darn_campaign_wanted *wanted,
                             const struct darn_campaign_shards *shards,
                             struct darn_campaign_result *result);

/* A shard has come to its end: says so in its database. */
int darn_campaign_store_finish(struct darn_campaign_store *store);

#endif
