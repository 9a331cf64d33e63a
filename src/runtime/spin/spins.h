/*
 * Recognising hand-made synchronization (Tian, figure 5): a read that sees the same value of the
 * same address `spin_threshold` times over spins, and the store of another thread that ends it is
 * the other half of a synchronization.
 *
 * Only reads that the plugin has marked (DARN_SITE_SPIN) keep a load table, eight entries for each
 * thread (Tian has three; the loop of a tree barrier reads the flags of four children). When one of
 * them spins, its address is watched for stores, through the filter that the guards look into: no
 * shadow memory is needed for the last writer. The pairs that were recognised are the syn table.
 */
#ifndef DARN_RUNTIME_SPINS_H
#define DARN_RUNTIME_SPINS_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/watch/touch.h"
#include "site/site.h"

struct darn_thread;

#define DARN_LOADS 8

/* An entry of the load table. */
struct darn_load {
    const struct darn_site *site; /* NULL: unused */
    uintptr_t address;
    uint64_t value;
    uint32_t count; /* how often it has been seen in a row */
    int32_t watch;  /* the number of the watch on the address + 1, once it spins */
};

/* A read at a marked site is about to happen. Returns whether it is the first one of its row. */
bool darn_spins_read(struct darn_thread *thread, uintptr_t address, const struct darn_site *site);

/* The thread has gone on to something else: what it was spinning for has come. */
void darn_spins_leave(struct darn_thread *thread);

/* A store is about to happen. Returns whether another thread spins on that address. */
bool darn_spins_store(struct darn_thread *thread, const struct darn_touch *touch);

/* Whether the first may be the read of a spin that the second, a store, would end. */
bool darn_spins_may_wait(const struct darn_touch *read, const struct darn_touch *store);

/* Holds a store that ran into such a read back for a moment: if the reader spins, it shows. */
void darn_spins_hold(struct darn_thread *thread, const struct darn_touch *store);

/* A read that got what the last store at the address wrote, without waiting for it: whether that is
 * a synchronization shows if the store is held back in a later run. Only in a learning run. */
void darn_spins_suspect(struct darn_thread *thread, uintptr_t address,
                        const struct darn_site *site);

/* Holds a store back that is suspected so, until somebody waits for it. */
void darn_spins_hold_suspect(struct darn_thread *thread, const struct darn_touch *store);

/* Whether the two belong to one recognised synchronization: the read and the store of a pair, or
 * one of these and an atomic operation. */
bool darn_spins_synchronize(const struct darn_touch *a, const struct darn_touch *b);

/* Calls back with the bytes of each watch; returns whether there was one. */
bool darn_spins_each(void (*visit)(uintptr_t address, uint32_t size));

void darn_spins_after_fork(void);

#endif
