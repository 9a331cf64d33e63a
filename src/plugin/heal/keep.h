/*
 * Of the sections that were found in a module, those that a repository means (section/match.h).
 * The file may have changed since the repository was made.
 */
#ifndef DARN_PLUGIN_KEEP_H
#define DARN_PLUGIN_KEEP_H

#include "plugin/heal/wanted.h"
#include "plugin/section/plugin_section.h"

/*
 * Drops all others. A module is only a part of the program, and the runtime, which knows all of it,
 * decides in the end: what may be meant is kept, what cannot be is not.
 */
void darn_sections_keep(struct darn_section_finder *sections, const struct darn_wanted *wanted);

#endif
