/*
 * Who goes on at a scheduling point: the strategies, as pure code. The runtime asks them inside the
 * program under test, unit tests ask them in a simulation. Nothing here allocates, makes a system
 * call or depends on the time; the same seed and the same questions give the same answers.
 */
#ifndef DARN_SCHEDULE_STRATEGY_H
#define DARN_SCHEDULE_STRATEGY_H

#include <stdbool.h>
#include <stdint.h>

#include "schedule/op.h"

#define DARN_SLOTS 1024 /* threads that are alive at the same time */

/* A thread that could go on, and what it would do. */
struct darn_choice {
    uint32_t thread; /* its number: T0, T1, … in the order of creation */
    uint32_t slot;   /* below DARN_SLOTS; used again after the end of a thread */
    uint32_t own;    /* how many steps it has made; a WAKE is not one of them */
    uint8_t op;      /* enum darn_step_op */
    bool yielded;    /* it gave way (yield, sleep, a try that failed), and nobody has run since; or
                        it ends the process, and lets others go on before */
    bool atomic;     /* an atomic access */
    bool is_assertion; /* not an access, but a claim that others make none (darn.h) */
    bool received;     /* since its last step it has got a message */
    uint8_t locks;     /* how many it holds, up to 255 */
    uint32_t size;     /* of an access, in bytes */
    uint64_t object;   /* what the step is about: an address; 0: nothing that others touch */
    uint64_t used;     /* what a call uses or ends that is no memory of the program's own: a lock, a
                          stream, a file descriptor; 0: nothing */
    uint64_t place;    /* where in the program */
    uint64_t writer;   /* the place of the step that changed the object last; 0: none has */
};

struct darn_situation {
    const struct darn_choice *choices; /* sorted by slot */
    uint32_t count;                    /* at least 1 */
    uint32_t current; /* index of the thread that ran last; count: it cannot go on */
    bool waking;      /* it is about whom a signal wakes */
    uint64_t step;    /* how many steps were made before */
    uint32_t thinned; /* of the accesses of inner loops one in 2^thinned is a step by now */
};

enum darn_strategy_kind {
    DARN_STRATEGY_STRAIGHT, /* goes on with the thread that runs; when it is blocked, with the
                               lowest slot that did not yield; when it yields, with the next one in
                               turn */
    DARN_STRATEGY_RANDOM,   /* random walk: each choice is as likely */
    DARN_STRATEGY_PCT,      /* Burckhardt et al. 2010: random priorities, depth - 1 changes */
    DARN_STRATEGY_POS,      /* Yuan et al. 2018: random priorities of steps; drawn again when a
                               conflicting step was made */
    DARN_STRATEGY_SURW,     /* Zhao et al. 2025: threads weighted by the steps of interest that
                               remain: uniform over their interleavings */
    DARN_STRATEGY_FOLLOW,   /* exactly the given steps */
    DARN_STRATEGY_SCRIPT,   /* STRAIGHT, but for the given switches */
    DARN_STRATEGY_AIM,      /* POS, but for threads that the aims below hold back */
    DARN_STRATEGY_RACE,     /* Sen 2008, algorithm 1: the aims name the places of a pair */
    DARN_STRATEGY_TRIPLE,   /* forces the remote access of a triple between the two local ones */
    DARN_STRATEGY_ORDER, /* RACE for steps whose order matters, as two that take one lock: not only
                            for accesses that race */
    DARN_STRATEGY_QUAD,  /* forces four accesses of two threads into the order of the aims */
    DARN_STRATEGY_DELAY, /* each thread waits once at each place where it may be interrupted */
    DARN_STRATEGIES,
};

enum darn_aim_kind {
    DARN_AIM_NONE,
    DARN_AIM_HOLD,        /* whoever is about to do `place` waits until nobody else can go on */
    DARN_AIM_HOLD_LOCKED, /* the same for threads that hold a lock: the last step into a deadlock */
    DARN_AIM_HOLD_ONE,    /* the same for the thread with the number `other` only */
    DARN_AIM_READS,       /* `place` shall see what `other` wrote (0: the initial state) */
    DARN_AIM_READS_NOT,   /* `place` shall not see what `other` wrote */
    DARN_AIM_FIRST,  /* RACE, ORDER: one side of the pair (several places may be the same site) */
    DARN_AIM_SECOND, /* RACE, ORDER: the other side. TRIPLE: the remote access */
    DARN_AIM_THIRD,  /* TRIPLE: the second local access; FIRST is the first one. A plan that
                        has it tells when a triple is met, whatever its strategy is */
    DARN_AIM_FOURTH, /* QUAD: the last of four. One thread makes FIRST and FOURTH, the other
                        SECOND and THIRD; or, with BACK, FIRST and BACK, and SECOND and FOURTH.
                        A plan that has it tells when a quad is met, and no triples */
    DARN_AIM_BACK,   /* QUAD: the third access, if it is of the thread that made the first */
    DARN_AIM_UNIT,   /* TRIPLE, QUAD: `place` is the record of a function, or of the beginning
                        of an annotated block. The accesses of the thread that makes the first
                        one must be of one execution of it, and of one piece of that: it ends
                        where the thread starts others or waits for them */
    DARN_AIM_REMOTE_UNIT,    /* QUAD: the same for the other thread */
    DARN_AIM_SECTION,        /* TRIPLE, QUAD: the same, but what they must be in is one critical
                                section: the thread holds a lock all the time. `place` is FIRST's */
    DARN_AIM_REMOTE_SECTION, /* QUAD: the same for the other thread; `place` is SECOND's */
    DARN_AIM_OBJECT, /* SURW, the first aim: `place` is the object (an address) of interest, and
                        expected[] are the steps on it only */
};

struct darn_aim {
    uint32_t kind; /* enum darn_aim_kind */
    uint32_t reserved;
    uint64_t place, other;
};

#define DARN_AIMS 32 /* not more: the strategies keep a bit for each */

/* A switch of SCRIPT: before its own step number `own` (from 0), `thread` gives way to `to`; or,
 * when it cannot go on there anyway, `to` is who goes on. With `wakes`, the signal that is the step
 * number `own` of `thread` wakes `to`. Where `to` is not among the choices the switch is ignored.
 */
struct darn_switch {
    uint32_t thread, own, to, wakes;
};

#define DARN_SCRIPT_SWITCHES 65536 /* more are ignored */
#define DARN_SCRIPT_BUCKETS  4096
#define DARN_PCT_CHANGES     64
#define DARN_TRIPLE_BETWEEN  64
#define DARN_SURW_OBJECTS    256
#define DARN_DELAY_PLACES    4096

/* A step of FOLLOW, as the control block has it (block.h). */
struct darn_step;

struct darn_plan {
    uint32_t kind;  /* enum darn_strategy_kind */
    uint32_t depth; /* PCT: d; the number of changes is d - 1. HOLD: after so many releases the aim
                       holds nobody any more; 0: always. ORDER: the same after the meeting */
    uint64_t seed;
    uint64_t length; /* PCT: the steps that a run is expected to have. ORDER: the thread + 1 that
                        goes on only when nobody else can; 0: none */
    uint64_t first;  /* RACE, ORDER: 0 random; 1: the thread at FIRST goes first; 2: SECOND. At a
                        place that  is both, FIRST is the thread with the lower number */
    uint32_t aim_count;
    uint32_t step_count; /* FOLLOW: step number n of the run is steps[n] */
    uint32_t lead_count; /* RACE: steps[] lead to the race (strategy_lead.c); 0: nobody knows how */
    uint32_t reserved;
    uint32_t switch_count; /* SCRIPT */
    uint32_t forced; /* FOLLOW: a thread was interrupted where it computed (runtime/control) */
    uint32_t
        patience; /* STRAIGHT: steps of a thread before others get their turn; 0: many. AIM, RACE,
                     TRIPLE, QUAD: how often more the others may yield while somebody is held */
    struct darn_aim aims[DARN_AIMS];
    uint32_t expected[DARN_SLOTS]; /* SURW: steps of each slot in an earlier run */
};

/* What happened besides the choice. */
enum darn_met_kind {
    DARN_MET_NOTHING,
    DARN_MET_RACE,     /* `a` and `b`, indexes of choices, are about to touch the same memory */
    DARN_MET_ORDER,    /* of ORDER: they are about to make the two steps */
    DARN_MET_TRIPLE,   /* `a` is about to make the second of its two accesses, and the remote one
                          came since the first: step number `step`, made by `thread`; b is a */
    DARN_MET_QUAD,     /* `a` is about to make the last of four accesses; the thread in the slot
                          `thread` made the first one; b is a */
    DARN_MET_DIVERGED, /* FOLLOW: the situation does not have the step that was expected; `a` is
                          the index of its thread, or the count */
};

struct darn_met {
    uint32_t kind; /* enum darn_met_kind */
    uint32_t a, b;
    uint32_t thread;
    uint64_t step;
};

/* TRIPLE, QUAD: the function or block of an aim that a thread is in. */
struct darn_strategy_unit {
    uint64_t frame; /* of the outermost execution */
    uint64_t name;  /* of a block: its variable */
    uint32_t depth; /* how many executions; 0: none */
};

/* What is known about the thread in a slot. All zero: nothing. */
struct darn_strategy_slot {
    uint32_t thread;   /* + 1: for whom the entries are */
    uint32_t own;      /* POS, SURW: the step + 1 that was seen last */
    uint64_t priority; /* PCT: of the thread; POS: of the step */
    uint32_t held_own; /* AIM, RACE, TRIPLE: the step + 1 at which it is held back */
    uint32_t going;    /* RACE: the step + 1 that goes on at once. DELAY: it waits no more */
    uint64_t since;    /* the number of the pick at which it was held back */
    uint32_t between;  /* TRIPLE, QUAD: the index + 1 in between[] */
    uint32_t made;     /* SURW: steps of interest. DELAY: it has touched memory */
    struct darn_strategy_unit units[2]; /* of UNIT and of REMOTE_UNIT */
};

/* TRIPLE, QUAD: a thread that has made the first of its two accesses. */
struct darn_strategy_between {
    uint32_t slot, size;
    uint64_t object;
    uint64_t step;   /* the number + 1 of the remote access that came since */
    uint32_t remote; /* of a QUAD: its slot */
    /* QUAD: how many of the accesses were made, and the memory of the second and the third. */
    uint32_t made;
    bool changes; /* the first access; below the others */
    struct darn_strategy_touch {
        uint64_t object;
        uint32_t size;
        bool changes;
    } touched[2];
};

/* Private to the strategies. Whoever starts a program makes it of zero pages: what is behind the
 * first slots and switches costs nothing until it is used. */
struct darn_strategy {
    const struct darn_plan *plan;
    const struct darn_step *steps;      /* of FOLLOW; of RACE: its lead */
    const struct darn_switch *switches; /* of SCRIPT; sorted by nothing */
    uint64_t random;                    /* state of the generator */
    uint64_t picks;                     /* AIM, RACE, TRIPLE: how often it was asked */
    uint64_t low;                       /* PCT: the lowest priority so far */
    uint32_t straight;                  /* STRAIGHT: how often the same thread has gone on */
    uint32_t last, last_own; /* SCRIPT: the thread + 1 that made the last step, and the number of
                                that step among its own */
    uint32_t change_count;   /* PCT: of changes[] */
    uint32_t idle, released; /* AIM, RACE, TRIPLE (strategy_hold.c), SURW */
    uint32_t reached;        /* AIM: a bit for each aim that has come true. ORDER: they have met */
    uint32_t rival;          /* RACE: the thread + 1 that lost against several */
    uint32_t led, visits; /* RACE: how many steps of the lead were made; of the next one: how often
                             its thread has come to the place */
    uint32_t between_count; /* TRIPLE */
    uint32_t intended;      /* SURW: the thread + 1 that makes the next step of interest */
    bool created;           /* DELAY: the last step has made a thread */
    bool all;               /* SURW: each step is of interest */
    bool triple;            /* the plan has a triple or a quad */
    bool quad;              /* it is a quad */
    bool comes_first;       /* the step that was picked is the first of a triple; */
    uint32_t come_count;    /* it comes between those of the threads in these slots */
    uint32_t come_into[DARN_TRIPLE_BETWEEN];
    uint8_t come_as[DARN_TRIPLE_BETWEEN]; /* 1: as the second access, 2: as the third */
    uint64_t interest, rank; /* SURW: the object of interest, and its rank in the draw */
    uint64_t unseen;         /* SURW: the weights of the threads that were not seen yet */
    uint64_t changes[DARN_PCT_CHANGES]; /* PCT: the steps at which priorities change */
    struct darn_strategy_slot slots[DARN_SLOTS];
    struct darn_strategy_between between[DARN_TRIPLE_BETWEEN];
    uint64_t objects[DARN_SURW_OBJECTS];        /* SURW: objects that were touched, … */
    uint32_t touched_by[DARN_SURW_OBJECTS];     /* … and the thread + 1 that did so first */
    uint64_t delayed[DARN_DELAY_PLACES];        /* DELAY: who has waited where */
    uint32_t first_switch[DARN_SCRIPT_BUCKETS]; /* SCRIPT: the number + 1 of the first switch */
    uint32_t next_switch[DARN_SCRIPT_SWITCHES]; /* and of the next one of the same bucket */
};

/* The program starts. `strategy` was zeroed. */
void darn_strategy_start(struct darn_strategy *strategy, const struct darn_plan *plan,
                         const struct darn_step *steps, const struct darn_switch *switches);

/* The index of the choice that goes on. A choice that yielded is taken only if the strategy says so
 * by its nature (FOLLOW, SCRIPT) or all have. The step of the choice is made next. To be asked
 * before every step, also when there is only one choice: the strategies keep account of the steps.
 */
uint32_t darn_strategy_pick(struct darn_strategy *strategy, const struct darn_situation *situation,
                            struct darn_met *met);

/* A thread leaves the section that a triple is about: what it does next is not the second of its
 * two accesses. */
void darn_strategy_leave(struct darn_strategy *strategy, uint32_t slot, uint32_t thread);

/* A function, or a block that is annotated as atomic. */
struct darn_strategy_scope {
    uint64_t place; /* its record; a block has another one where it ends */
    uint64_t name;  /* of a block: its variable; 0: a function */
    uint64_t frame; /* an address in the stack: callers have higher ones */
};

/* The thread comes to the beginning, or to the end, of a function or block. Only plans with an aim
 * at one need to be told (darn_strategy_wants_ends). */
void darn_strategy_begin(struct darn_strategy *strategy, uint32_t slot, uint32_t thread,
                         const struct darn_strategy_scope *scope);
void darn_strategy_end(struct darn_strategy *strategy, uint32_t slot, uint32_t thread,
                       const struct darn_strategy_scope *scope);
bool darn_strategy_wants_ends(const struct darn_strategy *strategy);

/* Whether who ends the process (FINISH) gives way to all others: what they would do is seen then.
 * Else it is a step as any, and cuts them off anywhere. Of runs that go at random, each second one.
 */
bool darn_strategy_ends_late(const struct darn_strategy *strategy);

/* Whether two steps that are about to be made are a data race: different threads, accesses of the
 * same memory, one of which writes, and not both atomic. A FREE writes to `size` bytes. */
bool darn_choices_race(const struct darn_choice *a, const struct darn_choice *b);

/* Whether the order of the two matters: the same object (overlapping memory), and one changes it.
 */
bool darn_choices_conflict(const struct darn_choice *a, const struct darn_choice *b);

#endif
