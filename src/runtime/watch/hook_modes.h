/*
 * What the hooks do in each mode (enum darn_mode): one struct of functions for each, in a file of
 * its own. Healing goes on in all of them: it comes first in an access, and last.
 */
#ifndef DARN_RUNTIME_HOOK_MODES_H
#define DARN_RUNTIME_HOOK_MODES_H

#include <stdbool.h>

#include "runtime/heal/heal.h"
#include "runtime/state.h"
#include "runtime/thread/thread.h"
#include "runtime/watch/attention.h"
#include "runtime/watch/touch.h"
#include "site/armed.h"
#include "site/site.h"

struct darn_slot;
struct darn_strategy_scope;

struct darn_mode_hooks {
    /* An access, which follows at once; and one that is a read of a loop that may spin. */
    void (*access)(struct darn_thread *thread, const struct darn_touch *touch, const void *frame);
    void (*spin)(struct darn_thread *thread, const struct darn_touch *touch, const void *frame);

    /* The sites of a module that is being loaded: arms those that shall call always. NULL: none
     * does, nobody asks what is recorded or learned. */
    void (*load)(const struct darn_site *start, const struct darn_site *stop);

    /* A controlled thread begins or ends a function or block, or leaves a section. NULL: nobody
     * wants to know. */
    void (*scope)(const struct darn_slot *slot, bool begins,
                  const struct darn_strategy_scope *scope);
    void (*leave)(const struct darn_slot *slot);
};

extern const struct darn_mode_hooks darn_watch_hooks, darn_record_hooks, darn_learn_hooks,
    darn_control_hooks, darn_heal_hooks;

/* ---- what several have in common ---- */

static inline void darn_hook_heal(struct darn_thread *thread, const struct darn_touch *touch,
                                  const void *frame)
{
    if (darn_healing && touch->site &&
        (darn_armed_is_healed(darn_armed(touch->site), darn_production[0]) ||
         darn_attention_is_marked(touch->address, touch->size)))
        darn_heal_access(thread, touch, frame);
}

static inline void darn_hook_linger(struct darn_thread *thread)
{
    if (thread->lingers)
        darn_heal_linger(thread);
}

#endif
