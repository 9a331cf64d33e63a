/*
 * Which stores of pointers are recorded: those that may hand out memory that nobody else knows yet,
 * a block of the heap or a piece of the thread's own stack (src/engine/common/escape.h).
 *
 * Nobody looks up blocks here: whatever lies between the lowest and the highest block that there
 * ever was may be one. A number that looks like one of these addresses costs an event.
 */
#include <stdatomic.h>
#include <stddef.h>

#include "runtime/record/record.h"
#include "runtime/record/stream.h"
#include "runtime/state.h"

static _Atomic uintptr_t lowest = UINTPTR_MAX, highest;

void darn_record_block(uintptr_t start, uint64_t size)
{
    uintptr_t low = atomic_load_explicit(&lowest, memory_order_relaxed);
    uintptr_t high = atomic_load_explicit(&highest, memory_order_relaxed);

    while (start < low && !atomic_compare_exchange_weak(&lowest, &low, start)) {
    }
    while (start + size > high && !atomic_compare_exchange_weak(&highest, &high, start + size)) {
    }
}

static bool may_be_block(uintptr_t value)
{
    return value >= atomic_load_explicit(&lowest, memory_order_relaxed) &&
           value < atomic_load_explicit(&highest, memory_order_relaxed);
}

static bool is_on_stack(const struct darn_thread *thread, uintptr_t value)
{
    return value >= thread->stack_start && value < thread->stack_end;
}

/*
 * The frame that has the address, as far as frame pointers tell: objects lie between the return
 * address of the function that was called and where the frame ends. Without frame pointers, all
 * that is in use of the stack.
 */
static void set_piece(struct darn_event *event, const struct darn_thread *thread, uintptr_t value,
                      const void *frame)
{
    uintptr_t at = (uintptr_t)frame, low = at + 2 * sizeof(uintptr_t), high = thread->stack_end;

    if (value < low)
        low = value; /* it is gone already, or soon will be */
    while (!darn_state.preloaded && is_on_stack(thread, at)) {
        uintptr_t up = *(const uintptr_t *)at;

        if (up <= at || up % sizeof(up) || !is_on_stack(thread, up))
            break;
        if (value < up) {
            high = up;
            break;
        }
        at = up;
        low = up;
    }
    event->extra = low;
    event->size = high - low < UINT32_MAX ? (uint32_t)(high - low) : UINT32_MAX;
}

/* Whether the same was recorded, and nothing since that could give it another meaning. */
static bool is_repeated(struct darn_stream *stream, uintptr_t at, uint64_t value)
{
    size_t i = (at >> 3) % DARN_REPEATS;
    uint32_t moment = stream->segment + stream->blocks;

    if (stream->pointers[i].at == at && stream->pointers[i].value == value &&
        stream->pointers[i].moment == moment)
        return true;
    stream->pointers[i].at = at;
    stream->pointers[i].value = value;
    stream->pointers[i].moment = moment;
    return false;
}

void darn_record_pointer(struct darn_thread *thread, uintptr_t at, uint64_t value,
                         const void *frame)
{
    struct darn_stream *stream = thread->stream;
    struct darn_coded coded = {.event = {.kind = DARN_EVENT_POINTER, .target = at, .extra = value}};
    bool on_stack = is_on_stack(thread, value);

    if (!stream || stream->busy || (!on_stack && !may_be_block(value)) ||
        darn_state.options.trace_what == DARN_TRACE_SYNC)
        return;
    stream->busy = true;
    if (on_stack)
        set_piece(&coded.event, thread, value, frame);
    if (!is_repeated(stream, at, value))
        darn_stream_put(thread, stream, &coded);
    stream->busy = false;
}

/* The kernel keeps this much below the main thread's stack free of anything else. */
#define MAIN_STACK (UINT64_C(64) << 20)

void darn_record_stack(struct darn_thread *thread)
{
    struct darn_event event = {.kind = DARN_EVENT_STACK, .target = thread->stack_start};

    if (!thread->stack_end || darn_state.options.trace_what == DARN_TRACE_SYNC)
        return;
    if (thread->number == 0 && thread->stack_end - thread->stack_start > MAIN_STACK)
        event.target = thread->stack_end - MAIN_STACK;
    event.extra = thread->stack_end - event.target;
    darn_record_event(thread, &event, NULL, NULL);
}
