/*
 * Instruments a module of a program that is built to be healed (`darn cc --only=FILE`): the points
 * of the sections that the repository means, and all other accesses to their variables. See
 * site/site_guard.h for what stands around each of them.
 */
#ifndef DARN_PLUGIN_ONLY_H
#define DARN_PLUGIN_ONLY_H

#include "plugin/core/guard.h"
#include "plugin/name/names.h"
#include "plugin/core/plugin_sites.h"
#include "plugin/heal/wanted.h"
#include "plugin/section/plugin_section.h"

struct darn_only {
    const struct darn_wanted *wanted;
    struct darn_guards *guards;
    struct darn_sites *sites;
    struct darn_names *names;
    struct darn_section_finder *sections; /* those that were found; what is not meant is dropped */
    struct darn_points points;            /* of those that are kept */
    struct darn_map pointers; /* constant addresses of points: other names for their memory */
};

void darn_only_instrument(struct darn_only *only);

#endif
