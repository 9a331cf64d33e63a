/*
 * What a repository has besides its sections: signatures of deadlocks, and what this version of
 * darn does not know. Whoever changes sections writes it back as it was.
 */
#ifndef DARN_DRIVER_SECTION_OTHER_KEYS_H
#define DARN_DRIVER_SECTION_OTHER_KEYS_H

#include <stddef.h>

/* `,\n "KEY": …` for each other key of the file, the values letter by letter; NULL: there are none.
 * Of a file with faults, what comes before the first one. The caller frees it. */
char *darn_section_other_keys(const char *text, size_t size);

#endif
