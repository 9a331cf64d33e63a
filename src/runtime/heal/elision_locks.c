#include "runtime/heal/elision_locks.h"

#include <stdatomic.h>
#include <stddef.h>

#include "runtime/os/os.h"

#define PLACES_SHIFT 14
#define PLACES       (1 << PLACES_SHIFT)

/* Of the locks that are held, the innermost count. */
#define LOCKS 3

struct place {
    _Atomic uint32_t busy;
    uint32_t count;
    uintptr_t address;
    uintptr_t locks[LOCKS];
};

static struct place *places;

int darn_trust_places_open(void)
{
    if (!places)
        places = darn_os_allocate(PLACES * sizeof(*places));
    return places ? 0 : -1;
}

static bool counts(uintptr_t lock, bool writes)
{
    return !writes || !darn_own_is_shared(lock);
}

bool darn_trust_is_locked(bool writes)
{
    return writes ? darn_own_excludes() : darn_own_here.count || darn_own_here.beyond;
}

static void begin(struct place *place, uintptr_t address, bool writes)
{
    place->address = address;
    place->count = 0;
    for (uint32_t i = darn_own_here.count; i-- > 0 && place->count < LOCKS;) {
        if (counts(darn_own_here.held[i], writes))
            place->locks[place->count++] = darn_own_here.held[i] & ~(uintptr_t)DARN_OWN_SHARED;
    }
}

static bool holds(uintptr_t lock, bool writes)
{
    for (uint32_t i = darn_own_here.count; i-- > 0;) {
        if ((darn_own_here.held[i] & ~(uintptr_t)DARN_OWN_SHARED) == lock &&
            counts(darn_own_here.held[i], writes))
            return true;
    }
    return false;
}

static enum darn_trust_place look(struct place *place, uintptr_t address, bool writes)
{
    uint32_t kept = 0;

    if (place->address != address) {
        begin(place, address, writes);
        return DARN_PLACE_NEW;
    }
    for (uint32_t i = 0; i < place->count; i++) {
        if (holds(place->locks[i], writes))
            place->locks[kept++] = place->locks[i];
    }
    place->count = kept;
    if (kept)
        return DARN_PLACE_SAME;
    begin(place, address, writes);
    return DARN_PLACE_OTHER;
}

enum darn_trust_place darn_trust_place(uintptr_t address, bool writes)
{
    struct place *place = &places[address * UINT64_C(0x9e3779b97f4a7c15) >> (64 - PLACES_SHIFT)];
    enum darn_trust_place found;

    /* A signal handler may come in between, and not come back. */
    if (atomic_exchange_explicit(&place->busy, 1, memory_order_acquire))
        return DARN_PLACE_NEW;
    found = look(place, address, writes);
    atomic_store_explicit(&place->busy, 0, memory_order_release);
    return found;
}
