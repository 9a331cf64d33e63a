/*
 * What it costs to remember accesses (order/ordering.h), and how much of it the budget allows.
 *
 * Windows cost what the time costs for which attention is raised. To remember an access costs by
 * itself, a hundred times what the access does, and again when its memory is given back. So that is
 * measured, and accesses are remembered only while it is a small share of the processor time.
 */
#ifndef DARN_RUNTIME_SPENDING_H
#define DARN_RUNTIME_SPENDING_H

#include <stdbool.h>
#include <stdint.h>

/* Whether accesses are remembered now. */
extern volatile bool darn_remembering;

/* In cycles of the processor. `who` may be any number that few threads share. */
static inline uint64_t darn_spending_start(void)
{
    return __builtin_ia32_rdtsc();
}

void darn_spending_end(uint32_t who, uint64_t start);
void darn_spending_sampled(uint32_t who, uint64_t start); /* one for DARN_SPENDING_SAMPLE */

/* One access in so many is measured where it takes as long as what it measures. */
#define DARN_SPENDING_SAMPLE 64

/* What was spent since the first call, in nanoseconds. The sampler alone asks. */
uint64_t darn_spending_total(void);

/* Decides. Until the first time, everything is remembered and nothing counts. */
void darn_spending_review(uint32_t budget);

#endif
