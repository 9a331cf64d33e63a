/*
 * The shared objects that a program is linked with, found as the loader finds them.
 */
#ifndef DARN_DRIVER_SECTION_NEEDED_H
#define DARN_DRIVER_SECTION_NEEDED_H

#include "base/words.h"

/* Appends the paths of those that darn compiled, also of those that others of them need. What
 * cannot be found is left out: the program may find it in another way. */
void darn_section_needed(const char *path, struct darn_words *found);

#endif
