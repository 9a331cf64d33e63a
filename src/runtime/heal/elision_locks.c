#include "runtime/heal/elision_locks.h"

#include <stdatomic.h>
#include <stddef.h>

#include "base/hash.h"
#include "runtime/os/os.h"

#define ADDRESSES_SHIFT 14
#define ADDRESSES       (1 << ADDRESSES_SHIFT)

/* Of the locks that are held, the innermost count. */
#define LOCKS 3

struct lockset {
    _Atomic uint32_t busy;
    uint32_t count;
    uintptr_t address;
    struct darn_elision_member *last;
    uintptr_t locks[LOCKS];
};

static struct lockset *locksets;

int darn_elision_locks_open(void)
{
    if (!locksets)
        locksets = darn_os_allocate(ADDRESSES * sizeof(*locksets));
    return locksets ? 0 : -1;
}

static bool counts(uintptr_t lock, bool writes)
{
    return !writes || !darn_own_is_shared(lock);
}

bool darn_elision_is_locked(bool writes)
{
    return writes ? darn_own_excludes() : darn_own_here.count || darn_own_here.beyond;
}

static void begin(struct lockset *lockset, uintptr_t address, bool writes)
{
    lockset->address = address;
    lockset->count = 0;
    for (uint32_t i = darn_own_here.count; i-- > 0 && lockset->count < LOCKS;) {
        if (counts(darn_own_here.held[i], writes))
            lockset->locks[lockset->count++] = darn_own_here.held[i] & ~(uintptr_t)DARN_OWN_SHARED;
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

static enum darn_elision_locks look(struct lockset *lockset, uintptr_t address, bool writes,
                                    struct darn_elision_member **member)
{
    struct darn_elision_member *before = lockset->last;
    uint32_t kept = 0;

    lockset->last = *member;
    if (lockset->address != address || !before) {
        begin(lockset, address, writes);
        return DARN_LOCKS_NEW;
    }
    for (uint32_t i = 0; i < lockset->count; i++) {
        if (holds(lockset->locks[i], writes))
            lockset->locks[kept++] = lockset->locks[i];
    }
    *member = before;
    lockset->count = kept;
    if (kept)
        return DARN_LOCKS_SAME;
    begin(lockset, address, writes);
    return DARN_LOCKS_OTHER;
}

enum darn_elision_locks darn_elision_look(uintptr_t address, bool writes,
                                          struct darn_elision_member **member)
{
    struct lockset *lockset = &locksets[darn_spread_to(address, ADDRESSES_SHIFT)];
    enum darn_elision_locks found;

    /* A signal handler may come in between, and not come back. */
    if (atomic_exchange_explicit(&lockset->busy, 1, memory_order_acquire))
        return DARN_LOCKS_NEW;
    found = look(lockset, address, writes, member);
    atomic_store_explicit(&lockset->busy, 0, memory_order_release);
    return found;
}
