/*
 * Accesses that are remembered: who touched which bytes, when and where, in memory of bounded size.
 * New ones take the place of old ones, first of those of places that are come by often.
 *
 * Memory that is given back and used again holds other variables: it gets a new life, and what is
 * remembered of an earlier one counts no longer.
 */
#ifndef DARN_RUNTIME_REMEMBERED_H
#define DARN_RUNTIME_REMEMBERED_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/order/clocks.h"
#include "runtime/watch/touch.h"

/* What is remembered of an access to eight bytes. */
struct darn_memory_cell {
    uint64_t granule; /* address / 8 */
    uint32_t time;
    uint32_t where; /* (wheres.h); 0: the cell is unused */
    uint32_t life;  /* of its sixteen bytes */
    uint8_t slot;
    uint8_t bytes; /* bit i: byte i is touched */
    uint8_t op : 7; /* enum darn_touch_op */
    uint8_t is_often : 1; /* (watch/touch.h) */
    uint8_t flags; /* enum darn_memory_flag */
};

enum darn_memory_flag {
    DARN_MEMORY_ATOMIC = 1,
    DARN_MEMORY_VOLATILE = 2,
    DARN_MEMORY_ASSERTED = 4, /* times enum darn_assertion */
};

static inline uint8_t darn_memory_assertion(uint8_t flags)
{
    return flags / DARN_MEMORY_ASSERTED;
}

/* Whether there is memory. */
bool darn_memory_open(void);

/*
 * Remembers an access, and looks for one of another slot that conflicts with it and that the clock
 * does not know: whether there is one, which is copied then.
 */
bool darn_memory_access(struct darn_thread_clock *clock, const struct darn_touch *touch,
                        uint32_t where, struct darn_memory_cell *found);

/* Whether all of this is remembered of the thread at its time: that of who writes stands for who
 * reads. Nobody is waited for: what is just being written may be overlooked. */
bool darn_memory_has(const struct darn_thread_clock *clock, uintptr_t address, uint32_t size,
                     bool writes);

/* What is remembered of the eight bytes around an address, in any order: how many are copied. With
 * `old` also what was done to memory that was there before. Nobody is waited for. */
#define DARN_MEMORY_CELLS 5
uint32_t darn_memory_look(uintptr_t address, bool old, struct darn_memory_cell *found);

/* Whether anything may be remembered of it. */
bool darn_memory_is_touched(uintptr_t start, uint64_t size);

/* What is remembered of this memory counts no longer. */
void darn_memory_forget(uintptr_t start, uint64_t size);

/*
 * The same, and looks for an access of another slot that the clock does not know: whether there is
 * one, which is copied then. With `where` the end itself is remembered, until the memory begins a
 * new life: of all that was touched, and with `all` of the beginning of a block that nobody did.
 */
bool darn_memory_end(struct darn_thread_clock *clock, const struct darn_touch *touch,
                     uint32_t where, bool all, struct darn_memory_cell *found);

#endif
