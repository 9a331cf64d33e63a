#include "runtime/order/touched.h"

_Atomic uint32_t darn_lives[DARN_TOUCHED_LINES * DARN_TOUCHED_PAIRS];
union darn_touched darn_touched;

void darn_touched_note(uint64_t granule)
{
    uint8_t bit = (uint8_t)(1 << granule % 8);

    if (!(darn_touched_pieces(granule) & bit))
        atomic_fetch_or_explicit(&darn_touched.lines[darn_touched_line(granule)], bit,
                                 memory_order_relaxed);
}

void darn_touched_renew(uint32_t line, unsigned first, unsigned end)
{
    unsigned pieces = (1U << (end + 1) / 2 * 2) - (1U << first / 2 * 2);
    unsigned old =
        atomic_load_explicit(&darn_touched.lines[line], memory_order_relaxed) & pieces;

    if (!old)
        return;
    atomic_fetch_and_explicit(&darn_touched.lines[line], (uint8_t)~pieces, memory_order_relaxed);
    for (unsigned pair = 0; pair < DARN_TOUCHED_PAIRS; pair++) {
        if (old >> 2 * pair & 3)
            atomic_fetch_add_explicit(&darn_lives[line * DARN_TOUCHED_PAIRS + pair], 1,
                                      memory_order_relaxed);
    }
}

/* The pieces of its line from this one on, up to the end. */
static unsigned pieces_from(uint64_t granule, uint64_t end)
{
    unsigned pieces = (unsigned)darn_touched_pieces(granule) >> granule % 8;
    uint64_t room = darn_touched_line_end(granule, end) - granule;

    return pieces & ((1U << room) - 1);
}

uint64_t darn_touched_next(uint64_t granule, uint64_t end)
{
    while (granule < end) {
        uint64_t next = darn_untouched_end(granule, end);
        unsigned pieces;

        if (next == granule) {
            pieces = pieces_from(granule, end);
            if (pieces)
                return granule + (uint64_t)__builtin_ctz(pieces);
            next = darn_touched_line_end(granule, end);
        }
        granule = next;
    }
    return end;
}

uint64_t darn_touched_count(uint64_t granule, uint64_t end)
{
    uint64_t count = 0;

    while ((granule = darn_touched_next(granule, end)) < end) {
        count += (uint64_t)__builtin_popcount(pieces_from(granule, end));
        granule = darn_touched_line_end(granule, end);
    }
    return count;
}
