/* The annotations of darn.h, and those of TSan and its relatives, on the side of the program. */
#ifndef DARN_RUNTIME_ANNOTATE_H
#define DARN_RUNTIME_ANNOTATE_H

#include <stdbool.h>

#include "runtime/watch/touch.h"

/* Whether the program declared races here to be harmless. */
bool darn_benign(const struct darn_touch *touch);

#endif
