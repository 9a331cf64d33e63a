#include "runtime/interpose/simple.h"

#include <stdatomic.h>

#include "runtime/heal/heal_closed.h"
#include "runtime/os/glibc.h"
#include "runtime/thread/own.h"

/* From DARN_OWN_NONE to DARN_OWN_ONE. */
#define LOCKED (DARN_OWN_ONE - DARN_OWN_NONE)

static darn_mutex_call *lock_slowly, *unlock_slowly;

void darn_simple_open(darn_mutex_call *lock, darn_mutex_call *unlock)
{
    lock_slowly = lock;
    unlock_slowly = unlock;
}

bool darn_simple_fits(darn_mutex_call *lock, darn_mutex_call *unlock)
{
    return darn_mutex_fits(lock, unlock, darn_own_here.tid);
}

/* What is written down stands behind the exchange, which would have to wait for it. */
int darn_simple_lock(pthread_mutex_t *mutex)
{
    if (__builtin_expect(darn_own_here.now != DARN_OWN_NONE, 0) ||
        __builtin_expect(!darn_mutex_is_plain(mutex), 0) ||
        __builtin_expect(!darn_mutex_take(mutex, darn_own_here.tid), 0))
        return lock_slowly(mutex);
    darn_own_here.held[0] = (uintptr_t)mutex;
    DARN_OWN_INCREASE(all, LOCKED); /* what is stored as a whole can be loaded in parts */
    if (__builtin_expect(!atomic_load_explicit(&darn_closed_count, memory_order_relaxed), 1))
        return 0;
    darn_simple_unlock(mutex); /* nothing was done under it yet */
    return lock_slowly(mutex);
}

int darn_simple_unlock(pthread_mutex_t *mutex)
{
    if (__builtin_expect(darn_own_here.now != DARN_OWN_ONE, 0) ||
        __builtin_expect(darn_own_here.held[0] != (uintptr_t)mutex, 0) ||
        __builtin_expect(!darn_mutex_is_plain(mutex), 0) ||
        __builtin_expect(!darn_mutex_give(mutex, darn_own_here.tid), 0))
        return unlock_slowly(mutex);
    DARN_OWN_INCREASE(all, (UINT64_C(1) << 32) - LOCKED);
    return 0;
}
