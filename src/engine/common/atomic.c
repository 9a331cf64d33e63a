#include "engine/common/atomic.h"

#include "base/grow.h"
#include "engine/common/shadow.h"

/* The operations at the heads of the release sequences that the last write belongs to. */
struct cell {
    struct darn_stamps heads;
};

struct darn_atomics {
    struct darn_clocks *clocks;
    struct darn_shadow *cells;
};

/* One access on its way through its cells. */
struct passage {
    struct darn_clocks *clocks;
    struct darn_atomic_thread *thread;
    struct darn_stamp *now;
    const struct darn_event *event;
    struct darn_stamp stamp; /* what it releases; without a time when it releases nothing */
};

static void copy_cell(void *context, void *memory)
{
    struct darn_atomics *atomics = context;
    struct cell *cell = memory;
    struct darn_stamps from = cell->heads;

    cell->heads = (struct darn_stamps){0};
    for (uint32_t i = 0; i < from.count; i++) {
        struct darn_stamps_item item = from.items[i];

        item.stamp = darn_stamp_copy(&item.stamp);
        darn_stamps_put(atomics->clocks, &cell->heads, &item);
    }
}

static void drop_cell(void *context, void *memory)
{
    struct darn_atomics *atomics = context;
    struct cell *cell = memory;

    darn_stamps_free(atomics->clocks, &cell->heads);
}

struct darn_atomics *darn_atomics_create(struct darn_clocks *clocks)
{
    struct darn_atomics *atomics = calloc(1, sizeof(*atomics));
    struct darn_shadow_type type = {
        .size = sizeof(struct cell), .copy = copy_cell, .drop = drop_cell, .context = atomics};

    if (!atomics)
        return NULL;
    atomics->clocks = clocks;
    atomics->cells = darn_shadow_create(&type);
    if (!atomics->cells) {
        free(atomics);
        return NULL;
    }
    return atomics;
}

void darn_atomics_destroy(struct darn_atomics *atomics)
{
    if (!atomics)
        return;
    darn_shadow_destroy(atomics->cells);
    free(atomics);
}

static void for_each_cell(struct darn_atomics *atomics, struct passage *passage,
                          darn_shadow_visitor *visit)
{
    const struct darn_event *event = passage->event;

    darn_shadow_pass(atomics->cells, event, visit, passage);
}

static void acquire_cell(void *to, void *memory, uint64_t address)
{
    struct passage *passage = to;
    struct cell *cell = memory;

    (void)address;
    darn_stamps_acquire(passage->clocks, passage->now, &cell->heads);
}

/* Nothing is acquired yet, but a fence may follow. */
static void load_cell(void *to, void *memory, uint64_t address)
{
    struct passage *passage = to;
    struct cell *cell = memory;

    (void)address;
    passage->thread->loaded.slot = DARN_SLOT_NONE;
    for (uint32_t i = 0; i < cell->heads.count; i++) {
        const struct darn_stamp *stamp = &cell->heads.items[i].stamp;

        if (passage->clocks->careful || !darn_stamp_knows(passage->now, darn_stamp_epoch(stamp)))
            darn_stamp_acquire(passage->clocks, &passage->thread->loaded, stamp);
    }
}

void darn_atomics_before(struct darn_atomics *atomics, struct darn_atomic_thread *thread,
                         struct darn_stamp *now, const struct darn_event *event)
{
    struct passage passage = {atomics->clocks, thread, now, event, {0}};

    if (event->kind == DARN_EVENT_FENCE) {
        if (event->flags & DARN_EVENT_ACQUIRES) {
            darn_stamp_join(atomics->clocks, now, &thread->loaded);
            darn_stamp_drop(atomics->clocks, &thread->loaded);
        }
    } else if (event->kind != DARN_EVENT_WRITE) {
        bool acquires = event->flags & (DARN_EVENT_ACQUIRES | DARN_EVENT_SYNC);

        for_each_cell(atomics, &passage, acquires ? acquire_cell : load_cell);
    }
}

static void put_stamp(struct passage *passage, struct cell *cell)
{
    struct darn_stamps_item item = {.thread = passage->event->thread};

    if (!passage->stamp.time)
        return;
    item.stamp = darn_stamp_copy(&passage->stamp);
    darn_stamps_put(passage->clocks, &cell->heads, &item);
}

/* A store begins a new modification: only sequences headed by the same thread go on (C11 5.1.2.4).
 */
static void store_cell(void *to, void *memory, uint64_t address)
{
    struct passage *passage = to;
    struct cell *cell = memory;
    uint32_t kept = 0;

    (void)address;
    for (uint32_t i = 0; i < cell->heads.count; i++) {
        struct darn_stamps_item *item = &cell->heads.items[i];

        if (item->thread == passage->event->thread)
            cell->heads.items[kept++] = *item;
        else
            darn_stamp_drop(passage->clocks, &item->stamp);
    }
    cell->heads.count = kept;
    put_stamp(passage, cell);
}

/* An update goes on with all sequences, and so does a store of a spin: there the trace does not
 * always show which store a read has seen. */
static void update_cell(void *to, void *memory, uint64_t address)
{
    (void)address;
    put_stamp(to, memory);
}

void darn_atomics_after(struct darn_atomics *atomics, struct darn_atomic_thread *thread,
                        struct darn_stamp *now, const struct darn_event *event)
{
    struct passage passage = {atomics->clocks, thread, now, event, {0}};
    bool is_sync = event->flags & DARN_EVENT_SYNC;
    bool is_store = event->kind == DARN_EVENT_WRITE && !is_sync;

    if (event->kind == DARN_EVENT_FENCE) {
        if (event->flags & DARN_EVENT_RELEASES) {
            darn_stamp_drop(atomics->clocks, &thread->released);
            thread->released = darn_stamp_take(atomics->clocks, now);
        }
        return;
    }
    if (event->kind == DARN_EVENT_READ)
        return;
    if (is_sync || event->flags & DARN_EVENT_RELEASES)
        passage.stamp = darn_stamp_take(atomics->clocks, now);
    else
        passage.stamp = darn_stamp_copy(&thread->released);
    if (is_store || passage.stamp.time)
        for_each_cell(atomics, &passage, is_store ? store_cell : update_cell);
    darn_stamp_drop(atomics->clocks, &passage.stamp);
}

void darn_atomics_leave(struct darn_atomics *atomics, struct darn_atomic_thread *thread)
{
    darn_stamp_drop(atomics->clocks, &thread->released);
    darn_stamp_drop(atomics->clocks, &thread->loaded);
}

void darn_atomics_forget(struct darn_atomics *atomics, uint64_t address, uint64_t size)
{
    darn_shadow_forget(atomics->cells, address, size);
}

size_t darn_atomics_memory(const struct darn_atomics *atomics)
{
    return darn_shadow_memory(atomics->cells);
}
