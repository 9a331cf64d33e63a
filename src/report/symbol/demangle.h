/*
 * C++ names as people write them.
 */
#ifndef DARN_REPORT_DEMANGLE_H
#define DARN_REPORT_DEMANGLE_H

#include "report/text_pool.h"

/* The demangled name, or the name itself when it is not mangled or cannot be demangled. NULL for
 * NULL. It lives as long as the pool. */
const char *darn_demangle(struct darn_text_pool *pool, const char *name);

#endif
