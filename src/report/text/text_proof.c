/* What is told about findings that a controlled run has confirmed. */
#include <inttypes.h>
#include <string.h>

#include "report/report_kinds.h"
#include "report/text/phrase.h"
#include "report/text/text_page.h"

/* What a word of `outcomes` means: after `T1`, or after `the program` when no thread is to blame.
 */
static const struct {
    const char *word;
    bool of_thread;
    const char *verb;
    const char *before_detail; /* NULL: the detail is left out */
} failures[] = {
    {"crash", true, "crashes", " with "},
    {"abort", true, "aborts", NULL},
    {"assertion", true, "fails an assertion", NULL},
    {"sanitizer", true, "runs into an error that a sanitizer reports", ": "},
    {"hang", false, "hangs", ": "},
    {"livelock", false, "does not come to an end", ": "},
    {"deadlock", false, "comes to a standstill", NULL},
    {"exit", false, "fails", ": it exits with "},
    {"output", false, "prints something else than in other runs", NULL},
    {"oracle", false, "is judged to have failed", NULL},
};

void darn_page_failure(struct darn_page *page)
{
    const struct darn_finding *finding = page->finding;
    const char *word = finding->reason ? finding->reason : "failure";
    const char *thread = finding->accesses[0].thread;
    struct darn_ink *ink = &page->ink;

    for (size_t i = 0; i < sizeof(failures) / sizeof(failures[0]); i++) {
        if (strcmp(failures[i].word, word) != 0)
            continue;
        darn_say(ink, "%s %s", failures[i].of_thread && thread ? thread : "the program",
                 failures[i].verb);
        if (finding->detail && failures[i].before_detail)
            darn_say(ink, "%s%s", failures[i].before_detail, finding->detail);
        return;
    }
    darn_say(ink, "the program ends badly: %s", word);
    if (finding->detail)
        darn_say(ink, " (%s)", finding->detail);
}

static void say_outcomes(struct darn_page *page)
{
    const struct darn_finding *finding = page->finding;

    darn_say(&page->ink, finding->outcome_count ? "; it led to "
                         : finding->is_cut_off  ? "; what it leads to is not known: runs were cut off"
                                                : "; it made no difference");
    for (size_t i = 0; i < finding->outcome_count; i++) {
        if (i > 0)
            darn_say(&page->ink, i + 1 == finding->outcome_count ? " and " : ", ");
        darn_say(&page->ink, "%s", darn_outcome_words(finding->outcomes[i]));
    }
}

/* A failure is its own outcome, and so is a standstill. */
static bool is_own_outcome(const struct darn_finding *finding, const char *word)
{
    if (darn_finding_is(finding, "failure"))
        return finding->reason && strcmp(finding->reason, word) == 0;
    return strcmp(word, "deadlock") == 0 &&
           (darn_finding_is(finding, "deadlock") || darn_finding_is(finding, "notification"));
}

static bool has_other_outcomes(const struct darn_finding *finding)
{
    if (!finding->outcome_count)
        return finding->trials && darn_finding_is(finding, "data-race");
    return finding->outcome_count > 1 || !is_own_outcome(finding, finding->outcomes[0]);
}

void darn_page_proof(struct darn_page *page)
{
    const struct darn_finding *finding = page->finding;
    struct darn_ink *ink = &page->ink;

    if (!darn_finding_is_confirmed(finding))
        return;
    darn_page_label(page, "proof:");
    if (finding->trials)
        darn_say(ink, "it happened in %" PRIu32 " of %" PRIu32 " controlled run%s", finding->hits,
                 finding->trials, finding->trials == 1 ? "" : "s");
    else
        darn_say(ink, "it happened in a controlled run");
    if (finding->schedule)
        darn_say(ink, " and replays");
    if (has_other_outcomes(finding))
        say_outcomes(page);
    darn_say(ink, "\n");
}
