/* Threads that do not come back to the hook in which they are: a signal handler that came meanwhile
 * jumps out of it, or ends the thread. */
#include <stddef.h>

#include "runtime/heal.h"
#include "runtime/hold.h"

static void leave_hook(struct darn_thread *thread)
{
    darn_holds_leave(thread->healer);
    darn_hold_unwait(thread);
    thread->healer->busy = NULL;
    darn_heal_abandon(thread);
    thread->healer->used = thread->healer->ending = thread->healer->left = 0;
    thread->healer->awaits = false;
    darn_own_set_sections(0, 0);
}

/* A handler may have a stack of its own, and jump there as it likes. */
static bool is_left(const struct darn_thread *thread, uintptr_t frame, uintptr_t to)
{
    bool own = frame >= thread->stack_start && frame < thread->stack_end;
    bool back = to >= thread->stack_start && to < thread->stack_end;

    return own == back ? to > frame : back;
}

void darn_heal_jump(struct darn_thread *thread, uintptr_t to)
{
    struct darn_healer *healer = thread->healer;

    if (healer && healer->busy && is_left(thread, (uintptr_t)healer->busy, to))
        leave_hook(thread);
    else
        darn_heal_abandon(thread);
}

void darn_heal_end(struct darn_thread *thread)
{
    if (thread->healer && thread->healer->busy)
        leave_hook(thread);
    else
        darn_heal_abandon(thread);
}
