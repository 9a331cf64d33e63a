/*
 * An access as engines remember it: 24 bytes, from which the event can be made again.
 */
#ifndef DARN_ENGINE_ACCESS_H
#define DARN_ENGINE_ACCESS_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#include "engine/common/clock.h"
#include "trace/event.h"

/*
 * What two accesses have to do with each other depends on these alone. Synchronization (atomic
 * accesses, recognised spins) never races with synchronization.
 */
enum darn_access_sort {
    DARN_SYNC_READ,
    DARN_SYNC_WRITE,
    DARN_PLAIN_READ,
    DARN_PLAIN_WRITE,
};

static inline enum darn_access_sort darn_access_sort(bool writes, bool is_sync)
{
    return (enum darn_access_sort)((is_sync ? 0 : 2) + (writes ? 1 : 0));
}

/* Whether they race when nothing orders them: one of them writes, and one of them is plain. */
static inline bool darn_sorts_conflict(enum darn_access_sort a, enum darn_access_sort b)
{
    return ((a | b) & 1) && ((a | b) & 2);
}

/* Whether what conflicts with b conflicts with a, too. */
static inline bool darn_sort_covers(enum darn_access_sort a, enum darn_access_sort b)
{
    return (a & b) == b;
}

struct darn_access {
    darn_epoch epoch; /* 0: no access */
    uint32_t site, stack;
    uint32_t holding; /* held.h */
    /* Packed, see access.c. Two accesses by one loop through an array have the same. */
    uint32_t shape;
};

static_assert(sizeof(struct darn_access) == 24,
              "two of them and a pointer fill a line of the cache");

/* `address` is a byte that the access touches, in the cell that it is kept for; it need not be the
 * same each time, but in the same granule. */
struct darn_access darn_access_pack(const struct darn_event *event, darn_epoch epoch,
                                    uint32_t holding, bool is_sync, uint64_t address);

/* The same for a USE, which is kept as a synchronizing read, or for a FREE or DESTROY, as a plain
 * write: of these only the object is known afterwards. */
struct darn_access darn_access_pack_call(const struct darn_event *event, darn_epoch epoch,
                                         uint32_t holding);

/* Of what object it is a use or end; and whether it is one: accesses to memory have a size. */
static inline enum darn_event_object darn_access_object(const struct darn_access *access)
{
    return (enum darn_event_object)(access->shape >> 3 & 31);
}

static inline bool darn_access_is_call(const struct darn_access *access)
{
    return !(access->shape >> 8 & 0xfff);
}

/* All but the thread. The target is the address that the access began at, if this is known: a byte
 * of the cell otherwise. */
struct darn_event darn_access_event(const struct darn_access *access, uint64_t address);

static inline enum darn_access_sort darn_access_sort_of(const struct darn_access *access)
{
    return (enum darn_access_sort)(access->shape & 3);
}

#endif
