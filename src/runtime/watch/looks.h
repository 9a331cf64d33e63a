/*
 * The bytes that guards look at (site/site.h): one for each guard, so that code which has seldom
 * run is looked at whenever it runs, while code that runs often costs nothing but the look at its
 * byte.
 *
 * A byte is set while attention is raised. It is also set from the second thread on until the first
 * access behind it has been remembered so often (cold sites): a bug in what is done once for each
 * block of a file is seen in the first run, however small the budget is.
 */
#ifndef DARN_RUNTIME_LOOKS_H
#define DARN_RUNTIME_LOOKS_H

#include <stdbool.h>

#include "site/site.h"

/* The sites of a module that is loaded, or about to go. The caller holds no lock. */
void darn_looks_add(const struct darn_site *start, const struct darn_site *stop);
void darn_looks_remove(const struct darn_site *start, const struct darn_site *stop);

/* There is a second thread: from now on sites are cold until they have run often. */
void darn_looks_begin(void);

/* A site that is cold was come by. Where the budget is used up, each time counts for several. */
void darn_looks_count(const struct darn_site *site, bool is_affordable);

/* What attention has become; it is 0 for ever. Called with the lock of attention.c. */
void darn_looks_set(bool raised);
void darn_looks_end(void);

#endif
