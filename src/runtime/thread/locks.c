#include "runtime/thread/locks.h"

#include <assert.h>
#include <stddef.h>

#include "runtime/coverage/covering.h"
#include "runtime/heal/heal.h"
#include "runtime/order/thread_order.h"
#include "runtime/record/record.h"
#include "runtime/report/counters.h"
#include "runtime/thread/thread.h"

const char *darn_lock_kind_name(uint32_t kind)
{
    static const char *const names[] = {
        [DARN_LOCK_MUTEX] = "mutex", [DARN_LOCK_READ] = "read",    [DARN_LOCK_WRITE] = "write",
        [DARN_LOCK_SPIN] = "spin",   [DARN_LOCK_OPENMP] = "mutex",
    };

    return names[kind];
}

struct darn_thread_lock *darn_lock_find(struct darn_locks *locks, uintptr_t address)
{
    /* The lock that is given back is nearly always the last that was taken. */
    for (uint32_t i = locks->count; i > 0; i--) {
        if (locks->held[i - 1].address == address)
            return &locks->held[i - 1];
    }
    return NULL;
}

bool darn_lock_is_listed(const struct darn_thread *thread, uintptr_t address,
                         struct darn_thread_lock *lock)
{
    uint32_t count = __atomic_load_n(&thread->locks.count, __ATOMIC_ACQUIRE);

    for (uint32_t i = count < DARN_LOCKS_HELD ? count : DARN_LOCKS_HELD; i > 0; i--) {
        const struct darn_thread_lock *held = &thread->locks.held[i - 1];

        if (__atomic_load_n(&held->address, __ATOMIC_ACQUIRE) == address) {
            *lock = *held;
            return lock->address == address; /* no other has moved up meanwhile */
        }
    }
    return false;
}

/* Every lock and unlock comes by: what is seldom needed is not inline, and costs no registers. */
#define SELDOM __attribute__((noinline, cold))

SELDOM static void record_event(struct darn_thread *thread, enum darn_event_kind kind,
                                uintptr_t lock, uint32_t lock_kind, unsigned flags,
                                const void *frame)
{
    struct darn_event event = {
        .kind = (uint8_t)kind,
        .target = lock,
        .lock = (uint8_t)(lock_kind == DARN_LOCK_OPENMP ? DARN_EVENT_MUTEX : lock_kind),
        .flags = (uint16_t)flags};

    darn_record_event(thread, &event, NULL, frame);
}

static void record(struct darn_thread *thread, enum darn_event_kind kind, uintptr_t lock,
                   uint32_t lock_kind, unsigned flags, const void *frame)
{
    if (darn_events_wanted() && !darn_order_knows_lock(thread, kind, lock, lock_kind))
        record_event(thread, kind, lock, lock_kind, flags, frame);
}

static_assert((int)DARN_LOCK_READ == (int)DARN_EVENT_RDLOCK &&
                  (int)DARN_LOCK_WRITE == (int)DARN_EVENT_WRLOCK &&
                  (int)DARN_LOCK_SPIN == (int)DARN_EVENT_SPINLOCK,
              "record copies the kind");

bool darn_lock_stacks;

SELDOM static void find_callers(struct darn_thread_lock *lock, const struct darn_thread *thread,
                                const void *frame)
{
    uintptr_t pcs[1 + DARN_LOCK_CALLERS];
    uint32_t depth = darn_stack_walk_into(pcs, 1 + DARN_LOCK_CALLERS, thread, frame);

    for (uint32_t i = 0; i < DARN_LOCK_CALLERS; i++)
        lock->callers[i] = i + 1 < depth ? pcs[i + 1] : 0;
}

void darn_lock_stack(struct darn_stack *stack, const struct darn_thread_lock *lock)
{
    *stack = (struct darn_stack){1, {lock->pc}};
    for (uint32_t i = 0; i < DARN_LOCK_CALLERS && lock->callers[i]; i++)
        stack->pcs[stack->depth++] = lock->callers[i];
}

void darn_lock_requested(struct darn_thread *thread, const volatile void *lock,
                         enum darn_lock_kind kind, const void *frame)
{
    if (thread)
        record(thread, DARN_EVENT_REQUEST, (uintptr_t)lock, (uint32_t)kind, 0, frame);
}

static void forget(struct darn_locks *locks, struct darn_thread_lock *known)
{
    for (struct darn_thread_lock *end = &locks->held[--locks->count]; known < end; known++)
        known[0] = known[1];
}

/* It is in the list: whether it is held once more. */
SELDOM static bool take_again(struct darn_locks *locks, struct darn_thread_lock *known,
                              enum darn_lock_kind kind)
{
    bool nests = darn_lock_nests((const volatile void *)known->address, kind);

    if (nests)
        known->depth++;
    else
        forget(locks, known);
    return nests;
}

static void list(struct darn_thread *thread, uintptr_t lock, enum darn_lock_kind kind,
                 const void *frame)
{
    if (thread->locks.count == DARN_LOCKS_HELD) {
        darn_count(DARN_COUNT_LOCKS_NOT_LISTED);
        return;
    }
    if (__builtin_expect(darn_lock_stacks, 0)) /* else they are always 0 */
        find_callers(&thread->locks.held[thread->locks.count], thread, frame);
    darn_lock_list(&thread->locks, lock, kind, ((const uintptr_t *)frame)[1]);
}

void darn_lock_taken(struct darn_thread *thread, const volatile void *lock,
                     enum darn_lock_kind kind, unsigned flags, const void *frame)
{
    struct darn_thread_lock *known;

    if (!thread)
        return;
    record(thread, DARN_EVENT_ACQUIRE, (uintptr_t)lock, (uint32_t)kind, flags, frame);
    if (__builtin_expect(darn_healing, 0) && kind != DARN_LOCK_OPENMP)
        darn_lock_own(lock, kind);
    darn_coverage_lock(thread, frame);
    known = darn_lock_find(&thread->locks, (uintptr_t)lock);
    if (known && take_again(&thread->locks, known, kind))
        return;
    list(thread, (uintptr_t)lock, kind, frame);
}

bool darn_lock_given(struct darn_thread *thread, const volatile void *lock, const void *frame)
{
    struct darn_thread_lock *known =
        thread ? darn_lock_find(&thread->locks, (uintptr_t)lock) : NULL;

    if (thread)
        record(thread, DARN_EVENT_RELEASE, (uintptr_t)lock, known ? known->kind : 0, 0, frame);
    if (__builtin_expect(darn_healing, 0) && thread && !(known && known->kind == DARN_LOCK_OPENMP))
        darn_lock_disown(lock);
    if (thread)
        darn_coverage_release(thread);
    if (!known)
        return false; /* taken before we watched, or by another thread */
    if (--known->depth == 0)
        forget(&thread->locks, known);
    return true;
}
