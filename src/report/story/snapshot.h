/*
 * What a controlled run has left in its control block, for people: places with their source lines,
 * findings with certainty `confirmed`, and the story of a schedule.
 *
 * The block is memory of the program under test: whatever stands in it, nothing here goes wrong.
 */
#ifndef DARN_REPORT_SNAPSHOT_H
#define DARN_REPORT_SNAPSHOT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "report/finding.h"
#include "report/symbol/module.h"
#include "report/text/style.h"
#include "schedule/block.h"

struct darn_snapshot {
    const struct darn_control_block *block;
    struct darn_modules *modules;
    const char *program; /* path, and its arguments as in a shell after a blank */
    const char *arguments;
    const char *output;             /* of the run, if a sanitizer has reported there; else NULL */
    const struct darn_style *style; /* of the story; NULL: plain */
    unsigned width;                 /* of the story; 0: that of the terminal, or 100 */
    uint64_t told;      /* steps that the story tells; the rest is what they lead to. 0: all */
    const char *ending; /* how the run ended, in words of whoever has judged it; NULL: not known */
    uint64_t essential, instead; /* as of a schedule */
};

/* A place of a step: a site record (accesses) or a return address (calls). The texts belong to the
 * pool. */
struct darn_snapshot_place {
    const char *file, *dir, *function, *variable; /* NULL: not known */
    unsigned line, column;
};

struct darn_snapshot_place darn_snapshot_place(const struct darn_snapshot *snapshot,
                                               struct darn_text_pool *pool, enum darn_step_op op,
                                               uint64_t place);

/* The key of the site whose record is at `place` (darn_site_key); 0 when there is none. */
uint64_t darn_snapshot_site_key(const struct darn_snapshot *snapshot, uint64_t place);

/* darn_site_inlined of the same; 0 when there is no site, too. */
uint64_t darn_snapshot_site_inlined(const struct darn_snapshot *snapshot, uint64_t place);

/* The finding that two threads met: a data-race or an atomicity-violation, `confirmed`. Its symbols
 * are resolved. The caller adds schedule, outcomes and trials as far as it knows them. */
struct darn_finding *darn_snapshot_met(const struct darn_snapshot *snapshot,
                                       const struct darn_block_met *met);

/* Which of the two threads that have met at a race is the first access of that finding. */
int darn_snapshot_first_side(const struct darn_block_met *met);

/* The finding that the run ended badly: kind `deadlock` or `notification` for a deadlock, else
 * `failure`; `outcome` is the word for it (crash, abort, assertion, hang, exit, output, …), and the
 * first of its outcomes. */
struct darn_finding *darn_snapshot_failure(const struct darn_snapshot *snapshot,
                                           const char *outcome);

/* The story of the steps that the block has: one column for each thread that takes part, one line
 * for each step that matters, with source lines; marks where the threads switch. What is repeated
 * is told once. Steps of one thread that nobody interrupts are put together when there are more
 * than `most` lines (0: no limit), and what is still too much is left out in the middle. */
void darn_snapshot_story(const struct darn_snapshot *snapshot, FILE *out, unsigned most);

/* The same for programs, with every step (docs/story-format.md). */
void darn_snapshot_story_json(const struct darn_snapshot *snapshot, FILE *out);

#endif
