/* A lock for a few instructions, mostly. Holders have signals blocked. */
#ifndef DARN_RUNTIME_OS_SPIN_H
#define DARN_RUNTIME_OS_SPIN_H

#include <stdatomic.h>
#include <stdint.h>

#include "runtime/os/os.h"

struct darn_spin {
    _Atomic uint32_t taken;
};

/* Whether the lock was free, and is ours now. */
static inline int darn_spin_try(struct darn_spin *spin)
{
    return !atomic_exchange_explicit(&spin->taken, 1, memory_order_acquire);
}

static inline void darn_spin_lock(struct darn_spin *spin)
{
    for (int tries = 0; !darn_spin_try(spin); tries++) {
        if (tries < 32)
            darn_os_yield();
        else
            darn_os_sleep(100000); /* somebody is writing a report */
    }
}

static inline void darn_spin_unlock(struct darn_spin *spin)
{
    atomic_store_explicit(&spin->taken, 0, memory_order_release);
}

#endif
