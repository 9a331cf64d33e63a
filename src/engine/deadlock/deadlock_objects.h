/*
 * Locks and condition variables as small numbers, and which of them are the same: memory is used
 * again, and the lock of a block that was freed is not the lock of the block that is there now.
 *
 * A trace that has no ALLOC and FREE events shows no difference, and an address is then one object
 * for ever. So it is, from the last of DARN_OBJECT_LIVES on, for an address that comes and goes all
 * the time: memory shall not grow with the length of the trace.
 */
#ifndef DARN_ENGINE_DEADLOCK_OBJECTS_H
#define DARN_ENGINE_DEADLOCK_OBJECTS_H

#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "trace/event.h"

#define DARN_OBJECT_LIVES 16

struct darn_sync_object {
    uint64_t address;
    uint32_t next;  /* on the same line of memory; 0: the last */
    uint32_t users; /* who counts them is up to the engine; while there are any, it does not end */
    uint32_t life;  /* of the address, from 1 */
};

/* A zeroed struct has no objects. */
struct darn_objects {
    struct darn_sync_object *all; /* from 1 */
    size_t count, capacity;
    struct darn_map ids;   /* of addresses */
    struct darn_map lines; /* of memory, to the first object on it */
    uint64_t worn;         /* objects that should have ended, but had had all their lives */
};

void darn_objects_free(struct darn_objects *objects);

/* The object at an address now; never 0. */
uint32_t darn_object_at(struct darn_objects *objects, uint64_t address);

/* Takes notice of ALLOC and FREE. */
void darn_objects_event(struct darn_objects *objects, const struct darn_event *event);

size_t darn_objects_memory(const struct darn_objects *objects);

#endif
