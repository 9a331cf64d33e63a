/*
 * Coverage of concurrency: what the threads of a run were seen to do to each other. A text file
 * that runs append to, a fact in a line; two of them one after the other are one:
 *
 *   darn coverage 1
 *   site 8f3c0123456789ab bank.c:29:19 deposit write acct->balance
 *   call 0123456789abcdef 0x1a2b /home/me/bank        a call of the program: address and ELF file
 *   pair 8f3c0123456789ab 1d3c0123456789ab
 *
 * A line is written at once, when the fact is first seen: what a killed run has seen is there. What
 * names a site is darn_site_key; a call is a key of the file alone, and tools look up its place.
 */
#ifndef DARN_TRACE_COVERED_H
#define DARN_TRACE_COVERED_H

#define DARN_COVERAGE_FIRST_LINE "darn coverage 1"

enum darn_coverage_kind {
    DARN_COVERAGE_PAIR,    /* accesses of two threads to the same memory, one right after the other,
                              one of them a write: first and second */
    DARN_COVERAGE_READS,   /* the second has read what the first of another thread has written */
    DARN_COVERAGE_FREE,    /* a lock was taken at once */
    DARN_COVERAGE_BLOCKED, /* it was waited for */
    DARN_COVERAGE_BLOCKING, /* while it was held from here, another thread began to wait */
    DARN_COVERAGE_ORDER,    /* the second lock was taken while the first was held */
    DARN_COVERAGE_NEAR,     /* a lock was taken while another thread held one from the first on */
    DARN_COVERAGE_WOKEN,    /* a wait for a condition was ended by a signal, */
    DARN_COVERAGE_TIMEOUT,  /* or by its time */
    DARN_COVERAGE_MISSED,   /* a condition was signalled, and nobody was waiting */
    DARN_COVERAGE_KINDS,
};

/* A word for each kind, and how many keys follow it in a line. */
#define DARN_COVERAGE_WORDS                                                                        \
    {                                                                                              \
        "pair", "reads", "free", "blocked", "blocking", "order", "near", "woken", "timeout",       \
            "missed"                                                                               \
    }

static inline int darn_coverage_keys(enum darn_coverage_kind kind)
{
    return kind == DARN_COVERAGE_PAIR || kind == DARN_COVERAGE_READS ||
                   kind == DARN_COVERAGE_ORDER || kind == DARN_COVERAGE_NEAR
               ? 2
               : 1;
}

#endif
