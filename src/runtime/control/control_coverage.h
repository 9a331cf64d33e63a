/* What a controlled run has covered: which write each read has seen, and its partial order. */
#ifndef DARN_RUNTIME_CONTROL_COVERAGE_H
#define DARN_RUNTIME_CONTROL_COVERAGE_H

struct darn_slot;

/* The step of the slot is being made. */
void darn_coverage_step(struct darn_slot *slot);

#endif
