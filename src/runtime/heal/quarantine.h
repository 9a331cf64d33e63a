/*
 * Memory that threads may still use although it was waited for them: it is given back later. At
 * most DARN_QUARANTINE_BLOCKS pieces and DARN_QUARANTINE_BYTES bytes are kept, the last ones.
 */
#ifndef DARN_RUNTIME_QUARANTINE_H
#define DARN_RUNTIME_QUARANTINE_H

#include <stdbool.h>
#include <stddef.h>

#define DARN_QUARANTINE_BLOCKS 1024
#define DARN_QUARANTINE_BYTES  (16 << 20)

/* True: it is kept, and given back by the same call when others come. */
bool darn_quarantine_block(void *block, void (*give)(void *block));
bool darn_quarantine_pages(void *block, size_t size, int (*give)(void *block, size_t size));

/* Nobody is at it while a process forks. */
void darn_quarantine_after_fork(void);

#endif
