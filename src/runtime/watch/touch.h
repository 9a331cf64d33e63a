/* One access as the runtime sees it, about to happen; and when two of them conflict. */
#ifndef DARN_RUNTIME_TOUCH_H
#define DARN_RUNTIME_TOUCH_H

#include <stdbool.h>
#include <stdint.h>

#include "site/site.h"

/* A use is what a call does to an object of libc or the kernel: it conflicts with the end of that,
 * a free, and with nothing else. */
enum darn_touch_op { DARN_OP_READ, DARN_OP_WRITE, DARN_OP_UPDATE, DARN_OP_FREE, DARN_OP_USE };

/* What is used or ends, if it is no block of memory. */
enum darn_touch_object {
    DARN_OBJECT_NONE,
    DARN_OBJECT_MUTEX,
    DARN_OBJECT_RWLOCK,
    DARN_OBJECT_SPIN,
    DARN_OBJECT_COND,
    DARN_OBJECT_BARRIER,
    DARN_OBJECT_SEMAPHORE,
    DARN_OBJECT_DESCRIPTOR,
    DARN_OBJECT_STREAM,
    DARN_OBJECT_STACK,
};

/* KCSAN's assertions: stronger than an access, they also forbid atomic accesses of others. */
enum darn_assertion { DARN_ASSERT_NONE, DARN_ASSERT_WRITER, DARN_ASSERT_ACCESS };

struct darn_touch {
    uintptr_t address;
    uint64_t size;
    uint64_t gaps;                /* 0, or which bytes of the first 64 are touched */
    uint64_t value;               /* with has_value: what is about to be written */
    const struct darn_site *site; /* NULL for free, and for uses */
    uint8_t op;                   /* enum darn_touch_op */
    uint8_t object;               /* enum darn_touch_object */
    uint8_t assertion;            /* enum darn_assertion */
    bool atomic;
    bool is_volatile;
    bool has_value;
    bool is_often; /* the thread has come there a thousand times (order/races.c) */
};

/* Whether the two touch a byte in common. */
bool darn_touch_overlap(const struct darn_touch *a, const struct darn_touch *b);

/* Whether it is an error if two threads stand before these two at the same time. */
bool darn_touch_conflict(const struct darn_touch *a, const struct darn_touch *b);

#endif
