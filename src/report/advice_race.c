/* What is to be done about two accesses that race: which lock, and where. */
#include <string.h>

#include "report/advice.h"
#include "report/text/phrase.h"

struct pair {
    const struct darn_finding *finding;
    const struct darn_finding_access *one, *other;
};

static bool writes(const struct darn_finding_access *access)
{
    return access->op != DARN_OP_READ && access->op != DARN_OP_USE;
}

bool darn_advice_is_read_lock(const struct darn_lock *lock)
{
    return strcmp(lock->kind, "read") == 0;
}

const struct darn_lock *darn_advice_lock_at(const struct darn_finding_access *access,
                                            uint64_t address)
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
        if (darn_advice_is_read_lock(&writer->locks[i]) &&
            darn_advice_lock_at(other, writer->locks[i].address))
            return &writer->locks[i];
    return NULL;
}

/* The ending of the file speaks where there is no debug information. */
static bool is_cxx(const struct darn_finding_access *access)
{
    static const char *const endings[] = {".cc",  ".cpp", ".cxx", ".c++", ".C",
                                          ".hpp", ".hh",  ".hxx", ".h++", ".tcc"};
    const char *dot = access->file ? strrchr(access->file, '.') : NULL;

    if (access->stack.count && access->stack.frames[0].is_cxx)
        return true;
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

/* Whether the thread that writes has made the block itself: the other one could reach it too early.
 */
static bool is_own_block(const struct pair *pair)
{
    const struct darn_location *location = &pair->finding->location;
    const char *maker = location->kind == DARN_LOCATION_HEAP ? location->thread : NULL;

    return maker &&
           ((writes(pair->one) && pair->one->thread && strcmp(maker, pair->one->thread) == 0) ||
            (writes(pair->other) && pair->other->thread &&
             strcmp(maker, pair->other->thread) == 0));
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
    if (is_own_block(pair)) {
        darn_say(ink, ", or fill the block before any other thread can reach it");
        return;
    }
    darn_say(ink, ", or ");
    say_atomic(ink, pair);
    /* An atomic pointer does not keep alive what it points to. */
    if (pair->one->is_pointer || pair->other->is_pointer)
        darn_say(
            ink,
            ", set it when what it points to is complete, and keep that for as long as it is used");
}

uint64_t darn_advice_uses(const struct darn_finding *finding, const struct darn_lock *lock)
{
    for (size_t i = 0; i < finding->guard_count; i++)
        if (finding->guards[i].address == lock->address)
            return finding->guards[i].uses;
    return 0;
}

const struct darn_lock *darn_advice_guard(const struct darn_finding *finding,
                                          const struct darn_lock *locks, size_t count)
{
    const struct darn_lock *guard = &locks[count - 1];

    for (size_t i = count; i-- > 0;)
        if (darn_advice_uses(finding, &locks[i]) > darn_advice_uses(finding, guard))
            guard = &locks[i];
    return guard;
}

/* The lock under which others access it; NULL when there is none, or none with a name. What is on
 * the heap may have been another variable then. */
static const struct darn_lock *guard_of_others(const struct darn_finding *finding)
{
    const struct darn_lock *guard =
        finding->guard_count && finding->location.kind == DARN_LOCATION_GLOBAL
            ? darn_advice_guard(finding, finding->guards, finding->guard_count)
            : NULL;

    for (size_t i = 0; guard && !guard->symbol.name && i < finding->access_count; i++) {
        const struct darn_lock *held = darn_advice_lock_at(&finding->accesses[i], guard->address);

        if (held)
            return held;
    }
    return guard && (guard->symbol.name || guard->expression) ? guard : NULL;
}

/* Whether others access it under another lock than this one, and more of them. */
static bool is_better_guard(const struct darn_finding *finding, const struct darn_lock *guard,
                            const struct darn_lock *held)
{
    return guard && darn_advice_uses(finding, guard) > darn_advice_uses(finding, held);
}

static void advise_no_lock(struct darn_ink *ink, const struct pair *pair)
{
    const struct darn_lock *guard = guard_of_others(pair->finding);

    darn_say(ink, "put both accesses under ");
    if (guard) {
        darn_phrase_lock(ink, pair->finding, guard);
        darn_say(ink, ", as others are");
    } else {
        darn_say(ink, "one lock");
    }
    say_or_atomic(ink, pair);
}

/* One thread holds a lock, the other none. */
static void advise_missing_lock(struct darn_ink *ink, const struct pair *pair,
                                const struct darn_style *style)
{
    const struct darn_finding_access *locked = pair->one->lock_count ? pair->one : pair->other;
    const struct darn_finding_access *bare = locked == pair->one ? pair->other : pair->one;
    const struct darn_lock *lock =
        darn_advice_guard(pair->finding, locked->locks, locked->lock_count);

    if (is_better_guard(pair->finding, guard_of_others(pair->finding), lock)) {
        advise_no_lock(ink, pair);
        return;
    }
    darn_say(ink, "hold ");
    darn_phrase_lock(ink, pair->finding, lock);
    say_place(ink, style, bare);
    darn_say(ink, writes(bare) && darn_advice_is_read_lock(lock) ? " too, for writing" : " too");
    say_or_atomic(ink, pair);
}

/* Both hold a lock, and not the same one. What others hold, too, is the one that is meant. */
static void advise_different_locks(struct darn_ink *ink, const struct pair *pair,
                                   const struct darn_style *style)
{
    const struct darn_finding *finding = pair->finding;
    const struct darn_lock *one =
        darn_advice_guard(finding, pair->one->locks, pair->one->lock_count);
    const struct darn_lock *other =
        darn_advice_guard(finding, pair->other->locks, pair->other->lock_count);
    const struct darn_lock *guard = guard_of_others(finding);
    uint64_t uses = darn_advice_uses(finding, one), others = darn_advice_uses(finding, other);

    darn_say(ink, "the two threads hold different locks: hold ");
    if (is_better_guard(finding, guard, one) && is_better_guard(finding, guard, other)) {
        darn_phrase_lock(ink, finding, guard);
        darn_say(ink, " at both places, as others do");
    } else if (uses == others || uses + others < 3) {
        darn_say(ink, "one and the same at both places");
    } else {
        darn_phrase_lock(ink, finding, uses > others ? one : other);
        say_place(ink, style, uses > others ? pair->other : pair->one);
        darn_say(ink, " too, as others do");
    }
    say_or_atomic(ink, pair);
}

/* Whether it was meant to do without a lock. One that a single side holds has then most likely
 * nothing to do with it. */
static bool is_by_volatile(const struct pair *pair)
{
    bool one = pair->one->is_volatile, other = pair->other->is_volatile;
    size_t locked = (pair->one->lock_count > 0) + (pair->other->lock_count > 0);

    return !is_about_lifetime(pair->finding) &&
           ((one && other && locked < 2) || ((one || other) && !locked));
}

static void advise_locks(struct darn_ink *ink, const struct pair *pair,
                         const struct darn_style *style)
{
    bool one = pair->one->lock_count, other = pair->other->lock_count;
    bool known = !pair->one->locks_unknown && !pair->other->locks_unknown;

    if (is_by_volatile(pair)) {
        darn_say(ink, "volatile does not protect against other threads: ");
        say_atomic(ink, pair);
        darn_say(ink, ", or put both accesses under one lock");
    } else if (known && one != other) {
        advise_missing_lock(ink, pair, style);
    } else if (known && one) {
        advise_different_locks(ink, pair, style);
    } else {
        advise_no_lock(ink, pair);
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

void darn_advice_race(struct darn_ink *ink, const struct darn_finding *finding,
                      const struct darn_style *style)
{
    struct pair pair = {finding, &finding->accesses[0], &finding->accesses[1]};
    const struct darn_lock *weak;

    if (pair.one->op == DARN_OP_FREE || pair.other->op == DARN_OP_FREE)
        darn_say(ink, "%s", advice_for_end(pair.one->op == DARN_OP_FREE ? pair.one : pair.other));
    else if (pair.one->atomic != pair.other->atomic)
        advise_plain_side(ink, &pair, style);
    else if ((weak = weak_lock(pair.one, pair.other)))
        advise_weak_lock(ink, &pair, style, weak, pair.one);
    else if ((weak = weak_lock(pair.other, pair.one)))
        advise_weak_lock(ink, &pair, style, weak, pair.other);
    else
        advise_locks(ink, &pair, style);
}

void darn_advice_order(struct darn_ink *ink, const struct darn_finding *finding)
{
    const struct darn_finding_access *first = &finding->accesses[0];
    const struct darn_finding_access *other = &finding->accesses[finding->access_count > 1];
    bool sets = first->op == DARN_OP_WRITE || first->op == DARN_OP_UPDATE;

    if (other->op == DARN_OP_FREE)
        darn_say(ink, "%s", advice_for_end(other));
    else if (first->op == DARN_OP_WAIT)
        darn_say(ink, "under the mutex, set a variable before the signal, and wait only while it "
                      "is not set: while (!set) wait");
    else if (sets && other->op == DARN_OP_READ)
        darn_say(ink, "set it before the thread that reads it is started, let that one wait until "
                      "it is set (a flag and a condition variable, or pthread_once), or join the "
                      "thread that sets it");
    else
        darn_say(ink, "let the second wait for the first: join its thread, or wait for a flag that "
                      "it sets");
}
