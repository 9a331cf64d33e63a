/*
 * Sections that must not stand beside each other (AtomRace 3.2): over one variable of a function,
 * two sections may only meet where one ends and the other begins.
 *
 * What the plugin infers keeps to this within a kind; sections of different kinds may share their
 * accesses. Sections by hand are compared as far as their lines tell.
 */
#ifndef DARN_DRIVER_SECTION_CHECK_H
#define DARN_DRIVER_SECTION_CHECK_H

#include <stddef.h>
#include <stdint.h>

#include "driver/section/section_file.h"

/* Takes those out of the list, from its section `from` on, that overlap one before them in a way
 * that is not allowed; dropped ones count for nothing. Each is told with its place in the file
 * `path`. Returns how many went. */
uint32_t darn_section_check(struct darn_listener *listener, const char *path,
                            struct darn_sections *sections, size_t from);

#endif
