/*
 * Where a hunt keeps what it finds: its directory, and what is known there of an earlier hunt.
 */
#ifndef DARN_DRIVER_HUNT_DIRECTORY_H
#define DARN_DRIVER_HUNT_DIRECTORY_H

#include "driver/hunt/hunt.h"

/* Chooses or makes the directory and opens its index. A hunt that was begun there is continued: the
 * line then need not name the program. 0, or DARN_REFUSED. */
int darn_hunt_settle_down(struct darn_hunt *hunt);

/* The program was checked, and its input is known: notes both. 0 or DARN_REFUSED. */
int darn_hunt_begin(struct darn_hunt *hunt, const char *path);

#endif
