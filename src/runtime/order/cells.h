/*
 * Which clocks an atomic operation moves. Two variables of four bytes that lie in one word have a
 * clock each: programs declare `atomic_int next, done;`, and who adds to the one has told nothing
 * by the other. But an operation on the whole word synchronizes with those on its parts, so where
 * there are both, either kind moves the clocks of both. Which kinds there are is remembered by
 * hash; whoever comes second finds the first.
 */
#ifndef DARN_RUNTIME_CELLS_H
#define DARN_RUNTIME_CELLS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/hash.h"

#define DARN_CELLS 4096

/* The lower four bytes of a word have the clock of the word. */
enum darn_cell { DARN_CELL_WORD = 1, DARN_CELL_UPPER = 2 };
extern _Atomic uint8_t darn_cells[DARN_CELLS];

static inline uintptr_t darn_cell_of(uintptr_t address, uint32_t size)
{
    return address & ~(uintptr_t)(size > 4 ? 7 : 3);
}

/* Whether the operation moves the other clock of its word, too. It is noted from now on. */
static inline uint8_t darn_cell_kind(uintptr_t address, uint32_t size)
{
    return size > 4 ? DARN_CELL_WORD : address & 4 ? DARN_CELL_UPPER : 0;
}

static inline _Atomic uint8_t *darn_cell_kinds(uintptr_t address)
{
    return &darn_cells[darn_spread(address / 8) % DARN_CELLS];
}

static inline bool darn_cell_is_shared(uintptr_t address, uint32_t size)
{
    uint8_t kind = darn_cell_kind(address, size), known;
    _Atomic uint8_t *kinds = darn_cell_kinds(address);

    if (!kind)
        return false;
    known = atomic_load_explicit(kinds, memory_order_relaxed);
    if (!(known & kind))
        known = atomic_fetch_or(kinds, kind);
    return known & ~kind;
}

/* Whether it is noted already, and moves no other one. */
static inline bool darn_cell_is_alone(uintptr_t address, uint32_t size)
{
    uint8_t kind = darn_cell_kind(address, size);

    return !kind || atomic_load_explicit(darn_cell_kinds(address), memory_order_relaxed) == kind;
}

#endif
