/*
 * Records that say the same: a function that was inlined several times, or is in several objects,
 * has left several records of one section.
 */
#ifndef DARN_DRIVER_SECTION_MERGE_H
#define DARN_DRIVER_SECTION_MERGE_H

#include <stdbool.h>
#include <stdint.h>

#include "driver/section/section_file.h"

/* Sorts the list by file and line, and makes one section of those that have kind, variable,
 * function and entry in common. Returns how many had more points than a section may have: they are
 * left out. */
uint32_t darn_sections_merge(struct darn_sections *sections);

/* Takes out pairs whose accesses are all in one section of another kind: that says more. */
void darn_sections_drop_covered(struct darn_sections *sections);

#endif
