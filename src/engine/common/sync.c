#include "engine/common/sync.h"

#include "base/grow.h"
#include "engine/common/shadow.h"

enum sort { LOCK, BARRIER, CONDITION, SEMAPHORE, MESSAGE };

/* Those who have arrived together at a barrier. Held by the barrier while it is the last one, and
 * by each thread that has not departed. */
struct darn_generation {
    uint32_t refs;
    bool closed; /* somebody has departed */
    struct darn_stamp all;
};

struct lock {
    struct darn_stamp writer;
    struct darn_stamp readers; /* those since the writer */
};

/* A signal is remembered while somebody waits who may be woken by it. */
struct condition {
    struct darn_stamps signals;
    uint32_t waiting;
    uint32_t number; /* goes up with each signal */
};

/* One address may be several things at once: a mutex that is the first member of a struct whose
 * address is used for messages. */
struct object {
    struct object *next;
    enum sort sort;
    union {
        struct lock lock;
        struct darn_generation *last;
        struct condition condition;
        struct darn_stamp sent;
    };
};

struct cell {
    struct object *first;
};

struct darn_syncs {
    struct darn_clocks *clocks;
    struct darn_shadow *objects;
    size_t memory;
};

static void drop_generation(struct darn_syncs *syncs, struct darn_generation *generation)
{
    if (!generation || --generation->refs)
        return;
    darn_stamp_drop(syncs->clocks, &generation->all);
    syncs->memory -= sizeof(*generation);
    free(generation);
}

static void drop_cell(void *context, void *memory)
{
    struct darn_syncs *syncs = context;
    struct cell *cell = memory;

    while (cell->first) {
        struct object *object = cell->first;

        cell->first = object->next;
        switch (object->sort) {
        case LOCK:
            darn_stamp_drop(syncs->clocks, &object->lock.writer);
            darn_stamp_drop(syncs->clocks, &object->lock.readers);
            break;
        case BARRIER:
            drop_generation(syncs, object->last);
            break;
        case CONDITION:
            darn_stamps_free(syncs->clocks, &object->condition.signals);
            break;
        case SEMAPHORE:
        case MESSAGE:
            darn_stamp_drop(syncs->clocks, &object->sent);
            break;
        }
        syncs->memory -= sizeof(*object);
        free(object);
    }
}

struct darn_syncs *darn_syncs_create(struct darn_clocks *clocks)
{
    struct darn_syncs *syncs = calloc(1, sizeof(*syncs));
    struct darn_shadow_type type = {
        .size = sizeof(struct cell), .drop = drop_cell, .context = syncs};

    if (!syncs)
        return NULL;
    syncs->clocks = clocks;
    syncs->objects = darn_shadow_create(&type);
    if (!syncs->objects) {
        free(syncs);
        return NULL;
    }
    return syncs;
}

void darn_syncs_destroy(struct darn_syncs *syncs)
{
    if (!syncs)
        return;
    darn_shadow_destroy(syncs->objects);
    free(syncs);
}

/* NULL when nobody has released anything there. */
static struct object *find(const struct darn_syncs *syncs, uint64_t address, enum sort sort)
{
    struct cell *cell = darn_shadow_exact(syncs->objects, address, 1);
    struct object *object = cell ? cell->first : NULL;

    while (object && object->sort != sort)
        object = object->next;
    return object;
}

static struct object *need(struct darn_syncs *syncs, uint64_t address, enum sort sort)
{
    struct object *object = find(syncs, address, sort);
    struct cell *cell;

    if (object)
        return object;
    object = darn_need_memory(calloc(1, sizeof(*object)));
    syncs->memory += sizeof(*object);
    object->sort = sort;
    if (sort == LOCK)
        object->lock.readers.slot = DARN_SLOT_NONE;
    else if (sort == SEMAPHORE || sort == MESSAGE)
        object->sent.slot = DARN_SLOT_NONE;
    cell = darn_shadow_at(syncs->objects, address);
    object->next = cell->first;
    cell->first = object;
    return object;
}

/* Adds what `now` knows to a stamp of nobody. */
static void gather(struct darn_syncs *syncs, struct darn_stamp *to, struct darn_stamp *now)
{
    struct darn_stamp stamp = darn_stamp_take(syncs->clocks, now);

    darn_stamp_join(syncs->clocks, to, &stamp);
    darn_stamp_drop(syncs->clocks, &stamp);
}

static void acquire_lock(struct darn_syncs *syncs, struct darn_stamp *now,
                         const struct darn_event *event)
{
    struct object *object = find(syncs, event->target, LOCK);

    if (!object)
        return;
    darn_stamp_acquire(syncs->clocks, now, &object->lock.writer);
    if (event->lock != DARN_EVENT_RDLOCK)
        darn_stamp_join(syncs->clocks, now, &object->lock.readers);
}

static void release_lock(struct darn_syncs *syncs, struct darn_stamp *now,
                         const struct darn_event *event)
{
    struct lock *lock = &need(syncs, event->target, LOCK)->lock;

    if (event->lock == DARN_EVENT_RDLOCK) {
        gather(syncs, &lock->readers, now);
        return;
    }
    /* A writer has acquired all that came before: its stamp alone is enough. */
    darn_stamp_drop(syncs->clocks, &lock->writer);
    darn_stamp_drop(syncs->clocks, &lock->readers);
    lock->readers.slot = DARN_SLOT_NONE;
    lock->writer = darn_stamp_take(syncs->clocks, now);
}

static void arrive(struct darn_syncs *syncs, struct darn_sync_thread *thread,
                   struct darn_stamp *now, uint64_t barrier)
{
    struct object *object = need(syncs, barrier, BARRIER);

    if (!object->last || object->last->closed) {
        drop_generation(syncs, object->last);
        object->last = darn_need_memory(calloc(1, sizeof(*object->last)));
        object->last->refs = 1;
        object->last->all.slot = DARN_SLOT_NONE;
        syncs->memory += sizeof(*object->last);
    }
    drop_generation(syncs, thread->arrived);
    thread->arrived = object->last;
    thread->arrived->refs++;
    gather(syncs, &thread->arrived->all, now);
}

static void depart(struct darn_syncs *syncs, struct darn_sync_thread *thread,
                   struct darn_stamp *now)
{
    if (!thread->arrived)
        return;
    thread->arrived->closed = true;
    darn_stamp_join(syncs->clocks, now, &thread->arrived->all);
    drop_generation(syncs, thread->arrived);
    thread->arrived = NULL;
}

static void stop_waiting(struct darn_syncs *syncs, struct darn_sync_thread *thread)
{
    struct object *object = thread->waits_for ? find(syncs, thread->waits_for, CONDITION) : NULL;

    thread->waits_for = 0;
    if (!object || !object->condition.waiting || --object->condition.waiting)
        return;
    darn_stamps_free(syncs->clocks, &object->condition.signals);
    object->condition.number = 0;
}

static void start_waiting(struct darn_syncs *syncs, struct darn_sync_thread *thread,
                          uint64_t target)
{
    struct condition *condition;

    stop_waiting(syncs, thread);
    condition = &need(syncs, target, CONDITION)->condition;
    condition->waiting++;
    thread->waits_for = target;
    thread->number = condition->number;
}

static void send_signal(struct darn_syncs *syncs, struct darn_stamp *now,
                        const struct darn_event *event)
{
    struct object *object = find(syncs, event->target, CONDITION);
    struct darn_stamps_item item;

    if (!object || !object->condition.waiting)
        return;
    item.stamp = darn_stamp_take(syncs->clocks, now);
    item.thread = event->thread;
    item.number = ++object->condition.number;
    darn_stamps_put(syncs->clocks, &object->condition.signals, &item);
}

static void wake(struct darn_syncs *syncs, struct darn_sync_thread *thread, struct darn_stamp *now,
                 const struct darn_event *event)
{
    struct object *object = find(syncs, event->target, CONDITION);

    if (object && thread->waits_for == event->target && !(event->flags & DARN_EVENT_TIMEOUT)) {
        struct darn_stamps *signals = &object->condition.signals;

        for (uint32_t i = 0; i < signals->count; i++) {
            if (signals->items[i].number > thread->number)
                darn_stamp_acquire(syncs->clocks, now, &signals->items[i].stamp);
        }
    }
    stop_waiting(syncs, thread);
}

static void receive(struct darn_syncs *syncs, struct darn_stamp *now, uint64_t target,
                    enum sort sort)
{
    struct object *object = find(syncs, target, sort);

    if (object)
        darn_stamp_join(syncs->clocks, now, &object->sent);
}

void darn_syncs_before(struct darn_syncs *syncs, struct darn_sync_thread *thread,
                       struct darn_stamp *now, const struct darn_event *event)
{
    switch (event->kind) {
    case DARN_EVENT_ACQUIRE:
        acquire_lock(syncs, now, event);
        break;
    case DARN_EVENT_DEPART:
        depart(syncs, thread, now);
        break;
    case DARN_EVENT_WAKE:
        wake(syncs, thread, now, event);
        break;
    case DARN_EVENT_TAKE:
        receive(syncs, now, event->target, SEMAPHORE);
        break;
    case DARN_EVENT_RECEIVE:
        receive(syncs, now, event->target, MESSAGE);
        break;
    default:
        break;
    }
}

void darn_syncs_after(struct darn_syncs *syncs, struct darn_sync_thread *thread,
                      struct darn_stamp *now, const struct darn_event *event)
{
    switch (event->kind) {
    case DARN_EVENT_RELEASE:
        release_lock(syncs, now, event);
        break;
    case DARN_EVENT_ARRIVE:
        arrive(syncs, thread, now, event->target);
        break;
    case DARN_EVENT_WAIT:
        start_waiting(syncs, thread, event->target);
        break;
    case DARN_EVENT_SIGNAL:
    case DARN_EVENT_BROADCAST:
        send_signal(syncs, now, event);
        break;
    case DARN_EVENT_POST:
        gather(syncs, &need(syncs, event->target, SEMAPHORE)->sent, now);
        break;
    case DARN_EVENT_SEND:
        gather(syncs, &need(syncs, event->target, MESSAGE)->sent, now);
        break;
    default:
        break;
    }
}

void darn_syncs_leave(struct darn_syncs *syncs, struct darn_sync_thread *thread)
{
    stop_waiting(syncs, thread);
    drop_generation(syncs, thread->arrived);
    thread->arrived = NULL;
}

void darn_syncs_forget(struct darn_syncs *syncs, uint64_t address, uint64_t size)
{
    darn_shadow_forget(syncs->objects, address, size);
}

size_t darn_syncs_memory(const struct darn_syncs *syncs)
{
    return syncs->memory + darn_shadow_memory(syncs->objects);
}
