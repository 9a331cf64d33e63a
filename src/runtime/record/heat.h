/*
 * Hot sites: recording or learning from every access of an inner loop would slow a program down a
 * hundred times, and say the same over and over again.
 *
 * A site that a thread has come by FIRST times is disarmed: its accesses are then seen only in
 * bursts, a few hundred every ten milliseconds or more seldom, and wherever they touch the cache lines that the
 * filter has chosen: one in 64, the same for all threads, so that what two threads do to one of
 * these is seen of both (attention.c). Atomic and volatile accesses, and those of recognised spins,
 * are never left out: they may synchronize.
 */
#ifndef DARN_RUNTIME_HEAT_H
#define DARN_RUNTIME_HEAT_H

#include "runtime/thread/thread.h"
#include "site/site.h"

#define DARN_HEAT_SITES 16384

/* How often a thread has come by its sites; a table with one cell for each hash. */
struct darn_heat {
    const struct darn_site *site;
    uint32_t count, limit;
    uint32_t chosen; /* accesses to chosen lines while it was disarmed */
};

/* Another access of the site, which may have become hot by it. Returns whether it is to be looked
 * at: of the lines that the filter has chosen, fewer and fewer are as the site gets hotter. */
bool darn_heat_count(struct darn_thread *thread, const struct darn_site *site, uintptr_t address);

/* Gives the hot sites another burst, if one is due. */
void darn_heat_again(void);

/* For so many nanoseconds of processor time there is none after so many accesses were seen. */
uint64_t darn_heat_pause(uint64_t seen);

#endif
