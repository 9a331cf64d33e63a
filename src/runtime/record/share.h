/*
 * The learning run: which sites touch memory that at least two threads share, one of them writing.
 *
 * Every 8 bytes of the program's memory that are touched have a shadow word (share.c): who touched
 * them, and the set of sites that did. Once a second thread is there and somebody wrote, all sites
 * of the set are marked (sites.h), and each that touches them later. Whatever cannot be followed,
 * for want of memory or because a table is full, is marked as well: a profile may name too many
 * sites, never too few.
 */
#ifndef DARN_RUNTIME_SHARE_H
#define DARN_RUNTIME_SHARE_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/thread/thread.h"
#include "site/site.h"

/* An access that is about to happen. `site` may be NULL: of somebody who has none. */
void darn_share_access(struct darn_thread *thread, uintptr_t address, uint64_t size,
                       const struct darn_site *site, bool writes);

/* A block of the heap, a stack or pages get another use, and hold other variables from now on. */
void darn_share_forget(uintptr_t address, uint64_t size);

/* The thread ends its use by a call, which is as good as a write of all of it that was touched. */
void darn_share_end(const struct darn_thread *thread, uintptr_t address, uint64_t size);


/*
 * The site that wrote last to the 4 bytes around the address, and its thread (Tian's shadow
 * memory). NULL when nobody has, or nobody knows who. Of a shared object that was unloaded: to be
 * compared, not to be looked into.
 */
const struct darn_site *darn_share_last_writer(uintptr_t address, uint32_t *thread);

#endif
