/*
 * An exploration under way: several jobs, each with a server of its own, share one search.
 *
 * `lock` protects everything that is not said to be a job's own. It is held while a failure is
 * looked into, too: names are looked up by a library that is not made for threads, and reports
 * shall not mix.
 */
#ifndef DARN_DRIVER_EXPLORATION_H
#define DARN_DRIVER_EXPLORATION_H

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"
#include "driver/process/listener.h"
#include "driver/process/wall_clock.h"
#include "driver/explore/explore_options.h"
#include "driver/play/player.h"
#include "report/finding.h"

struct darn_found {
    struct darn_finding *finding;
    uint64_t schedule; /* the number of the one that showed it first */
};

struct darn_exploration {
    const struct darn_explore_options *options;
    struct darn_listener *listener;
    /* What is done with a run that failed, or in which threads have met; see below. */
    bool (*look)(struct darn_exploration *exploration, struct darn_player *player,
                 uint64_t schedule);
    /* When the servers are there, before the search: 0 or DARN_REFUSED. NULL: nothing. */
    int (*before)(struct darn_exploration *exploration);
    void *context; /* of whoever explores */
    const char *input;
    double until;                /* darn_clock: no run goes on after it; 0: no limit */
    struct darn_player *players; /* each job's own, while it runs */
    uint32_t player_count;

    pthread_mutex_t lock;
    pthread_cond_t changed; /* a run was told to the search, or a job has ended */
    struct darn_search *search;
    uint64_t begun, schedules;          /* begun: also those that are not over */
    uint64_t first_bug;                 /* 0: none */
    uint64_t failures;                  /* schedules that failed */
    uint64_t cut_by_steps, cut_by_time; /* runs that were cut off, by which limit */
    uint64_t cut_waiting;               /* in which threads only waited in the end, and where: */
    char waiting[256];                  /* ", T0 at queue.c:12"; empty: not known */
    double seconds;                     /* that a run takes when nobody interferes, */
    double used;                        /* and those of the processor, or 0 */
    uint64_t max_steps;                 /* the highest such limit of a run */
    uint32_t vain;                      /* runs that were cut off, and followed in vain */
    bool is_slow;                       /* it was cut off by time then, not by steps */
    bool takes_endless;                 /* a program that never ends by itself will do */
    bool is_endless;                    /* it is such a one */
    uint64_t without_choice;            /* schedules in which there was nothing to choose */
    uint64_t learning;                  /* runs before the search, */
    uint64_t looked_at;                 /* and how many accesses the first one looked at */
    uint64_t replays;                   /* runs that followed a schedule again */
    uint64_t *armed;                    /* keys of the sites that are scheduling points, sorted */
    size_t armed_count;
    uint32_t armed_version; /* changes with them: each job arms them anew */
    bool learns_late;       /* only when the search begins (darn_exploration_learn_late); */
    bool learns_on;         /* runs of the search look for sites that share memory, too: */
    uint32_t learn_every;   /* every one, or every n-th */
    uint32_t jobs;          /* that it had, when it is over */
    uint32_t running;       /* jobs that have not ended */
    sem_t ends;             /* posted by each job at its end, for whoever does not want the lock */
    struct darn_search_stats stats;        /* when it is over */
    uint32_t processes, stuck, unrecorded; /* as in struct darn_result: the most, and all bits */
    uint32_t stuck_call, stuck_thread;     /* of the last run in which one was stuck */
    double started, ended;                 /* in seconds */
    double looking;                        /* how much of that went into failures, not into runs */
    struct darn_found *found;
    size_t found_count, found_room;
    struct darn_map seen;      /* fingerprints of what runs have left, to index + 1 */
    struct darn_map long_ones; /* fingerprints of those that were cut off */
    uint32_t next_kept;        /* the number of the directory to be made next */
    int status;                /* DARN_REFUSED: a run could not be made, or not be judged */
    bool keeps_straight; /* the run that shows it is the first of the search, if that asks for it */
    bool has_first;      /* so it was, and the first player has made no other one since */
    uint32_t first_kind; /* its strategy */
    struct darn_schedule *first_fails; /* or it failed; it is the first of the search then, too */
    struct darn_judged straight;       /* how the program ends when nobody interferes, */
    uint64_t straight_steps;           /* after how many steps, */
    int straight_status;               /* with this status, as of wait(); */
    char straight_id[DARN_PLAYER_ID];  /* what failure that is; empty: none */
    bool fine;                         /* a run of the search has ended well */
    uint64_t usual;                    /* runs that failed so before one has, */
    struct darn_map usual_ones;        /* their fingerprints, */
    struct darn_schedule *put_off;     /* the first of them, */
    uint64_t put_off_at;               /* and its number */
    atomic_bool enough;                /* no job begins another run */
    atomic_int interrupted;            /* the signal; 0: none */
};

/* explore.c. Begins as empty, with darn_exploration_found as its `look`. */
void darn_exploration_init(struct darn_exploration *exploration, struct darn_listener *listener);

/* The whole of it. SIGINT, SIGTERM and SIGHUP end it early. 0, with what it has found and counted;
 * or DARN_REFUSED: it did not take place. */
int darn_explore(struct darn_exploration *exploration, const struct darn_explore_options *options);
void darn_exploration_free(struct darn_exploration *exploration);

/* Schedules per second, from its beginning to this moment. */
double darn_exploration_rate(const struct darn_exploration *exploration, double until);

/* explore_start.c: starts the servers, learns, arms. 0, DARN_REFUSED or DARN_LATE. */
int darn_exploration_start(struct darn_exploration *exploration);

/* What it has left out if it `learns_late`, before the search. 0 or DARN_REFUSED. */
int darn_exploration_learn_late(struct darn_exploration *exploration);

/* explore_learn.c: a run in which threads wait wherever they can, or one without interruptions.
 * What it shows to share memory is armed, and if it ends well it is the first of the search
 * (`has_first`). False when it could not be made. */
bool darn_exploration_learn(struct darn_exploration *exploration);

/* explore_job.c: the flags of a run of the search; `learn`: it looks for sites that share memory.
 */
uint32_t darn_exploration_flags(const struct darn_exploration *exploration, bool learn);
void darn_exploration_stop(struct darn_exploration *exploration);

/* explore_job.c: the first run of all has failed, and it is known by now how the program ends when
 * nobody interferes. */
void darn_exploration_look_first(struct darn_exploration *exploration);

/* explore_job.c: one job, a thread; and what ends all of them. */
void *darn_exploration_job(void *job);
void darn_exploration_end(struct darn_exploration *exploration);

struct darn_exploration_job {
    struct darn_exploration *exploration;
    struct darn_player *player;
    uint32_t armed_version; /* of what is armed in its server */
    pthread_t thread;
};

/* explore_find.c: the last run of the player has failed, or threads have met in it. Called with the
 * lock. False when it turned out to be nothing. */
bool darn_exploration_found(struct darn_exploration *exploration, struct darn_player *player,
                            uint64_t schedule);

/* With the lock: a run has ended well, so what was put off has to do with schedules. Its schedule
 * is followed again, and is a finding if it fails again. False when it is none, or when nothing was
 * put off. */
bool darn_exploration_found_late(struct darn_exploration *exploration, struct darn_player *player);

/* The first run of all has failed: the same for it. */
bool darn_exploration_found_first(struct darn_exploration *exploration, struct darn_player *player);

/* The same for runs that have left the same (`met`: of two threads; NULL: of how they ended): what
 * they show need not be looked up again, which takes longer than a run. Never 0. */
uintptr_t darn_exploration_fingerprint(const struct darn_player *player,
                                       const struct darn_block_met *met);

/* explore_hang.c: the last run of the player was cut off. It is counted; and if its like has not
 * been here, its schedule is followed once more with more patience, and that is the last run then.
 * Called with the lock. */
void darn_exploration_cut(struct darn_exploration *exploration, struct darn_player *player);

/* explore_waits.c: counts the last run of the player, which was cut off, if its threads did nothing
 * but wait in the end, each time until the time was over. */
void darn_exploration_note_wait(struct darn_exploration *exploration,
                                const struct darn_player *player);

/* Follows a schedule that takes long. As darn_player_follow. */
bool darn_exploration_follow(struct darn_player *player, const struct darn_schedule *schedule);

#define DARN_PATIENT 3 /* times as long as others */

/* explore_notes.c: tells what a user should know of besides findings. */
void darn_exploration_notes(const struct darn_exploration *exploration);

#endif
