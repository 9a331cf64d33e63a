/*
 * When everything is seen: at the beginning, whenever a thread begins later, and with budget=max in
 * every other slice of time. The sampler looks after it (sampler.h).
 */
#ifndef DARN_RUNTIME_BEGINNING_H
#define DARN_RUNTIME_BEGINNING_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/state.h"

static inline bool darn_budget_is_max(void)
{
    return darn_state.options.budget == DARN_BUDGET_MAX;
}

/* There are several threads: it begins, unless it is over. */
void darn_beginning_start(void);

/* Whether it goes on. */
bool darn_beginning_lasts(void);

/* Whether every access is looked at, whatever it costs: at the beginning, or with budget=max. */
bool darn_beginning_sees_all(void);

/* Begins and ends what is due. Returns when to call it again, at the latest, in nanoseconds. */
uint64_t darn_beginning_pass(uint64_t now);

/* A thread begins later: what it does first is seen, if the budget allows it. */
void darn_beginning_welcome(void);

void darn_beginning_after_fork(void);

/* What was done in a slice of time in which everything was seen, and what it has cost, in
 * nanoseconds. */
struct darn_beginning_account {
    double used;     /* processor time, */
    double spent;    /* of which so much to remember accesses */
    double accesses; /* that were seen */
    double changes;  /* releases that had something to tell */
};

/* How much of the processor time that is seen whole at the beginning is used up by that. */
double darn_beginning_counts(const struct darn_beginning_account *since);

/* In how many slices afterwards nothing is seen: until what was lost is fair. */
double darn_beginning_pause(const struct darn_beginning_account *since);

#endif
