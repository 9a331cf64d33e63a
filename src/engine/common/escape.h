/*
 * Dynamic escape analysis (Wang & Stoller, section 3), for C: what a thread does with memory that
 * only it can know needs no checking.
 *
 * An object is a block of the heap, or a piece of a thread's stack. It escapes
 *  - when its address is stored in memory that has escaped, or is given to a new thread (POINTER);
 *  - together with an object in which its address was stored before: known pointers are followed
 *    from object to object;
 *  - when another thread touches it. That should come too late to matter, but pointers that were
 *    copied byte by byte, or stored by code that is not recorded, are not seen otherwise; nor are
 *    any in traces of version 1.
 *
 * All other memory has escaped from the beginning: globals, blocks whose allocation was not
 * recorded, and stacks that the trace does not tell.
 *
 * Of a stack the event tells which piece escapes, a frame or more: it stays so until the thread
 * ends, whatever comes to lie there. When another thread touches a stack without having been seen
 * to get its address, only what it touches escapes.
 */
#ifndef DARN_ENGINE_ESCAPE_H
#define DARN_ENGINE_ESCAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/event.h"

struct darn_escape;

/* NULL when there is no memory. */
struct darn_escape *darn_escape_create(void);
void darn_escape_destroy(struct darn_escape *escape);

/* Takes notice of ALLOC, FREE, STACK, POINTER and EXIT. */
void darn_escape_event(struct darn_escape *escape, const struct darn_event *event);

/* An access: whether the memory has escaped, or does with this access. Once it has, it stays so
 * until FREE: the answer need not be asked for again. */
bool darn_escape_has(struct darn_escape *escape, uint64_t address, uint32_t thread);

size_t darn_escape_memory(const struct darn_escape *escape);

#endif
