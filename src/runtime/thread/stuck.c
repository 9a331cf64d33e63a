#define _GNU_SOURCE
#include "runtime/thread/stuck.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "runtime/os/glibc.h"
#include "runtime/os/os.h"
#include "runtime/os/proc.h"
#include "runtime/report/found.h"
#include "runtime/state.h"
#include "runtime/thread/thread.h"

/* The time between two looks, in nanoseconds. */
#define INTERVAL UINT64_C(200000000)

/* So many looks in a row must show the same before everybody counts as waiting in vain. */
#define LOOKS 5

#define MOST_THREADS 4096

/* A thread that waits, as one look saw it. */
struct waiter {
    struct darn_thread *thread;
    uint32_t number;
    int tid;
    struct darn_wait wait;
    uintptr_t given; /* the mutex that it gave back for that, or 0 */
    int owner;       /* who has the mutex that it needs to go on; 0: nobody, or it is not known */
    bool is_shared;  /* another process may let it go, as far as is known */
    bool stable;     /* it waited in the same wait at the look before */
    bool seen;       /* on the way of the search */
};

/* Only the watchdog uses these. */
static struct waiter *now, *before;
static uint32_t now_count, before_count;
static struct darn_thread **list;
static uint64_t last_look;
static uint32_t alike; /* looks in a row at which all threads were in the same waits */
static struct darn_stuck stuck;

static bool take_memory(void)
{
    if (!now)
        now = darn_os_allocate(MOST_THREADS * sizeof(*now));
    if (!before)
        before = darn_os_allocate(MOST_THREADS * sizeof(*before));
    if (!list)
        list = darn_os_allocate(MOST_THREADS * sizeof(*list));
    return now && before && list;
}

static bool was_there(const struct waiter *waiter)
{
    for (uint32_t i = 0; i < before_count; i++) {
        if (before[i].thread == waiter->thread)
            return before[i].number == waiter->number && before[i].wait.turn == waiter->wait.turn;
    }
    return false;
}

/* What a thread waits for is the program's own, and may be unmapped by now: it is copied. Nobody is
 * said to be stuck because of what cannot be. */
static void look_into(struct waiter *waiter)
{
    const void *target = (const void *)waiter->wait.target;
    bool cond_too = waiter->wait.kind == DARN_WAIT_COND; /* signalled or not, it needs the mutex */
    const void *at = cond_too ? (const void *)waiter->given : target;
    pthread_mutex_t mutex;
    pthread_cond_t cond;

    if (!cond_too && waiter->wait.kind != DARN_WAIT_MUTEX)
        return;
    waiter->is_shared = true;
    if (darn_os_copy(&mutex, at, sizeof(mutex)) != (long)sizeof(mutex))
        return;
    waiter->owner = darn_mutex_owner(&mutex);
    if (!cond_too)
        waiter->is_shared = darn_mutex_is_shared(&mutex);
    else if (darn_os_copy(&cond, target, sizeof(cond)) == (long)sizeof(cond))
        waiter->is_shared = darn_cond_is_shared(&cond);
}

/* Returns how many threads there are, waiting or not. */
static uint32_t look(void)
{
    struct waiter *swap = before;
    uint32_t count = darn_threads_list(list, MOST_THREADS);

    before = now;
    before_count = now_count;
    now = swap;
    now_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        struct darn_thread *thread = list[i];
        struct waiter waiter = {.thread = thread, .number = thread->number, .tid = thread->tid};

        if (!darn_wait_read(&thread->wait, &waiter.wait))
            continue;
        waiter.given = __atomic_load_n(&thread->waits_with, __ATOMIC_ACQUIRE);
        waiter.stable = was_there(&waiter);
        if (waiter.stable)
            look_into(&waiter);
        now[now_count++] = waiter;
    }
    return count;
}

/* Whether the one waits for the other. */
static bool waits_for(const struct waiter *one, const struct waiter *other)
{
    const struct darn_thread_lock *held;

    switch (one->wait.kind) {
    case DARN_WAIT_MUTEX:
        return one->owner && one->owner == other->tid;
    case DARN_WAIT_JOIN:
        return one->wait.target == other->number;
    case DARN_WAIT_COND:
        return one->owner && one->owner == other->tid && one != other;
    case DARN_WAIT_READ:
    case DARN_WAIT_WRITE:
        held = darn_lock_find(&other->thread->locks, one->wait.target);
        return held && (one->wait.kind == DARN_WAIT_WRITE || held->kind == DARN_LOCK_WRITE);
    default:
        return false;
    }
}

/* Searches for a way from `at` back to `start`; the way is left in `path`. */
static uint32_t find_way(struct waiter *start, struct waiter *at, struct waiter **path,
                         uint32_t depth)
{
    path[depth++] = at;
    at->seen = true;
    if (waits_for(at, start))
        return depth;
    for (uint32_t i = 0; i < now_count && depth < DARN_STUCK_THREADS; i++) {
        struct waiter *next = &now[i];
        uint32_t found;

        if (!next->stable || next->seen || !waits_for(at, next))
            continue;
        found = find_way(start, next, path, depth);
        if (found)
            return found;
    }
    return 0;
}

static void describe(struct darn_stuck_thread *to, const struct waiter *waiter, bool in_circle)
{
    uint32_t unused;

    to->wait = waiter->wait.kind;
    to->target = waiter->wait.target;
    to->mutex = waiter->given;
    if (in_circle && to->wait == DARN_WAIT_COND) { /* what keeps it is the mutex */
        to->wait = DARN_WAIT_MUTEX;
        to->target = to->mutex;
        to->mutex = 0;
    }
    darn_side_fill_waiting(&to->side, waiter->thread, waiter->wait.frame);
    if (darn_findings_lock(&unused)) {
        darn_proc_name(waiter->tid, to->side.name, sizeof(to->side.name));
        darn_findings_unlock();
    }
}

static void report(const char *kind, const char *reason, struct waiter **threads, uint32_t count)
{
    uint64_t mask;

    stuck = (struct darn_stuck){.kind = kind, .reason = reason, .count = count};
    for (uint32_t i = 0; i < count; i++)
        describe(&stuck.threads[i], threads[i], !reason);
    for (uint32_t i = 0; i < count; i++) {
        /* Not one of them has moved meanwhile. */
        if (__atomic_load_n(&threads[i]->thread->wait.turn, __ATOMIC_ACQUIRE) !=
            threads[i]->wait.turn)
            return;
    }
    mask = darn_os_block_signals();
    darn_finding_stuck(&stuck);
    darn_os_restore_signals(mask);
}

static bool check_circles(bool vain)
{
    struct waiter *path[DARN_STUCK_THREADS];
    bool any = false;

    for (uint32_t i = 0; i < now_count; i++) {
        uint32_t length;

        for (uint32_t j = 0; j < now_count; j++)
            now[j].seen = false;
        if (!now[i].stable)
            continue;
        length = find_way(&now[i], &now[i], path, 0);
        /* A thread that waits for itself may be let go by one that gives the mutex back in its
         * stead: only if there is none left. */
        if (length > 1 || (length == 1 && vain)) {
            report("deadlock", NULL, path, length);
            any = true;
        }
    }
    return any;
}

/*
 * Every thread of the process is known, sleeps in the kernel and waits for another: nobody is left
 * who could wake one of them. A thread that was woken and has not run yet does not sleep.
 */
static bool all_sleep(void)
{
    uint32_t unused;
    bool sleep;

    if (!darn_findings_lock(&unused))
        return false;
    sleep = darn_proc_threads() == (int)now_count + 1; /* and the watchdog */
    for (uint32_t i = 0; i < now_count && sleep; i++)
        sleep = darn_proc_state(now[i].tid) == 'S';
    darn_findings_unlock();
    return sleep;
}

static bool may_end(const struct waiter *waiter)
{
    uint32_t kind = waiter->wait.kind;

    return !waiter->stable || waiter->is_shared || kind == DARN_WAIT_OTHER ||
           kind == DARN_WAIT_HEAL || kind == DARN_WAIT_GATE || kind == DARN_WAIT_BARRIER;
}

/* Whether everybody has waited in vain for a while. */
static bool is_vain(uint32_t threads)
{
    for (uint32_t i = 0; i < now_count; i++) {
        if (may_end(&now[i]) || threads != now_count) {
            alike = 0;
            return false;
        }
    }
    return now_count && ++alike >= LOOKS && all_sleep();
}

static void report_waiters(void)
{
    struct waiter *path[DARN_STUCK_THREADS];
    uint32_t count = 0;

    for (uint32_t i = 0; i < now_count && count < DARN_STUCK_THREADS; i++) {
        if (now[i].wait.kind == DARN_WAIT_COND)
            path[count++] = &now[i];
    }
    if (count)
        report("notification", "no-signaller", path, count);
}

void darn_stuck_check(void)
{
    uint64_t time = darn_os_now();
    uint32_t threads;
    bool vain;

    if (time - last_look < INTERVAL || darn_state.finished || !take_memory())
        return;
    last_look = time;
    threads = look();
    vain = is_vain(threads);
    if (!check_circles(vain) && vain)
        report_waiters();
}
