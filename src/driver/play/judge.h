/*
 * The verdict on the last run of a server, with the user's own judgement: --oracle=CMD gets the
 * output of the run on its standard input and its exit status as DARN_STATUS in its environment,
 * and fails the run by failing itself. It is asked about runs that have exited: nobody needs to be
 * asked about a crash.
 */
#ifndef DARN_DRIVER_JUDGE_H
#define DARN_DRIVER_JUDGE_H

#include <stdbool.h>
#include <stdint.h>

#include "driver/process/server.h"
#include "driver/play/verdict.h"

#define DARN_JUDGE_TEXT 512

struct darn_judge {
    const char *oracle;  /* a shell command; NULL: none */
    bool compare;        /* the output shall have this hash, if there is no oracle: */
    uint64_t hash;       /* as of darn_server_output_hash */
    uint32_t timeout_ms; /* of a run, for the words; and of the oracle */
    const char *with;    /* not asked, but kept with what is judged: the command beside each run, */
    uint32_t stop;       /* and the signal after it */
};

struct darn_judged {
    enum darn_verdict_kind kind;
    char text[DARN_JUDGE_TEXT]; /* one line; empty when the run was fine */
};

/* `how` is what darn_server_run said. With an oracle that cannot be run the verdict is NONE, and
 * the text says so. */
void darn_judge(const struct darn_judge *judge, struct darn_server *server,
                enum darn_server_result how, struct darn_judged *judged);

#endif
