/* Which of the program's locks were held at an address, each time: a table of those seen last. */
#ifndef DARN_RUNTIME_TRUST_PLACES_H
#define DARN_RUNTIME_TRUST_PLACES_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/thread/own.h"

enum darn_trust_place {
    DARN_PLACE_NEW,   /* it was not known, */
    DARN_PLACE_SAME,  /* one of the locks was held there each time, */
    DARN_PLACE_OTHER, /* none was; what was known is forgotten */
};

/* 0, or -1 when there is no memory. */
int darn_trust_places_open(void);

/* The thread holds these at the address now; `writes`: those for reading do not count. */
enum darn_trust_place darn_trust_place(uintptr_t address, bool writes);

/* Whether it holds any that counts. */
bool darn_trust_is_locked(bool writes);

#endif
