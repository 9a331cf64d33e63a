/* What is told about threads that wait, and about why something is only predicted. */
#include <inttypes.h>
#include <string.h>

#include "report/text/phrase.h"
#include "report/text/text_page.h"

/* ` (taken at bank.c:11:5 in transfer)` */
static void say_taken(struct darn_page *page, const struct darn_lock *lock)
{
    const struct darn_frame *taken = &lock->taken;
    struct darn_ink *ink = &page->ink;

    if (!taken->file && !taken->function)
        return;
    darn_say(ink, " (taken ");
    if (taken->file) {
        darn_say(ink, "at ");
        darn_phrase_position(ink, page->style, taken->file, taken->line, taken->column);
    }
    if (taken->function)
        darn_say(ink, "%sin %s", taken->file ? " " : "", taken->function);
    darn_say(ink, ")");
}

static void say_held(struct darn_page *page, const struct darn_finding_access *access)
{
    for (size_t i = 0; i < access->lock_count; i++) {
        if (i > 0)
            darn_say(&page->ink, i + 1 == access->lock_count ? " and " : ", ");
        darn_phrase_lock(&page->ink, page->finding, &access->locks[i]);
        say_taken(page, &access->locks[i]);
    }
}

static void say_target(struct darn_page *page, const struct darn_finding_access *access)
{
    if (access->target.kind)
        darn_phrase_lock(&page->ink, page->finding, &access->target);
    else
        darn_say(&page->ink, "something");
}

static void say_wait(struct darn_page *page, const struct darn_finding_access *access)
{
    struct darn_ink *ink = &page->ink;

    darn_say(ink, "waits for ");
    say_target(page, access);
    if (access->mutex.kind) {
        darn_say(ink, " with ");
        darn_phrase_lock(ink, page->finding, &access->mutex);
    }
    if (access->predicate)
        darn_say(ink, ", testing '%s'", access->predicate);
}

/* Addresses of the first page are those of a null pointer, or of a field behind it. */
#define FIRST_PAGE 4096

static void say_end(struct darn_page *page, const struct darn_finding_access *access)
{
    uint64_t address = page->finding->address;
    struct darn_ink *ink = &page->ink;

    if (!access->fault) {
        darn_say(ink, access->last_seen ? "was last seen here, " : "was here when the run ended, ");
        return;
    }
    darn_say(ink, "%s address 0x%" PRIx64 "%s, ",
             strcmp(access->fault, "write") == 0 ? "writes to"
             : strcmp(access->fault, "run") == 0 ? "calls or jumps to"
                                                 : "reads from",
             address, address < FIRST_PAGE ? ", by a null pointer" : "");
}

static void say_deed(struct darn_page *page, const struct darn_finding_access *access)
{
    struct darn_ink *ink = &page->ink;

    switch (access->op) {
    case DARN_OP_ACQUIRE:
        darn_say(ink, !darn_finding_is_predicted(page->finding)    ? "waits for "
                      : darn_finding_is(page->finding, "deadlock") ? "then takes "
                                                                   : "takes ");
        say_target(page, access);
        break;
    case DARN_OP_JOIN:
        darn_say(ink, "waits for the end of ");
        darn_phrase_thread(ink, page->finding, access->awaited);
        break;
    case DARN_OP_WAIT:
        say_wait(page, access);
        break;
    case DARN_OP_UNLOCK:
    case DARN_OP_DESTROY:
    case DARN_OP_INIT:
    case DARN_OP_HOLD:
        darn_page_misuse_step(page, access);
        break;
    case DARN_OP_STOP:
        say_end(page, access);
        darn_phrase_locks(ink, page->finding, access);
        break;
    default:
        darn_say(ink, access->op == DARN_OP_SIGNAL ? "signals " : "broadcasts ");
        say_target(page, access);
        break;
    }
}

/* A wait gives its mutex back: only what else the thread holds is worth telling. */
static bool holds_something(const struct darn_finding_access *access)
{
    return access->lock_count && !(access->lock_count == 1 && access->mutex.kind &&
                                   access->locks[0].address == access->mutex.address);
}

void darn_page_step(struct darn_page *page, const struct darn_finding_access *access)
{
    bool in_circle = darn_finding_is(page->finding, "deadlock");

    if (in_circle && holds_something(access)) {
        darn_say(&page->ink, "holds ");
        say_held(page, access);
        darn_say(&page->ink, " and ");
    }
    say_deed(page, access);
    if (!in_circle && (access->op == DARN_OP_SIGNAL || access->op == DARN_OP_BROADCAST)) {
        darn_say(&page->ink, ", ");
        darn_phrase_locks(&page->ink, page->finding, access);
    }
}

/* The lock that both hold, or NULL. */
static const struct darn_lock *common_lock(const struct darn_finding_access *one,
                                           const struct darn_finding_access *other)
{
    for (size_t i = 0; i < one->lock_count; i++)
        for (size_t j = 0; j < other->lock_count; j++)
            if (one->locks[i].address == other->locks[j].address)
                return &one->locks[i];
    return NULL;
}

static void say_locks(struct darn_page *page, const struct darn_finding_access *one,
                      const struct darn_finding_access *other)
{
    const struct darn_lock *common = common_lock(one, other);
    struct darn_ink *ink = &page->ink;

    if (one->locks_unknown || other->locks_unknown) {
        darn_say(ink, "their locks are not known");
    } else if (common) {
        darn_say(ink, "both threads hold ");
        darn_phrase_lock(ink, page->finding, common);
    } else if (one->lock_count && other->lock_count) {
        darn_say(ink, "the threads hold no lock in common");
    } else if (one->lock_count || other->lock_count) {
        darn_say(ink, "only %s holds a lock",
                 darn_phrase_short(one->lock_count ? one->thread : other->thread));
    } else {
        darn_say(ink, "neither thread holds a lock");
    }
}

static bool is_by(const struct darn_finding *finding, const char *engine)
{
    size_t length = strlen(engine);

    for (const char *at = finding->engine; at; at = strchr(at, ',')) {
        at += strspn(at, ", ");
        if (strncmp(at, engine, length) == 0 && (!at[length] || at[length] == ','))
            return true;
    }
    return false;
}

/* Of several engines the one that claims most speaks: `hb` knows every order that there was. */
static void say_why_race(struct darn_page *page)
{
    const struct darn_finding *finding = page->finding;
    const struct darn_lock *common = NULL;
    struct darn_ink *ink = &page->ink;

    if (finding->access_count > 1) {
        common = common_lock(&finding->accesses[0], &finding->accesses[1]);
        say_locks(page, &finding->accesses[0], &finding->accesses[1]);
    }
    if (is_by(finding, "hb"))
        darn_say(ink, ", and nothing in this run ordered the two accesses");
    else if (is_by(finding, "syncp"))
        darn_say(ink, ", and only the order of locks in this run kept the two accesses apart");
    else if (is_by(finding, "hybrid") || is_by(finding, "multilockset"))
        darn_say(ink, ", and no start, end or signal of a thread orders the two accesses");
    else
        darn_say(ink, "%s no lock is held at all accesses to it", common ? ", but" : ", and");
}

static void say_why_notification(struct darn_page *page)
{
    const char *reason = page->finding->reason;

    if (reason && strcmp(reason, "lost-signal") == 0)
        darn_say(&page->ink, "a signal is not kept for later, and in this run nobody ended the "
                             "wait that came after it");
    else if (reason && strcmp(reason, "wrong-waiter") == 0)
        darn_say(&page->ink,
                 "the thread that is woken may find its condition false and wait again, "
                 "while the one that was meant is not woken");
    else
        darn_say(&page->ink, "POSIX allows one mutex at a time for the waiters of a condition "
                             "variable");
}

static void say_why_deadlock(struct darn_page *page)
{
    const struct darn_finding *finding = page->finding;

    if (finding->access_count == 1) {
        darn_say(&page->ink, "it asks for what it has not given back");
        return;
    }
    for (size_t i = 0; i < finding->access_count; i++) {
        if (finding->accesses[i].op == DARN_OP_JOIN) {
            darn_say(&page->ink, "the thread whose end is waited for may need what the waiting one "
                                 "holds");
            return;
        }
    }
    darn_say(&page->ink, "each thread can come to hold what the next one takes: they hold no lock "
                         "in common, and no start or end of a thread puts one after the other");
}

/* What reduction goes by; it proves atomicity, and where it fails nothing need be wrong. */
static void say_why_irreducible(struct darn_page *page)
{
    const struct darn_finding_access *first = &page->finding->accesses[0];
    struct darn_ink *ink = &page->ink;

    if (first->op == DARN_OP_ACQUIRE) {
        darn_phrase_lock(ink, page->finding, &first->target);
        darn_say(ink, " is given back before the second step: another thread may come between");
    } else {
        darn_say(ink, "the first step may race with another thread, which may come between it and "
                      "the second");
    }
    darn_say(ink, "; whether it does harm, the engine 'blocks' says more exactly");
}

static void say_why_atomicity(struct darn_page *page)
{
    const struct darn_finding *finding = page->finding;
    const struct darn_finding_access *first = &finding->accesses[0];

    if (finding->reason && strcmp(finding->reason, "irreducible") == 0) {
        say_why_irreducible(page);
        return;
    }
    if (finding->engine && strstr(finding->engine, "serial")) {
        darn_say(&page->ink, "it happened in this run: the steps came in this order, which no "
                             "order of whole transactions has");
        return;
    }
    darn_say(&page->ink, "%s holds no lock from its first access to its last that the other%s",
             darn_phrase_short(first->thread), finding->access_count > 4 ? "s hold" : " holds");
    darn_say(&page->ink, ", no start or end of a thread puts one after the other, and no order of "
                         "the transactions has this result");
}

/* What the order was, how often, and what it rests on. */
static void say_why_order(struct darn_page *page)
{
    const struct darn_finding *finding = page->finding;
    const struct darn_lock *common = NULL;
    struct darn_ink *ink = &page->ink;

    if (finding->access_count > 1)
        common = common_lock(&finding->accesses[0], &finding->accesses[1]);
    darn_say(ink, "in the runs that were recorded the first of the two always came first");
    if (finding->came)
        darn_say(ink, " (%" PRIu64 " time%s)", finding->came, finding->came == 1 ? "" : "s");
    darn_say(ink, ", and nothing makes the other one wait for it");
    if (!common)
        return;
    darn_say(ink, ": ");
    darn_phrase_lock(ink, finding, common);
    darn_say(ink, " only keeps them apart");
}

void darn_page_why(struct darn_page *page)
{
    const struct darn_finding *finding = page->finding;
    bool race = darn_finding_is(finding, "data-race");
    bool deadlock = darn_finding_is(finding, "deadlock");
    bool atomicity = darn_finding_is(finding, "atomicity-violation");
    bool views = darn_finding_is(finding, "high-level-race");

    if (darn_finding_is(finding, "sync-misuse")) {
        darn_page_misuse_why(page);
        return;
    }
    if (darn_finding_is(finding, "order-violation")) {
        darn_page_label(page, "why:");
        say_why_order(page);
        darn_say(&page->ink, "\n");
        return;
    }
    if (!darn_finding_is_predicted(finding) ||
        (!race && !deadlock && !atomicity && !views && !darn_finding_is(finding, "notification")))
        return;
    darn_page_label(page, "why:");
    if (race)
        say_why_race(page);
    else if (deadlock)
        say_why_deadlock(page);
    else if (atomicity)
        say_why_atomicity(page);
    else if (views)
        darn_say(&page->ink,
                 "%s handles the two in one critical section, and %s in two: in between it may see "
                 "or leave one of them new and the other one old",
                 darn_phrase_short(finding->accesses[0].thread),
                 darn_phrase_short(finding->accesses[1].thread));
    else
        say_why_notification(page);
    darn_say(&page->ink, "\n");
}
