/*
 * A replay that is held at the snapshot, for gdb.
 */
#ifndef DARN_DRIVER_REPLAY_GDB_H
#define DARN_DRIVER_REPLAY_GDB_H

#include <stdint.h>

#include "driver/play/kept.h"
#include "driver/play/player.h"
#include "driver/process/listener.h"

/* 0, or DARN_REFUSED when there is no gdb. */
int darn_replay_gdb_check(struct darn_listener *listener);

/* Follows the schedule up to the step (UINT64_MAX: until the run fails), hands the program to gdb
 * and lets it go on when gdb has ended; again and again, if the user asks there for another step
 * (`darn back`). The exit status of gdb; or DARN_REFUSED; 1 when the run
 * went another way. */
int darn_replay_gdb(struct darn_listener *listener, struct darn_player *player,
                    const struct darn_kept *kept, uint64_t at);

#endif
