/*
 * Of which pieces of memory something is remembered, and which life they are in. A piece is eight
 * bytes (a granule), by its address / 8; a line of the cache has eight, and is known by a hash.
 *
 * Memory that is given back and used again holds other variables: it begins a new life.
 */
#ifndef DARN_RUNTIME_TOUCHED_H
#define DARN_RUNTIME_TOUCHED_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define DARN_TOUCHED_BITS 16
#define DARN_TOUCHED_LINES     (UINT32_C(1) << DARN_TOUCHED_BITS)
/* Each two pieces have a life: blocks of malloc share lines, but not sixteen bytes. */
#define DARN_TOUCHED_PAIRS 4

extern _Atomic uint32_t darn_lives[DARN_TOUCHED_LINES * DARN_TOUCHED_PAIRS];

union darn_touched {
    _Atomic uint8_t lines[DARN_TOUCHED_LINES]; /* bit i: piece i */
    _Atomic uint64_t eights[DARN_TOUCHED_LINES / 8];
};
extern union darn_touched darn_touched;

/* Lines that lie side by side in memory do so here: who frees a block or fills it touches little of
 * ours. */
static inline uint32_t darn_touched_fold(uint64_t line, unsigned bits)
{
    return (uint32_t)((line ^ line >> bits ^ line >> 2 * bits) & ((1U << bits) - 1));
}

static inline uint32_t darn_touched_line(uint64_t granule)
{
    return darn_touched_fold(granule / 8, DARN_TOUCHED_BITS);
}

static inline uint32_t darn_life_of(uint64_t granule)
{
    return atomic_load_explicit(
        &darn_lives[darn_touched_line(granule) * DARN_TOUCHED_PAIRS + granule % 8 / 2],
        memory_order_relaxed);
}

static inline uint8_t darn_touched_pieces(uint64_t granule)
{
    return atomic_load_explicit(&darn_touched.lines[darn_touched_line(granule)],
                                memory_order_relaxed);
}

static inline bool darn_is_touched(uint64_t granule)
{
    return darn_touched_pieces(granule) >> granule % 8 & 1;
}

void darn_touched_note(uint64_t granule);

/* A new life for the pieces from `first` to before `end` of a line, and for those that share it. */
void darn_touched_renew(uint32_t line, unsigned first, unsigned end);

/* The end of the line that a piece lies in, or the end of all. */
static inline uint64_t darn_touched_line_end(uint64_t granule, uint64_t end)
{
    uint64_t next = (granule / 8 + 1) * 8;

    return next < end ? next : end;
}

/* The same of the eight lines around it, which lie side by side here, too, if nothing is touched in
 * any of them; else the piece itself. */
static inline uint64_t darn_untouched_end(uint64_t granule, uint64_t end)
{
    uint64_t next = (granule / 64 + 1) * 64;

    if (atomic_load_explicit(&darn_touched.eights[darn_touched_line(granule) / 8],
                             memory_order_relaxed))
        return granule;
    return next < end ? next : end;
}

/* The first touched piece from this one on, or the end. */
uint64_t darn_touched_next(uint64_t granule, uint64_t end);

/* How many are. */
uint64_t darn_touched_count(uint64_t granule, uint64_t end);

#endif
