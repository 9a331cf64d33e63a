/*
 * Sections by hand over lines (`bank.c:120-131 balance allow=read`): which of the sections that the
 * plugin has recorded they mean, and what becomes of those.
 *
 * Pure, and in the program under test as well.
 */
#ifndef DARN_SECTION_RESOLVE_H
#define DARN_SECTION_RESOLVE_H

#include "section/section.h"

/* Whether it is a section over lines at all. */
static inline bool darn_section_is_lines(const struct darn_section *section)
{
    return section->first != 0;
}

/* Whether the point lies in the lines: by its line in the section's function. */
bool darn_section_has_line(const struct darn_section *hand, const struct darn_point *point);

/* Whether the recorded section is meant: it is in the file and over the variable, and its entry and
 * at least one of its ends lie in the lines. */
bool darn_section_applies(const struct darn_section *hand, const struct darn_section *recorded);

/*
 * Makes the recorded section, if it is meant, one by hand: its ends allow what was written, or what
 * they did when nothing was. An end outside of the lines ends the section, but everything is
 * allowed there. False: it is not meant, and unchanged.
 */
bool darn_section_resolve(const struct darn_section *hand, struct darn_section *recorded);

#endif
