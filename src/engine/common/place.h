/* Where something happened, as one number, for engines whose steps may have no site: the place of
 * the site (darn_engine_config.place_of), the stack where no site is known, and 0 if neither is. */
#ifndef DARN_ENGINE_PLACE_H
#define DARN_ENGINE_PLACE_H

#include <stdint.h>

#include "base/hash.h"
#include "engine/common/engine.h"

static inline uint64_t darn_place(const struct darn_engine_config *config, uint32_t site,
                                  uint32_t stack)
{
    if (!site)
        return stack ? (uint64_t)stack << 1 | 1 : 0;
    return (uint64_t)(config->place_of ? config->place_of(config->context, site) : site) << 1;
}

/* Where the place is not known, something else takes its part. */
static inline uint64_t darn_hash_place(uint64_t hash, uint64_t place, uint64_t instead)
{
    return darn_hash_word(hash, place ? place : UINT64_C(1) << 63 | instead);
}

#endif
