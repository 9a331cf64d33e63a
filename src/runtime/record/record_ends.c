#include "runtime/record/record_ends.h"

#include <assert.h>

#include "runtime/record/lines.h"
#include "runtime/record/stream.h"
#include "runtime/state.h"

_Alignas(64) uint8_t darn_lines[DARN_LINES];

static_assert(DARN_OBJECT_MUTEX == (int)DARN_EVENT_IS_MUTEX &&
                  DARN_OBJECT_RWLOCK == (int)DARN_EVENT_IS_RWLOCK &&
                  DARN_OBJECT_SPIN == (int)DARN_EVENT_IS_SPIN &&
                  DARN_OBJECT_COND == (int)DARN_EVENT_IS_COND &&
                  DARN_OBJECT_BARRIER == (int)DARN_EVENT_IS_BARRIER &&
                  DARN_OBJECT_SEMAPHORE == (int)DARN_EVENT_IS_SEMAPHORE &&
                  DARN_OBJECT_DESCRIPTOR == (int)DARN_EVENT_IS_DESCRIPTOR &&
                  DARN_OBJECT_STREAM == (int)DARN_EVENT_IS_STREAM &&
                  DARN_OBJECT_STACK == (int)DARN_EVENT_IS_STACK,
              "a trace has the same numbers");

static struct darn_event about(enum darn_event_kind kind, uintptr_t address, uint64_t size,
                               enum darn_touch_object object)
{
    return (struct darn_event){.kind = (uint8_t)kind,
                               .target = address,
                               .extra = size,
                               .flags = darn_event_about((enum darn_event_object)object)};
}

void darn_use_object(struct darn_thread *thread, uintptr_t address, enum darn_touch_object object,
                     const void *frame)
{
    struct darn_event event = about(DARN_EVENT_USE, address, 0, object);

    if (darn_ends_recorded(thread))
        darn_record_use(thread, &event, frame);
    else
        darn_order_use(thread, address, object, frame);
}

void darn_use_file(struct darn_thread *thread, int fd, const void *frame)
{
    darn_use_object(thread, darn_order_file(fd), DARN_OBJECT_DESCRIPTOR, frame);
}

void darn_end_object(struct darn_thread *thread, uintptr_t address, uint64_t size,
                     enum darn_touch_object object, const void *frame)
{
    struct darn_event event = about(DARN_EVENT_DESTROY, address, size, object);

    event.flags |= DARN_EVENT_STAYS;
    if (darn_clocks_kept)
        darn_order_end_object(thread, address, size, object, frame);
    else if (darn_ends_recorded(thread) && darn_end_is_ours(frame))
        darn_record_event(thread, &event, NULL, frame);
}

/* A file ends once, and its number is none until it is another's. */
void darn_end_file(struct darn_thread *thread, int fd, const void *frame)
{
    struct darn_event event =
        about(DARN_EVENT_DESTROY, darn_order_file(fd), DARN_ORDER_FILE, DARN_OBJECT_DESCRIPTOR);

    if (darn_clocks_kept) {
        darn_order_close(thread, fd, frame);
        return;
    }
    if (fd < 0 || !darn_ends_recorded(thread) || !darn_end_is_ours(frame)) {
        darn_begin_file(fd);
        return;
    }
    darn_record_event(thread, &event, NULL, frame);
    event.target = darn_order_closed_file(fd);
    event.flags |= DARN_EVENT_STAYS;
    darn_record_event(thread, &event, NULL, frame);
}

void darn_begin_file(int fd)
{
    struct darn_thread *thread = darn_recording ? darn_thread_peek() : NULL;
    struct darn_event event = {.kind = DARN_EVENT_ALLOC, .extra = DARN_ORDER_FILE};

    if (darn_clocks_kept) {
        darn_order_opened(fd);
    } else if (fd >= 0 && darn_ends_recorded(thread)) {
        event.target = darn_order_file(fd);
        darn_record_event(thread, &event, NULL, NULL);
    }
}

void darn_record_free(const void *block, uint64_t size, bool stays, const void *frame)
{
    struct darn_thread *thread = darn_thread_peek();
    struct darn_event event = about(DARN_EVENT_FREE, (uintptr_t)block, size, DARN_OBJECT_NONE);

    if (!thread || !thread->stream ||
        (!thread->closing && !darn_lines_any((uintptr_t)block, size, DARN_LINE_TOUCHED)))
        return;
    if (thread->closing) { /* libc does it for the caller of fclose */
        frame = thread->closing;
        event.flags = darn_event_about(DARN_EVENT_IS_STREAM);
    }
    if (frame && !darn_end_is_ours(frame))
        frame = NULL;
    if (stays)
        event.flags |= DARN_EVENT_STAYS;
    darn_lines_set((uintptr_t)block, size, DARN_LINE_FREED);
    darn_record_event(thread, &event, NULL, frame);
}

/*
 * The stack will be another thread's: what was recorded there is not about the same variables. As
 * deep as the thread itself has recorded, and what others may have touched of its outer frames.
 */
#define MOST_STACK  (UINT64_C(1) << 20)
#define OUTER_STACK (UINT64_C(1) << 14)

static uintptr_t deepest_of(const struct darn_thread *thread, uintptr_t deepest)
{
    uintptr_t outer = thread->stack_end - OUTER_STACK;

    if (!deepest || deepest > outer)
        deepest = darn_lines_any(outer, OUTER_STACK, DARN_LINE_TOUCHED) ? outer : deepest;
    if (deepest && thread->stack_end - deepest > MOST_STACK)
        deepest = thread->stack_end - MOST_STACK;
    return deepest;
}

void darn_record_end_stack(struct darn_thread *thread, uintptr_t deepest)
{
    /* There are no frames left; it is told where the thread began. */
    const uintptr_t frame[2] = {DARN_STACK_ALONE, (uintptr_t)thread->start.pthread + 1};
    bool is_end = darn_end_takes_stack(thread) && darn_ends_recorded(thread);
    struct darn_event event = about(DARN_EVENT_FREE, 0, 0, DARN_OBJECT_STACK);

    if (thread->stack_end < OUTER_STACK)
        return; /* not known */
    event.target = deepest_of(thread, deepest);
    if (!event.target)
        return;
    event.extra = thread->stack_end - event.target;
    if (is_end) {
        event.flags |= DARN_EVENT_STAYS;
        darn_lines_set(event.target, event.extra, DARN_LINE_FREED);
    }
    darn_record_event(thread, &event, NULL, is_end ? frame : NULL);
}
