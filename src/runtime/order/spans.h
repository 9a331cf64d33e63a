/*
 * Long accesses. Of memset, memcpy or read over more bytes than are kept piece by piece
 * (remembered.h), every nth piece is remembered there, and the whole here: an access to any byte of
 * it is compared with it. There are few, and new ones take the place of old ones.
 */
#ifndef DARN_RUNTIME_SPANS_H
#define DARN_RUNTIME_SPANS_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/order/clocks.h"
#include "runtime/watch/touch.h"

/* What is known of one. */
struct darn_span {
    struct darn_touch touch;
    uint32_t slot, time, where;
};

void darn_spans_add(const struct darn_span *span);

/* One of another slot that conflicts with the access and that the clock does not know: whether
 * there is one. Nobody is waited for: what is just being written may be overlooked. */
bool darn_spans_find(const struct darn_thread_clock *clock, const struct darn_touch *touch,
                     struct darn_span *found);

/* Whether one is in this memory. */
bool darn_spans_touch(uintptr_t start, uint64_t size);

/* The memory becomes other variables. */
void darn_spans_forget(uintptr_t start, uint64_t size);

#endif
