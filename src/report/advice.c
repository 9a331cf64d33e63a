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

struct pair {
    const struct darn_finding *finding;
    const struct darn_finding_access *one,
        *other; /* `other` is NULL for a race of unknown origin */
};

static bool writes(const struct darn_finding_access *access)
{
    return access->op != DARN_OP_READ && access->op != DARN_OP_USE;
}

static bool is_read_lock(const struct darn_lock *lock)
{
    return strcmp(lock->kind, "read") == 0;
}

/* The lock of `access` at this address, or NULL. */
static const struct darn_lock *lock_at(const struct darn_finding_access *access, uint64_t address)
{
    for (size_t i = 0; i < access->lock_count; i++)
        if (address && access->locks[i].address == address)
            return &access->locks[i];
    return NULL;
}

/* A lock that a writer holds for reading only, while the other thread holds it as well. */
static const struct darn_lock *weak_lock(const struct darn_finding_access *writer,
                                         const struct darn_finding_access *other)
{
    for (size_t i = 0; writes(writer) && i < writer->lock_count; i++)
        if (is_read_lock(&writer->locks[i]) && lock_at(other, writer->locks[i].address))
            return &writer->locks[i];
    return NULL;
}

static bool is_cxx(const struct darn_finding_access *access)
{
    static const char *const endings[] = {".cc",  ".cpp", ".cxx", ".c++", ".C",
                                          ".hpp", ".hh",  ".hxx", ".h++", ".tcc"};
    const char *dot = access->file ? strrchr(access->file, '.') : NULL;

    for (size_t i = 0; dot && i < sizeof(endings) / sizeof(endings[0]); i++)
        if (strcmp(dot, endings[i]) == 0)
            return true;
    return false;
}

static void say_atomic(struct darn_ink *ink, const struct pair *pair)
{
    darn_say(ink, "make ");
    if (pair->finding->variable)
        darn_phrase_variable(ink, pair->finding);
    else
        darn_say(ink, "the variable");
    darn_say(ink, is_cxx(pair->one) ? " std::atomic" : " _Atomic");
}

static void say_place(struct darn_ink *ink, const struct darn_style *style,
                      const struct darn_finding_access *access)
{
    darn_say(ink, " at ");
    if (!darn_phrase_position(ink, style, access->file, access->line, 0))
        darn_say(ink, "the access of %s", darn_phrase_short(access->thread));
}

static bool led_to(const struct darn_finding *finding, const char *outcome)
{
    for (size_t i = 0; i < finding->outcome_count; i++)
        if (strcmp(finding->outcomes[i], outcome) == 0)
            return true;
    return false;
}

/* Whether it led to the use of memory that is gone, or not there yet: to make the variable atomic
 * would only hide that. */
static bool is_about_lifetime(const struct darn_finding *finding)
{
    return led_to(finding, "crash") || led_to(finding, "sanitizer");
}

/* "…, or make 'balance' _Atomic"; not where it is about more than the one variable. */
static void say_or_atomic(struct darn_ink *ink, const struct pair *pair)
{
    if (is_about_lifetime(pair->finding)) {
        darn_say(ink, led_to(pair->finding, "sanitizer")
                          ? ", until what it leads to is not used any more"
                          : ", and see to it that neither comes too early or too late");
        return;
    }
    darn_say(ink, ", or ");
    say_atomic(ink, pair);
}

/* The one that was taken last: those around it are held for other reasons more often. */
static const struct darn_lock *innermost(const struct darn_finding_access *access)
{
    return &access->locks[access->lock_count - 1];
}

/* One thread holds a lock, the other none. */
static void advise_missing_lock(struct darn_ink *ink, const struct pair *pair,
                                const struct darn_style *style)
{
    const struct darn_finding_access *locked = pair->one->lock_count ? pair->one : pair->other;
    const struct darn_finding_access *bare = locked == pair->one ? pair->other : pair->one;
    const struct darn_lock *lock = innermost(locked);

    darn_say(ink, "hold ");
    darn_phrase_lock(ink, pair->finding, lock);
    say_place(ink, style, bare);
    darn_say(ink, writes(bare) && is_read_lock(lock) ? " too, for writing" : " too");
    say_or_atomic(ink, pair);
}

static void advise_locks(struct darn_ink *ink, const struct pair *pair,
                         const struct darn_style *style)
{
    bool one = pair->one->lock_count, other = pair->other->lock_count;
    bool known = !pair->one->locks_unknown && !pair->other->locks_unknown;

    if (known && one != other) {
        advise_missing_lock(ink, pair, style);
    } else if (known && one) {
        darn_say(ink, "the two threads hold different locks: hold one and the same at both "
                      "places");
        say_or_atomic(ink, pair);
    } else if (!is_about_lifetime(pair->finding) &&
               (pair->one->is_volatile || pair->other->is_volatile)) {
        darn_say(ink, "volatile does not protect against other threads: ");
        say_atomic(ink, pair);
        darn_say(ink, ", or put both accesses under one lock");
    } else {
        darn_say(ink, "put both accesses under one lock");
        say_or_atomic(ink, pair);
    }
}

static void advise_plain_side(struct darn_ink *ink, const struct pair *pair,
                              const struct darn_style *style)
{
    darn_say(ink, "only one of the two accesses is atomic: make the one");
    say_place(ink, style, pair->one->atomic ? pair->other : pair->one);
    darn_say(ink, " atomic too");
}

static void advise_weak_lock(struct darn_ink *ink, const struct pair *pair,
                             const struct darn_style *style, const struct darn_lock *lock,
                             const struct darn_finding_access *writer)
{
    darn_say(ink, "a read lock does not protect a write: hold ");
    darn_phrase_lock(ink, pair->finding, lock);
    darn_say(ink, " for writing");
    say_place(ink, style, writer);
}

/* What is to be done about the end of a block or object. */
static const char *advice_for_end(const struct darn_finding_access *end)
{
    if (!end->object)
        return "free the block when no other thread can reach it any more: take it out of what "
               "they share, join them, or count references";
    if (strcmp(end->object, "stack") == 0)
        return "let the thread wait until no other one uses its variables, or allocate them";
    if (strcmp(end->object, "descriptor") == 0 || strcmp(end->object, "stream") == 0)
        return "close it when no other thread can use it any more: join them, or let the last one "
               "that uses it close it";
    return "destroy it when no other thread can use it any more: join them, or count references";
}

static void advise_pair(struct darn_ink *ink, const struct pair *pair,
                        const struct darn_style *style)
{
    const struct darn_lock *weak;

    if (pair->one->op == DARN_OP_FREE || pair->other->op == DARN_OP_FREE)
        darn_say(ink, "%s",
                 advice_for_end(pair->one->op == DARN_OP_FREE ? pair->one : pair->other));
    else if (pair->one->atomic != pair->other->atomic)
        advise_plain_side(ink, pair, style);
    else if ((weak = weak_lock(pair->one, pair->other)))
        advise_weak_lock(ink, pair, style, weak, pair->one);
    else if ((weak = weak_lock(pair->other, pair->one)))
        advise_weak_lock(ink, pair, style, weak, pair->other);
    else
        advise_locks(ink, pair, style);
}

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
    const struct darn_lock *held = lock_at(access, access->target.address);

    if (held && is_read_lock(held) && !is_read_lock(&access->target))
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
    struct darn_text_pool pool = {NULL};

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
    struct pair pair = {finding, &finding->accesses[0], NULL};

    if (finding->access_count > 1)
        pair.other = &finding->accesses[1];
    if (darn_finding_is(finding, "deadlock"))
        advise_deadlock(ink, finding);
    else if (darn_finding_is(finding, "notification"))
        advise_notification(ink, finding);
    else if (darn_finding_is(finding, "sync-misuse"))
        darn_say(ink, "%s", darn_misuse_advice(finding));
    else if (darn_finding_is(finding, "failure"))
        advise_failure(ink, finding);
    else if (darn_finding_is(finding, "atomicity-violation"))
        darn_violation_advice(ink, finding, style);
    else if (finding->assertion)
        darn_say(ink, "keep the other thread away from it, or correct the assertion");
    else if (finding->unknown_origin || !pair.other)
        darn_say(ink, "compile the code that writes it with darn cc too; if that is the kernel or "
                      "another process, wait for it before the access");
    else
        advise_pair(ink, &pair, style);
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
    if (has_died(finding))
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
