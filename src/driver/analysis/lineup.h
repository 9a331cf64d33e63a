/*
 * The engines of one analysis: chosen by name, given the same events, and timed.
 */
#ifndef DARN_DRIVER_LINEUP_H
#define DARN_DRIVER_LINEUP_H

#include <stddef.h>
#include <stdint.h>

#include "engine/common/engine.h"

/* What `--engine` is when nothing is said: of races only what can happen. */
#define DARN_LINEUP_DEFAULT "hb,syncp,deadlock,notify"

/* The same with what is only suspected: for `darn predict` and `darn hunt`. */
#define DARN_LINEUP_SUSPECTS "hb,syncp,hybrid,deadlock,notify,orders"

/* And with `--atomicity`. */
#define DARN_LINEUP_ATOMICITY DARN_LINEUP_SUSPECTS ",blocks"

struct darn_lineup_entry {
    const struct darn_engine *engine;
    void *state;                        /* of the present trace; NULL between traces */
    uint64_t distinct, dynamic, events; /* of all traces so far */
    double seconds;
    struct darn_engine_cost cost;                     /* the largest */
    struct darn_engine_fact facts[DARN_ENGINE_FACTS]; /* of all traces so far */
    size_t fact_count;
};

struct darn_lineup {
    struct darn_lineup_entry *entries;
    size_t count;
};

/* Chooses engines: `list` is names separated by commas, or `all`. 0, or -EINVAL with one line in
 * `error`. */
int darn_lineup_choose(struct darn_lineup *lineup, const char *list, char *error,
                       size_t error_size);
void darn_lineup_free(struct darn_lineup *lineup);

/* One trace: start, events in as many pieces as there are, finish; then the predictions of each
 * entry are there until stop. 0, or -ENOMEM. */
int darn_lineup_start(struct darn_lineup *lineup, const struct darn_engine_config *config);
void darn_lineup_events(struct darn_lineup *lineup, const struct darn_event *events, size_t count);
void darn_lineup_finish(struct darn_lineup *lineup);
void darn_lineup_stop(struct darn_lineup *lineup);

/* The time that this thread has computed, in seconds: what others do on the machine is not in it.
 */
double darn_lineup_clock(void);

#endif
