/* What was found: told apart by fingerprint, counted, and handed on once. */
#ifndef DARN_RUNTIME_FINDING_H
#define DARN_RUNTIME_FINDING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "runtime/watch/watch.h"

/* As reports name them. */
#define DARN_KIND_RACE      "data-race"
#define DARN_KIND_VIOLATION "atomicity-violation"

struct darn_race {
    const struct darn_side *first;  /* stood in the window */
    const struct darn_side *second; /* ran into it; NULL: the value changed and nobody was seen */
    bool has_values;
    uint64_t before, after; /* of the memory that the first stood before */
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
    const struct darn_site *site, *other; /* to be compared, not to be looked into */
    struct darn_stack stack;              /* where the first thread is stuck; empty of a race */
    uint32_t line;
    char file[96];
    char function[64];
    char variable[96];
};

/* Called with signals blocked. */
void darn_finding_race(const struct darn_race *race);

/* Called with signals blocked. Looks at nothing of it after it returns. */
void darn_finding_violation(const struct darn_violation *violation);

struct darn_stuck;

/* Threads that wait for each other for ever. Called with signals blocked. */
void darn_finding_stuck(const struct darn_stuck *stuck);

/* A spin was recognised: what was put off because of it is dropped. */
void darn_findings_recognised(void);

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
