/*
 * The list of functions and files that are not watched, in the form of the sanitizers' special case
 * lists. The plugin reads it; this is the check before clang is started.
 */
#ifndef DARN_CLI_IGNORELIST_H
#define DARN_CLI_IGNORELIST_H

#include <stddef.h>

/* 0, or -EINVAL with one line in `error`: "FILE:LINE: what is wrong". */
int darn_ignorelist_check(const char *path, char *error, size_t error_size);

#endif
