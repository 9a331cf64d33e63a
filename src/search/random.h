/* Random numbers of a search: splitmix64 (Steele et al. 2014). The same seed, the same search. */
#ifndef DARN_SEARCH_RANDOM_H
#define DARN_SEARCH_RANDOM_H

#include <stdint.h>

/* Spreads the bits of a number over all of the result. */
static inline uint64_t darn_search_mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

/* A hash of the two in this order. */
static inline uint64_t darn_search_join(uint64_t a, uint64_t b)
{
    return darn_search_mix(a * UINT64_C(0x9e3779b97f4a7c15) + b + UINT64_C(0x632be59bd9b4e019));
}

static inline uint64_t darn_search_random(uint64_t *state)
{
    return darn_search_mix(*state += UINT64_C(0x9e3779b97f4a7c15));
}

/* A number below `bound`, which is not 0. The bias is at most bound / 2^32. */
static inline uint32_t darn_search_below(uint64_t *state, uint32_t bound)
{
    return (uint32_t)(((darn_search_random(state) >> 32) * bound) >> 32);
}

#endif
