/* The tables of sites that programs and shared objects announce when they are loaded. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>

#include "runtime/interpose/intercept.h"
#include "runtime/runtime_module.h"
#include "runtime/os/helper.h"
#include "runtime/order/handmade.h"
#include "runtime/order/outside.h"
#include "runtime/record/record.h"
#include "runtime/record/share.h"
#include "runtime/report/tell.h"
#include "runtime/section/rules.h"
#include "runtime/state.h"
#include "runtime/watch/hook.h"
#include "runtime/watch/looks.h"
#include "runtime/watch/sites.h"
#include "site/site.h"

const char darn_loader;

/* Of the module whose constructor runs; the loader's lock is held. */
static const struct darn_site *module_start, *module_stop;

/*
 * Modules come and go under the loader's lock, which nobody sees, and the next one gets the
 * addresses of the last one. So whoever closes a module tells the next one to be loaded or unloaded
 * (intercept_module.c), and what was recorded at its addresses is forgotten.
 */
static void renew_memory(const void *inside)
{
    int (*find)(void *, struct dl_find_object *) =
        (int (*)(void *, struct dl_find_object *))darn_real("_dl_find_object");
    struct darn_thread *thread = darn_thread_peek();
    struct dl_find_object module;

    if (!darn_events_wanted() && darn_state.mode != DARN_MODE_LEARN)
        return;
    darn_record(thread, DARN_EVENT_RECEIVE, &darn_loader, NULL, 0, __builtin_frame_address(0));
    if (find((void *)(uintptr_t)inside, &module))
        return;
    darn_order_forget((uintptr_t)module.dlfo_map_start,
                      (uintptr_t)module.dlfo_map_end - (uintptr_t)module.dlfo_map_start);
    if (darn_recording)
        darn_record_free(module.dlfo_map_start,
                         (uintptr_t)module.dlfo_map_end - (uintptr_t)module.dlfo_map_start, false,
                         NULL); /* nobody ends it */
    else if (darn_state.mode == DARN_MODE_LEARN)
        darn_share_forget((uintptr_t)module.dlfo_map_start,
                          (uintptr_t)module.dlfo_map_end - (uintptr_t)module.dlfo_map_start);
}

/* Called by a constructor that the plugin puts into every program and shared object. */
__attribute__((visibility("default"), used)) void
darn_module_init(const struct darn_site *start, const struct darn_site *stop, const char *command)
{
    darn_helper_command(command);
    darn_init();
    if (darn_state.inert)
        return;
    darn_sites_add(start, stop);
    darn_looks_add(start, stop);
    if (start < stop && start->version != DARN_SITE_VERSION)
        darn_say_line("darn: a part of this program was compiled by another version of darn cc; "
                      "compile it again, reports may be wrong");
    else
        darn_hook_arm(start, stop);
    if (darn_ordering) {
        darn_outside_look();
        darn_order_loading();
    }
    if (darn_state.mode == DARN_MODE_WATCH || darn_state.mode == DARN_MODE_RECORD)
        darn_handmade_module(start, stop);
    renew_memory(start);
    module_start = start;
    module_stop = stop;
}

/* Called by a destructor: its sites go with it. */
__attribute__((visibility("default"), used)) void darn_module_end(const struct darn_site *start,
                                                                  const struct darn_site *stop)
{
    if (darn_state.inert)
        return;
    darn_looks_remove(start, stop);
    darn_rules_forget(start, stop);
    darn_order_unload(start, stop);
    renew_memory(start);
}

/* Called by the same constructor, right after. */
__attribute__((visibility("default"), used)) void darn_module_sections(const void *start,
                                                                       const void *stop)
{
    if (!darn_state.inert)
        darn_rules_module(module_start, module_stop, start, stop);
}
