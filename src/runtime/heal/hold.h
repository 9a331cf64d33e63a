/*
 * Who holds which variable: threads in sections that are healed, and single accesses.
 *
 * The table has a list of holds for each cache line, by a hash. A hold says what its thread does
 * with the variable, and what others may do meanwhile (table 1 of AtomRace); two are at odds when
 * one does what the other does not allow.
 */
#ifndef DARN_RUNTIME_HOLD_H
#define DARN_RUNTIME_HOLD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "runtime/heal/cures.h"
#include "runtime/section/automaton.h"
#include "runtime/thread/thread.h"
#include "runtime/watch/touch.h"

/* So many sections a thread can be in at a time; more are not healed. */
#define DARN_HOLDS 8

enum darn_hold_state {
    DARN_HOLD_FREE,    /* or a call that leads to the entry was made; nothing is held yet */
    DARN_HOLD_INSIDE,  /* the variable is held */
    DARN_HOLD_LAST,    /* the last access is about to be made */
    DARN_HOLD_LINGERS, /* the same, the thread has left its hook, and nobody tells: it ends at the
                          thread's next hook at the latest, or when the thread has run on for a
                          while */
    DARN_HOLD_CLOSES,  /* a lock, not a variable (heal_closed.h) */
};

struct darn_healer;

struct darn_hold {
    struct darn_hold *next; /* on the same line */
    struct darn_healer *healer;
    struct darn_stay stay;  /* without a rule: a single access, or a lock */
    struct darn_cure *cure; /* of the rule */
    uint8_t ops;            /* enum darn_section_allow: what the thread does, */
    uint8_t allow;          /* what others may do */
    bool alone;             /* nobody may do anything: a healing lock */
    bool soft;              /* nobody waits for it */
    bool linked;
    bool expired; /* somebody waited too long for it: it does not count any more */
    volatile uint8_t state;
    uint32_t list;
    uint32_t serial;              /* tells it from what the same memory was before */
    const struct darn_site *last; /* LAST, LINGERS: of that access */
    const void *made_in;          /* the frame of the function that makes it */
    uint32_t locks;               /* so many of darn_own.held it was entered under */
    struct darn_hold *closed_by;  /* CLOSES: the section */
    uint64_t until;               /* its thread does not wait longer than this; 0: it may */
    bool told;                    /* LAST: there is a hook behind the access */
    uint8_t later;                /* the hooks of DARN_SITE_LATER that came since */
    uint8_t urged;                /* by so much the nice value of its thread is better meanwhile */
};

/* What the thread has to do with healing; kept for the next thread with the same record. */
struct darn_healer {
    /* Threads do not share cache lines, nor those that the processor fetches together. */
    _Alignas(128) struct darn_thread *thread;
    const void *volatile busy; /* the frame of who is in here: a signal handler leaves it alone */
    uint32_t used;             /* bits of `holds` */
    uint32_t ending;           /* bits: LAST or LINGERS */
    uint32_t left;             /* bits: left to the program's own locks, in no list (elision.h) */
    struct darn_hold holds[DARN_HOLDS];
    struct {
        struct darn_cure *cure;
        uint64_t times; /* it was entered, and that was not added to the cure's own count yet */
    } entered[DARN_HOLDS];
    uint64_t gave_way;        /* when it let others go first */
    volatile bool awaits;     /* it waits for those who may be in sections unseen (elision.c) */
    struct darn_healer *next; /* of all */
};

/* 0, or -1 when there is no memory. */
int darn_holds_open(void);

/* The healer of the thread; NULL when there is no memory. */
struct darn_healer *darn_healer_of(struct darn_thread *thread);

/* Counts that the section is entered: cheaply, threads do not share a count. */
void darn_healer_count(struct darn_healer *healer, struct darn_cure *cure);

/* Adds up what all have counted. */
void darn_healers_sum(void);

/* What is not added up yet of one of them. */
uint64_t darn_healers_entered(const struct darn_cure *cure);

/* In the child, the other threads are gone. */
void darn_healers_before_fork(void);
void darn_healers_after_fork(bool child);

/* A hold that is not used; NULL: there are too many. */
struct darn_hold *darn_hold_new(struct darn_healer *healer);

/* One that stands in the way, as it was seen; it may be gone. */
struct darn_clash {
    struct darn_hold *hold; /* NULL: none */
    struct darn_healer *healer;
    struct darn_cure *cure;
    uint32_t serial, list;
    bool lingers, soft;
};

/* Takes hold if nobody is in the way; else says who is. */
bool darn_hold_try(struct darn_hold *hold, struct darn_clash *clash);

/* Whether others have waited for the line for long, and the thread holds nothing else. */
bool darn_hold_is_wanted(struct darn_hold *hold);

/* Takes hold whoever is in the way. */
void darn_hold_force(struct darn_hold *hold);

/* The thread is in, and only its own locks keep others out, for now. */
void darn_hold_leave(struct darn_hold *hold);

/* Whether darn_hold_try would get it: only looks. */
bool darn_hold_is_enabled(struct darn_hold *hold);

/* Waits for a change of the list, for so long. `hungry`: the thread has waited for a while, and
 * those who come now shall let it go first. */
void darn_hold_await(const struct darn_clash *clash, uint64_t nanoseconds, bool hungry);

/* Whether it is still in the way, as it was seen. */
bool darn_hold_stands(const struct darn_clash *clash);

/* Takes a hold away from another thread: it was too long. */
void darn_hold_expire(const struct darn_clash *clash);

/* The same if it still lingers as it did: it has ended unseen. */
void darn_hold_pass(const struct darn_clash *clash);

/* Nothing is held any more. */
void darn_hold_drop(struct darn_hold *hold);

/* Takes hold, and waits for that if it must; whether nobody is in the way any more. heal_wait.c. */
bool darn_hold_take(struct darn_hold *hold, const void *frame);

/* The thread has left its wait by a jump. heal_wait.c. */
void darn_hold_unwait(struct darn_thread *thread);

/* The calling thread does not come back to the hook in which it was: a signal handler has jumped,
 * or has ended it. All its holds are given back; which of them are used is left to the caller. */
void darn_holds_leave(struct darn_healer *healer);

void darn_holds_before_fork(void);
void darn_holds_after_fork(bool child);

#endif
