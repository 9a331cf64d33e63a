/* A program that has rights which its caller has not. */
#ifndef DARN_RUNTIME_SECURE_H
#define DARN_RUNTIME_SECURE_H

#include <stdbool.h>

/* Whether this is one: set-user-ID, set-group-ID or with file capabilities (AT_SECURE). */
bool darn_secure_process(void);

/* Whether it is a file with an absolute path that nobody but root can write, replace or redirect.
 * Makes system calls of libc's: for the start of the program only. */
bool darn_secure_is_roots(const char *path);

#endif
