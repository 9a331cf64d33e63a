/*
 * Shrinking, as the files of shrinking*.c see it.
 */
#ifndef DARN_DRIVER_SHRINKING_PRIVATE_H
#define DARN_DRIVER_SHRINKING_PRIVATE_H

#include "driver/play/shrinking.h"
#include "search/ddmin.h"

/* Makes the run of a script. FAILS: it shows the bug and is not harder to follow than the best so
 * far; it has become that. */
enum darn_ddmin_answer darn_shrinking_try(struct darn_shrinking *shrinking,
                                          const struct darn_switch *switches, size_t count);

/* Looks at the player's last run: whether it shows the bug, and with which steps. Of one that was
 * not made up to its end, the threads must have met. */
bool darn_shrinking_look(struct darn_shrinking *shrinking, bool to_the_end);

/* The steps of the player's last run that are in its block. */
size_t darn_shrinking_made(const struct darn_player *player);

/* The player's last run becomes the schedule. */
void darn_shrinking_keep(struct darn_shrinking *shrinking);

/* shrinking_cut.c: the player's last run is that of the schedule. What threads met ends it from now
 * on, if going straight on from there leads to the same. */
void darn_shrinking_cut(struct darn_shrinking *shrinking);

/* essential.c: the player's last run is that of the schedule, which gets its `essential`. */
void darn_shrinking_find_essential(struct darn_shrinking *shrinking);

/* shrinking_bound.c: looks for the bug with fewer preemptions than the best has, wherever they are.
 * True when there is a better one. */
bool darn_shrinking_bound(struct darn_shrinking *shrinking);

#endif
