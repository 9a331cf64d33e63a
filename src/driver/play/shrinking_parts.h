/*
 * Shrinking, as the files of shrinking*.c see it.
 */
#ifndef DARN_CLI_SHRINKING_PARTS_H
#define DARN_CLI_SHRINKING_PARTS_H

#include "driver/play/shrinking.h"
#include "search/ddmin.h"

/* Makes the run of a script. FAILS: it shows the bug and is not harder to follow than the best so
 * far; it has become that. */
enum darn_ddmin_answer darn_shrinking_try(struct darn_shrinking *shrinking,
                                          const struct darn_switch *switches, size_t count);

/* The steps of the player's last run that are in its block. */
size_t darn_shrinking_steps(const struct darn_player *player);

/* shrinking_bound.c: looks for the bug with fewer preemptions than the best has, wherever they are.
 * True when there is a better one. */
bool darn_shrinking_bound(struct darn_shrinking *shrinking);

#endif
