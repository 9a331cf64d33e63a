/*
 * A run that is made for something which it cannot meet any more: all the places that are aimed at
 * are past, as often as earlier runs have come to them. How long it would take to its end does not
 * matter.
 */
#ifndef DARN_CONTROL_VAIN_H
#define DARN_CONTROL_VAIN_H

#include <stdbool.h>
#include <stdint.h>

#include "schedule/strategy.h"

/* The step of the choice `picked` is made, the `steps`-th of the run: counts it (result.visits).
 * True when the run may end. By whoever has the turn. */
bool darn_vain_step(const struct darn_choice *choices, uint32_t count, uint32_t picked,
                    uint64_t steps);

#endif
