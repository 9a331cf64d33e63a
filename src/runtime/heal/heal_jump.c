/* Threads that do not come back to the hook in which they are: a signal handler that came meanwhile
 * jumps out of it, or ends the thread. */
#include <stddef.h>

#include "runtime/heal/heal.h"
#include "runtime/heal/hold.h"

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

void darn_heal_jump(struct darn_thread *thread, uintptr_t to)
{
    struct darn_healer *healer = thread->healer;

    if (healer && healer->busy && darn_stack_is_left(thread, (uintptr_t)healer->busy, to))
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
