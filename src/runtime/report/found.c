#include "runtime/report/found.h"

#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#include "base/hash.h"
#include "base/text.h"
#include "base/variable.h"
#include "runtime/heal/heal.h"
#include "runtime/os/os.h"
#include "runtime/os/os_spin.h"
#include "runtime/report/counters.h"
#include "runtime/report/crash.h"
#include "runtime/report/deliver.h"
#include "runtime/report/deliver_parts.h"
#include "runtime/spin/spins.h"
#include "runtime/state.h"
#include "runtime/thread/stuck.h"

/* Different findings of one run. */
#define FINDINGS 512

/* How long the end of the program waits for a report that is on its way, in nanoseconds. */
#define PATIENCE UINT64_C(20000000000)

/*
 * Protects the table, and the one report that is on its way: reports come one after the other.
 * Taken with signals blocked. Whoever waits for it holds no lock of ours; spinning yields the
 * processor.
 */
static struct darn_spin lock;
static struct darn_known_finding findings[FINDINGS];
static _Atomic uint32_t count; /* entries are added under the lock, and stay */
static _Atomic uint32_t reported;
static _Atomic int holder; /* the thread that is reporting: if it crashes there, it must not wait */

static uint64_t hash_site(uint64_t hash, const struct darn_side *side)
{
    const struct darn_site *site = side ? side->touch.site : NULL;

    if (!side)
        return darn_hash_string(hash, "unknown");
    if (!site)
        return darn_hash_string(hash, "free");
    hash = darn_hash_string(hash, darn_site_file(site));
    hash = darn_hash_string(hash, darn_site_function(site));
    return darn_hash_number(darn_hash_number(hash, site->line), site->column);
}

static const char *variable_of(const struct darn_side *side)
{
    return side && side->touch.site ? darn_site_variable(side->touch.site) : "";
}

/* One name for two sides, whichever of them came first: a plain one before `p->x`, then by order.
 */
static const char *common_variable(const struct darn_side *one, const struct darn_side *other)
{
    const char *a = variable_of(one), *b = variable_of(other);

    if (!*a || !*b)
        return *a ? a : b;
    if (!strpbrk(a, "->*[") != !strpbrk(b, "->*["))
        return strpbrk(a, "->*[") ? b : a;
    return strcmp(a, b) <= 0 ? a : b;
}

static uint64_t fingerprint_race(const struct darn_race *race, const char *variable)
{
    uint64_t start = darn_hash_string(DARN_HASH_START, DARN_KIND_RACE);
    uint64_t a = hash_site(start, race->first), b = hash_site(start, race->second);
    uint64_t both = a < b ? a * 31 + b : b * 31 + a;

    return darn_hash_variable(both, variable);
}

/*
 * A changed value without a visible writer is believed when it happens twice at one site, and not
 * where a race with both sides is known: a writer that passed its guard just before the window
 * opened looks the same.
 */
static bool is_believable(const struct darn_race *race)
{
    static const struct darn_site *once[64];
    const struct darn_site *site = race->first->touch.site;
    const struct darn_site **slot = &once[((uintptr_t)site / sizeof(*site)) % 64];

    for (uint32_t i = 0; i < count; i++) {
        if (!findings[i].unknown && (findings[i].site == site || findings[i].other == site))
            return false;
    }
    if (*slot == site)
        return true;
    *slot = site;
    return false;
}

static void copy_text(char *to, size_t size, const char *from)
{
    struct darn_text text;

    darn_text_start(&text, to, size);
    darn_text_add(&text, from);
}

/* Names it by the side that its report begins with. */
static void describe(struct darn_known_finding *finding, const char *kind,
                     const struct darn_side *side, const char *variable)
{
    const struct darn_site *site = side->touch.site;

    finding->kind = kind;
    copy_text(finding->variable, sizeof(finding->variable), variable);
    if (!site)
        return;
    finding->line = site->line;
    copy_text(finding->file, sizeof(finding->file), darn_site_file(site));
    copy_text(finding->function, sizeof(finding->function), darn_site_function(site));
}

static void take_lock(void)
{
    darn_spin_lock(&lock);
    holder = darn_os_thread_id();
}

static void give_lock(void)
{
    holder = 0;
    darn_spin_unlock(&lock);
}

static struct darn_known_finding *find_or_add(uint64_t id)
{
    for (uint32_t i = 0; i < count; i++) {
        if (findings[i].id == id)
            return &findings[i];
    }
    if (count == FINDINGS)
        return NULL;
    findings[count].id = id;
    return &findings[count++];
}

/* Counts it. Returns it if it is new, and has to be described and delivered: under the lock. */
static struct darn_known_finding *find_new(uint64_t id)
{
    struct darn_known_finding *finding = find_or_add(id);

    if (!finding)
        darn_count(DARN_COUNT_FINDINGS_FULL);
    return finding && atomic_fetch_add(&finding->count, 1) == 0 ? finding : NULL;
}

/* What a new finding came to. */
static void settle(struct darn_known_finding *finding, enum darn_delivery verdict)
{
    finding->suppressed = verdict == DARN_SUPPRESSED;
    if (!finding->suppressed)
        atomic_fetch_add(&reported, 1);
}

/* After the lock is given back: a new finding (NULL: there is none) may be the end of the program.
 */
static void halt_after(const struct darn_known_finding *finding)
{
    if (finding && !finding->suppressed && darn_state.options.halt_on_error)
        darn_os_exit(darn_finish((int)darn_state.options.exitcode));
}

/* What was seen before is only counted, without waiting for a report that is on its way. */
static bool is_known(uint64_t id)
{
    uint32_t known = atomic_load(&count);

    for (uint32_t i = 0; i < known; i++) {
        if (findings[i].id == id && atomic_load(&findings[i].count)) {
            atomic_fetch_add(&findings[i].count, 1);
            return true;
        }
    }
    return false;
}

/*
 * A race with a read that may be the waiting half of a hand-made synchronization is put off until
 * the end of the run, or until the spin is recognised: then it is none.
 */
#define DEFERRED 16

static struct {
    bool used;
    struct darn_race race;
    struct darn_side first, second;
} deferred[DEFERRED];
static struct darn_spin deferred_lock; /* protects the above; taken with signals blocked */
static bool has_deferred;

static bool may_be_spin(const struct darn_race *race)
{
    const struct darn_touch *a = &race->first->touch;
    const struct darn_touch *b = race->second ? &race->second->touch : NULL;

    if (!b || !a->site || !b->site || darn_state.options.report_spins || darn_state.finished)
        return false;
    /* An exchange against a plain store may be a lock whose loop has not had to wait yet. */
    return darn_spins_may_wait(a, b) || darn_spins_may_wait(b, a) ||
           (a->atomic != b->atomic && !darn_state.options.halt_on_error);
}

static bool is_same(const struct darn_race *a, const struct darn_race *b)
{
    return a->first->touch.site == b->first->touch.site &&
           a->second->touch.site == b->second->touch.site;
}

/* Returns whether the race need not be reported now. */
static bool defer(const struct darn_race *race)
{
    bool done = false;

    darn_crash_watch();
    darn_spin_lock(&deferred_lock);
    for (int i = 0; i < DEFERRED && !done; i++) {
        if (deferred[i].used && is_same(&deferred[i].race, race)) {
            done = true;
        } else if (!deferred[i].used) {
            deferred[i].used = done = has_deferred = true;
            deferred[i].race = *race;
            deferred[i].first = *race->first;
            deferred[i].second = *race->second;
            deferred[i].race.first = &deferred[i].first;
            deferred[i].race.second = &deferred[i].second;
        }
    }
    darn_spin_unlock(&deferred_lock);
    return done;
}

static bool is_synchronization(const struct darn_race *race)
{
    return race->second && !darn_state.options.report_spins &&
           darn_spins_synchronize(&race->first->touch, &race->second->touch);
}

void darn_findings_recognised(void)
{
    uint64_t mask;

    if (!has_deferred)
        return;
    mask = darn_os_block_signals();
    darn_spin_lock(&deferred_lock);
    for (int i = 0; i < DEFERRED; i++) {
        if (deferred[i].used && is_synchronization(&deferred[i].race)) {
            deferred[i].used = false;
            darn_count(DARN_COUNT_SPINS_FILTERED);
        }
    }
    darn_spin_unlock(&deferred_lock);
    darn_os_restore_signals(mask);
}

void darn_findings_undefer(void)
{
    darn_findings_recognised();
    for (int i = 0; i < DEFERRED; i++) {
        if (deferred[i].used) {
            deferred[i].used = false;
            darn_finding_race(&deferred[i].race);
        }
    }
}

void darn_finding_race(const struct darn_race *race)
{
    const char *variable = common_variable(race->first, race->second);
    uint64_t id = fingerprint_race(race, variable);
    struct darn_known_finding *finding;

    if (is_synchronization(race)) {
        darn_count(DARN_COUNT_SPINS_FILTERED);
        return;
    }
    if (is_known(id) || (may_be_spin(race) && defer(race)))
        return;
    take_lock();
    if (!race->second && !is_believable(race)) {
        give_lock();
        darn_count(DARN_COUNT_UNKNOWN_ONCE);
        return;
    }
    finding = find_new(id);
    if (finding) {
        describe(finding, DARN_KIND_RACE, race->first, variable);
        finding->site = race->first->touch.site;
        finding->other = race->second ? race->second->touch.site : NULL;
        finding->unknown = !race->second;
        darn_crash_watch();
        settle(finding, darn_deliver_race(race, id, variable));
    }
    give_lock();
    if (finding && darn_healing)
        darn_heal_learn(finding->site, finding->other);
    halt_after(finding);
}

/* As src/report/identity.c makes it of the same violation in a controlled run: by the three
 * accesses in whatever order. */
static uint64_t fingerprint_violation(const struct darn_violation *violation, const char *variable)
{
    const struct darn_side *sides[] = {violation->entry, violation->remote, violation->end};
    uint64_t hash = darn_hash_string(DARN_HASH_START, DARN_KIND_VIOLATION), places[3];

    for (int i = 0; i < 3; i++) {
        uint64_t place = darn_hash_string(hash_site(hash, sides[i]), darn_part_op(sides[i]));
        int at = i;

        for (; at > 0 && places[at - 1] > place; at--)
            places[at] = places[at - 1];
        places[at] = place;
    }
    for (int i = 0; i < 3; i++)
        hash = hash * 31 + places[i];
    return darn_hash_variable(hash, variable);
}

void darn_finding_violation(const struct darn_violation *violation)
{
    const char *variable = common_variable(violation->remote, violation->end);
    struct darn_known_finding *finding;
    uint64_t id;

    if (!*variable)
        variable = variable_of(violation->entry);
    id = fingerprint_violation(violation, variable);
    if (is_known(id))
        return;
    take_lock();
    finding = find_new(id);
    if (finding) {
        describe(finding, DARN_KIND_VIOLATION, violation->entry, variable);
        darn_crash_watch();
        settle(finding, darn_deliver_violation(violation, id, variable));
    }
    give_lock();
    if (finding && darn_healing)
        darn_heal_learn(violation->entry->touch.site, violation->end->touch.site);
    halt_after(finding);
}

/* By what they wait for, and where: the threads may come in any order. */
static uint64_t fingerprint_stuck(const struct darn_stuck *stuck)
{
    uint64_t sum = darn_hash_string(DARN_HASH_START, stuck->kind);

    for (uint32_t i = 0; i < stuck->count; i++) {
        const struct darn_stuck_thread *thread = &stuck->threads[i];
        uint64_t hash = darn_hash_number(DARN_HASH_START, (uint32_t)thread->target);

        for (uint32_t j = 0; j < 2 && j < thread->side.stack.depth; j++)
            hash = darn_hash_number(hash, (uint32_t)thread->side.stack.pcs[j]);
        sum += hash;
    }
    return sum;
}

void darn_finding_stuck(const struct darn_stuck *stuck)
{
    uint64_t id = fingerprint_stuck(stuck);
    struct darn_known_finding *finding;

    /* A learning run has no more to learn; the run after it shows the same, and reports it. */
    if (darn_state.mode == DARN_MODE_LEARN)
        darn_os_exit(darn_finish(0));
    if (is_known(id))
        return;
    take_lock();
    finding = find_new(id);
    if (finding) {
        finding->kind = stuck->kind;
        finding->stack = stuck->threads[0].side.stack;
        darn_crash_watch();
        settle(finding, darn_deliver_stuck(stuck, id));
    }
    give_lock();
    halt_after(finding);
}

const struct darn_known_finding *darn_findings_lock(uint32_t *number)
{
    uint64_t end = darn_os_now() + PATIENCE;

    while (!darn_spin_try(&lock)) {
        if (darn_os_now() > end || holder == darn_os_thread_id())
            return NULL;
        darn_os_sleep(1000000);
    }
    *number = count;
    return findings;
}

void darn_findings_unlock(void)
{
    darn_spin_unlock(&lock);
}

void darn_findings_predicted(void)
{
    atomic_fetch_add(&reported, 1);
}

bool darn_findings_any_stuck(void)
{
    for (uint32_t i = 0; i < count; i++) {
        if (findings[i].stack.depth && findings[i].count)
            return true;
    }
    return false;
}

bool darn_findings_any(void)
{
    return count || has_deferred;
}

uint32_t darn_findings_reported(void)
{
    return atomic_load(&reported);
}

bool darn_findings_seen(void)
{
    for (uint32_t i = 0; i < count; i++) {
        if (findings[i].count)
            return true;
    }
    return false;
}

void darn_findings_before_fork(void)
{
    darn_spin_lock(&lock);
}

void darn_findings_after_fork(bool child)
{
    if (child) {
        memset(deferred, 0, sizeof(deferred));
        darn_spin_unlock(&deferred_lock);
        atomic_store(&reported, 0);
        for (uint32_t i = 0; i < count; i++)
            findings[i].count = 0;
    }
    darn_spin_unlock(&lock);
}
