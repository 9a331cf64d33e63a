/*
 * Random numbers: splitmix64 (Steele et al. 2014). The same seed gives the same numbers on every
 * machine: explorations and strategies promise it. The state is one word, set to the seed.
 */
#ifndef DARN_BASE_RANDOM_H
#define DARN_BASE_RANDOM_H

#include "base/hash.h"

static inline uint64_t darn_random(uint64_t *state)
{
    return darn_mix(*state += DARN_HASH_GOLDEN);
}

/* A number below `bound`, which is not 0. The bias is at most bound / 2^64. */
static inline uint64_t darn_random_below(uint64_t *state, uint64_t bound)
{
    return (uint64_t)(((unsigned __int128)darn_random(state) * bound) >> 64);
}

#endif
