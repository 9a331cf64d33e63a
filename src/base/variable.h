/* The name of a variable as part of a fingerprint: the runtime and the reports must agree on it. */
#ifndef DARN_BASE_VARIABLE_H
#define DARN_BASE_VARIABLE_H

#include <stdbool.h>

#include "base/hash.h"

/* Without constant indices: an unrolled loop makes cells[0], cells[1], … of one place in the
 * source. */
static inline uint64_t darn_hash_variable(uint64_t hash, const char *variable)
{
    bool in_brackets = false;

    for (; *variable; variable++) {
        if (*variable == '[' || *variable == ']')
            in_brackets = *variable == '[';
        else if (in_brackets)
            continue;
        hash = darn_hash_byte(hash, (unsigned char)*variable);
    }
    return hash;
}

#endif
