/*
 * Files that would make a report better, and are not read: sources, debug information.
 */
#ifndef DARN_REPORT_UNREAD_H
#define DARN_REPORT_UNREAD_H

#include <stdbool.h>

/* Says on stderr, once, that a file could not be read; `error` is the errno. A file that is not
 * there or is not ours to read is nothing to talk about: programs run far from their sources. */
void darn_unread(const char *path, int error);

/* Whether something was said. */
bool darn_is_unread(void);

#endif
