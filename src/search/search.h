/*
 * Which schedules to try, one after the other: what an exploration knows between the runs. Pure: a
 * search is asked for the next plan, and told what became of it. Several jobs may share one search;
 * whoever calls it holds a lock.
 */
#ifndef DARN_SEARCH_SEARCH_H
#define DARN_SEARCH_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schedule/block.h"

/* What a run should do: goes into the request of the block. */
struct darn_task {
    struct darn_plan plan;
    struct darn_switch *switches; /* of SCRIPT, plan.switch_count; owned by the task */
    uint32_t strategy;            /* which of the names below, for statistics */
    uint32_t origin;              /* private to the search */
};

/* What became of it. */
struct darn_outcome {
    const struct darn_task *task;
    const struct darn_result *result;
    const struct darn_step *steps;       /* min(result->steps, DARN_BLOCK_STEPS) of them */
    const struct darn_block_read *reads; /* result->read_count of them */
    bool failed;                         /* a bug was seen */
};

struct darn_search;

enum darn_search_kind {
    DARN_SEARCH_PORTFOLIO, /* the default: needs no parameter */
    DARN_SEARCH_RANDOM,
    DARN_SEARCH_PCT,
    DARN_SEARCH_POS,
    DARN_SEARCH_SURW,
    DARN_SEARCH_CHESS,  /* preemption-bounded, systematic: bound 0, 1, 2, … */
    DARN_SEARCH_RFF,    /* reads-from directed */
    DARN_SEARCH_HOLD,   /* holds threads back at one place, then two, … */
    DARN_SEARCH_STATES, /* systematic, too, over states that are told apart roughly: gets deeper */
    DARN_SEARCHES,
};

struct darn_search_options {
    enum darn_search_kind kind;
    uint64_t seed;
    uint32_t depth; /* of PCT; 0: 3 */
    bool delays;    /* PORTFOLIO: the first run is one of DARN_STRATEGY_DELAY */
    uint32_t bound; /* of CHESS: the most preemptions; 0: as many as it takes */
};

/* NULL when there is no memory. */
struct darn_search *darn_search_new(const struct darn_search_options *options);
void darn_search_free(struct darn_search *search);

/* The next run. False when there is none left: a systematic search is at its end. With several
 * jobs, false and *later when it depends on runs that are under way. The caller frees
 * task->switches. */
bool darn_search_next(struct darn_search *search, struct darn_task *task, bool *later);
/* What the steps of the program are was not known in all of the runs: a systematic search that is
 * at its end begins again, and no run is under way. False when there is no memory, or when it has
 * no end. */
bool darn_search_again(struct darn_search *search);
void darn_search_tell(struct darn_search *search, const struct darn_outcome *outcome);

struct darn_search_stats {
    uint64_t schedules;
    uint64_t reads;          /* distinct reads-from pairs */
    uint64_t partial_orders; /* distinct ones */
    uint64_t steps;
    uint64_t longest; /* run, in steps */
    bool exhausted;   /* the search knows that nothing is left within its bound */
};

void darn_search_stats(const struct darn_search *search, struct darn_search_stats *stats);

/* "portfolio", "pct", …; NULL when there is none. */
const char *darn_search_name(enum darn_search_kind kind);

#endif
