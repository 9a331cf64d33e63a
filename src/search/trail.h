/*
 * The steps of a run, made easy to walk along: which number each step has among those of its
 * thread, and where the next one of the same slot is.
 */
#ifndef DARN_SEARCH_TRAIL_H
#define DARN_SEARCH_TRAIL_H

#include "search/search.h"
#include "search/array.h"

#define DARN_TRAIL_STEPS 65536 /* of a longer run only the beginning is looked at */

struct darn_trail {
    const struct darn_step *steps;
    uint32_t count;             /* behind it are those that a process has cut off by its end */
    const uint32_t *own;        /* number of the step among those of its thread, from 0 */
    const uint32_t *next;       /* index + 1 of the next step in the same slot; 0: there is none */
    uint32_t first[DARN_SLOTS]; /* the same for the first step of each slot */
    uint32_t slots;             /* those in use are below */
    uint32_t threads;           /* the same for the numbers of threads */
    const bool *cancelled;      /* by number: whether somebody cancels the thread */
    /* Private. */
    struct darn_array numbers, links, made, marks;
    uint32_t last[DARN_SLOTS];
};

/* The outcome must outlive the use of the trail. False when the run has left no steps. */
bool darn_trail_read(struct darn_trail *trail, const struct darn_outcome *outcome);
void darn_trail_free(struct darn_trail *trail);

/* A thread that is chosen to be woken makes no step of its own: the step belongs to the signal. */
static inline bool darn_trail_is_wake(const struct darn_trail *trail, uint32_t i)
{
    return trail->steps[i].op == DARN_STEP_WAKE;
}

/* It is no preemption when another thread goes on before such a step. */
static inline bool darn_step_gives_way(const struct darn_step *step)
{
    return step->op == DARN_STEP_YIELD || step->op == DARN_STEP_SLEEP ||
           step->op == DARN_STEP_FINISH;
}

/* The step that the thread of step `i` stands before once that is made; NULL: it has ended, or the
 * run has. */
static inline const struct darn_step *darn_trail_after(const struct darn_trail *trail, uint32_t i)
{
    const struct darn_step *step;

    if (!trail->next[i])
        return NULL;
    step = &trail->steps[trail->next[i] - 1];
    return step->thread == trail->steps[i].thread ? step : NULL;
}

#endif
