/*
 * What a trace knows about one prediction: when its steps came, what their threads did around them,
 * who else touches the same things, and what was put in order by what. Engines do not keep this:
 * the trace is read once more, for the one finding that is to be explained.
 */
#ifndef DARN_REPORT_WITNESS_H
#define DARN_REPORT_WITNESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/common/engine.h"
#include "trace/trace.h"

/* Why an event is worth telling. */
enum darn_deed_part {
    DARN_DEED_BETWEEN, /* synchronization of a thread after the step `of` and before its next one */
    DARN_DEED_BEFORE,  /* the last ones before the step */
    DARN_DEED_AFTER,   /* the first ones after it */
    DARN_DEED_LIFE,    /* start, join and barriers of the threads of the steps */
    DARN_DEED_USE,     /* accesses to the memory, or acquisitions of the lock, of the step */
};

/* An event, with the locks that were held: for USE all that are alike. */
struct darn_deed {
    enum darn_deed_part part;
    uint32_t of; /* step */
    uint32_t holding;
    uint64_t count;
    struct darn_prediction_step step;
};

struct darn_witness {
    const struct darn_prediction *prediction;
    uint64_t at[DARN_PREDICTION_STEPS]; /* the number of the event, from 1; 0: not found */
    struct darn_event units[DARN_PREDICTION_STEPS]; /* the BEGIN of its transaction; or NONE */
    struct darn_deed *deeds;
    size_t count, room;
    uint64_t left_out[DARN_DEED_USE + 1]; /* deeds for which there was no room */
    /* The first step happened before the second: by starts, joins and barriers; and in this run, by
     * all synchronization. */
    bool must[DARN_PREDICTION_STEPS][DARN_PREDICTION_STEPS];
    bool did[DARN_PREDICTION_STEPS][DARN_PREDICTION_STEPS];
};

/* Reads the trace from its beginning. 0, or -ENOMEM. To be freed in either case. */
int darn_witness_read(struct darn_witness *witness, const struct darn_prediction *prediction,
                      struct darn_trace *trace, const struct darn_engine_config *config);
void darn_witness_free(struct darn_witness *witness);

/* The step before this one that is of the same thread; the step itself if there is none. */
uint32_t darn_witness_earlier(const struct darn_prediction *prediction, uint32_t step);

/* The first step about the same memory or lock: deeds of USE are told there. */
uint32_t darn_witness_same(const struct darn_prediction *prediction, uint32_t step);

#endif
