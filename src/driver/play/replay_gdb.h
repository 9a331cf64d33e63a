/*
 * A replay that is held at the scene, for gdb.
 */
#ifndef DARN_CLI_REPLAY_GDB_H
#define DARN_CLI_REPLAY_GDB_H

#include <stdint.h>

#include "driver/play/player.h"

/* 0, or an exit status after one line when there is no gdb. */
int darn_replay_gdb_check(void);

/* Follows the schedule up to the step (UINT64_MAX: until the run fails), hands the program to gdb
 * and lets it go on when gdb has ended. An exit status. */
int darn_replay_gdb(struct darn_player *player, const struct darn_schedule *schedule, uint64_t at);

#endif
