/*
 * A hunt: predictions become targets, targets are aimed at in controlled runs, and what happens
 * there and replays is a proof. The stages have files of their own, hunt_STAGE.c.
 *
 * The servers are those of an exploration, one for each job. What is not a job's own is protected
 * by its lock, which is also held while a run is looked into: names are looked up by a library that
 * is not made for threads.
 */
#ifndef DARN_DRIVER_HUNT_H
#define DARN_DRIVER_HUNT_H

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
#include "search/switches.h"

#define DARN_TARGET_PLACES 16
#define DARN_MOST_MET      64 /* targets that were not predicted */

#define DARN_TARGET_KEYS   16
#define DARN_TARGET_PAIRED 64 /* trials of a race whose ends are remembered */

enum darn_target_kind {
    DARN_TARGET_RACE,
    DARN_TARGET_DEADLOCK,
    DARN_TARGET_NOTIFICATION,
    DARN_TARGET_TRIPLE, /* an access that comes into an atomic section */
    DARN_TARGET_QUAD,   /* four accesses of two threads to two variables */
    DARN_TARGET_ORDER,  /* two operations that always came in one order */
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
    bool is_inferred; /* nobody has said that it is a section: it is a finding if it leads to one */
    struct darn_step *lead; /* of a race: what leads to it, as the plan has it (strategy.h); or NULL */
    uint32_t lead_count;
    bool is_crossed;  /* of a quad: the third access is of the thread that made the first */
    bool is_scouted;  /* of a race: it was met by a run that has tried many at once */
    uint32_t begun, trials, hits;
    uint32_t hangs;                  /* trials that took too long */
    uint32_t whole;                  /* trials that came to their end without a hit, */
    uint32_t visits[2];              /* and how often they came to its places, at most */
    double spent;                    /* seconds, on its trials in this stage */
    bool again;                      /* it gets its trials once more, in another way */
    bool secured;                    /* what was cut off where it was met replays */
    bool cut_off;                    /* the time was over before a hit was replayed */
    uint32_t threads[2];             /* of an order: the numbers of the two, in the first hit */
    uint32_t ends[2][DARN_VERDICTS]; /* of the hits, by which side went first */
    uint32_t missed[DARN_VERDICTS];  /* ends of the trials that were no hits */
    struct darn_schedule *shown[DARN_VERDICTS]; /* a run that shows it, for each way to end */
    char ids[DARN_VERDICTS][DARN_PLAYER_ID];    /* what finding that was */
    /* Of a race: how the hits ended, by the trial (0: no hit), for trials 2n and 2n + 1 differ in
     * nothing but who goes first. */
    uint64_t ended[DARN_TARGET_PAIRED];
    uint8_t ended_as[DARN_TARGET_PAIRED]; /* enum darn_verdict_kind */
    bool settled, proved;
};

/* A run that failed, and not because of what was aimed at. */
struct darn_failed {
    struct darn_schedule *schedule;
    struct darn_symptom symptom;
    bool is_usual; /* a run in which nobody interferes fails so, too */
};

#define DARN_MOST_FAILED 64

/* What has become of all schedules that were shrunk. */
struct darn_shrunk {
    size_t count;
    struct darn_switch_count before, after;
    double seconds;
};

struct darn_hunt {
    struct darn_listener *listener;
    struct darn_hunt_options options;
    struct darn_explore_options explore; /* made from it, for the exploration */
    struct darn_exploration exploration;
    char directory[PATH_MAX];           /* absolute */
    const char *name;                   /* of the directory, for people */
    double started, until, stage_until; /* the last: of the present stage */
    struct darn_index index;
    struct darn_suppressions *suppressions; /* NULL: none */
    json_t *brought;                        /* predictions of the user, an array; or NULL */
    struct darn_verdicts predicted;         /* owns the findings of most targets */
    struct darn_target *targets;
    size_t target_count, target_room;
    size_t next;                  /* of the present stage */
    bool is_first_round;          /* in which each target has the fewest trials */
    double share;                 /* seconds of it, for the trials of each target */
    double tried_seconds;         /* that trials took, of all stages, */
    double tried_used;            /* the processor's among them, */
    uint64_t tried;               /* and how many they were */
    bool straight[DARN_VERDICTS]; /* how runs end in which nobody interferes */
    struct darn_map usual;        /* the failures of such runs */
    bool fine;                    /* some run has ended well: schedules matter */
    bool uncompared;              /* there was no time to see whether all print the same */
    uint64_t failures;            /* runs of the exploration that have failed */
    struct darn_map seen;         /* fingerprints of what need not be looked into again */
    struct darn_failed failed[DARN_MOST_FAILED]; /* to be looked at when all targets were tried */
    size_t failed_count;
    uint64_t unsteady;  /* failures that did not replay */
    uint64_t max_steps; /* of a run */
    uint64_t harvest;   /* of the exploration: how much was new, */
    double harvested;   /* and when, */
    uint64_t up_to;     /* at which schedule */
    bool exploring;
    uint64_t explored;    /* schedules of all explorations of this directory */
    uint64_t runs;        /* that were controlled, in all stages */
    uint64_t recorded;    /* runs, and those that learned for them */
    int recorded_status;  /* with which the last of them has exited; -1: it has not, or none was */
    struct darn_map told; /* ids of what the listener has heard of */
    struct darn_shrunk shrunk;
    bool resumed;
};

/* ---- hunt.c ---- */

void darn_hunt_init(struct darn_hunt *hunt, const struct darn_hunt_options *options,
                    struct darn_listener *listener);
void darn_hunt_free(struct darn_hunt *hunt);

/* Everything that can be refused before the program runs. 0 or DARN_REFUSED. */
int darn_hunt_prepare(struct darn_hunt *hunt);

/* All stages. SIGINT, SIGTERM and SIGHUP end them early. 0 or DARN_REFUSED: the index has what was
 * found until then in either case. */
int darn_hunt_run(struct darn_hunt *hunt);

/* hunt_notes.c: tells what a user should know of besides findings. */
void darn_hunt_notes(const struct darn_hunt *hunt);

/* ---- hunt_jobs.c ---- */

/* Called a few times in a second, with the lock: what a terminal shows of a stage. */
typedef void darn_hunt_progress(struct darn_hunt *hunt, char *to, size_t size);

/* Runs the function in a thread for each job, until all have returned; from `until` on they are
 * told to (exploration.enough). It gets a struct darn_exploration_job, and calls darn_hunt_job_ends
 * in the end. 0 or DARN_REFUSED. */
int darn_hunt_jobs(struct darn_hunt *hunt, void *(*job)(void *), double until,
                   darn_hunt_progress *progress);
void darn_hunt_job_ends(struct darn_hunt *hunt);
struct darn_hunt *darn_hunt_of(struct darn_exploration *exploration);

/* No run of any job goes on after it. */
void darn_hunt_set_until(struct darn_hunt *hunt, double until);

/* Seconds. */
double darn_hunt_left(const struct darn_hunt *hunt);
bool darn_hunt_is_interrupted(const struct darn_hunt *hunt);

/* ---- the stages; 0 or DARN_REFUSED ---- */

int darn_hunt_predict(struct darn_hunt *hunt);
/* A part of it; from `until` on the trace is not read any further. */
int darn_hunt_triples(struct darn_hunt *hunt, const char *trace, double until);
void darn_hunt_baseline(
    struct darn_hunt *hunt); /* hunt_baseline.c: what later runs are compared with */
int darn_hunt_prove(struct darn_hunt *hunt);
int darn_hunt_explore(struct darn_hunt *hunt);
int darn_hunt_shrink(struct darn_hunt *hunt);

/* hunt_prove.c: where the run has met the race that was aimed at; NULL: it has not. */
const struct darn_block_met *darn_hunt_met_race(const struct darn_target *target,
                                                const struct darn_result *result);

/* hunt_scout.c: where there is not the time, in seconds, for all trials of the predicted races,
 * finds out which of them come first. */
void darn_hunt_scout(struct darn_hunt *hunt, double seconds);

/* hunt_prove.c: what was predicted and could not be confirmed gets its trials once more, with the
 * time that the exploration has left, and in another way. */
void darn_hunt_reopen(struct darn_hunt *hunt);

/* With the lock: what the player's runs have met and nobody has predicted gets its
 * trials at once. */
void darn_hunt_try_met(struct darn_hunt *hunt, struct darn_player *player);

/* Whether the target shows two threads that meet, and not how a run ends. */
static inline bool darn_target_is_met(const struct darn_target *target)
{
    return target->kind == DARN_TARGET_RACE || target->kind == DARN_TARGET_TRIPLE ||
           target->kind == DARN_TARGET_QUAD;
}

/* ---- hunt_bring.c ---- */

/* Reads the predictions that the user brings along. 0 or DARN_REFUSED. */
int darn_hunt_bring(struct darn_hunt *hunt);

/* Adds those that are new to what was predicted. */
void darn_hunt_add_brought(struct darn_hunt *hunt);

/* ---- hunt_order.c: what comes first, and how long it may take ---- */

/* What was observed comes first, then predictions that no schedule can have ordered (engine hb),
 * then those that need luck; else the order stays. */
void darn_hunt_sort(struct darn_target *targets, size_t count);

/* When the proving and exploring of a hunt has to end, in seconds as `started` and `until`: a share
 * of the time is kept for shrinking, if that is wanted. */
double darn_hunt_work_ends(double started, double until, bool shrinks);

/* Whether runs take so long that the trials of one target are a good part of the time. Then what
 * was met is made sure of before it is known what it leads to, and each target has its share. */
bool darn_hunt_is_long(const struct darn_hunt *hunt);

/* Whether a hunt that has learned something new at `news`, and made so many schedules since, has
 * seen enough: nothing came for as long as it took to get there. */
bool darn_hunt_is_barren(double started, double news, double now, uint64_t schedules);

/* ---- hunt_aim.c ---- */

/* A site to be armed; the keys stay sorted. */
void darn_target_add_key(struct darn_target *target, uint64_t key);

/* The places of an access of a prediction, and of a call. */
void darn_target_add_access(const struct darn_player *player, const uint64_t *keys,
                            struct darn_target_side *side,
                            const struct darn_finding_access *access);
void darn_target_add_call(const struct darn_player *player, struct darn_target_side *side,
                          const struct darn_finding_stack *stack);

void darn_plan_add_aims(struct darn_plan *plan, const struct darn_target_side *side,
                        enum darn_aim_kind kind);

/* Finds the places of all targets in the program. */
void darn_hunt_aim(struct darn_hunt *hunt);
bool darn_hunt_can_try(const struct darn_target *target);
void darn_hunt_request(const struct darn_hunt *hunt, const struct darn_target *target,
                       struct darn_player *player, uint32_t trial);

/* ---- hunt_expected.c: orders that nothing enforces ---- */

/* The sides of the target are where the order is decided: where the two take the lock that they
 * have in common, or the two themselves. */
void darn_hunt_aim_at_order(const struct darn_player *player, const uint64_t *keys,
                            struct darn_target *target);
void darn_hunt_plan_order(const struct darn_target *target, uint32_t trial, struct darn_plan *plan);

/* The meeting that was aimed at; NULL when there was none. And which of the two went first there:
 * 0, as expected, or 1. */
const struct darn_block_met *darn_hunt_met_order(const struct darn_target *target,
                                                 const struct darn_result *result);
uint32_t darn_hunt_order_of(const struct darn_target *target, const struct darn_block_met *met);

/* Whether runs end so when the order is turned round, and never else, and it is the order that they
 * end so by: makes a run in which the whole thread of the first comes last. */
bool darn_hunt_is_by_order(struct darn_hunt *hunt, struct darn_player *player,
                           const struct darn_target *target, enum darn_verdict_kind kind);

/* Whether there is nothing to tell of the order: it has to do with no failure, or only with those
 * that a finding before explains. */
bool darn_hunt_is_idle_order(const struct darn_hunt *hunt, struct darn_target *target);

/* Trials are not made again by a hunt that is continued: it may be known that the order is none. */
void darn_hunt_note_order(struct darn_hunt *hunt, const struct darn_target *target);
uint32_t darn_hunt_recall_order(const struct darn_hunt *hunt, const struct darn_target *target);

/* Of the trials only those count in which the order was turned round. */
void darn_hunt_count_order(struct darn_finding *finding, const struct darn_target *target);

/* Makes what a run of the target came to a finding about the order. */
void darn_hunt_tell_order(struct darn_finding *failure, const struct darn_target *target);

/* ---- hunt_lead.c: the schedules that races are predicted with ---- */

/* Finds those of all targets in the trace; from `until` on it is not read any further. */
void darn_hunt_leads(struct darn_hunt *hunt, const char *trace, double until);

/* The first trials of a race begin with it: adds it to the plan. */
void darn_hunt_lead(const struct darn_target *target, struct darn_player *player, uint32_t trial);

/* ---- hunt_confirm.c; all with the lock ---- */

/* What the player's last run shows besides what was aimed at: a failure becomes a proof if it
 * replays, and threads that have met become a target. True when it was something new. */
bool darn_hunt_look(struct darn_hunt *hunt, struct darn_player *player);

/* The same for how it ended alone. */
bool darn_hunt_look_at_end(struct darn_hunt *hunt, struct darn_player *player);

/* Whether a run has failed so in which nobody interfered: that is no news until some run has ended
 * well. hunt_baseline.c */
bool darn_hunt_fails_so(const struct darn_hunt *hunt, const struct darn_player *player,
                        const struct darn_finding *failure);

/* The schedule of the last run, in which threads have met. Of one that was cut off only what led
 * there: what came then did not come to an end. NULL without memory. */
struct darn_schedule *darn_hunt_take_met(struct darn_player *player,
                                         const struct darn_block_met *met);

/* The same for what was put off: until all targets were tried, and until a run has ended well if
 * the program fails when nobody interferes, too. */
void darn_hunt_look_back(struct darn_hunt *hunt, struct darn_player *player);

/* Whether the failure with this id comes from what is a finding already. */
bool darn_hunt_is_explained(const struct darn_hunt *hunt, const char *id);

/* What earlier hunts have explained is recalled. */
void darn_hunt_recall(struct darn_hunt *hunt);

/* What led to the hit of the last run, and nothing of what came then, is kept if there is no such
 * schedule of the target yet; and that is replayed. */
void darn_hunt_keep_short(struct darn_target *target, struct darn_player *player,
                          const struct darn_block_met *met);
void darn_hunt_secure(struct darn_hunt *hunt, struct darn_player *player,
                      struct darn_target *target);

/* No more trials will be made for the target: what it has shown becomes a proof if it replays. */
void darn_hunt_settle(struct darn_hunt *hunt, struct darn_player *player,
                      struct darn_target *target);

/* Whether the schedule shows the symptom as often as it is replayed. The player's last run is one
 * that does. */
bool darn_hunt_replays(struct darn_hunt *hunt, struct darn_player *player,
                       const struct darn_schedule *schedule, const struct darn_symptom *symptom);

/* ---- hunt_cause.c; with the lock ---- */

/* The target that the proof with this id is of; NULL: none. */
const struct darn_target *darn_hunt_target_of(const struct darn_hunt *hunt, const char *id);

/* How the last run ended, the same for runs that differ in which thread it was only. Never 0. */
uint64_t darn_hunt_end_of(const struct darn_player *player);

/* The last run is this trial of the race, and has met it. */
void darn_hunt_note_end(struct darn_target *target, uint32_t trial,
                        const struct darn_player *player);

/* Whether nothing is said of what the hits lead to, for want of time: some ended badly, or none was
 * compared with how the program usually ends. */
bool darn_hunt_is_undecided(const struct darn_hunt *hunt, const struct darn_target *target);

/* Whether a trial of the race has ended in this way, and the same trial with the other order of the
 * two accesses has not. It makes a run where that was not tried. Where two writes lose what one of
 * them adds, the order makes no difference: then every hit has to end so, and no other run. */
bool darn_hunt_is_cause(struct darn_hunt *hunt, struct darn_player *player,
                        struct darn_target *target, enum darn_verdict_kind kind);

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

/* The schedule of the entry, its report and its story are those of the player's last run from now
 * on. `whole`: it cannot be shrunk any further. */
void darn_hunt_keep_shrunk(struct darn_hunt *hunt, struct darn_player *player, json_t *entry,
                           const struct darn_schedule *schedule, const struct darn_symptom *symptom,
                           bool whole);

/* ---- hunt_shrink.c; with the lock ---- */

/* A proof that was just kept is shrunk, as far as that is soon done, and told. */
void darn_hunt_tell(struct darn_hunt *hunt, struct darn_player *player, json_t *entry);

#endif
