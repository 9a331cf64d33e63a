/*
 * Memory that may be somewhere else, too: another process has it, or it is mapped twice. What tells
 * a thread something there may have been set at another address, or by a process that was told by
 * yet another thread of ours. So whoever synchronizes by what lies there comes after all.
 */
#ifndef DARN_RUNTIME_ELSEWHERE_H
#define DARN_RUNTIME_ELSEWHERE_H

#include <stdbool.h>
#include <stdint.h>

/* Whether there is any such memory: few programs have. */
extern volatile bool darn_elsewhere_any;

void darn_elsewhere_add(uintptr_t start, uint64_t size);

/* The same as soon as there is another process: nobody else can have it yet. */
void darn_elsewhere_add_later(uintptr_t start, uint64_t size);
void darn_elsewhere_process(void);

/* It is unmapped, or mapped anew. */
void darn_elsewhere_remove(uintptr_t start, uint64_t size);

bool darn_elsewhere_has_slowly(uintptr_t address);

static inline bool darn_elsewhere_has(uintptr_t address)
{
    return __builtin_expect(darn_elsewhere_any, 0) && darn_elsewhere_has_slowly(address);
}

#endif
