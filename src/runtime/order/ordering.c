#include "runtime/order/ordering.h"

#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#include "runtime/order/atomics.h"
#include "runtime/order/barriers.h"
#include "runtime/order/edges.h"
#include "runtime/order/elsewhere.h"
#include "runtime/order/ends.h"
#include "runtime/order/handmade.h"
#include "runtime/order/outside.h"
#include "runtime/order/remembered.h"
#include "runtime/order/stacks.h"
#include "runtime/order/thread_order.h"
#include "runtime/os/os.h"
#include "runtime/os/os_spin.h"
#include "runtime/record/record.h"
#include "runtime/report/counters.h"
#include "runtime/report/found.h"
#include "runtime/state.h"
#include "runtime/watch/beginning.h"
#include "site/site_guard.h"

#define EXPORTED __attribute__((visibility("default")))

EXPORTED _Alignas(64) volatile uint8_t darn_ordering;
extern volatile uint8_t darn_ordering_here __attribute__((alias("darn_ordering")));

bool darn_clocks_kept;

/* Objects that have no address of the program (and DARN_EVENT_OUTSIDE). */
#define THREAD_OBJECT  (UINT64_C(1) << 60) /* + the number of the thread */
#define READERS_OBJECT UINT64_C(1)         /* + a read-write lock: who has read under it */

/* What everything in this room takes at most: it must not be much of what the program may have
 * (ulimit -v). */
#define NEEDED (UINT64_C(48) << 20)

/* That the program may have little is no surprise to whoever has limited it. */
static void count_missing(void)
{
    darn_count(darn_os_memory_limit() == UINT64_MAX ? DARN_COUNT_ORDER_NO_MEMORY
                                                    : DARN_COUNT_ORDER_LIMITED);
}

static bool has_memory(void)
{
    bool has = darn_os_memory_limit() / 32 >= NEEDED && darn_clocks_open() && darn_memory_open() &&
               darn_wheres_open();

    if (!has)
        count_missing();
    return has;
}

/* A trace without accesses needs no order. */
static bool is_recorded(void)
{
    return darn_state.mode == DARN_MODE_RECORD &&
           darn_state.options.trace_what != DARN_TRACE_SYNC && darn_recording;
}

/* Two threads may come at once: one that the program makes, and one that libc has made for it. */
static struct darn_spin opening; /* signals are blocked; nothing nests inside */

static void open_order(void)
{
    uint64_t mask = darn_os_block_signals();

    darn_spin_lock(&opening);
    if (!darn_ordering) {
        if (darn_state.mode == DARN_MODE_WATCH)
            darn_clocks_kept = darn_state.options.budget && has_memory();
        darn_ordering = darn_clocks_kept || is_recorded();
    }
    darn_spin_unlock(&opening);
    darn_os_restore_signals(mask);
}

void darn_order_start(void)
{
    static _Atomic bool has_looked;
    struct darn_thread *thread = darn_thread_peek(); /* NULL: it is about to become known */

    if (darn_ordering || darn_state.preloaded || darn_production[0] ||
        (atomic_load(&has_looked) && darn_state.mode != DARN_MODE_WATCH && !is_recorded()))
        return;
    atomic_store(&has_looked, true);
    darn_outside_look(); /* takes the loader's lock */
    open_order();
    if (darn_ordering && thread)
        darn_order_thread_start(thread);
}

static volatile bool is_lost;

void darn_order_lose(void)
{
    is_lost = true;
}

bool darn_order_is_lost(void)
{
    return is_lost;
}

static void begin_clock(struct darn_thread *thread)
{
    darn_clock_begin(&thread->order->clock);
    thread->has_clock = true;
    darn_stacks_begin(thread->order->clock.slot, thread->stack_start, thread->stack_end);
}

struct darn_thread_order *darn_order_begin(struct darn_thread *thread)
{
    if (thread->has_order)
        return thread->order;
    if (!thread->order)
        thread->order = darn_os_allocate(sizeof(*thread->order));
    if (!thread->order) {
        count_missing();
        darn_order_lose();
        return NULL;
    }
    memset(thread->order, 0, sizeof(*thread->order));
    thread->has_order = true;
    if (darn_clocks_kept)
        begin_clock(thread);
    return thread->order;
}

/* Threads that have ended, and said so: one that ends by the exit system call does not. */
#define ENDED 4096
static _Atomic uint32_t ended[ENDED]; /* its number + 1 */

static void note_end(uint32_t number)
{
    atomic_store(&ended[number % ENDED], number + 1);
}

static void join(struct darn_thread_order *order, uint32_t number)
{
    if (atomic_load(&ended[number % ENDED]) == number + 1)
        darn_clock_acquire(&order->clock, THREAD_OBJECT + number);
    else
        darn_clock_acquire_all(&order->clock);
}

static bool is_outside(const struct darn_thread *thread)
{
    return thread->start.pthread && darn_outside_starts((uintptr_t)thread->start.pthread);
}

/* Perhaps a thread that has not begun yet. */
static volatile bool has_cancelled;

void darn_order_thread_start(struct darn_thread *thread)
{
    struct darn_thread_order *order = darn_ordering ? darn_order_of(thread) : NULL;

    if (!order)
        return;
    order->late.call = is_outside(thread) ? UINTPTR_MAX : 0; /* it never returns to ours */
    if (order->late.call) {
        darn_late_note(&order->late);
        darn_count(DARN_COUNT_THREADS_OUTSIDE);
    }
    if (!thread->has_clock) { /* a trace has the event of its creator */
        if (!thread->has_parent)
            darn_late_all(&order->late);
        else if (has_cancelled)
            darn_late_object(&order->late, THREAD_OBJECT + thread->number);
        return;
    }
    darn_beginning_welcome();
    if (thread->has_parent)
        darn_clock_acquire(&order->clock, THREAD_OBJECT + thread->number);
    else
        darn_clock_acquire_all(&order->clock);
}

void darn_order_thread_end(struct darn_thread *thread)
{
    struct darn_thread_order *order = thread->order;

    thread->has_order = false;
    if (!thread->has_clock)
        return;
    darn_late_settle(&order->late, thread, NULL);
    darn_order_end_stack(thread); /* who joins it comes after that */
    darn_clock_release(&order->clock, THREAD_OBJECT + thread->number);
    note_end(thread->number);
    darn_clock_end(&order->clock);
    thread->has_clock = false;
}

static void lock_event(struct darn_thread_order *order, const struct darn_event *event)
{
    struct darn_thread_clock *clock = &order->clock;

    if (event->kind == DARN_EVENT_RELEASE) {
        darn_clock_release(clock, event->lock == DARN_EVENT_RDLOCK ? event->target + READERS_OBJECT
                                                                   : event->target);
        return;
    }
    darn_clock_acquire(clock, event->target);
    if (event->lock == DARN_EVENT_WRLOCK)
        darn_clock_acquire(clock, event->target + READERS_OBJECT);
}

/*
 * Which object a call uses. Who gives a lock back has used it since it took it; who waits has done
 * so before it waits: as soon as it is woken, the condition variable or barrier may be gone.
 */
static enum darn_touch_object object_of(const struct darn_event *event)
{
    static const uint8_t locks[] = {[DARN_EVENT_MUTEX] = DARN_OBJECT_MUTEX,
                                    [DARN_EVENT_RDLOCK] = DARN_OBJECT_RWLOCK,
                                    [DARN_EVENT_WRLOCK] = DARN_OBJECT_RWLOCK,
                                    [DARN_EVENT_SPINLOCK] = DARN_OBJECT_SPIN};

    switch ((enum darn_event_kind)event->kind) {
    case DARN_EVENT_RELEASE:
        return locks[event->lock];
    case DARN_EVENT_WAIT:
    case DARN_EVENT_SIGNAL:
    case DARN_EVENT_BROADCAST:
        return DARN_OBJECT_COND;
    case DARN_EVENT_ARRIVE:
        return DARN_OBJECT_BARRIER;
    case DARN_EVENT_POST:
    case DARN_EVENT_TAKE:
        return DARN_OBJECT_SEMAPHORE;
    default:
        return DARN_OBJECT_NONE;
    }
}

static void use_object(struct darn_thread *thread, const struct darn_event *event,
                       const void *frame)
{
    enum darn_touch_object object = darn_remembering ? object_of(event) : DARN_OBJECT_NONE;

    if (object && frame)
        darn_order_use(thread, event->target, object, frame);
}

/* Whether the thread has got something from others. */
static bool tells(const struct darn_event *event)
{
    switch ((enum darn_event_kind)event->kind) {
    case DARN_EVENT_READ:
    case DARN_EVENT_UPDATE:
        return event->flags & DARN_EVENT_ACQUIRES;
    case DARN_EVENT_ACQUIRE:
    case DARN_EVENT_DEPART:
    case DARN_EVENT_WAKE:
    case DARN_EVENT_TAKE:
    case DARN_EVENT_RECEIVE:
        return true;
    default:
        return false;
    }
}

void darn_order_event(struct darn_thread *thread, const struct darn_event *event, const void *frame)
{
    struct darn_thread_order *order = darn_order_of(thread);

    /* The first events of a thread come before its edges. */
    if (!order || event->kind == DARN_EVENT_START || event->kind == DARN_EVENT_STACK)
        return;
    darn_late_settle(&order->late, thread, frame);
    if (darn_elsewhere_has(event->target) && tells(event))
        darn_late_all(&order->late);
    if (!thread->has_clock)
        return;
    use_object(thread, event, frame); /* before others hear of it */
    switch ((enum darn_event_kind)event->kind) {
    case DARN_EVENT_READ:
    case DARN_EVENT_WRITE:
    case DARN_EVENT_UPDATE:
        darn_atomic_pass(order, event->kind, event->flags & DARN_EVENT_ACQUIRES,
                         event->flags & DARN_EVENT_RELEASES, event->target & ~UINT64_C(7));
        break;
    case DARN_EVENT_ACQUIRE:
    case DARN_EVENT_RELEASE:
        lock_event(order, event);
        break;
    case DARN_EVENT_FORK:
        darn_clock_release(&order->clock, THREAD_OBJECT + event->target);
        break;
    case DARN_EVENT_JOIN:
        join(order, (uint32_t)event->target);
        break;
    case DARN_EVENT_ARRIVE:
        darn_barrier_arrive(order, event->target);
        break;
    case DARN_EVENT_DEPART:
        darn_barrier_depart(order, event->target);
        break;
    case DARN_EVENT_SIGNAL:
    case DARN_EVENT_BROADCAST:
    case DARN_EVENT_POST:
    case DARN_EVENT_SEND:
        darn_clock_release(&order->clock, event->target);
        break;
    case DARN_EVENT_WAKE:
    case DARN_EVENT_TAKE:
    case DARN_EVENT_RECEIVE:
        darn_clock_acquire(&order->clock, event->target);
        break;
    case DARN_EVENT_FENCE:
        darn_atomic_fence(order, event->flags & DARN_EVENT_ACQUIRES,
                          event->flags & DARN_EVENT_RELEASES);
        break;
    default: /* it orders nothing */
        break;
    }
}

/*
 * Right before a call that may lead outside; with NULL before something that surely does: without
 * `asks` one instruction, else a call that may come to our interceptors before it synchronizes.
 */
EXPORTED __attribute__((preserve_most, used)) void darn_hook_outside(const void *code,
                                                                     volatile uint8_t *asks)
{
    const void *frame = __builtin_frame_address(0);
    struct darn_thread *thread;
    struct darn_thread_order *order;
    enum darn_outside_answer leads = DARN_OUTSIDE_IS_FOREIGN;
    uintptr_t until;

    if (darn_state.inert)
        return;
    if (code && code != DARN_NEVER_KNOWN) {
        leads = darn_outside_ask((uintptr_t)code, asks);
        if (leads == DARN_OUTSIDE_IS_KNOWN)
            return;
        if (leads == DARN_OUTSIDE_IS_FOREIGN)
            darn_outside = 1;
    }
    thread = darn_ordering ? darn_thread_self() : NULL;
    order = thread ? darn_order_of(thread) : NULL;
    if (!order)
        return;
    if (!asks || (code && leads == DARN_OUTSIDE_IS_FOREIGN))
        darn_handmade_barrier(); /* before what comes next is seen by anybody */
    darn_late_settle(&order->late, thread, frame);
    darn_edge_release(thread, DARN_EVENT_OUTSIDE);
    until = code || !asks ? 1 : (uintptr_t)frame;
    darn_late_outside(&order->late, until);
    if (leads == DARN_OUTSIDE_IS_LIBC) /* by a message, of which only the sender has told */
        darn_late_all(&order->late);
    if (code && !order->late.call)
        order->late.call = (uintptr_t)frame;
}

bool darn_order_pass(struct darn_thread *thread, struct darn_thread_order *order, const void *frame)
{
    bool is_called_back = order->late.is_foreign || (uintptr_t)frame < order->late.call;

    if (is_called_back)
        darn_late_called_back();
    darn_late_settle(&order->late, thread, frame);
    return is_called_back;
}

bool darn_order_recorded(struct darn_thread *thread, const void *frame)
{
    struct darn_thread_order *order = darn_ordering ? darn_order_of(thread) : NULL;

    return order && darn_order_pass(thread, order, frame);
}

void darn_order_calls(struct darn_thread *thread, const void *frame)
{
    struct darn_thread_order *order = darn_ordering && thread ? darn_order_of(thread) : NULL;

    if (order)
        darn_late_outside(&order->late, (uintptr_t)frame);
}

void darn_order_set_foreign(struct darn_thread *thread, bool is_foreign)
{
    struct darn_thread_order *order = darn_ordering ? darn_order_of(thread) : NULL;

    if (!order)
        return;
    order->late.is_foreign = is_foreign;
    if (is_foreign)
        darn_late_note(&order->late);
}

void darn_order_after_all(struct darn_thread *thread)
{
    struct darn_thread_order *order = darn_ordering ? darn_order_of(thread) : NULL;

    if (order)
        darn_late_all(&order->late);
}

void darn_order_later(struct darn_thread *thread, uint64_t object)
{
    struct darn_thread_order *order = darn_ordering && thread ? darn_order_of(thread) : NULL;

    if (order)
        darn_late_object(&order->late, object);
}

void darn_order_waits(struct darn_thread *thread, const struct darn_site *site)
{
    struct darn_thread_order *order = darn_ordering ? darn_order_of(thread) : NULL;

    if (!order)
        return;
    if (darn_handmade_waits_relaxed(site))
        darn_late_all(&order->late);
    else
        darn_late_relaxed(&order->late);
}

void darn_order_cancel(struct darn_thread *thread, uint32_t number)
{
    struct darn_thread_order *order = darn_ordering && thread ? darn_order_of(thread) : NULL;
    struct darn_thread *other;
    uint32_t index = 0;

    if (!order)
        return;
    darn_edge_release(thread, THREAD_OBJECT + number); /* it may not have begun yet */
    has_cancelled = true;
    while ((other = darn_threads_next(&index))) {
        if (other->number == number && other->order)
            other->order->late.cancelled = THREAD_OBJECT + number;
    }
}

void darn_order_loading(void)
{
    darn_late_called_back();
}

void darn_order_unload(const struct darn_site *start, const struct darn_site *stop)
{
    if (!darn_clocks_kept)
        return;
    darn_wheres_forget(start, stop);
    darn_findings_hurry();
}

void darn_order_after_fork(void)
{
    struct darn_thread *thread = darn_thread_peek();
    struct darn_thread_order *order = darn_clocks_kept && thread ? darn_order_of(thread) : NULL;

    darn_ordering = darn_clocks_kept; /* the child records nothing */
    if (!darn_clocks_kept)
        return;
    darn_wheres_after_fork();
    darn_clocks_after_fork(order ? &order->clock : NULL);
    if (order) /* what the others did before, they did to the memory of another process */
        darn_clock_acquire_all(&order->clock);
}
