#include "runtime/report/found.h"

#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#include "base/fingerprint.h"
#include "base/hash.h"
#include "base/text.h"
#include "runtime/os/os.h"
#include "runtime/os/os_spin.h"
#include "runtime/report/counters.h"
#include "runtime/report/crash.h"
#include "runtime/report/deferred.h"
#include "runtime/report/deliver.h"
#include "runtime/report/fingerprints.h"
#include "runtime/report/found_cause.h"
#include "runtime/spin/spins.h"
#include "runtime/state.h"
#include "runtime/thread/misuse.h"
#include "runtime/thread/stuck.h"
#include "runtime/watch/sampler.h"

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

static darn_found_learn *learn; /* NULL: nobody wants to know */

void darn_findings_teach(darn_found_learn *who)
{
    learn = who;
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

/* As the compiler was given it. */
static void name_file(char *to, size_t size, const struct darn_site *site)
{
    const char *dir = darn_site_dir(site);
    size_t length = strlen(dir);
    struct darn_text text;

    darn_text_start(&text, to, size);
    if (length && dir[length - 1] == '/')
        darn_text_add(&text, dir);
    darn_text_add(&text, darn_site_file(site));
}

/* Names it by the side that its report begins with. */
static void describe(struct darn_known_finding *finding, const char *kind,
                     const struct darn_side *side, const char *variable)
{
    const struct darn_site *site = side->touch.site;

    finding->kind = kind;
    copy_text(finding->variable, sizeof(finding->variable), variable);
    if (!site) {
        finding->stack = side->stack;
        return;
    }
    finding->line = site->line;
    name_file(finding->file, sizeof(finding->file), site);
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

/* What a finding came to. */
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

/* What was seen before is only counted, without waiting for a report that is on its way. NULL: it
 * was not. */
static struct darn_known_finding *count_known(uint64_t id)
{
    uint32_t known = atomic_load(&count);

    for (uint32_t i = 0; i < known; i++) {
        if (findings[i].id == id && atomic_load(&findings[i].count)) {
            atomic_fetch_add(&findings[i].count, 1);
            return &findings[i];
        }
    }
    return NULL;
}

/* One that is predicted is put off for so many nanoseconds. */
#define MOMENT UINT64_C(300000000)

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

static bool is_synchronization(const struct darn_race *race)
{
    return race->second && !darn_state.options.report_spins &&
           darn_spins_synchronize(&race->first->touch, &race->second->touch);
}

static bool is_recognised(const struct darn_race *race)
{
    bool is_none = is_synchronization(race);

    if (is_none)
        darn_count(DARN_COUNT_SPINS_FILTERED);
    return is_none;
}

void darn_findings_recognised(void)
{
    uint64_t mask;

    if (!darn_deferred_any())
        return;
    mask = darn_os_block_signals();
    darn_deferred_drop(is_recognised);
    darn_os_restore_signals(mask);
}

static void report_race(const struct darn_race *race);

static void report_due(uint64_t time)
{
    struct darn_side sides[2];
    struct darn_race race;

    while (darn_deferred_take(time, &race, sides))
        report_race(&race);
}

void darn_findings_due(void)
{
    uint64_t mask;

    if (!darn_deferred_any())
        return;
    mask = darn_os_block_signals();
    report_due(darn_os_now());
    darn_os_restore_signals(mask);
}

void darn_findings_hurry(void)
{
    uint64_t mask;

    if (!darn_deferred_any())
        return;
    mask = darn_os_block_signals();
    report_due(UINT64_MAX);
    darn_os_restore_signals(mask);
}

void darn_findings_undefer(void)
{
    darn_findings_recognised();
    report_due(UINT64_MAX);
}

/* Whether it is enough to count a race that is a variant: nobody wants to have each, and none may
 * have to be suppressed. */
static bool is_counted_only(const struct darn_known_finding *finding)
{
    const struct darn_options *options = &darn_state.options;

    return finding->variant_of && !options->all && !options->json[0] && !options->suppressions[0] &&
           darn_cause_is_told(findings, count, finding);
}

static enum darn_delivery deliver_race(struct darn_known_finding *finding,
                                       const struct darn_race *race)
{
    struct darn_race told = *race;

    told.variant_of = finding->variant_of = darn_cause_find(findings, count, finding);
    if (is_counted_only(finding))
        return DARN_REPORTED;
    return darn_deliver_race(&told, finding->id, finding->variable);
}

static void report_race(const struct darn_race *race)
{
    const char *variable = darn_race_variable(race->first, race->second);
    uint64_t id = darn_race_fingerprint(race, variable);
    struct darn_known_finding *finding;

    if (count_known(id))
        return;
    take_lock();
    if (!race->second && !is_believable(race)) {
        give_lock();
        darn_count(DARN_COUNT_UNKNOWN_ONCE);
        darn_sampler_aim(race->first->touch.site);
        return;
    }
    finding = find_new(id);
    if (finding) {
        describe(finding, DARN_KIND_RACE, race->first, variable);
        darn_cause_describe(finding, race);
        finding->unknown = !race->second;
        finding->is_predicted = race->is_predicted;
        darn_crash_watch();
        settle(finding, deliver_race(finding, race));
    }
    give_lock();
    if (finding && learn)
        learn(finding->site, finding->other);
    halt_after(finding);
}

/* What was predicted, and reported, has now been caught in the act: that is told once. It stays one
 * finding. */
static void report_met(struct darn_known_finding *finding, const struct darn_race *race)
{
    struct darn_race met = *race;

    met.was_predicted = true;
    take_lock();
    if (atomic_exchange(&finding->is_predicted, false) && !finding->suppressed)
        (void)deliver_race(finding, &met);
    give_lock();
}

/* Windows are aimed at both places. Returns whether it need not be reported now. */
static bool put_off_predicted(const struct darn_race *race)
{
    darn_sampler_aim(race->first->touch.site);
    darn_sampler_aim(race->second->touch.site);
    return darn_state.options.report == DARN_REPORT_OBSERVED ||
           (!darn_state.options.halt_on_error && !darn_state.finished && !may_be_spin(race) &&
            darn_deferred_add(race, darn_os_now() + MOMENT));
}

void darn_finding_race(const struct darn_race *race)
{
    struct darn_known_finding *known;

    if (is_synchronization(race)) {
        darn_count(DARN_COUNT_SPINS_FILTERED);
        return;
    }
    known = count_known(darn_race_fingerprint(race, darn_race_variable(race->first, race->second)));
    if (known) {
        if (!race->is_predicted && atomic_load(&known->is_predicted))
            report_met(known, race);
        return;
    }
    if (race->is_predicted && put_off_predicted(race))
        return;
    if (!race->is_predicted && race->second)
        darn_deferred_drop_predicted(race);
    if (may_be_spin(race) && darn_deferred_add(race, UINT64_MAX))
        return;
    report_race(race);
}

void darn_finding_violation(const struct darn_violation *violation)
{
    const char *variable = darn_race_variable(violation->remote, violation->end);
    struct darn_known_finding *finding;
    uint64_t id;

    if (!*variable)
        variable = darn_side_variable(violation->entry);
    id = darn_violation_fingerprint(violation, variable);
    if (count_known(id))
        return;
    take_lock();
    finding = find_new(id);
    if (finding) {
        describe(finding, DARN_KIND_VIOLATION, violation->entry, variable);
        darn_crash_watch();
        settle(finding, darn_deliver_violation(violation, id, variable));
    }
    give_lock();
    if (finding && learn)
        learn(violation->entry->touch.site, violation->end->touch.site);
    halt_after(finding);
}

void darn_finding_stuck(const struct darn_stuck *stuck)
{
    uint64_t id = darn_stuck_fingerprint(stuck);
    struct darn_known_finding *finding;

    /* A learning run has no more to learn; the run after it shows the same, and reports it. */
    if (darn_state.mode == DARN_MODE_LEARN)
        darn_os_exit(darn_finish(0));
    if (count_known(id))
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

/* Where it dies; a report that hangs, or has crashed itself, is not waited for. */
void darn_finding_crash(const struct darn_crash *crash)
{
    uint64_t id = darn_hash_number(darn_hash_string(DARN_HASH_START, DARN_KIND_FAILURE),
                                   (uint32_t)crash->number);
    const struct darn_stack *stack = &crash->side.stack;
    struct darn_known_finding *finding;
    uint32_t known;

    for (uint32_t i = 0; i < 2 && i < stack->depth; i++)
        id = darn_hash_number(id, (uint32_t)stack->pcs[i]);
    if (!darn_findings_lock(&known))
        return;
    finding = find_new(id);
    if (finding) {
        finding->kind = DARN_KIND_FAILURE;
        finding->stack = *stack;
        settle(finding, darn_deliver_crash(crash, id));
    }
    darn_findings_unlock();
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
        if (findings[i].stack.depth && findings[i].count &&
            strcmp(findings[i].kind, DARN_KIND_MISUSE) != 0 &&
            strcmp(findings[i].kind, DARN_KIND_FAILURE) != 0)
            return true;
    }
    return false;
}

bool darn_findings_any(void)
{
    return count || darn_deferred_any();
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
        darn_deferred_after_fork();
        atomic_store(&reported, 0);
        for (uint32_t i = 0; i < count; i++)
            findings[i].count = 0;
    }
    darn_spin_unlock(&lock);
}
