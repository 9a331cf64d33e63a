#include "runtime/order/late.h"

#include "runtime/order/edges.h"
#include "runtime/order/handmade.h"

static volatile bool is_called_back;

void darn_late_called_back(void)
{
    if (!is_called_back) /* everybody reads it */
        is_called_back = true;
}

void darn_late_all(struct darn_late *late)
{
    late->is_all = true;
    darn_late_note(late);
}

void darn_late_object(struct darn_late *late, uint64_t object)
{
    if (!darn_late_waits(late, object))
        darn_late_all(late);
}

void darn_late_spin(struct darn_late *late, uint64_t object, uint32_t found)
{
    if (late->spin && late->spin != object)
        darn_late_all(late);
    if (late->spin != object)
        late->found = found;
    late->spin = object;
    darn_late_note(late);
}

void darn_late_relaxed(struct darn_late *late)
{
    late->is_relaxed = true;
    darn_late_note(late);
}

void darn_late_outside(struct darn_late *late, uintptr_t until)
{
    if (late->until < until)
        late->until = until;
    darn_late_note(late);
}

static void settle_call(struct darn_late *late, const void *frame)
{
    if ((uintptr_t)frame >= late->call) {
        late->call = 0;
        late->until = 1; /* what it did last was not seen */
    } else {
        darn_late_all(late);
    }
}

void darn_late_settle_any(struct darn_late *late, struct darn_thread *thread, const void *frame)
{
    if (!darn_edges_taken(thread))
        return;
    late->is_more = false;
    late->is_any = false;
    if (late->call)
        settle_call(late, frame);
    if (late->is_foreign)
        darn_late_all(late);
    if (late->until) {
        if ((uintptr_t)frame >= late->until)
            late->until = 0;
        if (is_called_back)
            darn_late_all(late);
        darn_edge_acquire(thread, DARN_EVENT_OUTSIDE);
    }
    if (late->spin && (!darn_clock_is_given(late->spin) || late->found != darn_handmade_found()))
        darn_late_all(late);
    late->spin = 0;
    if (late->is_relaxed && darn_handmade_barriers)
        darn_late_all(late);
    late->is_relaxed = false;
    if (late->cancelled)
        darn_edge_acquire(thread, late->cancelled);
    if (late->is_all) {
        late->is_all = false;
        darn_edge_acquire_all(thread);
    }
    while (late->count)
        darn_edge_acquire(thread, late->objects[--late->count]);
    if (late->call || late->until || late->is_foreign)
        darn_late_note(late);
}
