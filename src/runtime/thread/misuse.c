#define _GNU_SOURCE
#include "runtime/thread/misuse.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/hash.h"
#include "runtime/os/glibc.h"
#include "runtime/os/os.h"
#include "runtime/report/found.h"
#include "runtime/report/maps.h"
#include "runtime/state.h"
#include "runtime/thread/stuck.h"
#include "runtime/thread/thread.h"
#include "runtime/thread/waitfor.h"

/* What is done to an object, and to which. */
struct deed {
    struct darn_thread *thread;
    const char *op;     /* unlock, destroy, init */
    const char *object; /* mutex, rwlock, cond, barrier */
    uintptr_t address;
    const void *frame;
};

/* Who has it, and where that one took it. */
struct holder {
    struct darn_thread *thread;
    struct darn_thread_lock lock;
};

static _Atomic bool has_cancelled;

static bool is_watched(const struct darn_thread *thread)
{
    return darn_state.mode == DARN_MODE_WATCH && thread && !thread->ignore && !darn_state.finished;
}

/* ---- reports ---- */

/* One of the threads of a report; it holds nothing worth telling but the object. */
static struct darn_stuck_thread *add_thread(struct darn_stuck *misuse, const struct deed *deed,
                                            const char *op, const char *object)
{
    struct darn_stuck_thread *to = &misuse->threads[misuse->count++];

    to->op = op;
    to->object = object;
    to->target = deed->address;
    return to;
}

/* NULL: there is no memory. Not on the stack, which may be small. */
static struct darn_stuck *begin(const struct deed *deed, const char *reason)
{
    struct darn_stuck *misuse = darn_os_allocate(sizeof(*misuse));
    struct darn_stuck_thread *to;

    if (!misuse)
        return NULL;
    *misuse = (struct darn_stuck){.kind = DARN_KIND_MISUSE, .reason = reason};
    to = add_thread(misuse, deed, deed->op, deed->object);
    darn_side_fill(&to->side, deed->thread, &(struct darn_touch){0}, deed->frame);
    return misuse;
}

static void drop(struct darn_stuck *misuse)
{
    darn_os_free(misuse, sizeof(*misuse));
}

static void report(struct darn_stuck *misuse)
{
    uint64_t mask = darn_os_block_signals();

    darn_finding_stuck(misuse);
    darn_os_restore_signals(mask);
    drop(misuse);
}

static void report_held(const struct deed *deed, const char *reason, const struct holder *holder)
{
    struct darn_stuck *misuse = begin(deed, reason);
    struct darn_stuck_thread *to;

    if (!misuse)
        return;
    to = add_thread(misuse, deed, "hold", darn_lock_kind_name(holder->lock.kind));
    darn_side_fill_waiting(&to->side, holder->thread, NULL);
    darn_lock_stack(&to->side.stack, &holder->lock);
    to->side.locks.count = 0; /* it goes on meanwhile, and the list changes */
    darn_stuck_name(to);
    report(misuse);
}

/* ---- who holds it ---- */

/* Libc says that the thread of this id has it: whether that is one of ours, and says so, too. A
 * thread of the parent before fork is none. */
static bool find_owner(int tid, uintptr_t address, struct holder *holder)
{
    uint32_t index = 0;

    while (tid && (holder->thread = darn_threads_next(&index))) {
        if (holder->thread->tid == tid)
            return darn_lock_is_listed(holder->thread, address, &holder->lock);
    }
    return false;
}

static bool find_mutex_owner(const pthread_mutex_t *mutex, struct holder *holder)
{
    int owner = darn_mutex_owner(mutex);

    return darn_mutex_is_ordinary(mutex) && find_owner(owner, (uintptr_t)mutex, holder) &&
           darn_mutex_holder(mutex) && darn_mutex_owner(mutex) == owner;
}

/* The writer by name; of readers libc has the number, and the lists must have as many. */
static bool find_rwlock_holder(const pthread_rwlock_t *lock, struct holder *holder)
{
    struct holder reader;
    uint32_t index = 0, readers = darn_rwlock_readers(lock), found = 0;

    if (darn_rwlock_is_shared(lock))
        return false;
    if (find_owner(darn_rwlock_writer(lock), (uintptr_t)lock, holder))
        return holder->lock.kind == DARN_LOCK_WRITE;
    while (readers && (reader.thread = darn_threads_next(&index))) {
        if (!darn_lock_is_listed(reader.thread, (uintptr_t)lock, &reader.lock))
            continue;
        found += reader.lock.depth;
        *holder = reader;
    }
    return found && found == readers && holder->lock.kind == DARN_LOCK_READ;
}

/* ---- who waits for it ---- */

static struct {
    _Atomic uint64_t begun, ended;
} signals[256];

static uint32_t signals_of(const pthread_cond_t *cond)
{
    return darn_hash_number(DARN_HASH_START, (uint32_t)((uintptr_t)cond >> 3)) % 256;
}

void darn_signals_wait(struct darn_thread *thread, const pthread_cond_t *cond)
{
    uint32_t at = signals_of(cond);
    uint64_t ended = atomic_load(&signals[at].ended), begun = atomic_load(&signals[at].begun);

    thread->wait_signals = begun == ended ? begun + 1 : 0;
}

void darn_signals_begin(const pthread_cond_t *cond)
{
    atomic_fetch_add(&signals[signals_of(cond)].begun, 1);
}

void darn_signals_end(const pthread_cond_t *cond)
{
    atomic_fetch_add(&signals[signals_of(cond)].ended, 1);
}

void darn_misuse_cancel(void)
{
    has_cancelled = true;
}

static bool is_unsignalled(const struct darn_thread *thread, uintptr_t cond)
{
    return thread->wait_signals ==
           atomic_load(&signals[signals_of((const pthread_cond_t *)cond)].begun) + 1;
}

/* In a call that has to do with the object, from which the thread has not returned. */
static bool is_in_wait(const struct darn_thread *thread, const struct darn_wait *wait,
                       const struct deed *deed)
{
    if (wait->kind == DARN_WAIT_COND && wait->target == deed->address)
        return is_unsignalled(thread, deed->address);
    /* Who was woken takes the mutex again. */
    if (__atomic_load_n(&thread->waits_with, __ATOMIC_ACQUIRE) == deed->address)
        return wait->kind == DARN_WAIT_COND || wait->kind == DARN_WAIT_OTHER;
    return wait->kind != DARN_WAIT_OTHER && wait->kind != DARN_WAIT_JOIN &&
           wait->kind != DARN_WAIT_HEAL && wait->kind != DARN_WAIT_GATE &&
           wait->target == deed->address;
}

static bool find_waiter(const struct deed *deed, struct darn_waiter *waiter, struct darn_wait *wait)
{
    uint32_t index = 0;

    if (has_cancelled)
        return false;
    while ((waiter->thread = darn_threads_next(&index))) {
        if (waiter->thread != deed->thread && darn_wait_read(&waiter->thread->wait, wait) &&
            is_in_wait(waiter->thread, wait, deed)) {
            waiter->version = wait->version;
            return true;
        }
    }
    return false;
}

static void describe_waiter(struct darn_stuck *misuse, const struct deed *deed,
                            const struct darn_waiter *waiter, const struct darn_wait *wait)
{
    bool by_cond = wait->target && wait->target != deed->address;
    struct darn_stuck_thread *to =
        add_thread(misuse, deed, by_cond || wait->kind >= DARN_WAIT_COND ? "wait" : "acquire",
                   by_cond ? "cond" : deed->object);

    if (by_cond) {
        to->target = wait->target;
        to->mutex = deed->address;
    } else if (wait->kind == DARN_WAIT_COND) {
        to->mutex = __atomic_load_n(&waiter->thread->waits_with, __ATOMIC_ACQUIRE);
    }
    darn_side_fill_waiting(&to->side, waiter->thread, wait->frame);
    to->side.locks.count = 0;
    darn_stuck_name(to);
}

/* False: nobody waits for it, as far as is certain. */
static bool report_waiter(const struct deed *deed, const char *reason)
{
    struct darn_waiter waiter;
    struct darn_wait wait;
    struct darn_stuck *misuse;

    if (!find_waiter(deed, &waiter, &wait) || !(misuse = begin(deed, reason)))
        return false;
    describe_waiter(misuse, deed, &waiter, &wait);
    if (darn_waiter_read(&waiter, &wait) && is_in_wait(waiter.thread, &wait, deed))
        report(misuse);
    else
        drop(misuse);
    return true;
}

/* ---- the calls ---- */

void darn_misuse_unlock_mutex(struct darn_thread *thread, const pthread_mutex_t *mutex,
                              const void *frame)
{
    struct deed deed = {thread, "unlock", "mutex", (uintptr_t)mutex, frame};
    struct darn_stuck *misuse;
    struct holder holder;

    if (!is_watched(thread) || !darn_mutex_is_ordinary(mutex) || darn_mutex_checks(mutex) ||
        darn_mutex_owner(mutex) == thread->tid)
        return;
    if (find_mutex_owner(mutex, &holder))
        report_held(&deed, "held-by-other", &holder);
    else if (!darn_mutex_owner(mutex) && !darn_mutex_holder(mutex) &&
             (misuse = begin(&deed, "not-held")))
        report(misuse);
}

void darn_misuse_unlock_rwlock(struct darn_thread *thread, const pthread_rwlock_t *lock,
                               const void *frame)
{
    struct deed deed = {thread, "unlock", "rwlock", (uintptr_t)lock, frame};
    struct darn_stuck *misuse;
    struct holder holder;

    if (!is_watched(thread) || darn_rwlock_is_shared(lock))
        return;
    if (find_owner(darn_rwlock_writer(lock), (uintptr_t)lock, &holder) && holder.thread != thread)
        report_held(&deed, "held-by-other", &holder);
    else if (darn_rwlock_is_unused(lock) && (misuse = begin(&deed, "not-held")))
        report(misuse);
}

void darn_misuse_destroy_mutex(struct darn_thread *thread, const pthread_mutex_t *mutex,
                               const void *frame)
{
    struct deed deed = {thread, "destroy", "mutex", (uintptr_t)mutex, frame};
    struct holder holder;

    if (!is_watched(thread) || !darn_mutex_is_ordinary(mutex))
        return;
    if (find_mutex_owner(mutex, &holder))
        report_held(&deed, "destroyed-while-held", &holder);
    else
        report_waiter(&deed, "destroyed-while-awaited");
}

void darn_misuse_destroy_rwlock(struct darn_thread *thread, const pthread_rwlock_t *lock,
                                const void *frame)
{
    struct deed deed = {thread, "destroy", "rwlock", (uintptr_t)lock, frame};
    struct holder holder;

    if (!is_watched(thread) || darn_rwlock_is_shared(lock))
        return;
    if (find_rwlock_holder(lock, &holder))
        report_held(&deed, "destroyed-while-held", &holder);
    else
        report_waiter(&deed, "destroyed-while-awaited");
}

void darn_misuse_destroy_cond(struct darn_thread *thread, const pthread_cond_t *cond,
                              const void *frame)
{
    struct deed deed = {thread, "destroy", "cond", (uintptr_t)cond, frame};

    if (is_watched(thread) && !darn_cond_is_shared(cond))
        report_waiter(&deed, "destroyed-while-awaited");
}

/* A barrier may be destroyed as soon as the last one has come, while others are on their way out:
 * all who are in the call must belong to the round that is not full. */
void darn_misuse_destroy_barrier(struct darn_thread *thread, const pthread_barrier_t *barrier,
                                 const void *frame)
{
    struct deed deed = {thread, "destroy", "barrier", (uintptr_t)barrier, frame};
    struct darn_thread *other;
    struct darn_wait wait;
    uint32_t index = 0, inside = 0;

    if (!is_watched(thread))
        return;
    while ((other = darn_threads_next(&index)))
        inside += darn_wait_read(&other->wait, &wait) && is_in_wait(other, &wait, &deed);
    if (inside && inside == darn_barrier_blocked(barrier))
        report_waiter(&deed, "destroyed-while-awaited");
}

/* Of memory that is used again it is not known whether it has been another object in between. */
static bool is_global(uintptr_t address)
{
    struct darn_maps *maps;
    uint64_t offset;
    uint32_t unused;
    bool is = false;

    if (darn_findings_lock(&unused)) {
        maps = darn_maps_read();
        is = maps && darn_maps_find(maps, address, &offset);
        darn_findings_unlock();
    }
    return is;
}

void darn_misuse_init_mutex(struct darn_thread *thread, const pthread_mutex_t *mutex,
                            const void *frame)
{
    struct deed deed = {thread, "init", "mutex", (uintptr_t)mutex, frame};
    struct holder holder;
    uint64_t mask;
    bool is;

    if (!is_watched(thread) || report_waiter(&deed, "initialised-while-awaited") ||
        !find_mutex_owner(mutex, &holder))
        return;
    mask = darn_os_block_signals();
    is = is_global((uintptr_t)mutex);
    darn_os_restore_signals(mask);
    if (is)
        report_held(&deed, "initialised-while-held", &holder);
}
