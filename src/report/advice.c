#include "report/advice.h"

#include <string.h>

#include "base/noise.h"
#include "report/shell.h"
#include "report/text/phrase.h"
#include "report/text/text_page.h"
#include "report/violation.h"

/* Every access waits for long enough that another thread comes by. */
#define NOISE "1000/200"

/* So does every access inside of a section. */
#define NOISE_IN_SECTIONS "section:" NOISE

/* Delays the calls that synchronize as well. */
#define NOISE_AT_CALLS "random:100/1000"

/* `mutex 'a' and mutex 'b'`: what the threads of a circle wait for. */
static void say_targets(struct darn_ink *ink, const struct darn_finding *finding)
{
    for (size_t i = 0; i < finding->access_count; i++) {
        if (i > 0)
            darn_say(ink, i + 1 == finding->access_count ? " and " : ", ");
        darn_phrase_lock(ink, finding, &finding->accesses[i].target);
    }
}

static bool has_op(const struct darn_finding *finding, enum darn_op op)
{
    for (size_t i = 0; i < finding->access_count; i++)
        if (finding->accesses[i].op == op)
            return true;
    return false;
}

static void advise_alone(struct darn_ink *ink, const struct darn_finding *finding)
{
    const struct darn_finding_access *access = &finding->accesses[0];
    const struct darn_lock *held = darn_advice_lock_at(access, access->target.address);

    if (held && darn_advice_is_read_lock(held) && !darn_advice_is_read_lock(&access->target))
        darn_say(ink, "a read lock cannot be made a write lock: give it back first");
    else if (held)
        darn_say(ink, "give it back first, or let the callers take it; only a recursive mutex can "
                      "be taken twice");
    else
        darn_say(ink, "find out who should end the wait, and why nobody does");
}

static void advise_deadlock(struct darn_ink *ink, const struct darn_finding *finding)
{
    if (finding->access_count == 1) {
        advise_alone(ink, finding);
    } else if (has_op(finding, DARN_OP_JOIN)) {
        darn_say(ink, "do not wait for the end of a thread while holding what it needs to get "
                      "there");
    } else if (has_op(finding, DARN_OP_WAIT)) {
        darn_say(ink, "do not wait while holding a lock that the one who ends the wait has to "
                      "take: a wait gives back its own mutex only");
    } else {
        darn_say(ink, "take ");
        say_targets(ink, finding);
        darn_say(ink, " in the same order everywhere, or one lock around them all");
    }
}

/* What is no condition variable, and waited for in vain. */
static const char *advice_for(const char *kind)
{
    if (kind && strcmp(kind, "semaphore") == 0)
        return "post it as often as it is taken, on every path";
    if (kind && strcmp(kind, "barrier") == 0)
        return "let as many threads come to it as it was made for, on every path";
    if (kind && strcmp(kind, "variable") == 0)
        return "find out who should change it, and which order of the threads keeps that from "
               "happening";
    return NULL;
}

static void advise_notification(struct darn_ink *ink, const struct darn_finding *finding)
{
    const char *reason = finding->reason ? finding->reason : "";
    const char *advice = advice_for(finding->accesses[0].target.kind);

    if (advice)
        darn_say(ink, "%s", advice);
    else if (strcmp(reason, "wrong-waiter") == 0)
        darn_say(ink, "use broadcast, or a condition variable for each thing to wait for");
    else if (strcmp(reason, "two-mutexes") == 0)
        darn_say(ink, "wait for it with one and the same mutex everywhere");
    else
        darn_say(ink, "under the mutex, set a variable before the signal, and wait only while it "
                      "is not set: while (!set) wait");
}

static const char *command_for(const struct darn_finding *finding, struct darn_text_pool *pool,
                               const char *options)
{
    static const char name[] = "/schedule";
    size_t length = strlen(finding->schedule), tail = strlen(name);
    const char *path = finding->schedule;

    /* The directory of a finding stands for its schedule. */
    if (length > tail && strcmp(path + length - tail, name) == 0)
        path = darn_pool_part(pool, path, length - tail);
    return darn_pool_format(pool, "darn replay %s%s", options, darn_shell_word(pool, path));
}

/* A program that has died in an ordinary run. */
static bool has_died(const struct darn_finding *finding)
{
    return darn_finding_is(finding, "failure") && finding->engine &&
           strcmp(finding->engine, "signal") == 0;
}

static bool is_alone(const struct darn_finding *finding)
{
    return has_died(finding) && !finding->thread_count;
}

static void advise_failure(struct darn_ink *ink, const struct darn_finding *finding)
{
    struct darn_text_pool pool = {0};

    if (finding->schedule)
        darn_say(ink, "look at the threads where it fails: %s",
                 command_for(finding, &pool, "--gdb "));
    else if (is_alone(finding))
        darn_say(ink, "look for it in this thread: there never was another");
    else
        darn_say(ink, "find out which order of the threads leads to it");
    darn_pool_release(&pool);
}

void darn_advice(struct darn_ink *ink, const struct darn_finding *finding,
                 const struct darn_style *style)
{
    if (darn_finding_is(finding, "deadlock"))
        advise_deadlock(ink, finding);
    else if (darn_finding_is(finding, "notification"))
        advise_notification(ink, finding);
    else if (darn_finding_is(finding, "order-violation"))
        darn_advice_order(ink, finding);
    else if (darn_finding_is(finding, "sync-misuse"))
        darn_say(ink, "%s", darn_misuse_advice(finding));
    else if (darn_finding_is(finding, "failure"))
        advise_failure(ink, finding);
    else if (darn_finding_is(finding, "atomicity-violation"))
        darn_violation_advice(ink, finding, style);
    else if (darn_finding_is(finding, "high-level-race"))
        darn_say(ink, "if the variables belong together, handle them in one critical section in "
                      "each thread");
    else if (finding->assertion)
        darn_say(ink, "keep the other thread away from it, or correct the assertion");
    else if (finding->unknown_origin || finding->access_count < 2)
        darn_say(ink, "compile the code that writes it with darn cc too; if that is the kernel or "
                      "another process, wait for it before the access");
    else
        darn_advice_race(ink, finding, style);
}

/* A name that sites have, and that few of them share: not `*p`. */
static bool can_be_aimed_at(const struct darn_finding *finding)
{
    return finding->variable && !finding->variable_from_symbol &&
           !(finding->accesses[0].object && !finding->accesses[0].has_site) &&
           strlen(finding->variable) < DARN_NOISE_NAME && !strchr(finding->variable, '*');
}

/* `site:bank.c:4:1000/200,site:bank.c:9:1000/200`; NULL when no place is known. */
static const char *aim_at_places(const struct darn_finding *finding, size_t most,
                                 struct darn_text_pool *pool)
{
    const char *aim = NULL;

    for (size_t i = 0; i < finding->access_count && i < most; i++) {
        const struct darn_finding_access *access = &finding->accesses[i];
        const char *place;

        if (!access->has_site || strlen(access->file) >= DARN_NOISE_NAME)
            continue;
        place = darn_pool_format(pool, "site:%s:%u:" NOISE, access->file, access->line);
        if (!aim)
            aim = place;
        else if (strcmp(aim, place) != 0)
            aim = darn_pool_format(pool, "%s,%s", aim, place);
    }
    return aim;
}

/* Locks have no sites that noise could be aimed at. Of a race that was only predicted both places
 * are known, while the variable may be touched at many others. */
static const char *choose_noise(const struct darn_finding *finding, struct darn_text_pool *pool)
{
    const char *noise = NULL;

    if (finding->accesses[0].op > DARN_OP_FREE)
        return NOISE_AT_CALLS;
    if (finding->section.kind || finding->section.at)
        return NOISE_IN_SECTIONS;
    if (darn_finding_is_predicted(finding))
        noise = aim_at_places(finding, 2, pool);
    if (!noise && can_be_aimed_at(finding))
        noise = darn_pool_format(pool, "var:%s:" NOISE, finding->variable);
    return noise ? noise : aim_at_places(finding, 1, pool);
}

/* A run that was controlled has failed: it takes a schedule to see that again, and not luck. */
static bool was_controlled(const struct darn_finding *finding)
{
    return finding->engine && strcmp(finding->engine, "scheduler") == 0;
}

/* The schedule is looked for; what darn did not compile cannot be controlled. */
static const char *hunt_for(const struct darn_finding *finding, struct darn_text_pool *pool)
{
    if (is_alone(finding) || finding->preloaded || !finding->program)
        return NULL;
    return darn_pool_format(pool, "darn hunt -- %s%s", darn_shell_word(pool, finding->program),
                            finding->arguments ? finding->arguments : "");
}

const char *darn_advice_again(const struct darn_finding *finding, struct darn_text_pool *pool)
{
    const char *noise = choose_noise(finding, pool);
    const char *sections = darn_violation_repository(finding, pool);

    if (finding->schedule)
        return command_for(finding, pool, "");
    if (has_died(finding) || darn_finding_is(finding, "order-violation"))
        return hunt_for(finding, pool);
    if (was_controlled(finding))
        return darn_pool_format(pool, "darn explore -o DIR -- %s%s, then darn replay DIR/1",
                                finding->program ? darn_shell_word(pool, finding->program)
                                                 : "PROGRAM",
                                finding->arguments ? finding->arguments : "");
    /* Without its section `darn run` would not report it. */
    if (darn_finding_is(finding, "atomicity-violation") && !finding->section.kind &&
        !finding->section.at && !darn_finding_is_predicted(finding))
        return NULL;
    /* A text trace tells of no program that could be run. */
    if (!noise || (darn_finding_is_predicted(finding) && !finding->program))
        return NULL;
    return darn_pool_format(pool, "darn run %s%s%s%s--noise=%s -- %s%s",
                            finding->preloaded ? "--preload " : "", sections ? "--sections=" : "",
                            sections ? darn_shell_word(pool, sections) : "", sections ? " " : "",
                            darn_shell_word(pool, noise),
                            finding->program ? darn_shell_word(pool, finding->program) : "PROGRAM",
                            finding->arguments ? finding->arguments : "");
}
