/* What to do about an atomicity violation: which lock to hold, and from where to where. */
#include <string.h>

#include "report/advice.h"
#include "report/text/phrase.h"
#include "report/violation.h"

struct triple {
    const struct darn_finding *finding;
    const struct darn_style *style;
    const struct darn_finding_access *entry, *remote, *end;
};

static void say_at(struct darn_ink *ink, const struct triple *triple,
                   const struct darn_finding_access *access)
{
    darn_say(ink, " at ");
    if (!darn_phrase_position(ink, triple->style, access->file, access->line, 0))
        darn_say(ink, "the access of %s", darn_phrase_short(access->thread));
}

/* ` at bank.c:40 up to line 42` */
static void say_range(struct darn_ink *ink, const struct triple *triple)
{
    const struct darn_finding_access *entry = triple->entry, *end = triple->end;

    say_at(ink, triple, entry);
    if (entry->file && end->file && strcmp(entry->file, end->file) != 0) {
        darn_say(ink, " up to ");
        darn_phrase_position(ink, triple->style, end->file, end->line, 0);
    } else if (end->line && entry->line != end->line) {
        darn_say(ink, " up to line %u", end->line);
    }
}

/* The locks that both accesses of the thread hold, and with `all` the other thread as well: the one
 * of them that is meant, or NULL. */
static const struct darn_lock *guard_of(const struct triple *triple, bool all)
{
    const struct darn_finding_access *entry = triple->entry;
    const struct darn_lock *guard = NULL;

    for (size_t i = entry->lock_count; i-- > 0;) {
        const struct darn_lock *lock = &entry->locks[i];

        if (darn_advice_lock_at(triple->end, lock->address) &&
            (!all || darn_advice_lock_at(triple->remote, lock->address)) &&
            (!guard ||
             darn_advice_uses(triple->finding, lock) > darn_advice_uses(triple->finding, guard)))
            guard = lock;
    }
    return guard;
}

/* Both accesses of the thread hold the lock, and so does the other thread: unless all do so for
 * reading, it was given back in between. */
static void advise_given_back(struct darn_ink *ink, const struct triple *triple,
                              const struct darn_lock *lock, const struct darn_lock *remote)
{
    bool readers = darn_advice_is_read_lock(lock) && darn_advice_is_read_lock(remote);

    if (readers) {
        darn_say(ink, "a read lock does not keep other readers away: hold ");
        darn_phrase_lock(ink, triple->finding, lock);
        darn_say(ink, " for writing");
        say_at(ink, triple, triple->remote);
        return;
    }
    darn_phrase_lock(ink, triple->finding, lock);
    darn_say(ink, " is held at both accesses, but given back in between: hold it");
    say_range(ink, triple);
    darn_say(ink, " without giving it back");
}

static void advise_lock(struct darn_ink *ink, const struct triple *triple)
{
    const struct darn_lock *held_by_all = guard_of(triple, true);
    const struct darn_lock *common = held_by_all ? held_by_all : guard_of(triple, false);
    const struct darn_lock *remote =
        common ? darn_advice_lock_at(triple->remote, common->address) : NULL;

    if (remote) {
        advise_given_back(ink, triple, common, remote);
    } else if (common) {
        darn_say(ink, "hold ");
        darn_phrase_lock(ink, triple->finding, common);
        say_at(ink, triple, triple->remote);
        darn_say(ink, ", too, and do not give it back between the two accesses");
    } else if (triple->remote->lock_count) {
        darn_say(ink, "hold ");
        darn_phrase_lock(
            ink, triple->finding,
            darn_advice_guard(triple->finding, triple->remote->locks, triple->remote->lock_count));
        darn_say(ink, ", which %s holds,", darn_phrase_short(triple->remote->thread));
        say_range(ink, triple);
        darn_say(ink, " without giving it back");
    } else {
        darn_say(ink, "hold one lock");
        say_range(ink, triple);
        darn_say(ink, " without giving it back, and the same");
        say_at(ink, triple, triple->remote);
    }
}

void darn_violation_advice(struct darn_ink *ink, const struct darn_finding *finding,
                           const struct darn_style *style)
{
    struct triple triple = {.finding = finding, .style = style};

    if (!darn_violation_is_whole(finding)) {
        darn_say(ink, "hold one lock from the first access of a thread to its last one, and at "
                      "those of all others");
        return;
    }
    triple.entry = &finding->accesses[DARN_VIOLATION_ENTRY];
    triple.remote = &finding->accesses[DARN_VIOLATION_REMOTE];
    triple.end = &finding->accesses[DARN_VIOLATION_END];
    if (triple.remote->op == DARN_OP_FREE)
        darn_say(ink, "free the block when no other thread can reach it any more: take it out of "
                      "what they share, join them, or count references");
    else
        advise_lock(ink, &triple);
}
