/*
 * What became of a healed run: the account that the runtime writes at the end (heal_out), and how
 * people read it.
 *
 * The account is JSON Lines: first how it was healed, then one object for each section ("rule") and
 * each deadlock ("gate"). A process that was forked and healed something writes its own.
 */
#ifndef DARN_REPORT_HEAL_REPORT_H
#define DARN_REPORT_HEAL_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "report/text_pool.h"
#include "report/text/style.h"

struct darn_healed_waits {
    uint64_t healed; /* waits that ended well */
    uint64_t waited_us, longest_us;
    uint64_t cycles;  /* waits that were skipped: they would have closed a circle */
    uint64_t expired; /* waits that ended by the bound */
};

/* A section. */
struct darn_healed_rule {
    uint64_t line; /* in the repository; 0: it was found in this run */
    const char *variable, *function, *file, *kind, *inside, *entry, *match, *why, *with;
    uint64_t entered; /* how often a thread was inside */
    struct darn_healed_waits waits;
    bool given_up;
    bool elided; /* it was left to the program's own lock in the end */
};

/* The signature of a deadlock. */
struct darn_healed_gate {
    uint64_t line;
    const char *locks; /* their names; NULL: whoever reads the account does not know them */
    const char *match, *why;
    bool is_order;
    uint64_t passed;  /* times that a thread came by */
    uint64_t useless; /* waits that only slowed down */
    struct darn_healed_waits waits;
    bool dropped;
};

struct darn_healed {
    struct darn_text_pool pool;
    const char *with; /* NULL: nothing was read */
    uint64_t bound_ms;
    uint64_t processes; /* that have written an account */
    struct darn_healed_rule *rules;
    size_t rule_count;
    struct darn_healed_gate *gates;
    size_t gate_count;
};

/* Adds the account of a process. 0, a negative errno, or -EBADMSG when it is none. */
int darn_healed_read(struct darn_healed *healed, const char *path);
void darn_healed_free(struct darn_healed *healed);

/* Whether what is to be healed was found in the program as a whole. */
bool darn_healed_matches(const char *match);

/* For people. `repository` is its name as they call it; `program`, too. */
void darn_healed_print(FILE *out, const struct darn_healed *healed, const char *repository,
                       const char *program, const struct darn_style *style);

/* JSON Lines, in the form of the account, all processes together. */
void darn_healed_print_json(FILE *out, const struct darn_healed *healed);

#endif
