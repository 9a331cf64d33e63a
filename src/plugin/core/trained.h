/*
 * What training runs have learned about the accesses of the module (trace/profile.h), for programs
 * that are built with `darn cc --profile`: only accesses that were seen to touch memory that
 * threads share are left. Atomic accesses, fences and the reads of spin loops stay, too: they order
 * others.
 */
#ifndef DARN_PLUGIN_TRAINED_H
#define DARN_PLUGIN_TRAINED_H

#include <stdbool.h>

#include "base/map.h"
#include "plugin/core/access.h"

struct darn_trained {
    bool is_trained;      /* there is a profile */
    struct darn_map keys; /* darn_site_key */
};

/* Reads the profile that `darn cc` has named, and checked. */
void darn_trained_init(struct darn_trained *trained);
void darn_trained_free(struct darn_trained *trained);

/* Takes away what no run has seen to be shared. After darn_accesses_select: what an access covers
 * has not been seen, and stays with it. */
void darn_trained_keep(const struct darn_trained *trained, struct darn_accesses *accesses);

#endif
