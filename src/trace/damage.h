/*
 * What is wrong with a trace, and where: the first damage that is found counts. And what a trace
 * does not have.
 */
#ifndef DARN_TRACE_DAMAGE_H
#define DARN_TRACE_DAMAGE_H

#include <stdbool.h>
#include <stdint.h>

struct darn_damage {
    bool found;
    uint64_t at; /* byte of the file; of a text, its line */
    char what[224];
};

/* Returns -1, for callers to pass on. */
__attribute__((format(printf, 3, 4))) int darn_damage(struct darn_damage *damage, uint64_t at,
                                                      const char *format, ...);

/* Why it does not have it: the word for an enum darn_trace_why. */
const char *darn_missing_why(uint32_t why);

#endif
