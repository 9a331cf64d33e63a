/* The tables of sites that programs and shared objects announce when they are loaded. */
#include <stddef.h>

#include "runtime/helper.h"
#include "runtime/hook.h"
#include "runtime/module.h"
#include "runtime/rules.h"
#include "runtime/say.h"
#include "runtime/sites.h"
#include "runtime/state.h"
#include "site/site.h"

/* Of the module whose constructor runs; the loader's lock is held. */
static const struct darn_site *module_start, *module_stop;

/* Called by a constructor that the plugin puts into every program and shared object. */
__attribute__((visibility("default"), used)) void
darn_module_init(const struct darn_site *start, const struct darn_site *stop, const char *command)
{
    darn_helper_command(command);
    darn_init();
    if (darn_state.inert)
        return;
    darn_sites_add(start, stop);
    if (start < stop && start->version != DARN_SITE_VERSION)
        darn_say("darn: a part of this program was compiled by another version of darn cc; "
                 "compile it again, reports may be wrong");
    else
        darn_hook_arm(start, stop);
    module_start = start;
    module_stop = stop;
}

/* Called by a destructor: its sites go with it. */
__attribute__((visibility("default"), used)) void darn_module_end(const struct darn_site *start,
                                                                  const struct darn_site *stop)
{
    if (!darn_state.inert)
        darn_rules_forget(start, stop);
}

/* Called by the same constructor, right after. */
__attribute__((visibility("default"), used)) void darn_module_sections(const void *start,
                                                                       const void *stop)
{
    if (!darn_state.inert)
        darn_rules_module(module_start, module_stop, start, stop);
}
