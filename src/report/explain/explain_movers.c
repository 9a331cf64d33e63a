/* Reduction: how each operation of a transaction moves. */
#include <stdlib.h>

#include "report/explain/explain_private.h"

#define MOVERS 256 /* operations of a transaction that are told */

static bool is_mover(const struct darn_event *step, const struct darn_event *mover)
{
    return step->site == mover->site && step->stack == mover->stack &&
           step->target == mover->target;
}

/* The lock whose release ends the part of right-movers is named by its ACQUIRE. */
static bool is_commit_point(const struct darn_explain_printer *printer,
                            const struct darn_event *mover)
{
    const struct darn_event *commit = &printer->prediction->steps[0].event;

    return is_mover(commit, mover) &&
           (commit->kind == DARN_EVENT_ACQUIRE ? mover->kind == DARN_EVENT_RELEASE
                                               : commit->kind == mover->kind);
}

static void say_mover(const struct darn_explain_printer *printer,
                      const struct darn_engine_mover *mover, bool commits, bool is_wrong)
{
    static const char *const words[] = {
        [DARN_MOVER_RIGHT] = "R, moves to the right:", [DARN_MOVER_LEFT] = "L, moves to the left:",
        [DARN_MOVER_BOTH] = "B, moves both ways:",     [DARN_MOVER_NONE] = "N, does not move:",
        [DARN_MOVER_PASSED] = "passed over:",
    };
    struct darn_finding *carrier = darn_explain_carry(printer, &mover->step, 1);
    struct darn_finding_access *access = &carrier->accesses[0];
    struct darn_page page = darn_explain_page(printer, carrier);

    if (mover->step.event.kind == DARN_EVENT_RELEASE)
        access->file = access->function = NULL; /* it is the place of the ACQUIRE */
    darn_say(&page.ink, "    %-23s ", words[mover->type]);
    darn_explain_event(&page, access, mover->step.event.kind);
    darn_say(&page.ink, "%s%s\n", commits ? "  <- from here on only L may follow" : "",
             is_wrong ? "  <- here the pattern breaks" : "");
    darn_finding_free(carrier);
}

void darn_explain_movers(const struct darn_explain_printer *printer)
{
    const struct darn_explain_job *job = printer->job;
    const struct darn_event *wrong = &printer->prediction->steps[1].event;
    struct darn_engine_mover *movers = calloc(MOVERS, sizeof(*movers));
    struct darn_page page = darn_explain_page(printer, printer->steps);
    bool is_committed = false, has_wrong = false;
    size_t count = movers && job->engine->movers
                       ? job->engine->movers(job->state, job->prediction, movers, MOVERS)
                       : 0;

    if (count) {
        darn_page_label(&page, "movers:");
        darn_say(&page.ink, "the form is R...R N? L...L, with B anywhere; variables that are "
                            "accessed more than once are told twice\n");
    }
    for (size_t i = 0; i < count && i < MOVERS; i++) {
        bool commits = !is_committed && is_commit_point(printer, &movers[i].step.event);
        bool breaks = is_committed && !has_wrong && is_mover(wrong, &movers[i].step.event) &&
                      wrong->kind == movers[i].step.event.kind;

        say_mover(printer, &movers[i], commits, breaks);
        is_committed |= commits;
        has_wrong |= breaks;
    }
    if (count > MOVERS)
        fprintf(printer->out, "    ... and %zu more\n", count - MOVERS);
    free(movers);
}
