#include "runtime/interpose/simple.h"

#include <stdatomic.h>

#include "runtime/heal/heal_closed.h"
#include "runtime/thread/own.h"

/* The lock word: free, taken, taken and somebody waits. */
enum { FREE, TAKEN };

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
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    bool fits = mutex.__data.__kind == 0 && mutex.__data.__lock == FREE && lock(&mutex) == 0 &&
                mutex.__data.__kind == 0 && mutex.__data.__lock == TAKEN &&
                mutex.__data.__owner == darn_own_here.tid && mutex.__data.__nusers == 1;

    return unlock(&mutex) == 0 && fits && mutex.__data.__lock == FREE &&
           mutex.__data.__owner == 0 && mutex.__data.__nusers == 0;
}

static bool change(pthread_mutex_t *mutex, int from, int to)
{
    return __atomic_compare_exchange_n(&mutex->__data.__lock, &from, to, false, __ATOMIC_SEQ_CST,
                                       __ATOMIC_RELAXED);
}

/* What is written down stands behind the exchange, which would have to wait for it. */
int darn_simple_lock(pthread_mutex_t *mutex)
{
    if (__builtin_expect(darn_own_here.now != DARN_OWN_NONE, 0) ||
        __builtin_expect(mutex->__data.__kind, 0) ||
        __builtin_expect(!change(mutex, FREE, TAKEN), 0))
        return lock_slowly(mutex);
    mutex->__data.__owner = darn_own_here.tid;
    mutex->__data.__nusers++;
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
        __builtin_expect(mutex->__data.__kind, 0))
        return unlock_slowly(mutex);
    mutex->__data.__owner = 0;
    mutex->__data.__nusers--;
    if (__builtin_expect(!change(mutex, TAKEN, FREE), 0)) {
        mutex->__data.__owner = darn_own_here.tid;
        mutex->__data.__nusers++;
        return unlock_slowly(mutex);
    }
    DARN_OWN_INCREASE(all, (UINT64_C(1) << 32) - LOCKED);
    return 0;
}
