/*
 * Which memory was recorded, and which of that was freed since, by cache line and hash: a block
 * that nobody has recorded an access to may come and go unseen. A bit that is set in vain costs an
 * event.
 */
#ifndef DARN_RUNTIME_LINES_H
#define DARN_RUNTIME_LINES_H

#include <stdbool.h>
#include <stdint.h>

enum { DARN_LINE_TOUCHED = 1, DARN_LINE_FREED = 2 };

#define DARN_LINES 65536
extern uint8_t darn_lines[DARN_LINES];

/* A block of more lines than this is taken as touched. */
#define DARN_LINES_MANY 256

static inline uint8_t *darn_line_of(uintptr_t address)
{
    return &darn_lines[(address >> 6 ^ address >> 22) % DARN_LINES];
}

static inline bool darn_lines_any(uintptr_t start, uint64_t size, uint8_t what)
{
    if (size / 64 > DARN_LINES_MANY)
        return true;
    for (uintptr_t at = start & ~UINT64_C(63); at < start + size; at += 64) {
        if (*darn_line_of(at) & what)
            return true;
    }
    return false;
}

static inline void darn_lines_set(uintptr_t start, uint64_t size, uint8_t what)
{
    for (uintptr_t at = start & ~UINT64_C(63); size && at < start + size; at += 64) {
        uint8_t *line = darn_line_of(at);

        if (!(*line & what))
            __atomic_fetch_or(line, what, __ATOMIC_RELAXED);
    }
}

#endif
