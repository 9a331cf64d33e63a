#include "runtime/order/ends.h"

#include <stddef.h>

#include "runtime/order/elsewhere.h"
#include "runtime/order/outside.h"
#include "runtime/order/races.h"
#include "runtime/order/remembered.h"
#include "runtime/order/stacks.h"
#include "runtime/order/thread_order.h"
#include "runtime/os/os.h"
#include "runtime/watch/beginning.h"

/* NULL: what the thread does is not remembered. */
static struct darn_thread_order *order_of(struct darn_thread *thread)
{
    struct darn_thread_order *order =
        darn_clocks_kept && thread && !thread->ignore ? darn_order_of(thread) : NULL;

    return order && order->clock.slot != DARN_CLOCK_SLOTS ? order : NULL;
}

static uintptr_t place_of(const void *frame)
{
    return ((const uintptr_t *)frame)[1];
}

void darn_order_free(struct darn_thread *thread, uintptr_t start, uint64_t size, bool stays,
                     const void *frame)
{
    struct darn_touch touch = {.address = start, .size = size, .op = DARN_OP_FREE};
    struct darn_thread_order *order = order_of(thread);
    struct darn_memory_cell found;
    uint32_t where = 0;
    bool all;

    if (!size)
        return;
    if (thread && thread->closing) { /* libc does it for the caller of fclose */
        frame = thread->closing;
        touch.object = DARN_OBJECT_STREAM;
    }
    if (!order) {
        darn_memory_forget(start, size);
        return;
    }
    stays = stays && darn_remembering;
    all = stays && darn_beginning_sees_all();
    if (!all && !darn_memory_is_touched(start, size)) /* nobody has heard of it */
        return;
    darn_late_settle(&order->late, thread, frame);
    if (stays && darn_end_is_ours(frame)) {
        touch.is_often = !darn_race_is_seldom(order, place_of(frame));
        where = darn_where(thread, order->wheres, &touch, frame);
    }
    if (darn_memory_end(&order->clock, &touch, where, all, &found) &&
        (where || darn_end_is_ours(frame)))
        darn_race_report(thread, &touch, where, &found, frame);
}

/*
 * Whether an end is remembered itself. While nothing else is, only if that happens seldom: a
 * program that ends an object with each thing that it does would keep the clocks moving.
 */
static bool is_kept(struct darn_thread_order *order, struct darn_touch *touch, const void *frame)
{
    touch->is_often = !darn_race_is_seldom(order, place_of(frame));
    return darn_remembering || !touch->is_often;
}

/* Settled and looked up like an access. */
static void pass_object(struct darn_thread *thread, struct darn_thread_order *order,
                        const struct darn_touch *touch, bool kept, const void *frame)
{
    struct darn_memory_cell found;
    uint32_t where;

    darn_order_pass(thread, order, frame);
    where = kept ? darn_where(thread, order->wheres, touch, frame) : 0;
    if (darn_memory_access(&order->clock, touch, where, &found))
        darn_race_report(thread, touch, where, &found, frame);
}

void darn_order_use_object(struct darn_thread *thread, uintptr_t address,
                           enum darn_touch_object object, const void *frame)
{
    struct darn_touch touch = {
        .address = address, .size = 1, .op = DARN_OP_USE, .object = (uint8_t)object};
    struct darn_thread_order *order = order_of(thread);

    if (order && frame && darn_race_is_worth(order, &touch, address))
        pass_object(thread, order, &touch, true, frame);
}

void darn_order_end_object(struct darn_thread *thread, uintptr_t address, uint64_t size,
                           enum darn_touch_object object, const void *frame)
{
    struct darn_touch touch = {
        .address = address, .size = size, .op = DARN_OP_FREE, .object = (uint8_t)object};
    struct darn_thread_order *order = order_of(thread);

    if (order && darn_end_is_ours(frame))
        pass_object(thread, order, &touch, is_kept(order, &touch, frame), frame);
}

static bool is_gone_with(const struct darn_thread *thread)
{
    return darn_end_takes_stack(thread) && thread->order->clock.slot != DARN_CLOCK_SLOTS;
}

void darn_order_end_stack(struct darn_thread *thread)
{
    /* There are no frames left; it is told where the thread began. */
    const uintptr_t frame[2] = {DARN_STACK_ALONE, (uintptr_t)thread->start.pthread + 1};
    struct darn_thread_order *order = thread->order;
    uintptr_t deepest = darn_stacks_end(order->clock.slot);
    struct darn_touch touch = {.address = deepest,
                               .size = thread->stack_end - deepest,
                               .op = DARN_OP_FREE,
                               .object = DARN_OBJECT_STACK};
    struct darn_memory_cell found;
    uint32_t where = 0;

    if (!deepest)
        return;
    if (!is_gone_with(thread)) {
        darn_memory_forget(touch.address, touch.size);
        return;
    }
    darn_stacks_leave(order->clock.slot, deepest, thread->stack_end);
    if (darn_remembering)
        where = darn_where(thread, order->wheres, &touch, frame);
    if (darn_memory_end(&order->clock, &touch, where, false, &found))
        darn_race_report(thread, &touch, where, &found, frame);
}

/*
 * A file descriptor is known by its number and by the file: numbers are used again, and not every
 * call that ends or begins one is seen. Of a number that is no file, by the number: it was closed.
 * No addresses of the program; sixteen bytes for each, which have a life of their own.
 */
#define CLOSED UINT64_C(0xffffffff)

static uintptr_t file_at(int fd, uint64_t file)
{
    return DARN_EVENT_FILES | file << 24 | (uintptr_t)((unsigned)fd & 0xfffff) << 4;
}

uintptr_t darn_order_file(int fd)
{
    uint64_t identity = darn_os_identity(fd);

    return file_at(fd, identity ? (identity ^ identity >> 32) % CLOSED : CLOSED);
}

uintptr_t darn_order_closed_file(int fd)
{
    return file_at(fd, CLOSED);
}

void darn_order_opened(int fd)
{
    if (darn_clocks_kept && fd >= 0)
        darn_memory_forget(darn_order_file(fd), DARN_ORDER_FILE);
}

/* The number may be another file's as soon as the call is made; that it was closed is remembered
 * for who uses it while it is none. */
void darn_order_close(struct darn_thread *thread, int fd, const void *frame)
{
    struct darn_touch touch = {.address = darn_order_file(fd),
                               .size = 8,
                               .op = DARN_OP_FREE,
                               .object = DARN_OBJECT_DESCRIPTOR};
    struct darn_thread_order *order = order_of(thread);
    struct darn_memory_cell found;
    uint32_t where = 0;

    if (!order || fd < 0) {
        darn_order_opened(fd);
        return;
    }
    darn_order_pass(thread, order, frame);
    if (darn_end_is_ours(frame) && is_kept(order, &touch, frame))
        where = darn_where(thread, order->wheres, &touch, frame);
    if (darn_memory_end(&order->clock, &touch, 0, false, &found) && darn_end_is_ours(frame))
        darn_race_report(thread, &touch, where, &found, frame);
    touch.address = darn_order_closed_file(fd);
    darn_memory_end(&order->clock, &touch, where, true, &found);
}

static volatile bool has_process;

void darn_order_process(void)
{
    has_process = true;
    darn_elsewhere_process();
}

bool darn_order_has_process(void)
{
    return has_process;
}

void darn_order_told_by_process(void)
{
    struct darn_thread *thread = has_process && darn_ordering ? darn_thread_peek() : NULL;

    if (thread)
        darn_order_after_all(thread);
}
