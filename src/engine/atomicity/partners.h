/*
 * Which places touch the same memory from different threads: who may come between the accesses of
 * an atomic section.
 *
 * Not an engine of engine.h: it predicts nothing, and asks for no order. Whether the one can really
 * come while the other is there is found out by trying.
 */
#ifndef DARN_ENGINE_PARTNERS_H
#define DARN_ENGINE_PARTNERS_H

#include <stddef.h>
#include <stdint.h>

#include "trace/event.h"

struct darn_partners;

/* NULL when there is no memory. */
struct darn_partners *darn_partners_create(void);
void darn_partners_destroy(struct darn_partners *partners);

void darn_partners_event(struct darn_partners *partners, const struct darn_event *event);

/* Calls back with each pair of sites (ids of the trace), in both orders, once; `one` and `other`
 * may be the same. */
void darn_partners_each(const struct darn_partners *partners,
                        void (*visit)(void *context, uint32_t one, uint32_t other), void *context);

#endif
