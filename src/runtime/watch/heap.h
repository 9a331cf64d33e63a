/*
 * Where heap blocks were allocated, for the reports.
 *
 * A table of fixed size that is written without locks: a new block takes the place of an older one
 * that shares its slot. The memory that a program pays for is bounded, and what is forgotten is
 * counted.
 */
#ifndef DARN_RUNTIME_HEAP_H
#define DARN_RUNTIME_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/thread/stack.h"

struct darn_heap_block {
    uintptr_t address;
    uint64_t size;
    uint32_t thread;
    struct darn_stack stack;
};

/* `frame` is that of the allocation function. */
void darn_heap_add(const void *block, size_t size, const void *frame);

/* The block is about to be given back; it was. Another thread may have it again between the call and
 * the second of these, and is then not known to have allocated it. */
void darn_heap_prepare(const void *block);
void darn_heap_remove(const void *block);

/* The remembered block that contains the address. Slow: for reports. */
bool darn_heap_find(uintptr_t address, struct darn_heap_block *block);

#endif
