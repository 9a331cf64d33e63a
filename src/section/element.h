/*
 * One element of the lists of a repository: an object or a string that is a section.
 */
#ifndef DARN_SECTION_ELEMENT_H
#define DARN_SECTION_ELEMENT_H

#include "section/scan.h"
#include "section/section.h"

/*
 * Reads the element that begins where the scan is. False when there is no section: either the
 * syntax is wrong (scan->problem), or it says what cannot be (*problem) and was passed over.
 * `dropped`: it may have a "why".
 */
bool darn_element_read(struct darn_scan *scan, struct darn_section *section, bool dropped,
                       struct darn_problem *problem);

#endif
