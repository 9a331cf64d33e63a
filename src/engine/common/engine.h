/*
 * An engine: an analysis that is given the events of a trace one by one, and says what could go
 * wrong in other schedules of the same run. Engines are pure: they know nothing of files,
 * processes or symbols, and use one thread. How to add one: docs/howto-engine.md.
 */
#ifndef DARN_ENGINE_ENGINE_H
#define DARN_ENGINE_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/event.h"

/* The most threads in one deadlock, and the most steps that one prediction names. */
#define DARN_PREDICTION_STEPS 16
#define DARN_PREDICTION_LOCKS 16

enum darn_prediction_kind {
    DARN_PREDICTS_RACE,     /* two steps, both accesses */
    DARN_PREDICTS_DEADLOCK, /* a step for each thread: the ACQUIRE that would wait (a REQUEST if it
                               was never granted); the lock that the step asks for is held by the
                               next one, the last's by the first. A step may be a JOIN: the next
                               one's thread is then what it waits for. One step: a thread that
                               waits for itself */
    DARN_PREDICTS_LOST_SIGNAL,  /* steps: the SIGNAL or BROADCAST that found nobody, the WAIT that
                                   nobody ended */
    DARN_PREDICTS_WRONG_WAITER, /* steps: the SIGNAL, two WAITs for different predicates */
    DARN_PREDICTS_TWO_MUTEXES,  /* steps: two WAITs on one condition variable */
    /* Steps are accesses, in the order in which they would happen and which no serial order of
     * their transactions gives. Three: the first and the last are of one transaction, on one
     * variable. Four: two transactions, two variables. More: each step but the first and last
     * belongs with a neighbour to one transaction, and the first with the last (a cycle). */
    DARN_PREDICTS_ATOMICITY,
    /* A transaction that is not of the form that reduction can prove atomic. Steps, all of its
     * thread: where it can no longer be moved to the right (an access that races, or the ACQUIRE of
     * a lock that was given back), and what comes after it and cannot be moved to the left. */
    DARN_PREDICTS_IRREDUCIBLE,
    /* Steps: two operations on the same memory or object, in the order in which they always came
     * and which nothing enforces: accesses, a use and an end, or a WAIT and the SIGNAL that ended
     * it. */
    DARN_PREDICTS_ORDER,
    /* Two variables that one thread handles together under a lock, and another one under the same
     * lock one after the other. Four steps: an access of the first thread to the one variable, one
     * of the second thread to the same, one of it to the other variable, and the first thread's to
     * that. */
    DARN_PREDICTS_VIEWS,
};

struct darn_prediction_lock {
    uint64_t lock;
    uint32_t site, stack; /* where it was acquired; 0: not known */
    uint8_t kind;         /* enum darn_event_lock */
};

/* One event of a prediction, and the locks that its thread held, in the order of acquisition. */
struct darn_prediction_step {
    struct darn_event event;
    uint32_t unit; /* atomicity: the site where its transaction begins; 0: none, or not known */
    uint32_t lock_count;
    struct darn_prediction_lock locks[DARN_PREDICTION_LOCKS];
};

struct darn_prediction {
    enum darn_prediction_kind kind;
    uint64_t count;  /* how often it was seen (dynamic reports), filled in at the end */
    uint64_t target; /* races: an address that both touch */
    uint32_t step_count;
    struct darn_prediction_step steps[DARN_PREDICTION_STEPS];
};

enum darn_unit {
    DARN_UNIT_NO,
    DARN_UNIT_YES,   /* unless it is a thread's first function */
    DARN_UNIT_NAMED, /* somebody has said so: even then */
};

/* What all engines may be told. A zeroed struct has the defaults. */
struct darn_engine_config {
    bool ignore_sync;   /* take no notice of recognised spins (Tian's "without") */
    bool suspect;       /* hybrid: nothing orders that only may (order.h); for who tries it out */
    bool ignore_atomic; /* atomic accesses are plain ones, and order nothing */
    bool in_order;      /* accesses stand in the order in which they happened, also those that no
                           synchronization orders */
    /* Variables: accesses to this site pair are counted for it alone; 0 for the rest. Two events at
     * different ids may stand for one place in the source (an inlined function): the caller maps an
     * id to the first id of the same place. NULL: the id itself. */
    uint32_t (*place_of)(const void *context, uint32_t site);
    /* The predicate that a WAIT at this site waits for, as a hash; 0: not known. May be NULL. */
    uint64_t (*predicate_of)(const void *context, uint32_t site);
    /* Whether executions of the function that begins at this site are expected to be atomic
     * (transactions.h has the defaults). NULL: all are. */
    enum darn_unit (*is_unit)(const void *context, uint32_t site);
    /* Atomicity: whether a WRITE at this site stands for a read of the same bytes before it, too,
     * as in `x += 1`. May be NULL. */
    bool (*reads_too)(const void *context, uint32_t site);
    const void *context;
    bool ignore_escape; /* atomicity: all memory has escaped from the beginning */
    bool ignore_order;  /* atomicity: fork, join and barriers put nothing in order */
    /* Atomicity by blocks: the most comparisons at the end, the most initial reads and final writes
     * of one transaction that are put in pairs, and the most distinct blocks at one time. 0: the
     * default. */
    uint64_t block_work;
    uint32_t block_events;
    uint32_t block_count;
};

/* What an engine costs, for the benchmark. */
struct darn_engine_cost {
    size_t memory;    /* bytes in use now */
    size_t peak;      /* most bytes in use so far */
    uint64_t dropped; /* degraded cases: tables full */
};

/* Something that an engine has counted and that a reader of its findings should know. */
struct darn_engine_fact {
    const char *text;
    uint64_t value;
    bool is_limit; /* a bound was reached: something may be missing */
};

#define DARN_ENGINE_FACTS 16

/* How an operation of a transaction commutes with those of other threads (Lipton). */
enum darn_mover {
    DARN_MOVER_RIGHT,
    DARN_MOVER_LEFT,
    DARN_MOVER_BOTH,
    DARN_MOVER_NONE,
    DARN_MOVER_PASSED, /* in a critical section with nothing that is shared: AcqA*Rel */
};

/* An operation of the transaction that a prediction is about. Of a RELEASE only the lock is known,
 * not the place: that is where it was acquired. */
struct darn_engine_mover {
    struct darn_prediction_step step;
    enum darn_mover type;
};

struct darn_engine {
    const char *name;
    const char *help; /* one line */
    /* NULL when there is no memory. */
    void *(*create)(const struct darn_engine_config *config);
    void (*event)(void *state, const struct darn_event *event);
    /* No more events come. */
    void (*finish)(void *state);
    /* The predictions, after finish; each pair of places once, in the order in which they were
     * found. They live as long as the engine. */
    const struct darn_prediction *(*predictions)(const void *state, size_t *count);
    /* How many times something was predicted, with repetitions (Tian's dynamic reports). */
    uint64_t (*dynamic)(const void *state);
    struct darn_engine_cost (*cost)(const void *state);
    /* After finish; fills at most DARN_ENGINE_FACTS, and says how many. May be NULL. */
    size_t (*facts)(const void *state, struct darn_engine_fact *facts);
    /* After finish: the operations of the transaction of a prediction, by its index, as they were
     * matched with the form that can be reduced. Fills at most `most`, and says how many there are.
     * May be NULL. */
    size_t (*movers)(const void *state, size_t prediction, struct darn_engine_mover *movers,
                     size_t most);
    void (*destroy)(void *state);
};

/* NULL when there is no engine of this name. */
const struct darn_engine *darn_engine_find(const char *name);
size_t darn_engine_count(void);
const struct darn_engine *darn_engine_at(size_t index);

extern const struct darn_engine darn_engine_hb;
extern const struct darn_engine darn_engine_syncp;
extern const struct darn_engine darn_engine_eraser;
extern const struct darn_engine darn_engine_eraser_plus;
extern const struct darn_engine darn_engine_multilockset;
extern const struct darn_engine darn_engine_hybrid;
extern const struct darn_engine darn_engine_deadlock;
extern const struct darn_engine darn_engine_syncp_deadlock;
extern const struct darn_engine darn_engine_notify;
extern const struct darn_engine darn_engine_orders;
extern const struct darn_engine darn_engine_blocks;
extern const struct darn_engine darn_engine_reduction;
extern const struct darn_engine darn_engine_reduction_online;
extern const struct darn_engine darn_engine_serial;
extern const struct darn_engine darn_engine_views;

#endif
