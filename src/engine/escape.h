/*
 * Dynamic escape analysis (Wang & Stoller, section 3), as far as a trace of a C program allows:
 * what a thread does with memory that only it can know needs no checking.
 *
 * The paper follows references: an object escapes when it is stored where others can see it, and
 * what it refers to escapes with it. That takes the values of pointers that are stored, which
 * events do not have (a WRITE has an address and a size), and the contents of a block at the time
 * when it escapes. What is done instead:
 *  - a block of the heap has not escaped as long as no thread has touched it but the one that
 *    allocated it. The whole block escapes with the first access of another thread. This is a
 *    guess: what the owner did between handing out the address and that access is left out, and a
 *    violation with it is missed;
 *  - all other memory has escaped from the beginning: globals, stacks, and blocks whose allocation
 *    was not recorded.
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

/* Takes notice of ALLOC and FREE. */
void darn_escape_event(struct darn_escape *escape, const struct darn_event *event);

/* An access: whether the memory has escaped, or does with this access. Once it has, it stays so
 * until FREE: the answer need not be asked for again. */
bool darn_escape_has(struct darn_escape *escape, uint64_t address, uint32_t thread);

size_t darn_escape_memory(const struct darn_escape *escape);

#endif
