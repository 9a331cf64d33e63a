#include "engine/race/phase.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "engine/race/phase_store.h"

#define MEMO_ROWS 512
#define MEMO_WAYS 4

/* What became of a phase that several variables share: the next of them need not ask again. */
struct memo {
    struct darn_phase *from, *to;
    struct darn_access access;
};

struct darn_phases {
    struct darn_locksets *sets;
    struct darn_held *held;
    struct darn_periods *periods;
    struct darn_phase_store store;
    struct memo memos[MEMO_ROWS][MEMO_WAYS]; /* the one used last comes first */
};

struct darn_phases *darn_phases_create(struct darn_locksets *sets, struct darn_held *held,
                                       struct darn_periods *periods)
{
    struct darn_phases *phases = calloc(1, sizeof(*phases));

    if (!phases)
        return NULL;
    phases->sets = sets;
    phases->held = held;
    phases->periods = periods;
    darn_phase_store_init(&phases->store);
    return phases;
}

void darn_phases_destroy(struct darn_phases *phases)
{
    if (!phases)
        return;
    for (size_t i = 0; i < MEMO_ROWS * MEMO_WAYS; i++) {
        darn_phase_leave(phases, phases->memos[i / MEMO_WAYS][i % MEMO_WAYS].from);
        darn_phase_leave(phases, phases->memos[i / MEMO_WAYS][i % MEMO_WAYS].to);
    }
    darn_phase_store_free(&phases->store);
    free(phases);
}

void darn_phase_leave(struct darn_phases *phases, struct darn_phase *phase)
{
    darn_phase_give_back(&phases->store, phase);
}

static bool is_concurrent(const struct darn_phases *phases, const struct darn_access *access,
                          uint32_t thread)
{
    struct darn_period period = {darn_epoch_slot(access->epoch), darn_epoch_time(access->epoch)};

    return !darn_periods_before_now(phases->periods, period, thread);
}

static bool any_concurrent(const struct darn_phases *phases, const struct darn_phase_accesses *list,
                           uint32_t thread)
{
    for (uint32_t i = 0; i < list->count; i++) {
        if (is_concurrent(phases, darn_phase_access(list, i), thread))
            return true;
    }
    return false;
}

static bool meets(const struct darn_phases *phases, const struct darn_phase *phase, uint32_t thread)
{
    return any_concurrent(phases, &phase->writes, thread) ||
           any_concurrent(phases, &phase->reads, thread);
}

static uint32_t lockset_of(const struct darn_phases *phases, const struct darn_access *access)
{
    return darn_holding_set(phases->held, access->holding);
}

static bool writes(const struct darn_access *access)
{
    return darn_access_sort_of(access) == DARN_PLAIN_WRITE;
}

static const struct darn_access *find_period(const struct darn_phase_accesses *list,
                                             darn_epoch epoch)
{
    for (uint32_t i = 0; i < list->count; i++) {
        if (darn_phase_access(list, i)->epoch == epoch)
            return darn_phase_access(list, i);
    }
    return NULL;
}

static bool has_subset(const struct darn_phases *phases, const struct darn_phase_sets *list,
                       uint32_t set)
{
    for (uint32_t i = 0; i < list->count; i++) {
        if (darn_lockset_is_subset(phases->sets, darn_phase_set(list, i), set))
            return true;
    }
    return false;
}

/* The text of Wang & Stoller removes S1 when S1 ⊆ S2; that would keep the largest sets, and the
 * read with the fewest locks, which is the one that races, would be lost. Figure 3 removes the
 * larger ones, and so does their definition of ReadSets as the minimal sets. */
static void add_read_set(struct darn_phases *phases, struct darn_phase_sets *list, uint32_t set)
{
    if (has_subset(phases, list, set))
        return;
    for (uint32_t i = list->count; i-- > 0;) {
        if (darn_lockset_is_subset(phases->sets, set, darn_phase_set(list, i)))
            darn_phase_remove_set(list, i);
    }
    darn_phase_insert_set(&phases->store, list, set);
}

/* Adds a period to a thread set: those that happen before it go. */
static void add_period(struct darn_phases *phases, struct darn_phase_accesses *list,
                       const struct darn_access *access, uint32_t thread)
{
    struct darn_access best = *access;

    for (uint32_t i = list->count; i-- > 0;) {
        const struct darn_access *other = darn_phase_access(list, i);

        /* Of one period, the access with fewer locks is the better evidence. */
        if (other->epoch == access->epoch &&
            darn_lockset_is_subset(phases->sets, lockset_of(phases, other),
                                   lockset_of(phases, access)))
            best = *other;
        if (!is_concurrent(phases, other, thread))
            darn_phase_remove_access(list, i);
    }
    darn_phase_insert_access(&phases->store, list, &best);
}

/* The first half of figure 3. */
static void add(struct darn_phases *phases, struct darn_phase *phase,
                const struct darn_access *access, uint32_t thread)
{
    uint32_t set = lockset_of(phases, access);

    if (phase->flags & DARN_PHASE_REPORTED) {
        add_period(phases, &phase->writes, access, thread);
    } else if (writes(access)) {
        if (any_concurrent(phases, &phase->writes, thread))
            phase->flags |= DARN_WRITES_MEET;
        if (any_concurrent(phases, &phase->reads, thread))
            phase->flags |= DARN_READS_MEET;
        phase->write_set = darn_lockset_intersect(phases->sets, phase->write_set, set);
        add_period(phases, &phase->writes, access, thread);
    } else {
        if (any_concurrent(phases, &phase->writes, thread))
            phase->flags |= DARN_READS_MEET;
        add_read_set(phases, &phase->read_sets, set);
        add_period(phases, &phase->reads, access, thread);
    }
}

/* The second half of figure 3. Two writes are kept apart by a lock that both hold exclusively: with
 * mutexes alone, by any lock in WriteSet. That an empty WriteSet makes a race of any concurrent
 * read need not be said: no lockset has a lock in common with it. */
static bool is_race(const struct darn_phases *phases, const struct darn_phase *phase)
{
    if (phase->flags & DARN_WRITES_MEET &&
        darn_lockset_exclusive(phases->sets, phase->write_set) == DARN_LOCKSET_EMPTY)
        return true;
    for (uint32_t i = 0; phase->flags & DARN_READS_MEET && i < phase->read_sets.count; i++) {
        if (darn_lockset_disjoint_for(phases->sets, darn_phase_set(&phase->read_sets, i),
                                      phase->write_set))
            return true;
    }
    return false;
}

/* Makes one phase of this and the one before. All of the older one's periods happen before all of
 * ours: they count only where we have none. */
static void absorb(struct darn_phases *phases, struct darn_phase *phase)
{
    struct darn_phase *older = phase->older;

    phase->flags |= older->flags;
    phase->write_set = darn_lockset_intersect(phases->sets, phase->write_set, older->write_set);
    for (uint32_t i = 0; i < older->read_sets.count; i++)
        add_read_set(phases, &phase->read_sets, darn_phase_set(&older->read_sets, i));
    if (!phase->reads.count)
        darn_phase_copy_accesses(&phases->store, &phase->reads, &older->reads);
    if (!phase->writes.count)
        darn_phase_copy_accesses(&phases->store, &phase->writes, &older->writes);
    darn_phase_unlink_older(&phases->store, phase);
}

/* Whether a says all that b says. */
static bool dominates(const struct darn_phases *phases, const struct darn_phase *a,
                      const struct darn_phase *b)
{
    if (a->flags & DARN_PHASE_REPORTED)
        return true;
    if (b->flags & ~a->flags)
        return false;
    if (b->writes.count &&
        !(a->writes.count && darn_lockset_is_subset(phases->sets, a->write_set, b->write_set)))
        return false;
    for (uint32_t i = 0; i < b->read_sets.count; i++) {
        if (!has_subset(phases, &a->read_sets, darn_phase_set(&b->read_sets, i)))
            return false;
    }
    return true;
}

static void strip(struct darn_phases *phases, struct darn_phase *to,
                  const struct darn_phase_accesses *list)
{
    for (uint32_t i = 0; i < list->count; i++) {
        struct darn_access bare = {.epoch = darn_phase_access(list, i)->epoch,
                                   .shape = DARN_PLAIN_WRITE};

        if (!find_period(&to->writes, bare.epoch))
            darn_phase_insert_access(&phases->store, &to->writes, &bare);
    }
}

/* What is left of a phase that has a race: its periods, all as if they were writes. Older phases
 * are of no interest: who is concurrent with them is concurrent with this one. */
static struct darn_phase *close(struct darn_phases *phases, struct darn_phase *phase)
{
    struct darn_phase *closed = darn_phase_make(&phases->store);

    closed->flags = DARN_PHASE_REPORTED;
    strip(phases, closed, &phase->writes);
    strip(phases, closed, &phase->reads);
    darn_phase_leave(phases, phase);
    return closed;
}

/* How many of the older phases have to be gone through to get rid of the last one that those after
 * it dominate together; 0: none is. */
static size_t count_to_settle(struct darn_phases *phases, const struct darn_phase *phase)
{
    /* Grows to what the phases so far say together. */
    struct darn_phase *all = darn_phase_copy(&phases->store, phase);
    size_t count = 0;

    for (size_t i = 1; all->older; i++) {
        if (dominates(phases, all, all->older))
            count = i;
        absorb(phases, all);
    }
    darn_phase_leave(phases, all);
    return count;
}

/* The phases from this one back, without those that are dominated. */
static struct darn_phase *settle(struct darn_phases *phases, struct darn_phase *phase)
{
    size_t count = phase->older ? count_to_settle(phases, phase) : 0;
    struct darn_phase *all, *last;

    if (!count)
        return phase;
    all = darn_phase_copy(&phases->store, phase);
    phase = last = darn_phase_own(&phases->store, phase);
    while (count-- > 0) {
        bool dominated = dominates(phases, all, all->older);

        absorb(phases, all);
        if (dominated) {
            darn_phase_unlink_older(&phases->store, last);
        } else {
            last->older = darn_phase_own(&phases->store, last->older);
            last = last->older;
        }
    }
    darn_phase_leave(phases, all);
    return phase;
}

static bool is_of_one_period(const struct darn_phase *phase, darn_epoch epoch)
{
    return phase->reads.count <= 1 && phase->writes.count <= 1 &&
           (!phase->reads.count || phase->reads.first.epoch == epoch) &&
           (!phase->writes.count || phase->writes.first.epoch == epoch);
}

static struct darn_phase *begin(struct darn_phases *phases, struct darn_phase *older,
                                const struct darn_access *access, uint32_t thread)
{
    struct darn_phase *phase = darn_phase_make(&phases->store);

    add(phases, phase, access, thread);
    if (!older)
        return phase;
    phase->older = older;
    if (dominates(phases, phase, older))
        darn_phase_unlink_older(&phases->store, phase);
    else
        phase->older = settle(phases, older);
    return phase;
}

static struct darn_phase *advance(struct darn_phases *phases, struct darn_phase *phase,
                                  const struct darn_access *access, uint32_t thread)
{
    bool meeting;

    if (!phase)
        return begin(phases, NULL, access, thread);
    meeting = meets(phases, phase, thread);
    if (!meeting && !is_of_one_period(phase, access->epoch))
        return begin(phases, phase, access, thread);
    phase = darn_phase_own(&phases->store, phase);
    /* Who is concurrent with an older phase is concurrent with all later ones. */
    while (meeting && phase->older && meets(phases, phase->older, thread))
        absorb(phases, phase);
    add(phases, phase, access, thread);
    return phase;
}

/* The period is in its set already, and its locks change nothing. */
static bool has(const struct darn_phases *phases, const struct darn_phase *phase,
                const struct darn_access *access)
{
    uint32_t set = lockset_of(phases, access);

    if (phase->flags & DARN_PHASE_REPORTED)
        return find_period(&phase->writes, access->epoch);
    if (writes(access))
        return find_period(&phase->writes, access->epoch) &&
               darn_lockset_is_subset(phases->sets, phase->write_set, set);
    return find_period(&phase->reads, access->epoch) && has_subset(phases, &phase->read_sets, set);
}

/* How well an earlier access goes with this one; 0: not at all. */
static int fit(const struct darn_phases *phases, const struct darn_access *earlier,
               const struct darn_access *access, uint32_t thread)
{
    if (darn_epoch_slot(earlier->epoch) == darn_epoch_slot(access->epoch) ||
        !(writes(earlier) || writes(access)))
        return 0;
    return 1 + 2 * is_concurrent(phases, earlier, thread) +
           darn_lockset_disjoint_for(phases->sets, lockset_of(phases, earlier),
                                     lockset_of(phases, access));
}

static struct darn_phase_pair find_pair(const struct darn_phases *phases,
                                        const struct darn_phase *phase,
                                        const struct darn_access *access, uint32_t thread)
{
    const struct darn_phase_accesses *lists[] = {&phase->writes, &phase->reads};
    struct darn_phase_pair pair = {.later = *access};
    int best = 0;

    for (size_t l = 0; l < 2; l++) {
        for (uint32_t i = 0; i < lists[l]->count; i++) {
            int good = fit(phases, darn_phase_access(lists[l], i), access, thread);

            if (good > best) {
                best = good;
                pair.earlier = *darn_phase_access(lists[l], i);
            }
        }
    }
    if (best)
        return pair;
    /* The access is a read, and made ReadSets smaller; all writes are of its own thread. The reads
     * of other threads conflict with those. */
    pair.later = phase->writes.first;
    for (uint32_t i = 0; i < phase->reads.count; i++) {
        if (darn_epoch_slot(darn_phase_access(&phase->reads, i)->epoch) !=
            darn_epoch_slot(pair.later.epoch))
            pair.earlier = *darn_phase_access(&phase->reads, i);
    }
    return pair;
}

static struct memo *row_of(struct darn_phases *phases, const struct darn_phase *from,
                           const struct darn_access *access)
{
    uint64_t key = (uintptr_t)from >> 4;

    key = darn_fold(key, access->epoch);
    key = darn_fold(key, access->site ^ (uint64_t)access->shape << 32);
    return phases->memos[darn_spread(key ^ access->holding) & (MEMO_ROWS - 1)];
}

/* What became of the phase; NULL when this is not known. */
static struct darn_phase *recall(struct memo *row, const struct darn_phase *from,
                                 const struct darn_access *access)
{
    for (size_t i = 0; i < MEMO_WAYS; i++) {
        struct memo found = row[i];

        if (found.to && found.from == from && memcmp(&found.access, access, sizeof(*access)) == 0) {
            memmove(row + 1, row, i * sizeof(*row));
            row[0] = found;
            return found.to;
        }
    }
    return NULL;
}

/* The reference to `from` is the memo's then. */
static void note(struct darn_phases *phases, struct memo *row, struct darn_phase *from,
                 const struct darn_access *access, struct darn_phase *to)
{
    darn_phase_leave(phases, row[MEMO_WAYS - 1].from);
    darn_phase_leave(phases, row[MEMO_WAYS - 1].to);
    memmove(row + 1, row, (MEMO_WAYS - 1) * sizeof(*row));
    darn_phase_share(to);
    row[0] = (struct memo){from, to, *access};
}

struct darn_phase *darn_phase_next(struct darn_phases *phases, struct darn_phase *phase,
                                   const struct darn_access *access, uint32_t thread, bool *races,
                                   struct darn_phase_pair *pair)
{
    struct darn_phase *from = NULL, *to;
    struct memo *row = NULL;

    *races = false;
    if (phase && has(phases, phase, access))
        return phase;
    if (!phase || phase->references > 1) {
        row = row_of(phases, phase, access);
        to = recall(row, phase, access);
        if (to) {
            darn_phase_share(to);
            darn_phase_leave(phases, phase);
            return to;
        }
        from = phase;
        darn_phase_share(from);
    }
    to = advance(phases, phase, access, thread);
    *races = !(to->flags & DARN_PHASE_REPORTED) && is_race(phases, to);
    if (*races)
        *pair = find_pair(phases, to, access, thread);
    if (*races || to->flags & DARN_PHASE_REPORTED)
        to = close(phases, to);
    to = darn_phase_common(&phases->store, to);
    /* Each variable has its own race. */
    if (row && !*races)
        note(phases, row, from, access, to);
    else
        darn_phase_leave(phases, from);
    return to;
}

size_t darn_phases_memory(const struct darn_phases *phases)
{
    return sizeof(*phases) + darn_phase_store_memory(&phases->store);
}
