/* What accesses (races.c) and ends (ends.c) have in common. */
#ifndef DARN_RUNTIME_RACES_H
#define DARN_RUNTIME_RACES_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/order/remembered.h"
#include "runtime/order/thread_order.h"
#include "runtime/thread/thread.h"
#include "runtime/watch/touch.h"

/* Whether the thread has not done it a thousand times at this place yet. */
bool darn_race_is_seldom(struct darn_thread_order *order, uintptr_t place);

/* Whether this one is remembered, and whether it is one of many: what a thread does seldom at a
 * place comes first. */
bool darn_race_is_worth(struct darn_thread_order *order, struct darn_touch *touch, uintptr_t place);

/* Nothing orders the access that is about to happen and the one that was found. `where` is that of
 * the former, or 0. */
void darn_race_report(struct darn_thread *thread, const struct darn_touch *touch, uint32_t where,
                      const struct darn_memory_cell *cell, const void *frame);

#endif
