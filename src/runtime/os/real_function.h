/* The functions that the program would call without us. */
#ifndef DARN_RUNTIME_REAL_FUNCTION_H
#define DARN_RUNTIME_REAL_FUNCTION_H

#include <stdbool.h>

/* The next definition of the function after ours; one that fails with ENOSYS if there is none. */
void *darn_real(const char *name);

bool darn_real_is_missing(const void *real);

#endif
