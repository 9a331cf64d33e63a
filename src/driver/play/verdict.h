/*
 * How a controlled run ended: well, or in which of the bad ways. Pure; judge.h asks the server and
 * the user's oracle.
 */
#ifndef DARN_DRIVER_VERDICT_H
#define DARN_DRIVER_VERDICT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "driver/process/server.h"
#include "schedule/block.h"

/* The more a kind says, the earlier it is looked for: see darn_verdict_of. */
enum darn_verdict_kind {
    DARN_VERDICT_NONE, /* nobody can say: stopped, diverged, or ended by darn itself */
    DARN_VERDICT_CUT,  /* it was cut off, by a limit of ours */
    DARN_VERDICT_OK,
    DARN_VERDICT_CRASH, /* ended by a signal */
    DARN_VERDICT_ABORT,
    DARN_VERDICT_ASSERTION,
    DARN_VERDICT_SANITIZER, /* ASan and its relatives have reported */
    DARN_VERDICT_DEADLOCK,
    DARN_VERDICT_HANG, /* a livelock */
    DARN_VERDICT_EXIT, /* a status that is not 0 */
    DARN_VERDICT_OUTPUT,
    DARN_VERDICT_ORACLE,
    DARN_VERDICTS,
};

/* What there is to judge from. */
struct darn_evidence {
    enum darn_server_result how;
    const struct darn_result *result;
    const char *output; /* the end of what the run has printed; need not end with a NUL */
    size_t length;
    uint32_t timeout_ms; /* of the run, for the words */
    bool differs;        /* its output is not what it should be */
    bool asked;          /* the oracle: then it judges a status that is not 0, too */
    bool refused;        /* and it says no */
};

enum darn_verdict_kind darn_verdict_of(const struct darn_evidence *evidence);

static inline bool darn_verdict_is_failure(enum darn_verdict_kind kind)
{
    return kind > DARN_VERDICT_OK && kind < DARN_VERDICTS;
}

/* "crash", "assertion", …; "ok"; "none". As in `outcomes` of a finding and in a schedule. */
const char *darn_verdict_word(enum darn_verdict_kind kind);

/* The other way round; DARN_VERDICT_NONE when there is none. */
enum darn_verdict_kind darn_verdict_named(const char *word);

/* One line for people: "aborted: prog.c:12: main: Assertion `x == 1' failed." */
void darn_verdict_text(const struct darn_evidence *evidence, enum darn_verdict_kind kind, char *to,
                       size_t size);

#endif
