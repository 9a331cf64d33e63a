/* A small generator for decisions: xorshift64*, one state for each thread. */
#ifndef DARN_RUNTIME_RANDOM_H
#define DARN_RUNTIME_RANDOM_H

#include <stdint.h>

static inline uint32_t darn_random(uint64_t *state)
{
    uint64_t x = *state;

    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    *state = x;
    return (uint32_t)((x * UINT64_C(0x2545f4914f6cdd1d)) >> 32);
}

/* A number below `bound`, which is small: the bias does not matter. */
static inline uint32_t darn_random_below(uint64_t *state, uint32_t bound)
{
    return (uint32_t)(((uint64_t)darn_random(state) * bound) >> 32);
}

#endif
