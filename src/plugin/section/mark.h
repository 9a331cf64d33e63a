/* Puts the hooks in place that only sections need: ways out of them, calls that lead into them. */
#ifndef DARN_PLUGIN_MARK_H
#define DARN_PLUGIN_MARK_H

#include "plugin/core/group.h"
#include "plugin/core/guard.h"
#include "plugin/name/names.h"
#include "plugin/core/plugin_sites.h"
#include "plugin/section/code.h"

/* When the accesses of the function have their guards. */
void darn_mark_place(const struct darn_mark *mark, struct darn_members *members,
                     struct darn_guards *guards, struct darn_sites *sites,
                     struct darn_names *names);

/* For programs that are built to be healed. */
void darn_mark_place_armed(const struct darn_mark *mark, struct darn_guards *guards,
                           struct darn_sites *sites, struct darn_names *names);

#endif
