#include "engine/common/order.h"

#include "engine/common/atomic.h"
#include "base/grow.h"
#include "engine/common/reads_from.h"
#include "engine/common/thread_slots.h"
#include "engine/common/sync.h"
#include "engine/common/threads.h"

struct thread {
    struct darn_order_thread open; /* the part that engines see; first */
    struct darn_sync_thread sync;
    struct darn_atomic_thread atomic;
    struct darn_stamp end; /* when it has ended */
    bool ended;
    size_t live; /* index in order->live */
};

struct darn_order {
    struct darn_order_config config;
    struct darn_clocks clocks;
    struct darn_slots slots;
    struct darn_syncs *syncs;
    struct darn_atomics *atomics;
    struct darn_reads_from *flow; /* NULL: not asked for */
    struct darn_threads numbers;
    struct thread **threads; /* by the index of its number; NULL: not met, or ended and joined */
    size_t capacity, thread_count;
    struct thread **live;
    size_t live_count, live_capacity;
    struct thread *last;
    struct darn_stamp ends; /* all that threads knew that have ended */
    uint64_t orphans;
};

struct darn_order *darn_order_create(const struct darn_order_config *config)
{
    struct darn_order *order = calloc(1, sizeof(*order));

    if (!order)
        return NULL;
    order->config = *config;
    order->ends.slot = DARN_SLOT_NONE;
    order->syncs = darn_syncs_create(&order->clocks);
    order->atomics = darn_atomics_create(&order->clocks);
    order->flow = config->flow ? darn_reads_from_create(&order->clocks) : NULL;
    if (!order->syncs || !order->atomics || (config->flow && !order->flow)) {
        darn_order_destroy(order);
        return NULL;
    }
    return order;
}

static void free_thread(struct darn_order *order, struct thread *thread)
{
    if (order->last == thread)
        order->last = NULL;
    darn_syncs_leave(order->syncs, &thread->sync);
    darn_atomics_leave(order->atomics, &thread->atomic);
    darn_stamp_drop(&order->clocks, &thread->open.now);
    darn_stamp_drop(&order->clocks, &thread->end);
    order->thread_count--;
    free(thread);
}

void darn_order_destroy(struct darn_order *order)
{
    if (!order)
        return;
    for (size_t i = 0; i < order->capacity; i++) {
        if (order->threads[i])
            free_thread(order, order->threads[i]);
    }
    darn_syncs_destroy(order->syncs);
    darn_atomics_destroy(order->atomics);
    darn_reads_from_destroy(order->flow);
    darn_stamp_drop(&order->clocks, &order->ends);
    darn_slots_free(&order->slots);
    darn_clocks_free(&order->clocks);
    darn_threads_free(&order->numbers);
    free(order->threads);
    free(order->live);
    free(order);
}

static struct thread *find(const struct darn_order *order, uint32_t number)
{
    uint32_t index = darn_threads_find(&order->numbers, number);

    return index && index <= order->capacity ? order->threads[index - 1] : NULL;
}

/* Gives the thread a slot and all that its creator knows. */
static void enter(struct darn_order *order, struct thread *thread, const struct darn_stamp *creator)
{
    thread->open.now = darn_slots_take(&order->slots, thread->open.number, creator);
    if (order->slots.forced)
        order->clocks.careful = true;
    thread->open.used = 0;
    if (creator)
        darn_stamp_join(&order->clocks, &thread->open.now, creator);
    order->live = darn_grow(order->live, &order->live_capacity, order->live_count + 1,
                            sizeof(struct thread *));
    thread->live = order->live_count;
    order->live[order->live_count++] = thread;
}

static void leave(struct darn_order *order, struct thread *thread)
{
    darn_slots_leave(&order->slots, &thread->open.now, thread->open.used == thread->open.now.time);
    thread->end = darn_stamp_take(&order->clocks, &thread->open.now);
    darn_stamp_join(&order->clocks, &order->ends, &thread->end);
    thread->ended = true;
    darn_stamp_drop(&order->clocks, &thread->open.now);
    darn_syncs_leave(order->syncs, &thread->sync);
    darn_atomics_leave(order->atomics, &thread->atomic);
    order->live[thread->live] = order->live[--order->live_count];
    order->live[thread->live]->live = thread->live;
}

static struct thread *add(struct darn_order *order, uint32_t number,
                          const struct darn_stamp *creator)
{
    struct thread *thread = darn_need_memory(calloc(1, sizeof(*thread)));
    uint32_t index = darn_threads_index(&order->numbers, number);

    order->threads =
        darn_grow(order->threads, &order->capacity, (size_t)index + 1, sizeof(struct thread *));
    order->threads[index] = thread;
    order->thread_count++;
    thread->open.number = number;
    enter(order, thread, creator);
    return thread;
}

/* The thread of an event. One that goes on after its end has got a new life after the old one. */
static struct thread *at_work(struct darn_order *order, uint32_t number)
{
    struct thread *thread = order->last;

    if (thread && thread->open.number == number && !thread->ended)
        return thread;
    thread = find(order, number);
    if (!thread) {
        thread = add(order, number, NULL);
        order->orphans++;
    } else if (thread->ended) {
        struct darn_stamp end = thread->end;

        thread->end = (struct darn_stamp){0};
        thread->ended = false;
        enter(order, thread, &end);
        darn_stamp_drop(&order->clocks, &end);
        order->orphans++;
    }
    order->last = thread;
    return thread;
}

static void fork_thread(struct darn_order *order, struct thread *parent, uint32_t number)
{
    struct thread *child = find(order, number);
    struct darn_stamp stamp;

    if (child == parent)
        return;
    stamp = darn_stamp_take(&order->clocks, &parent->open.now);
    if (!child)
        add(order, number, &stamp);
    else if (!child->ended)
        darn_stamp_acquire(&order->clocks, &child->open.now, &stamp);
    darn_stamp_drop(&order->clocks, &stamp);
}

static void join_thread(struct darn_order *order, struct thread *thread, uint32_t number)
{
    struct thread *other = find(order, number);

    if (!other || other == thread)
        return;
    if (!other->ended)
        leave(order, other);
    /* Its slot may belong to another thread by now, which is known to us: every slot is looked at.
     */
    darn_stamp_join(&order->clocks, &thread->open.now, &other->end);
    order->threads[darn_threads_find(&order->numbers, number) - 1] = NULL;
    free_thread(order, other);
}

/* What the others do later, they do at their next time. */
static void come_after_all(struct darn_order *order, struct thread *thread)
{
    for (size_t i = 0; i < order->live_count; i++) {
        struct darn_stamp stamp;

        if (order->live[i] == thread)
            continue;
        stamp = darn_stamp_take(&order->clocks, &order->live[i]->open.now);
        darn_stamp_acquire(&order->clocks, &thread->open.now, &stamp);
        darn_stamp_drop(&order->clocks, &stamp);
    }
    darn_stamp_join(&order->clocks, &thread->open.now, &order->ends);
}

static uint16_t flags_that_count(const struct darn_order *order, const struct darn_event *event)
{
    uint16_t flags = event->flags;

    if (order->config.ignore_sync)
        flags &= (uint16_t)~DARN_EVENT_SYNC;
    if (order->config.ignore_atomic)
        flags &= (uint16_t) ~(DARN_EVENT_ATOMIC | DARN_EVENT_ACQUIRES | DARN_EVENT_RELEASES);
    return flags;
}

bool darn_order_is_sync(const struct darn_order *order, const struct darn_event *event)
{
    return (event->flags & (DARN_EVENT_ATOMIC | DARN_EVENT_SYNC)) &&
           (flags_that_count(order, event) & (DARN_EVENT_ATOMIC | DARN_EVENT_SYNC));
}

/* Whether it is an atomic operation or a fence; `counts` is the event with what of it counts. */
static bool synchronizes(const struct darn_order *order, const struct darn_event *event,
                         struct darn_event *counts)
{
    if (event->kind != DARN_EVENT_FENCE && !darn_order_is_sync(order, event))
        return false;
    *counts = *event;
    counts->flags = flags_that_count(order, event);
    return true;
}

static void forget(struct darn_order *order, const struct darn_event *event)
{
    darn_syncs_forget(order->syncs, event->target, event->extra);
    darn_atomics_forget(order->atomics, event->target, event->extra);
    if (order->flow)
        darn_reads_from_forget(order->flow, event->target, event->extra);
}

struct darn_order_thread *darn_order_thread(struct darn_order *order,
                                            const struct darn_event *event)
{
    return &at_work(order, event->thread)->open;
}

/* Whether the message may have been for others. */
static bool is_for_anybody(uint64_t target)
{
    return target == DARN_EVENT_OUTSIDE || target == DARN_EVENT_POLLED ||
           target == DARN_EVENT_SOCKETS || target == DARN_EVENT_SOCKET_ROOM;
}

struct darn_order_thread *darn_order_before(struct darn_order *order,
                                            const struct darn_event *event)
{
    struct thread *thread = at_work(order, event->thread);
    struct darn_event counts;

    switch (event->kind) {
    case DARN_EVENT_READ:
    case DARN_EVENT_WRITE:
    case DARN_EVENT_UPDATE:
    case DARN_EVENT_FENCE:
        if (synchronizes(order, event, &counts))
            darn_atomics_before(order->atomics, &thread->atomic, &thread->open.now, &counts);
        break;
    case DARN_EVENT_JOIN:
        join_thread(order, thread, (uint32_t)event->target);
        break;
    case DARN_EVENT_AFTER_ALL:
        if (!order->config.known)
            come_after_all(order, thread);
        break;
    case DARN_EVENT_RECEIVE:
        if (order->config.known && is_for_anybody(event->target))
            break;
        darn_syncs_before(order->syncs, &thread->sync, &thread->open.now, event);
        break;
    case DARN_EVENT_ACQUIRE:
        if (!order->config.locks)
            break;
        /* fall through */
    case DARN_EVENT_DEPART:
    case DARN_EVENT_WAKE:
    case DARN_EVENT_TAKE:
        darn_syncs_before(order->syncs, &thread->sync, &thread->open.now, event);
        break;
    default:
        break;
    }
    return &thread->open;
}

/* What the event sees of others' writes, and shows of its own. The second half of an update is no
 * access of its own. */
static void let_flow(struct darn_order *order, struct darn_stamp *now,
                     const struct darn_event *event)
{
    bool writes = darn_event_writes(event);

    if (!darn_event_is_access(event) || event->flags & DARN_EVENT_HALF)
        return;
    if (event->kind != DARN_EVENT_WRITE ||
        (order->config.reads_too && order->config.reads_too(order->config.context, event->site)))
        darn_reads_from_read(order->flow, now, event);
    if (writes)
        darn_reads_from_write(order->flow, now, event);
}

/* Values may have been handed on unseen, also in critical sections that have begun already. */
static void go_by_locks(struct darn_order *order)
{
    struct darn_stamp all = darn_stamp_copy(&order->ends);

    if (order->config.locks)
        return;
    order->config.locks = true;
    for (size_t i = 0; i < order->live_count; i++) {
        struct darn_stamp stamp = darn_stamp_take(&order->clocks, &order->live[i]->open.now);

        darn_stamp_join(&order->clocks, &all, &stamp);
        darn_stamp_drop(&order->clocks, &stamp);
    }
    for (size_t i = 0; i < order->live_count; i++)
        darn_stamp_join(&order->clocks, &order->live[i]->open.now, &all);
    darn_stamp_drop(&order->clocks, &all);
}

void darn_order_after(struct darn_order *order, struct darn_order_thread *open,
                      const struct darn_event *event)
{
    struct thread *thread = (struct thread *)open;
    struct darn_event counts;

    if (order->flow)
        let_flow(order, &thread->open.now, event);
    if (order->flow && event->kind == DARN_EVENT_SEND && event->target == DARN_EVENT_THINNED)
        go_by_locks(order);
    switch (event->kind) {
    case DARN_EVENT_WRITE:
    case DARN_EVENT_UPDATE:
    case DARN_EVENT_FENCE:
        if (synchronizes(order, event, &counts))
            darn_atomics_after(order->atomics, &thread->atomic, &thread->open.now, &counts);
        break;
    case DARN_EVENT_FORK:
        fork_thread(order, thread, (uint32_t)event->target);
        break;
    case DARN_EVENT_EXIT:
        leave(order, thread);
        break;
    case DARN_EVENT_ALLOC:
    case DARN_EVENT_FREE:
        forget(order, event);
        break;
    case DARN_EVENT_RELEASE:
        if (!order->config.locks)
            break;
        /* fall through */
    case DARN_EVENT_ARRIVE:
    case DARN_EVENT_WAIT:
    case DARN_EVENT_SIGNAL:
    case DARN_EVENT_BROADCAST:
    case DARN_EVENT_POST:
    case DARN_EVENT_SEND:
        darn_syncs_after(order->syncs, &thread->sync, &thread->open.now, event);
        break;
    default:
        break;
    }
}

uint32_t darn_order_who(const struct darn_order *order, darn_epoch epoch)
{
    return darn_slots_thread(&order->slots, epoch);
}

bool darn_order_settled(const struct darn_order *order, darn_epoch epoch)
{
    for (size_t i = 0; i < order->live_count; i++) {
        if (!darn_stamp_knows(&order->live[i]->open.now, epoch))
            return false;
    }
    return true;
}

uint64_t darn_order_orphans(const struct darn_order *order)
{
    return order->orphans;
}

uint64_t darn_order_degraded(const struct darn_order *order)
{
    return order->slots.forced + order->clocks.exhausted;
}

struct darn_clocks *darn_order_clocks(struct darn_order *order)
{
    return &order->clocks;
}

size_t darn_order_memory(const struct darn_order *order)
{
    return sizeof(*order) + (order->flow ? darn_reads_from_memory(order->flow) : 0) +
           order->clocks.memory + darn_slots_memory(&order->slots) +
           darn_syncs_memory(order->syncs) + darn_atomics_memory(order->atomics) +
           darn_threads_memory(&order->numbers) + order->capacity * sizeof(struct thread *) +
           order->live_capacity * sizeof(struct thread *) +
           order->thread_count * sizeof(struct thread);
}
