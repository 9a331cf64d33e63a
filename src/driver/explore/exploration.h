/*
 * An exploration under way: several jobs, each with a server of its own, share one search.
 *
 * `lock` protects everything that is not said to be a job's own. It is held while a failure is
 * looked into, too: names are looked up by a library that is not made for threads, and reports
 * shall not mix.
 */
#ifndef DARN_CLI_EXPLORATION_H
#define DARN_CLI_EXPLORATION_H

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"
#include "driver/process/wall_clock.h"
#include "driver/explore/explore_options.h"
#include "driver/play/player.h"
#include "report/finding.h"
#include "report/text/style.h"

struct darn_found {
    struct darn_finding *finding;
    uint64_t schedule; /* the number of the one that showed it first */
};

struct darn_exploration {
    const struct darn_explore_line *line;
    const char *command; /* in messages: explore, hunt */
    /* What is done with a run that failed, or in which threads have met; see below. */
    bool (*look)(struct darn_exploration *exploration, struct darn_player *player,
                 uint64_t schedule);
    /* When the servers are there, before the search: 0 or an exit status. NULL: nothing. */
    int (*before)(struct darn_exploration *exploration);
    /* What is said when it is over: 0 or an exit status. */
    int (*summary)(struct darn_exploration *exploration);
    void *context; /* of whoever explores */
    const char *input;
    struct darn_player *players; /* each job's own, while it runs */
    uint32_t player_count;
    struct darn_style style;

    pthread_mutex_t lock;
    pthread_cond_t changed; /* a run was told to the search, or a job has ended */
    struct darn_search *search;
    uint64_t begun, schedules; /* begun: also those that are not over */
    uint64_t first_bug;        /* 0: none */
    uint64_t failures;         /* schedules that failed */
    uint64_t slow;             /* did not end, but when they were followed with more patience */
    uint64_t without_choice;   /* schedules in which there was nothing to choose */
    uint64_t learning;         /* runs before the search */
    uint64_t *armed;           /* keys of the sites that are scheduling points, sorted */
    size_t armed_count;
    uint32_t armed_version; /* changes with them: each job arms them anew */
    bool learns_on;         /* runs of the search look for sites that share memory, too: */
    uint32_t learn_every;   /* every one, or every n-th */
    uint32_t running;       /* jobs */
    sem_t ends;             /* posted by each job at its end, for whoever does not want the lock */
    bool exhausted;
    uint32_t processes, stuck, unrecorded; /* as in struct darn_result: the most, and all bits */
    uint32_t stuck_call, stuck_thread;     /* of the last run in which one was stuck */
    double started, ended;                 /* in seconds */
    double looking;                        /* how much of that went into failures, not into runs */
    struct darn_found *found;
    size_t found_count;
    struct darn_map seen;      /* fingerprints of what runs have left, to index + 1 */
    struct darn_map slow_ones; /* fingerprints of those that are nothing */
    uint32_t next_kept;        /* the number of the directory to be made next */
    bool progress;             /* a line of it stands on the terminal */
    int status;                /* not 0: an exit status after something went wrong */
    bool straight_fails;       /* the program fails when nobody interferes */
    atomic_bool enough;        /* no job begins another run */
    atomic_int interrupted;    /* the signal; 0: none */
};

/* explore.c: the whole of it, as the line says; `exploration` has its command, its functions, lock
 * and condition. An exit status. What it has counted stays in it. */
int darn_exploration_make(struct darn_exploration *exploration,
                          const struct darn_explore_line *line);

/* explore_start.c: starts the servers, learns, arms. 0 or an exit status. */
int darn_exploration_start(struct darn_exploration *exploration);
void darn_exploration_stop(struct darn_exploration *exploration);

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

/* The same for runs that have left the same (`met`: of two threads; NULL: of how they ended): what
 * they show need not be looked up again, which takes longer than a run. Never 0. */
uintptr_t darn_exploration_fingerprint(const struct darn_player *player,
                                       const struct darn_block_met *met);

/* explore_hang.c: whether the last run of the player, which did not end, does not end when its
 * schedule is followed with more patience, either. It makes another run. */
bool darn_exploration_hangs(struct darn_player *player, const struct darn_schedule *schedule);

/* explore_summary.c */
void darn_exploration_show_progress(struct darn_exploration *exploration);
void darn_exploration_clear_progress(struct darn_exploration *exploration);
/* What a user should know of besides findings. */
void darn_exploration_notes(const struct darn_exploration *exploration);
/* 0 or the exit status of an output that could not be written. */
int darn_exploration_summary(struct darn_exploration *exploration);

#endif
