/* What was found: told apart by fingerprint, counted, and handed on once. */
#ifndef DARN_RUNTIME_FOUND_H
#define DARN_RUNTIME_FOUND_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "runtime/watch/watch.h"

/* As reports name them. */
#define DARN_KIND_RACE      "data-race"
#define DARN_KIND_VIOLATION "atomicity-violation"
#define DARN_KIND_FAILURE   "failure"

struct darn_race {
    const struct darn_side *first;  /* stood in the window */
    const struct darn_side *second; /* ran into it; NULL: the value changed and nobody was seen */
    bool is_predicted;  /* the first came earlier, and nothing orders the two (ordering.h) */
    bool was_predicted; /* and now it is observed: the report is about that */
    bool has_values;
    uint64_t before, after; /* of the memory that the first stood before */
    uint64_t variant_of;    /* the id of a race that was reported and has the same cause; 0: none */
};

/* A section was not atomic: between two accesses of one thread came one of another thread that the
 * section does not allow. */
struct darn_violation {
    const struct darn_side *entry, *remote, *end; /* entry and end are of the same thread */
    const char *kind;                             /* of the section: darn_section_kind_name */
    const char *function;                         /* that the section is in; may be NULL */
    const char *repository;                       /* the file that has it; NULL: an annotation */
    uint32_t line;                                /* in the repository */
    uint8_t allow;                                /* enum darn_section_allow, or-ed */
    bool has_values;
    uint64_t before, after; /* of the memory of the entry: at the entry, and at the end */
};

/* One of the different findings of this run. Names are copies: a shared object that was unloaded
 * takes its site records with it. */
struct darn_known_finding {
    uint64_t id;
    const char *kind;
    _Atomic uint64_t count;
    bool suppressed;
    bool unknown;                         /* of unknown origin */
    _Atomic bool is_predicted;            /* and was not observed since */
    uint64_t variant_of;                  /* as of a race */
    const struct darn_site *site, *other; /* to be compared, not to be looked into */
    uintptr_t places[2];                  /* of the sides: these sites, or where a call returns to */
    uintptr_t address;
    uintptr_t block;    /* of the heap, in which that is; 0: none */
    uint64_t functions; /* that access it: the same for the same two; 0: not known */
    struct darn_stack stack; /* where the first thread is stuck, or dies; of a race if that has no
                              * site */
    uint32_t line;
    char file[256];
    char function[64];
    char variable[96];
};

/* Called with signals blocked. */
void darn_finding_race(const struct darn_race *race);

/* Called with signals blocked. Looks at nothing of it after it returns. */
void darn_finding_violation(const struct darn_violation *violation);

/* Two sites of a finding that is new. */
typedef void darn_found_learn(const struct darn_site *one, const struct darn_site *other);

/* Healing wants to know of each. Before the first thread. */
void darn_findings_teach(darn_found_learn *who);

struct darn_stuck;

/* Threads that wait for each other for ever, or an object that one of them misuses. Called with
 * signals blocked. */
void darn_finding_stuck(const struct darn_stuck *stuck);

struct darn_crash;

/* The calling thread dies. Called with signals blocked, once. */
void darn_finding_crash(const struct darn_crash *crash);

/* A spin was recognised: what was put off because of it is dropped. */
void darn_findings_recognised(void);

/* Now and then: what was put off for long enough is reported. */
void darn_findings_due(void);

/* A module goes, and its sites with it: what was put off is reported now. */
void darn_findings_hurry(void);

/* At the end of the program: what was put off and is no synchronization after all is reported. */
void darn_findings_undefer(void);

/* The findings so far, while nobody adds to them: between these two. NULL when a report hangs, or
 * crashed, for so long that it is not waited for. */
const struct darn_known_finding *darn_findings_lock(uint32_t *count);
void darn_findings_unlock(void);

/* Something was predicted and reported: it counts as a finding. */
void darn_findings_predicted(void);

/* Whether threads were found to wait for each other. */
bool darn_findings_any_stuck(void);

/* Whether there is anything that may have to be said at the end. Takes no lock. */
bool darn_findings_any(void);

/* How many were reported and not suppressed. */
uint32_t darn_findings_reported(void);

/* Whether there are any of this process: a child of fork knows those of its parent, but they are
 * not its own. */
bool darn_findings_seen(void);

void darn_findings_before_fork(void);
void darn_findings_after_fork(bool child);

#endif
