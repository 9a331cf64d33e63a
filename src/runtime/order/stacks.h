/*
 * How deep into the stacks of threads accesses were remembered, of whatever thread: when a thread
 * ends, its stack becomes another's, and that much of it has to be forgotten.
 */
#ifndef DARN_RUNTIME_STACKS_H
#define DARN_RUNTIME_STACKS_H

#include <stdbool.h>
#include <stdint.h>

/* The thread of this slot (clocks.h) has this stack from now on. */
void darn_stacks_begin(uint32_t slot, uintptr_t start, uintptr_t end);

/* Its stack is another's from now on: the lowest address that was touched; 0: none. */
uintptr_t darn_stacks_end(uint32_t slot);

/* That the stack has ended was remembered for what lies between these: until it is another's.
 * Called before anything of that is remembered. */
void darn_stacks_leave(uint32_t slot, uintptr_t deepest, uintptr_t end);

/* The thread of this slot touches the address. */
void darn_stacks_touch(uint32_t slot, uintptr_t address);

/* Whether it is an address in the stack of a thread that is there. */
bool darn_stacks_has(uintptr_t address);

#endif
