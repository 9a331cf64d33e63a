/*
 * What a hunt has confirmed, told to its listener as it goes.
 */
#ifndef DARN_DRIVER_CONFIRMED_H
#define DARN_DRIVER_CONFIRMED_H

#include "driver/play/index.h"

struct darn_confirmed {
    const struct darn_index *index;
    const json_t *entry; /* of the index: a proof, whose directory has its report and its story */
    const char *name;    /* of the hunt's directory, for people */
    const char *more;    /* it was told before, and also led to this; NULL: it is new */
};

#endif
