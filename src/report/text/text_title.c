/* The first line of a report: what is wrong, in one sentence. */
#include <string.h>

#include "report/report_kinds.h"
#include "report/text/phrase.h"
#include "report/text/text_page.h"

#define MOST_THREADS 4 /* that a title names */

static const char *possible(const struct darn_page *page)
{
    return darn_finding_is_predicted(page->finding) ? "possible " : "";
}

/* The first one is earlier, where the two are apart in time. */
static void say_end(struct darn_page *page)
{
    const struct darn_finding *finding = page->finding;

    for (size_t i = 0; i < finding->access_count; i++) {
        const struct darn_finding_access *access = &finding->accesses[i];

        if (access->op != DARN_OP_FREE)
            continue;
        darn_say(&page->ink, ", which %s %s",
                 i == 0 && darn_finding_is_predicted(finding) ? "was" : "is being",
                 darn_phrase_ending(access));
        return;
    }
}

/* What is special about this race, where it is seen at first sight. */
static void say_circumstance(struct darn_page *page)
{
    const struct darn_finding *finding = page->finding;

    if (finding->assertion)
        darn_say(&page->ink, ": an assertion of %s does not hold",
                 strcmp(finding->assertion, "exclusive-writer") == 0 ? "an exclusive writer"
                                                                     : "exclusive access");
    else if (finding->unknown_origin)
        darn_say(&page->ink, ", with a writer that was not seen");
    else
        say_end(page);
}

/* `T1`, `T1 and T2`, `T1, T2 and T3`, `9 threads` */
static void say_threads(struct darn_page *page)
{
    const struct darn_finding *finding = page->finding;
    size_t count = finding->access_count;

    if (count > MOST_THREADS) {
        darn_say(&page->ink, "%zu threads", count);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            darn_say(&page->ink, i + 1 == count ? " and " : ", ");
        darn_say(&page->ink, "%s", darn_phrase_short(finding->accesses[i].thread));
    }
}

static void say_lock(struct darn_page *page, const struct darn_lock *lock)
{
    darn_phrase_lock(&page->ink, page->finding, lock);
}

/* A thread that waits for what only it could give. */
static void say_alone(struct darn_page *page)
{
    const struct darn_finding_access *access = &page->finding->accesses[0];
    const struct darn_lock *target = &access->target;

    darn_say(&page->ink, ": %s waits for ", darn_phrase_short(access->thread));
    if (access->op == DARN_OP_JOIN || !target->kind) {
        darn_say(&page->ink, "ever");
        return;
    }
    say_lock(page, target);
    for (size_t i = 0; i < access->lock_count; i++) {
        if (access->locks[i].address == target->address) {
            darn_say(&page->ink, ", which it holds itself");
            return;
        }
    }
    darn_say(&page->ink, " for ever");
}

static void title_deadlock(struct darn_page *page)
{
    size_t count = page->finding->access_count;

    darn_say(&page->ink, "%sdeadlock", possible(page));
    if (count == 1) {
        say_alone(page);
        return;
    }
    darn_say(&page->ink, count == 2 ? " between " : " among ");
    say_threads(page);
}

/* What somebody would have to do to it. */
static const char *end_of_wait(const char *kind)
{
    if (kind && strcmp(kind, "semaphore") == 0)
        return "post";
    if (kind && strcmp(kind, "barrier") == 0)
        return "come to";
    return kind && strcmp(kind, "variable") == 0 ? "change" : "signal";
}

static void title_forever(struct darn_page *page)
{
    const struct darn_lock *target = &page->finding->accesses[0].target;

    say_threads(page);
    darn_say(&page->ink, page->finding->access_count == 1 ? " waits for " : " wait for ");
    say_lock(page, target);
    darn_say(&page->ink, " for ever: no thread is left to %s it", end_of_wait(target->kind));
}

static bool is_reason(const struct darn_finding *finding, const char *reason)
{
    return finding->reason && strcmp(finding->reason, reason) == 0;
}

static void title_notification(struct darn_page *page)
{
    const struct darn_finding *finding = page->finding;
    const struct darn_lock *condition = &finding->accesses[0].target;
    struct darn_ink *ink = &page->ink;

    if (is_reason(finding, "lost-signal")) {
        darn_say(ink, "%slost signal: ", possible(page));
        say_lock(page, condition);
        darn_say(ink, " is signalled while nobody waits for it");
    } else if (is_reason(finding, "wrong-waiter")) {
        darn_say(ink, "%swrong waiter: a signal of ", possible(page));
        say_lock(page, condition);
        darn_say(ink, " wakes one of several threads that wait for different things");
    } else if (is_reason(finding, "two-mutexes")) {
        darn_say(ink, "%sundefined behaviour: ", possible(page));
        say_lock(page, condition);
        darn_say(ink, " is waited for with different mutexes");
    } else if (!darn_finding_is_predicted(finding) && finding->accesses[0].op == DARN_OP_WAIT) {
        title_forever(page);
    } else {
        darn_say(ink, "%s%s of ", possible(page), darn_kind_words(finding->kind, 1));
        say_lock(page, condition);
    }
}

/* `: the write may come too late`: the first of the two is the one that has to come first. */
static void say_order(struct darn_page *page)
{
    const struct darn_finding *finding = page->finding;
    const struct darn_finding_access *first = &finding->accesses[0];
    const struct darn_finding_access *other = &finding->accesses[finding->access_count > 1];

    if (other->op == DARN_OP_FREE)
        darn_say(&page->ink, ", which %s %s while it is still used",
                 darn_finding_is_predicted(finding) ? "could be" : "is", darn_phrase_ending(other));
    else
        darn_say(&page->ink, ": the %s %s before the %s", darn_op_name(other->op),
                 darn_finding_is_predicted(finding) ? "could come" : "comes",
                 darn_op_name(first->op));
}

void darn_page_title(struct darn_page *page)
{
    const struct darn_finding *finding = page->finding;

    if (darn_finding_is(finding, "deadlock")) {
        title_deadlock(page);
    } else if (darn_finding_is(finding, "notification")) {
        title_notification(page);
    } else if (darn_finding_is(finding, "sync-misuse")) {
        darn_page_misuse(page);
    } else if (darn_finding_is(finding, "failure")) {
        darn_page_failure(page);
    } else if (is_reason(finding, "irreducible")) {
        darn_say(&page->ink, "%s%s", possible(page), darn_kind_words(finding->kind, 1));
        if (finding->section.function)
            darn_say(&page->ink, " in %s", finding->section.function);
        darn_say(&page->ink, "%s: its steps cannot be moved together",
                 finding->section.function ? "" : " of a transaction");
    } else {
        darn_say(&page->ink, "%s%s on ", possible(page), darn_kind_words(finding->kind, 1));
        darn_phrase_variable(&page->ink, finding);
        if (darn_finding_is(finding, "order-violation"))
            say_order(page);
        else
            say_circumstance(page);
    }
}

/* Which engines says something only where several look for the same. */
void darn_page_kind(struct darn_page *page)
{
    const struct darn_finding *finding = page->finding;
    bool by = finding->engine && (darn_finding_is(finding, "data-race") ||
                                  darn_finding_is(finding, "atomicity-violation"));
    const char *certainty = "";

    if (darn_finding_is_predicted(finding))
        certainty = darn_pool_format(&page->pool, ", predicted%s%s", by ? " by " : "",
                                     by ? finding->engine : "");
    else if (darn_finding_is_confirmed(finding))
        certainty = ", confirmed";
    else if (finding->was_predicted)
        certainty = ", predicted before and now observed";
    darn_say_in(&page->ink, DARN_TINT_WARNING,
                darn_pool_format(&page->pool, " [%s%s]", finding->kind, certainty));
}
