/*
 * Plays schedules on a server, and tells what happened: the same for darn replay, shrink and hunt.
 */
#ifndef DARN_DRIVER_PLAYER_H
#define DARN_DRIVER_PLAYER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "driver/play/judge.h"
#include "driver/process/server.h"
#include "report/finding.h"
#include "report/story/snapshot.h"
#include "report/symbol/module.h"
#include "schedule/schedule.h"

#define DARN_PLAYER_ID       32
#define DARN_PLAYER_STATUSES 256

struct darn_player {
    bool has_loaded; /* a run was made to see which modules the program loads */
    struct darn_server *server;
    struct darn_control_block *block;
    struct darn_judge judge;
    struct darn_modules modules;
    struct darn_snapshot snapshot;
    char **program;    /* with its arguments */
    char *path;        /* of the program, absolute */
    char *arguments;   /* as in a shell, each after a blank */
    const char *input; /* NULL: empty */
    uint64_t build;    /* of the program's file */
    size_t fed;        /* bytes of recorded inputs that the block has, for runs with FEED */
    uint64_t runs;                        /* that were made, */
    uint64_t exits[DARN_PLAYER_STATUSES]; /* and how many have exited with which status */
    /* Of the last run. */
    enum darn_server_result how;
    struct darn_judged judged;
};

/* Starts a server. 0, DARN_REFUSED or DARN_LATE. What `options` names must stay
 * where it is. */
int darn_player_start(struct darn_player *player, const struct darn_server_options *options);
void darn_player_stop(struct darn_player *player);

/* Makes the run that block->request and its tables ask for, and judges it. False when no run can be
 * made any more: the server is gone, or was interrupted. */
bool darn_player_run(struct darn_player *player);

/* From here to there the calling thread is the only one that makes runs: programs that run side by
 * side in one directory may disturb each other. It waits until the runs of others are over. */
void darn_player_alone_begin(void);
void darn_player_alone_end(void);

/* Follows the steps of the schedule. False as above; or when a module of the schedule is not there,
 * with `how` still DARN_SERVER_RAN and the end DARN_END_NONE. */
bool darn_player_follow(struct darn_player *player, const struct darn_schedule *schedule,
                        uint32_t flags);

/* The same sites and inputs, but straight on but for the switches. */
bool darn_player_script(struct darn_player *player, const struct darn_schedule *schedule,
                        const struct darn_switch *switches, size_t count);

/* The schedule of the last run, ready to be written; NULL without memory. */
struct darn_schedule *darn_player_take(struct darn_player *player);

/* What a run must show to be the same bug again. */
struct darn_symptom {
    enum darn_verdict_kind kind; /* how it ends */
    char id[DARN_PLAYER_ID];     /* of the finding; empty: any */
    bool met;                    /* the finding is what threads met, not how the run ended */
};

/* The finding of the last run with this id (any with an empty one); NULL when it has none. */
struct darn_finding *darn_player_finding(struct darn_player *player, const char *id, bool met);

/* Whether threads of the last run have met so (any with an empty id), and before which step. */
bool darn_player_meets(struct darn_player *player, const char *id, uint64_t *step);

/* Whether the last run has shown it. */
bool darn_player_shows(struct darn_player *player, const struct darn_symptom *symptom);

/* A hash of a file's bytes; 0 when it cannot be read. */
uint64_t darn_player_build(const char *path);

#endif
