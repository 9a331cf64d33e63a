/* Healing: nothing is looked for, and what is known is healed. */
#include <stddef.h>

#include "runtime/watch/hook_modes.h"

static void heal_access(struct darn_thread *thread, const struct darn_touch *touch,
                        const void *frame)
{
    darn_hook_heal(thread, touch, frame);
    darn_hook_linger(thread);
}

const struct darn_mode_hooks darn_heal_hooks = {.access = heal_access, .spin = heal_access};
