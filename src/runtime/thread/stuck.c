#define _GNU_SOURCE
#include "runtime/thread/stuck.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "runtime/os/glibc.h"
#include "runtime/os/os.h"
#include "runtime/os/proc.h"
#include "runtime/report/found.h"
#include "runtime/state.h"
#include "runtime/thread/thread.h"
#include "runtime/thread/waitfor.h"

/* The time between two looks, in nanoseconds. */
#define INTERVAL UINT64_C(200000000)

/* So many looks in a row must show the same before everybody counts as waiting in vain. */
#define LOOKS 5

#define MOST_THREADS 4096

#define COUNTS (DARN_WAITFOR_LOCKS | DARN_WAITFOR(DARN_WAIT_JOIN) | DARN_WAITFOR(DARN_WAIT_COND))

/* Only the watchdog uses these. The snapshot is that of the last look: so it sees who has been in
 * the same wait since. */
static struct darn_waitfor graph = {.most = MOST_THREADS, .kinds = COUNTS};
static uint64_t last_look;
static uint32_t alike; /* looks in a row at which all threads were in the same waits */
static struct darn_stuck stuck;

static uintptr_t mutex_given_by(const struct darn_waiter *waiter)
{
    return __atomic_load_n(&waiter->thread->waits_with, __ATOMIC_ACQUIRE);
}

void darn_stuck_name(struct darn_stuck_thread *thread)
{
    struct darn_side *side = &thread->side;
    uint32_t unused;

    if (darn_findings_lock(&unused)) {
        darn_proc_name(side->tid, side->name, sizeof(side->name));
        darn_findings_unlock();
    }
}

/* False: it does not wait any more. */
static bool describe(struct darn_stuck_thread *to, const struct darn_waiter *waiter, bool in_circle)
{
    struct darn_wait wait;

    if (!darn_waiter_read(waiter, &wait))
        return false;
    to->wait = wait.kind;
    to->target = wait.target;
    to->mutex = mutex_given_by(waiter);
    if (in_circle && to->wait == DARN_WAIT_COND) { /* what keeps it is the mutex */
        to->wait = DARN_WAIT_MUTEX;
        to->target = to->mutex;
        to->mutex = 0;
    }
    darn_side_fill_waiting(&to->side, waiter->thread, wait.frame);
    darn_stuck_name(to);
    return true;
}

static void report(const char *kind, const char *reason, struct darn_waiter **threads,
                   uint32_t count)
{
    struct darn_wait wait;
    uint64_t mask;

    stuck = (struct darn_stuck){.kind = kind, .reason = reason, .count = count};
    for (uint32_t i = 0; i < count; i++) {
        if (!describe(&stuck.threads[i], threads[i], !reason))
            return;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (!darn_waiter_read(threads[i], &wait)) /* it has moved meanwhile */
            return;
    }
    mask = darn_os_block_signals();
    darn_finding_stuck(&stuck);
    darn_os_restore_signals(mask);
}

static bool check_circles(bool vain)
{
    struct darn_wait wait;
    bool any = false;

    for (uint32_t i = 0; i < graph.count; i++) {
        if (!darn_waiter_read(&graph.waiters[i], &wait) ||
            !darn_waitfor_is_cycle(&graph, graph.waiters[i].thread, &wait))
            continue;
        /* A thread that waits for itself may be let go by one that gives the mutex back in its
         * stead: only if there is none left. */
        if (graph.length <= DARN_STUCK_THREADS && (graph.length > 1 || vain)) {
            report("deadlock", NULL, graph.way, graph.length);
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
    sleep = darn_proc_threads() == (int)graph.count + 1; /* and the watchdog */
    for (uint32_t i = 0; i < graph.count && sleep; i++)
        sleep = darn_proc_state(graph.waiters[i].thread->tid) == 'S';
    darn_findings_unlock();
    return sleep;
}

static bool copy(void *to, uintptr_t from, size_t size)
{
    return darn_os_copy(to, (const void *)from, size) == (long)size;
}

/* Another process may let it go, as far as is known. Nobody is said to be stuck because of what
 * cannot be read. */
static bool is_shared(const struct darn_waiter *waiter, const struct darn_wait *wait)
{
    pthread_mutex_t mutex;
    pthread_cond_t cond;

    if (wait->kind == DARN_WAIT_MUTEX)
        return !copy(&mutex, wait->target, sizeof(mutex)) || darn_mutex_is_shared(&mutex);
    if (wait->kind == DARN_WAIT_COND)
        return !copy(&mutex, mutex_given_by(waiter), sizeof(mutex)) ||
               !copy(&cond, wait->target, sizeof(cond)) || darn_cond_is_shared(&cond);
    return false;
}

static bool may_end(const struct darn_waiter *waiter)
{
    struct darn_wait wait;

    return !(COUNTS & DARN_WAITFOR(waiter->kind)) || !darn_waiter_read(waiter, &wait) ||
           is_shared(waiter, &wait);
}

/* Whether everybody has waited in vain for a while. */
static bool is_vain(void)
{
    bool same = graph.count && graph.count == darn_threads_alive();

    for (uint32_t i = 0; i < graph.count && same; i++)
        same = !may_end(&graph.waiters[i]);
    alike = same ? alike + 1 : 0;
    return alike >= LOOKS && all_sleep();
}

static void report_waiters(void)
{
    struct darn_waiter *waiters[DARN_STUCK_THREADS];
    uint32_t count = 0;

    for (uint32_t i = 0; i < graph.count && count < DARN_STUCK_THREADS; i++) {
        if (graph.waiters[i].kind == DARN_WAIT_COND)
            waiters[count++] = &graph.waiters[i];
    }
    if (count)
        report("notification", "no-signaller", waiters, count);
}

void darn_stuck_check(void)
{
    uint64_t time = darn_os_now();
    bool vain;

    if (time - last_look < INTERVAL || darn_state.finished)
        return;
    if (!graph.waiters)
        graph.waiters = darn_os_allocate(MOST_THREADS * sizeof(*graph.waiters));
    if (!graph.waiters)
        return;
    last_look = time;
    vain = is_vain();
    if (!check_circles(vain) && vain)
        report_waiters();
    darn_waitfor_look(&graph);
}
