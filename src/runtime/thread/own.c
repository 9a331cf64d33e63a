#include "runtime/thread/own.h"

#include <stddef.h>

#include "runtime/os/os.h"
#include "runtime/os/os_spin.h"
#include "runtime/thread/thread.h"

/* A thread that is not known has no short way. */
__thread struct darn_own darn_own = {.beyond = 1};
extern __thread struct darn_own darn_own_here __attribute__((alias("darn_own")));

/* A thread's memory is gone after its end: nobody reads it then. */
static struct darn_spin lock;

static void publish(struct darn_thread *thread, struct darn_own *own)
{
    uint64_t mask = darn_os_block_signals();

    darn_spin_lock(&lock);
    thread->own = own;
    darn_spin_unlock(&lock);
    darn_os_restore_signals(mask);
}

void darn_own_begin(struct darn_thread *thread)
{
    DARN_OWN_STORE(all, DARN_OWN_NONE);
    DARN_OWN_STORE(outside, DARN_OUTSIDE_ANY); /* what it enters while it is alone */
    darn_own_here.tid = thread->tid;
    publish(thread, &darn_own_here);
}

void darn_own_end(struct darn_thread *thread)
{
    publish(thread, NULL);
    DARN_OWN_STORE(now, DARN_OWN_NONE);
    DARN_OWN_STORE(beyond, 1);
}

void darn_own_after_fork(void)
{
    darn_spin_unlock(&lock);
    darn_own_here.tid = darn_os_thread_id();
}

uint64_t darn_own_of(const struct darn_thread *thread)
{
    uint64_t mask = darn_os_block_signals(), all;

    darn_spin_lock(&lock);
    all = thread->own ? __atomic_load_n(&thread->own->all, __ATOMIC_ACQUIRE) : 0;
    darn_spin_unlock(&lock);
    darn_os_restore_signals(mask);
    return all;
}

const void *darn_own_outside(const struct darn_thread *thread)
{
    uint64_t mask = darn_os_block_signals();
    const struct darn_own *own;
    const void *outside = NULL;

    darn_spin_lock(&lock);
    own = thread->own;
    if (own && __atomic_load_n(&own->sections, __ATOMIC_ACQUIRE))
        outside = __atomic_load_n(&own->outside, __ATOMIC_RELAXED);
    darn_spin_unlock(&lock);
    darn_os_restore_signals(mask);
    return outside;
}

bool darn_own_excludes(void)
{
    for (int i = 0; i < darn_own_here.count; i++) {
        if (!darn_own_is_shared(darn_own_here.held[i]))
            return true;
    }
    return darn_own_here.beyond != 0;
}

int darn_own_find(const volatile void *wanted)
{
    for (int i = darn_own_here.count - 1; i >= 0; i--) {
        if ((darn_own_here.held[i] & ~(uintptr_t)DARN_OWN_SHARED) == (uintptr_t)wanted)
            return i;
    }
    return -1;
}

static void remove_at(int index)
{
    DARN_OWN_INCREASE(count, -1);
    for (int i = index; i < darn_own_here.count; i++)
        darn_own_here.held[i] = darn_own_here.held[i + 1];
}

void darn_own_add(const volatile void *taken, bool shared, bool nests)
{
    int stale = nests ? -1 : darn_own_find(taken);

    /* A lock that another thread has given back would seem to be held for ever. */
    if (stale >= 0)
        remove_at(stale);
    if (darn_own_here.count < DARN_OWN_LOCKS) {
        darn_own_here.held[darn_own_here.count] = (uintptr_t)taken | (shared ? DARN_OWN_SHARED : 0);
        DARN_OWN_INCREASE(count, 1);
    } else if (darn_own_here.beyond < UINT8_MAX) {
        DARN_OWN_INCREASE(beyond, 1);
    }
    darn_own_set_sections(darn_own_here.sections, darn_own_here.left);
}

void darn_own_remove(const volatile void *given)
{
    int index = darn_own_find(given);

    if (index >= 0)
        remove_at(index);
    else if (darn_own_here.beyond)
        DARN_OWN_INCREASE(beyond, -1);
    DARN_OWN_INCREASE(given, 1);
    darn_own_set_sections(darn_own_here.sections, darn_own_here.left);
}
