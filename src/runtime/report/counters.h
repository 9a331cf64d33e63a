/* Counters of what happened and of every degraded case; shown with verbosity=1. */
#ifndef DARN_RUNTIME_COUNTERS_H
#define DARN_RUNTIME_COUNTERS_H

#include <stdbool.h>
#include <stdint.h>

#define DARN_COUNTERS(X)                                                                           \
    X(INVITATIONS, "times that attention was raised")                                              \
    X(INVITATIONS_MISSED, "of these, nobody made an access meanwhile")                             \
    X(WINDOWS, "windows opened")                                                                   \
    X(WINDOWS_OF_NOISE, "of these, by noise")                                                      \
    X(SECTIONS, "times that a thread was watched inside an atomic section")                        \
    X(SECTIONS_FULL, "sections not watched: too many at once")                                     \
    X(SECTIONS_EXPIRED, "sections not watched to their end: they took too long")                   \
    X(VIOLATIONS, "sections that another thread came into")                                        \
    X(CONFLICTS, "accesses that ran into a window of another thread")                              \
    X(NOISE_AT_CALLS, "delays before synchronization calls")                                       \
    X(WINDOWS_FULL, "windows not opened: the watch table was full")                                \
    X(CLAIMS_LATE, "races not reported: the other side did not answer in time")                    \
    X(FINDINGS_IGNORED, "conflicts with an access in an ignored region")                           \
    X(UNKNOWN_ONCE, "changed values without a visible writer, not (yet) reported")                 \
    X(FINDINGS_FULL, "races not reported: too many different ones")                                \
    X(REPORTS_SHORT, "reports printed without the darn command, in the short form")                \
    X(LOCKS_NOT_LISTED, "locks not listed: a thread held too many at once")                        \
    X(BLOCKS_FORGOTTEN, "heap blocks whose allocation was forgotten for newer ones")               \
    X(THREADS_UNKNOWN, "threads without a record: no memory")                                      \
    X(SPINS, "spins recognised: a read that waits, and the store that it waits for")               \
    X(SPINS_FILTERED, "races not reported: they are such a synchronization")                       \
    X(SPINS_UNSEEN, "spins that ended by a store that was not seen")                               \
    X(STORES_HELD, "stores held back to see whether somebody waits for them")                      \
    X(JOINS_UNKNOWN, "threads whose joins count as order with everybody: too many")                \
    X(SPINS_FULL, "spins not followed: too many")                                                  \
    X(TABLES_FULL, "entries of the trace's tables left out: no room")                              \
    X(THREADS_NOT_RECORDED, "threads not recorded: no memory")                                     \
    X(SITES_UNKNOWN, "modules whose sites got no numbers: too many, or no memory")                 \
    X(SHARE_SETS_FULL, "sites taken for shared: too many different sets of sites")                 \
    X(SHARE_NO_MEMORY, "sites taken for shared: no memory to follow them")                         \
    X(SHARE_SITES_UNKNOWN, "accesses of the learning run at sites without a number")               \
    X(FACTS_LOST, "facts of the profile not kept: no memory, or a site without a number")          \
    X(COVERAGE_FULL, "facts of the coverage not kept: too many")                                   \
    X(COVERAGE_LOST, "facts of the coverage not kept: the file could not be written")              \
    X(SAMPLERS_REFUSED, "times that nothing was watched: the system gave no thread for it")        \
    X(ORDER_NO_MEMORY, "threads whose accesses were not ordered: no memory")                       \
    X(ORDER_LIMITED, "threads whose accesses were not ordered: little address space (ulimit -v)")  \
    X(THREADS_OUTSIDE, "threads of functions that were not compiled by darn: after all")           \
    X(NOT_REMEMBERED, "accesses not remembered: somebody was in the way")                          \
    X(FORGOTTEN, "accesses forgotten for newer ones: no room")                                     \
    X(WHERES_SHORT, "places remembered without their locks, or their stacks: too many")            \
    X(WHERES_FULL, "accesses not remembered: too many different places")                           \
    X(BENIGN_FULL, "benign races not registered: too many")

enum darn_counter {
#define X(name, text) DARN_COUNT_##name,
    DARN_COUNTERS(X)
#undef X
        DARN_COUNT_END
};

void darn_count(enum darn_counter counter);
void darn_counters_clear(void);
uint64_t darn_counter_value(enum darn_counter counter);
const char *darn_counter_text(enum darn_counter counter);

/* Whether what it counts is missing from the results for want of memory: told in any case. */
bool darn_counter_is_loss(enum darn_counter counter);
bool darn_counters_any_loss(void);

#endif
