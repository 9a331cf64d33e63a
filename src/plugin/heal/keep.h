/* Of the sections that were found in a module, those that matter for a repository. */
#ifndef DARN_PLUGIN_KEEP_H
#define DARN_PLUGIN_KEEP_H

#include "plugin/heal/wanted.h"
#include "plugin/section/plugin_section.h"

/*
 * Drops all others (darn_match_concerns). A module is only a part of the program: what is meant,
 * the runtime says, which knows all of it.
 */
void darn_sections_keep(struct darn_section_finder *sections, const struct darn_wanted *wanted);

#endif
