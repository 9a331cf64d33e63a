/* The functions that the program would call without us. */
#ifndef DARN_RUNTIME_REAL_FUNCTION_H
#define DARN_RUNTIME_REAL_FUNCTION_H

#include <stdbool.h>
#include <stddef.h>

/* The next definition of the function after ours; one that fails with ENOSYS if there is none. */
void *darn_real(const char *name);

bool darn_real_is_missing(const void *real);

struct dl_phdr_info;

/* The real dl_iterate_phdr, for our own questions. */
int darn_real_modules(int (*visit)(struct dl_phdr_info *, size_t, void *), void *context);

#endif
