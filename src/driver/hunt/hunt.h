/*
 * A hunt: predictions become targets, targets are aimed at in controlled runs, and what happens
 * there and replays is a proof. The stages have files of their own, hunt_STAGE.c.
 *
 * The servers are those of an exploration, one for each job. What is not a job's own is protected
 * by its lock, which is also held while a run is looked into: names are looked up by a library that
 * is not made for threads.
 */
#ifndef DARN_CLI_HUNT_H
#define DARN_CLI_HUNT_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "driver/explore/exploration.h"
#include "driver/hunt/hunt_options.h"
#include "driver/play/index.h"
#include "driver/play/player.h"
#include "driver/analysis/verdicts.h"
#include "report/suppress.h"

#define DARN_TARGET_PLACES 16
#define DARN_MOST_MET      64 /* targets that were not predicted */

#define DARN_TARGET_KEYS 16

enum darn_target_kind {
    DARN_TARGET_RACE,
    DARN_TARGET_DEADLOCK,
    DARN_TARGET_NOTIFICATION,
    DARN_TARGET_TRIPLE, /* an access that comes into an atomic section */
    DARN_TARGET_QUAD,   /* four accesses of two threads to two variables */
};

/* Addresses in the program: a side of a race, the acquisitions of a cycle, where is waited. */
struct darn_target_side {
    uint64_t places[DARN_TARGET_PLACES];
    uint32_t count;
};

/* A prediction, two threads that met by chance, or what a section forbids; and what became of it.
 */
struct darn_target {
    enum darn_target_kind kind;
    struct darn_finding *finding;
    bool is_ours;                     /* the finding is freed with the target */
    struct darn_target_side sides[4]; /* without any, nothing can be tried */
    /* Of a prediction: the functions or blocks that are the transactions of the first and of the
     * second access; or they are critical sections. */
    struct darn_target_side units[2];
    bool in_section[2];
    uint64_t keys[DARN_TARGET_KEYS]; /* of the sites to be armed, sorted */
    uint32_t key_count;
    uint64_t triple[3]; /* of a triple: the keys of entry, remote access and end */
    uint32_t calls[3];  /* of a site in another function, inlined: the call (darn_site_call_of) */
    bool is_across;     /* entry and end may be in different functions */
    bool is_crossed;    /* of a quad: the third access is of the thread that made the first */
    uint32_t begun, trials, hits;
    uint32_t hangs;                             /* trials that took too long */
    uint32_t ends[2][DARN_VERDICTS];            /* of the hits, by which side went first */
    struct darn_schedule *shown[DARN_VERDICTS]; /* a run that shows it, for each way to end */
    char ids[DARN_VERDICTS][DARN_PLAYER_ID];    /* what finding that was */
    bool settled, proved;
};

/* A run that failed, and not because of what was aimed at. */
struct darn_failed {
    struct darn_schedule *schedule;
    struct darn_symptom symptom;
};

#define DARN_MOST_FAILED 64

struct darn_hunt {
    struct darn_hunt_line line;
    struct darn_explore_line explore; /* made from it, for the exploration */
    struct darn_exploration exploration;
    char directory[PATH_MAX]; /* absolute */
    const char *name;         /* of the directory, for people */
    double started, until;
    struct darn_index index;
    struct darn_suppressions *suppressions; /* NULL: none */
    struct darn_verdicts predicted;         /* owns the findings of most targets */
    struct darn_target *targets;
    size_t target_count, target_room;
    size_t next;                  /* of the present stage */
    bool straight[DARN_VERDICTS]; /* how runs end in which nobody interferes */
    bool fine;                    /* some run has ended well: schedules matter */
    uint64_t failures;            /* runs of the exploration that have failed */
    struct darn_map seen;         /* fingerprints of what need not be looked into again */
    struct darn_failed failed[DARN_MOST_FAILED]; /* to be looked at when all targets were tried */
    size_t failed_count;
    uint64_t unsteady;  /* failures that did not replay */
    uint64_t max_steps; /* of a run */
    uint64_t *armed;    /* keys of the sites that share memory, for the exploration */
    size_t armed_count;
    uint64_t harvest, harvested; /* of the exploration: how much was new, and up to when */
    uint64_t explored;           /* schedules of all explorations of this directory */
    uint64_t runs;               /* that were controlled, in all stages */
    bool resumed;
};

/* ---- hunt_jobs.c ---- */

/* Called a few times in a second, with the lock: what a terminal shows of a stage. */
typedef void darn_hunt_progress(struct darn_hunt *hunt, char *to, size_t size);

/* Runs the function in a thread for each job, until all have returned; from `until` on they are
 * told to (exploration.enough). It gets a struct darn_exploration_job, and calls darn_hunt_job_ends
 * in the end. 0 or an exit status. */
int darn_hunt_jobs(struct darn_hunt *hunt, void *(*job)(void *), double until,
                   darn_hunt_progress *progress);
void darn_hunt_job_ends(struct darn_hunt *hunt);
struct darn_hunt *darn_hunt_of(struct darn_exploration *exploration);

/* Seconds. */
double darn_hunt_left(const struct darn_hunt *hunt);
bool darn_hunt_is_interrupted(const struct darn_hunt *hunt);

/* One line about a stage. */
__attribute__((format(printf, 2, 3))) void darn_hunt_say(struct darn_hunt *hunt, const char *format,
                                                         ...);

/* ---- the stages; 0 or an exit status ---- */

int darn_hunt_predict(struct darn_hunt *hunt);
int darn_hunt_triples(struct darn_hunt *hunt, const char *trace); /* a part of it */
void darn_hunt_baseline(
    struct darn_hunt *hunt); /* hunt_baseline.c: what later runs are compared with */
int darn_hunt_prove(struct darn_hunt *hunt);
int darn_hunt_explore(struct darn_hunt *hunt);
int darn_hunt_shrink(struct darn_hunt *hunt);

/* Whether the target shows two threads that meet, and not how a run ends. */
static inline bool darn_target_is_met(const struct darn_target *target)
{
    return target->kind == DARN_TARGET_RACE || target->kind == DARN_TARGET_TRIPLE ||
           target->kind == DARN_TARGET_QUAD;
}

/* ---- hunt_order.c: what comes first, and how long it may take ---- */

/* Predictions that no schedule can have ordered (engine hb) come before those that need luck; else
 * the order stays. */
void darn_hunt_sort(struct darn_target *targets, size_t count);

/* When the proving and exploring of a hunt has to end, in seconds as `started` and `until`: a share
 * of the time is kept for shrinking, if that is wanted. */
double darn_hunt_work_ends(double started, double until, bool shrinks);

/* ---- hunt_aim.c ---- */

/* A site to be armed; the keys stay sorted. */
void darn_target_add_key(struct darn_target *target, uint64_t key);

/* Finds the places of all targets in the program. */
void darn_hunt_aim(struct darn_hunt *hunt);
bool darn_hunt_can_try(const struct darn_target *target);
void darn_hunt_request(const struct darn_hunt *hunt, const struct darn_target *target,
                       struct darn_player *player, uint32_t trial);

/* ---- hunt_confirm.c; all with the lock ---- */

/* What the player's last run shows besides what was aimed at: a failure becomes a proof if it
 * replays, and threads that have met become a target. True when it was something new. */
bool darn_hunt_look(struct darn_hunt *hunt, struct darn_player *player);

/* The same for what was put off: until all targets were tried, and until a run has ended well if
 * the program fails when nobody interferes, too. */
void darn_hunt_look_back(struct darn_hunt *hunt, struct darn_player *player);

/* The last run shows a target: how it failed needs no other explanation. What earlier hunts have
 * explained is recalled. */
void darn_hunt_explain(struct darn_hunt *hunt, struct darn_player *player);
void darn_hunt_recall(struct darn_hunt *hunt);

/* No more trials will be made for the target: what it has shown becomes a proof if it replays. */
void darn_hunt_settle(struct darn_hunt *hunt, struct darn_player *player,
                      struct darn_target *target);

/* Whether the schedule shows the symptom as often as it is replayed. The player's last run is one
 * that does. */
bool darn_hunt_replays(struct darn_hunt *hunt, struct darn_player *player,
                       const struct darn_schedule *schedule, const struct darn_symptom *symptom);

/* ---- hunt_cause.c; with the lock ---- */

/* Whether the failure, which replays and which the player's last run shows, comes from a race that
 * was proved. Then it is among the outcomes of that, and its schedule is the one that is kept. */
bool darn_hunt_blame(struct darn_hunt *hunt, struct darn_player *player,
                     const struct darn_failed *failed, const struct darn_finding *failure);

/* ---- hunt_keep.c; with the lock ---- */

/* Writes the directory of a proof, whose run is the player's last, and puts it into the index. What
 * was kept of the same finding before is replaced. The finding is freed. `target` may be NULL. */
void darn_hunt_keep(struct darn_hunt *hunt, struct darn_player *player,
                    struct darn_finding *finding, const struct darn_schedule *schedule,
                    const struct darn_target *target);

/* Writes the index, with what was only predicted. Warns when it cannot. */
int darn_hunt_save(struct darn_hunt *hunt); /* 0, or a negative errno after a warning */

/* The schedule of the entry, and its story, are those of the player's last run from now on. */
void darn_hunt_keep_shrunk(struct darn_hunt *hunt, struct darn_player *player, json_t *entry,
                           const struct darn_schedule *schedule);

#endif
