#define _GNU_SOURCE
#include "runtime/thread/thread.h"

#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#include "base/random.h"
#include "runtime/control/turn.h"
#include "runtime/heal/gates.h"
#include "runtime/heal/heal.h"
#include "runtime/order/ordering.h"
#include "runtime/os/os.h"
#include "runtime/os/os_spin.h"
#include "runtime/record/record.h"
#include "runtime/record/share.h"
#include "runtime/record/stream.h"
#include "runtime/report/counters.h"
#include "runtime/section/sections.h"
#include "runtime/state.h"
#include "runtime/thread/ids.h"
#include "runtime/watch/attention.h"
#include "runtime/watch/sampler.h"

/* Records are taken from the system in pieces of this many. */
#define BATCH   32
#define BATCHES 512

extern void *__libc_stack_end; /* set by the loader: where the main thread's stack begins */

__thread struct darn_thread *darn_thread_record;

/* Protects the list of unused records. Taken with signals blocked; nothing nests inside. */
static struct darn_spin list_lock;
static struct darn_thread *unused;
static struct darn_thread *batches[BATCHES]; /* entries are added under the lock, and stay */
static _Atomic uint32_t batch_count;

static _Atomic uint32_t next_number;
static _Atomic uint32_t dropped; /* had a number, and were not created */
static _Atomic uint32_t alive;
static _Atomic int32_t running;
static _Atomic uint64_t seen; /* accesses of those that have ended */

static pthread_key_t end_key;
static _Atomic uint32_t has_end_key;

static struct darn_thread *take_unused(void)
{
    struct darn_thread *thread;
    uint64_t mask = darn_os_block_signals();

    darn_spin_lock(&list_lock);
    if (!unused) {
        struct darn_thread *batch = darn_os_allocate(BATCH * sizeof(*batch));

        if (batch && batch_count < BATCHES) {
            batches[batch_count] = batch;
            batch_count++; /* others read up to it without the lock */
        }
        for (int i = 0; batch && i < BATCH; i++) {
            batch[i].next = unused;
            unused = &batch[i];
        }
    }
    thread = unused;
    if (thread)
        unused = thread->next;
    darn_spin_unlock(&list_lock);
    darn_os_restore_signals(mask);
    return thread;
}

static void give_unused(struct darn_thread *thread)
{
    uint64_t mask = darn_os_block_signals();

    darn_spin_lock(&list_lock);
    thread->next = unused;
    unused = thread;
    darn_spin_unlock(&list_lock);
    darn_os_restore_signals(mask);
}

struct darn_thread *darn_thread_new(void)
{
    struct darn_thread *thread = take_unused();
    struct darn_heat *heat;
    struct darn_healer *healer;
    struct darn_thread_order *order;
    uint32_t version;

    if (!thread) {
        darn_count(DARN_COUNT_THREADS_UNKNOWN);
        darn_order_lose();
        if (darn_recording)
            darn_stream_missed();
        return NULL;
    }
    heat = thread->heat;
    healer = thread->healer;
    order = thread->order;
    version = thread->wait.version;
    memset(thread, 0, sizeof(*thread));
    thread->heat = heat; /* memory for the next one */
    thread->healer = healer;
    thread->order = order;
    thread->wait.version = version; /* no wait of the next one is taken for one of the last */
    thread->is_alive = true;
    thread->number = atomic_fetch_add(&next_number, 1);
    thread->random = darn_mix(darn_state.seed + thread->number);
    /* It counts from now on: its creator may be at the interesting access before it runs. */
    atomic_fetch_add(&running, 1);
    if (atomic_fetch_add(&alive, 1) == 1)
        darn_os_wake((const volatile uint32_t *)&alive, 1); /* the sampler waits for a second */
    return thread;
}

static void retire(struct darn_thread *thread)
{
    thread->is_alive = false;
    atomic_fetch_add_explicit(&seen, thread->seen, memory_order_relaxed);
    thread->seen = 0;
    atomic_fetch_sub(&running, 1);
    if (atomic_fetch_sub(&alive, 1) == 2) {
        darn_os_wake((const volatile uint32_t *)&alive, 1); /* the sampler is no longer needed */
        darn_attention_recount();
    }
    give_unused(thread);
}

void darn_threads_reap(void)
{
    for (uint32_t i = 0; i < batch_count * BATCH; i++) {
        struct darn_thread *thread = &batches[i / BATCH][i % BATCH];

        if (!thread->is_alive || !thread->tid || !darn_os_thread_is_gone(thread->tid))
            continue;
        darn_thread_unblock(thread);
        retire(thread);
    }
}

uint32_t darn_threads_count(void)
{
    return atomic_load(&next_number) - atomic_load(&dropped);
}

uint64_t darn_threads_seen(void)
{
    uint64_t sum = atomic_load_explicit(&seen, memory_order_relaxed);

    for (uint32_t i = 0; i < batch_count * BATCH; i++)
        sum += atomic_load_explicit(&batches[i / BATCH][i % BATCH].seen, memory_order_relaxed);
    return sum;
}

void darn_thread_drop(struct darn_thread *thread)
{
    atomic_fetch_add(&dropped, 1);
    retire(thread);
}

/*
 * libc runs the destructors of thread-specific data in rounds. Ours puts itself off to the last
 * round, so that the program's own destructors are still watched.
 */
static void end_by_key(void *round)
{
    uintptr_t number = (uintptr_t)round;

    if (number < PTHREAD_DESTRUCTOR_ITERATIONS)
        pthread_setspecific(end_key, (void *)(number + 1));
    else
        darn_thread_end();
}

/* The main thread's stack grows as it is needed; nobody's is larger than this. */
#define MAIN_STACK (UINT64_C(1) << 30)

bool darn_threads_may_grow_to(uintptr_t address)
{
    uintptr_t end = (uintptr_t)__libc_stack_end;
    uint64_t limit = darn_os_stack_limit();

    return address < end && end - address < (limit < MAIN_STACK ? limit : MAIN_STACK) &&
           !darn_os_is_mapped(address);
}

#define PAGE UINT64_C(4096)

/*
 * The creator of a thread knows the size. libc knows all (pthread_getattr_np), but it asks the
 * system for more than that, which a filter may forbid, and allocates: each thread would get an
 * arena of the heap, and 64 MB of addresses, which a program may not have (ulimit -v).
 */
static void find_own_stack(struct darn_thread *thread)
{
    pthread_attr_t attributes;
    void *start = NULL;
    size_t size = 0;

    if (thread->stack_start)
        return; /* the program's own */
    /* libc keeps what it knows of a thread at the upper end of the stack that it makes for it. */
    if (thread->stack_size) {
        thread->stack_end = ((uintptr_t)pthread_self() + PAGE - 1) & ~(PAGE - 1);
        thread->stack_start = thread->stack_end - thread->stack_size;
        return;
    }
    if (thread->tid == darn_os_process_id()) {
        thread->stack_end = (uintptr_t)__libc_stack_end + 4096; /* the loader's own frames */
        thread->stack_start = thread->stack_end - MAIN_STACK;
        thread->top = (uintptr_t)__libc_stack_end;
        return;
    }
    if (pthread_getattr_np(pthread_self(), &attributes))
        return;
    pthread_attr_getstack(&attributes, &start, &size);
    pthread_attr_destroy(&attributes);
    thread->stack_start = (uintptr_t)start;
    thread->stack_end = (uintptr_t)start + size;
}

void darn_thread_start(struct darn_thread *thread)
{
    uint32_t expected = 0;

    thread->tid = darn_os_thread_id();
    darn_turn_start(thread); /* before anything that others could notice */
    darn_thread_record = thread;
    darn_own_begin(thread);
    thread->id = (unsigned long)pthread_self();
    darn_id_name(thread->id, thread->number);
    find_own_stack(thread);
    darn_order_thread_start(thread);
    darn_record_thread_start(thread);
    if (darn_state.mode == DARN_MODE_LEARN && thread->number) /* the stack was another's before */
        darn_share_forget(thread->stack_start, thread->stack_end - thread->stack_start);
    if (atomic_compare_exchange_strong(&has_end_key, &expected, 1)) {
        if (pthread_key_create(&end_key, end_by_key) == 0)
            atomic_store(&has_end_key, 2);
    }
    if (atomic_load(&has_end_key) == 2)
        pthread_setspecific(end_key, (void *)1);
    darn_turn_started(thread);
}

void darn_thread_end(void)
{
    struct darn_thread *thread = darn_thread_peek();
    struct darn_slot *slot;

    if (!thread)
        return;
    darn_sections_abandon(thread);
    if (darn_healing)
        darn_heal_end(thread);
    darn_gates_thread_end(thread);
    slot = darn_turn_end(thread);
    if (thread->spinning)
        darn_spins_leave(thread);
    darn_record_thread_end(thread);
    darn_order_thread_end(thread);
    darn_thread_unblock(thread);
    darn_own_end(thread);
    darn_thread_record = DARN_THREAD_ENDED;
    retire(thread);
    darn_turn_gone(slot);
}

struct darn_thread *darn_thread_attach(void)
{
    struct darn_thread *thread = darn_state.ready ? darn_thread_new() : NULL;

    if (!thread)
        return NULL;
    if (thread->number)
        darn_order_start();
    darn_thread_start(thread);
    if (thread->number)
        darn_sampler_start(); /* a thread that somebody made without us */
    return thread;
}

void darn_thread_block(struct darn_thread *thread)
{
    if (thread && !thread->blocked) {
        thread->blocked = true;
        atomic_fetch_sub_explicit(&running, 1, memory_order_relaxed);
    }
}

void darn_thread_unblock(struct darn_thread *thread)
{
    if (thread && thread->blocked) {
        thread->blocked = false;
        atomic_fetch_add_explicit(&running, 1, memory_order_relaxed);
    }
}

uint32_t darn_threads_alive(void)
{
    return atomic_load_explicit(&alive, memory_order_relaxed);
}

int32_t darn_threads_running(void)
{
    return atomic_load_explicit(&running, memory_order_relaxed);
}

struct darn_thread *darn_threads_next(uint32_t *index)
{
    while (*index < batch_count * BATCH) {
        struct darn_thread *thread = &batches[*index / BATCH][*index % BATCH];

        (*index)++;
        if (thread->is_alive)
            return thread;
    }
    return NULL;
}

uint32_t darn_threads_list(struct darn_thread **list, uint32_t most)
{
    uint32_t count = 0, index = 0;

    while (count < most && (list[count] = darn_threads_next(&index)))
        count++;
    return count;
}

const volatile uint32_t *darn_threads_word(void)
{
    return (const volatile uint32_t *)&alive;
}

void darn_threads_before_fork(void)
{
    darn_spin_lock(&list_lock);
}

void darn_threads_after_fork(bool child)
{
    struct darn_thread *thread = darn_thread_peek();

    darn_spin_unlock(&list_lock);
    if (!child)
        return;
    atomic_store(&alive, thread ? 1 : 0);
    atomic_store(&running, thread ? 1 : 0);
    for (uint32_t i = 0; i < batch_count * BATCH; i++) {
        struct darn_thread *other = &batches[i / BATCH][i % BATCH];

        other->is_alive = other == thread;
    }
    if (thread) {
        thread->tid = darn_os_thread_id();
        darn_own_after_fork();
        thread->blocked = false;
    }
}
