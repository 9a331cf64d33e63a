/* Names that were misspelled: "did you mean". */
#ifndef DARN_BASE_SPELLING_H
#define DARN_BASE_SPELLING_H

#include <stdbool.h>
#include <stddef.h>

/* How many letters were left out, added, changed or exchanged with their neighbour. Names of more
 * than 63 letters are not looked at: then it is SIZE_MAX. */
size_t darn_spelling_distance(const char *word, const char *name);

/* Whether the name may have been meant: one letter in three, or one at least, may be wrong. */
bool darn_spelling_is_near(const char *word, const char *name, size_t distance);

#endif
