/*
 * What is to be healed so that a finding does not happen again.
 *
 * An atomicity violation: the section that was violated. A data race: the sections of the program
 * that begin or end with one of its accesses, and for an access that is in none a section of this
 * one access. They are looked up in what the compiler has recorded in the program: a finding alone
 * does not know the ways out of a section.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "driver/heal/healing.h"
#include "driver/heal/heal_deadlock.h"
#include "driver/heal/heal_from_private.h"
#include "driver/heal/heal_site.h"
#include "report/report_kinds.h"
#include "report/violation.h"
#include "section/alias.h"

/* ---- the lines of a fix ---- */

static void add_range(struct darn_heal_making *making, struct darn_fix_range range)
{
    struct darn_heal_fix *fix = making->fix;

    if (!range.first)
        return; /* nobody knows the lines */
    for (size_t i = 0; i < fix->count; i++) {
        const struct darn_fix_range *known = &fix->ranges[i];

        if (strcmp(known->file, range.file) == 0 && known->first <= range.first &&
            known->last >= range.last)
            return;
    }
    if (fix->count < DARN_HEAL_RANGES)
        fix->ranges[fix->count++] = range;
}

/* ---- the repository ---- */

void darn_heal_add_section(struct darn_heal_making *making, const struct darn_section *section)
{
    struct darn_sections *repository = &making->heal->repository;
    bool known = false;

    for (size_t i = 0; i < repository->count && !known; i++)
        known = darn_heal_is_same(repository->list[i], section);
    if (!known)
        darn_sections_add(repository, section);
    making->made++;
    if (section->kind != DARN_SECTION_ORDER)
        add_range(making, darn_heal_range(section));
}

static bool has_point(const struct darn_section *section, const struct darn_finding *finding,
                      const struct darn_finding_access *access)
{
    if (!access->line && finding->variable &&
        !darn_variable_same(section->variable, finding->variable))
        return false;
    for (uint32_t i = 0; i < section->count; i++)
        if (darn_heal_is_point_of(&section->points[i], access))
            return true;
    return false;
}

/* All recorded sections that begin or end with the access; with `pairs` those of this kind, else
 * the others. How many there are. */
static size_t add_sections_of(struct darn_heal_making *making, int number, bool pairs)
{
    const struct darn_sections *recorded = &making->heal->elf.sections;
    size_t count = 0;

    for (size_t i = 0; i < recorded->count; i++) {
        const struct darn_section *section = recorded->list[i];

        if ((section->kind == DARN_SECTION_PAIR) != pairs ||
            !has_point(section, making->finding, &making->finding->accesses[number]))
            continue;
        darn_heal_add_section(making, section);
        count++;
    }
    return count;
}

/* The name that the program has for it: findings may have a better one, which no site has. */
static const char *variable_of(const struct darn_finding *finding,
                               const struct darn_image_site *site)
{
    return *site->variable ? site->variable : finding->variable ? finding->variable : "";
}

struct darn_section *darn_heal_new_section(const struct darn_finding *finding,
                                           const struct darn_image_site *site, uint8_t kind)
{
    struct darn_section *section = darn_need_memory(calloc(1, sizeof(*section)));

    section->variable = variable_of(finding, site);
    section->file = site->file;
    section->function = site->function;
    section->kind = kind;
    section->points[section->count++] = darn_heal_point_of(site, DARN_ROLE_ENTRY);
    return section;
}

static void say_no_site(const struct darn_heal *heal, const struct darn_finding_access *access)
{
    if (heal->compiled) /* else it is said once for all */
        darn_tell_warning(heal->listener, "%s:%u: the program has no such access: it is not healed",
                          access->file, access->line);
}

static void add_race(struct darn_heal_making *making, int number)
{
    const struct darn_finding_access *access = &making->finding->accesses[number];
    const struct darn_image_site *site = darn_heal_site_of(making->heal, making->finding, access);
    struct darn_section *section;

    if (!site) {
        say_no_site(making->heal, access);
        return;
    }
    if (!site->record.line)
        return; /* the repository has no place for it */
    section = darn_heal_new_section(making->finding, site, DARN_SECTION_RACE);
    darn_heal_add_section(making, section);
    free(section);
}

/* An access that races with itself stands there twice. */
static bool is_repeated(const struct darn_finding *finding, size_t number)
{
    const struct darn_finding_access *access = &finding->accesses[number];

    for (size_t i = 0; i < number; i++) {
        const struct darn_finding_access *other = &finding->accesses[i];

        if (other->op == access->op && other->line == access->line &&
            other->column == access->column && other->file &&
            strcmp(other->file, access->file) == 0)
            return true;
    }
    return false;
}

/* One of the two accesses is to come first, whatever threads make them. */
static bool add_order(struct darn_heal_making *making, int first)
{
    const struct darn_finding_access *accesses = making->finding->accesses;
    const struct darn_image_site *entry =
        darn_heal_site_of(making->heal, making->finding, &accesses[first]);
    const struct darn_image_site *end =
        darn_heal_site_of(making->heal, making->finding, &accesses[!first]);
    struct darn_section *section;

    if (!darn_heal_is_access(&accesses[0]) || !darn_heal_is_access(&accesses[1]) || !entry ||
        !end || !entry->record.line || !end->record.line || entry == end)
        return false;
    section = darn_heal_new_section(making->finding, entry, DARN_SECTION_ORDER);
    section->until = accesses[first].op == DARN_OP_READ ? DARN_UNTIL_GONE : DARN_UNTIL_DONE;
    section->points[section->count] = darn_heal_point_of(end, DARN_ROLE_END);
    section->points[section->count++].allow =
        darn_section_allows(entry->record.kind, end->record.kind);
    darn_heal_add_section(making, section);
    free(section);
    return true;
}

/* Runs in which this access came first ended well, and no others did. */
static bool is_right_first(const struct darn_finding *finding, int first)
{
    return finding->well[first] >= DARN_HEAL_CLEAR && !finding->badly[first] &&
           finding->badly[!first] >= DARN_HEAL_CLEAR && !finding->well[!first];
}

/* What one of the two ends, or takes apart, the other still uses: whoever ends it waits. */
static bool heal_life(struct darn_heal_making *making)
{
    struct darn_heal *heal = making->heal;
    int ender = darn_heal_ender(making->finding, heal->findings.list, heal->findings.count);
    struct darn_heal_why why = {""};

    if (ender < 0)
        return false;
    if (darn_heal_life_from(making->finding, ender, &heal->signatures, &why) < 0) {
        if (heal->compiled && add_order(making, !ender))
            return true;
        darn_tell_warning(heal->listener,
                          "nobody waits before it ends, the race is healed in "
                          "part at most: %s",
                          why.text);
        return false;
    }
    making->made++;
    return true;
}

static void heal_race(struct darn_heal_making *making)
{
    if (heal_life(making))
        return;
    for (int first = 0; first < 2 && making->finding->access_count == 2; first++)
        if (is_right_first(making->finding, first))
            add_order(making, first);
    for (size_t i = 0; i < making->finding->access_count; i++) {
        if (!darn_heal_is_access(&making->finding->accesses[i]) || is_repeated(making->finding, i))
            continue;
        if (!add_sections_of(making, (int)i, false) && !add_sections_of(making, (int)i, true))
            add_race(making, (int)i);
    }
}

/* ---- violations ---- */

/* How well the recorded section is the one that was violated; 0: not at all. */
static int fit_of(const struct darn_section *section, const struct darn_finding *finding)
{
    const char *kind = darn_section_kind_name(section->kind);
    bool ends = false;

    if (!darn_heal_is_point_of(&section->points[0], &finding->accesses[DARN_VIOLATION_ENTRY]))
        return 0;
    for (uint32_t i = 1; i < section->count; i++)
        ends |= section->points[i].role == DARN_ROLE_END &&
                darn_heal_is_point_of(&section->points[i], &finding->accesses[DARN_VIOLATION_END]);
    if (!ends)
        return 0;
    if (kind && finding->section.kind && strcmp(kind, finding->section.kind) == 0)
        return 3;
    return section->kind == DARN_SECTION_PAIR ? 1 : 2;
}

static const struct darn_section *find_violated(const struct darn_heal_making *making)
{
    const struct darn_sections *recorded = &making->heal->elf.sections;
    const struct darn_section *best = NULL;
    int fit = 0;

    for (size_t i = 0; i < recorded->count; i++) {
        int other = fit_of(recorded->list[i], making->finding);

        if (other > fit) {
            fit = other;
            best = recorded->list[i];
        }
    }
    return best;
}

/* A violation may be about several variables: a section is about one. */
static bool is_one_variable(const struct darn_image_site *entry, const struct darn_image_site *end)
{
    return !*entry->variable || !*end->variable ||
           darn_variable_same(entry->variable, end->variable);
}

/* Nobody has recorded a section from the first access to the last: it is written down by hand. What
 * is between is not known. */
static void add_by_hand(struct darn_heal_making *making)
{
    const struct darn_finding_access *first = &making->finding->accesses[DARN_VIOLATION_ENTRY];
    const struct darn_finding_access *last = &making->finding->accesses[DARN_VIOLATION_END];
    const struct darn_image_site *entry = darn_heal_site_of(making->heal, making->finding, first);
    const struct darn_image_site *end = darn_heal_site_of(making->heal, making->finding, last);
    struct darn_section *section;

    if (!entry || !end) {
        say_no_site(making->heal, entry ? last : first);
        return;
    }
    if (!is_one_variable(entry, end) || !entry->record.line || !end->record.line)
        return;
    section = darn_heal_new_section(making->finding, entry, DARN_SECTION_HAND);
    section->inside = DARN_SECTION_UNKNOWN;
    if (strcmp(entry->function, end->function) != 0)
        section->inside |= DARN_SECTION_ACROSS;
    section->points[section->count] = darn_heal_point_of(end, DARN_ROLE_END);
    section->points[section->count++].allow =
        darn_section_allows(entry->record.kind, end->record.kind);
    darn_heal_add_section(making, section);
    free(section);
}

/* The other thread waits by itself; but a fix concerns its lines, too: those of its own section, if
 * it is in one. */
static void add_remote(struct darn_heal_making *making, const struct darn_finding_access *remote)
{
    const struct darn_sections *recorded = &making->heal->elf.sections;
    const char *file = remote->site_file ? remote->site_file : remote->file;
    struct darn_fix_range range = {.file = file, .first = remote->line, .last = remote->line};

    for (size_t i = 0; i < recorded->count; i++) {
        if (recorded->list[i]->kind == DARN_SECTION_PAIR ||
            !has_point(recorded->list[i], making->finding, remote))
            continue;
        range = darn_heal_range(recorded->list[i]);
        break;
    }
    add_range(making, range);
}

static void heal_violation(struct darn_heal_making *making)
{
    const struct darn_finding *finding = making->finding;
    const struct darn_finding_access *remote = &finding->accesses[DARN_VIOLATION_REMOTE];
    const struct darn_section *section;

    if (!darn_violation_is_whole(finding) ||
        !darn_heal_is_access(&finding->accesses[DARN_VIOLATION_ENTRY]) ||
        !darn_heal_is_access(&finding->accesses[DARN_VIOLATION_END]))
        return;
    section = find_violated(making);
    if (section)
        darn_heal_add_section(making, section);
    else
        add_by_hand(making);
    if (darn_heal_is_access(remote))
        add_remote(making, remote);
}

/* ---- all ---- */

/* Another finding that is healed, and that may have led to the failure. */
static const struct darn_finding *cause_of(const struct darn_heal *heal,
                                           const struct darn_finding *failure)
{
    for (size_t i = 0; darn_finding_is(failure, "failure") && i < heal->findings.count; i++)
        if (darn_heal_may_cause(heal->findings.list[i], failure))
            return heal->findings.list[i];
    return NULL;
}

static const char *reason_of(const struct darn_heal *heal, const struct darn_finding *finding)
{
    if (!darn_finding_is(finding, "data-race") && !darn_finding_is(finding, "atomicity-violation"))
        return "only races, atomicity violations, orders and deadlocks are healed";
    if (!heal->compiled)
        return "the program was not compiled by darn cc";
    if (!finding->accesses[0].line)
        return "the optimizer has left no line of its accesses; compile with -O0";
    return darn_finding_is(finding, "data-race")
               ? "its accesses are not in the program"
               : "it has no two accesses to one variable that are in the program";
}

static void say_nothing(const struct darn_heal *heal, const struct darn_finding *finding)
{
    const struct darn_finding_access *access = &finding->accesses[0];
    const struct darn_finding *cause = cause_of(heal, finding);
    const char *variable = finding->variable && *finding->variable ? finding->variable : NULL;
    char place[512];

    snprintf(place, sizeof(place), "%s%s%s%s at %s:%u", finding->kind, variable ? " on '" : "",
             variable ? variable : "", variable ? "'" : "", access->file ? access->file : "?",
             access->line);
    if (cause)
        darn_tell_note(heal->listener, "%s: the %s on '%s' in %s, which is healed, may lead to it",
                       place, cause->kind, cause->variable ? cause->variable : "?",
                       access->function);
    else
        darn_tell_warning(heal->listener, "%s: there is nothing to heal it by: %s", place,
                          reason_of(heal, finding));
}

static void heal_signature(struct darn_heal_making *making)
{
    struct darn_words *signatures = &making->heal->signatures;
    struct darn_heal_why why = {""};
    bool is_order = darn_finding_is(making->finding, "order-violation");
    int result = is_order ? darn_heal_order_from(making->finding, signatures, &why)
                          : darn_heal_deadlocks_from(making->finding, signatures, &why);

    if (result < 0 && is_order && making->heal->compiled && making->finding->access_count == 2 &&
        add_order(making, 0))
        return;
    if (result < 0)
        darn_tell_warning(making->heal->listener, "the %s is not healed: %s",
                          darn_kind_words(making->finding->kind, 1), why.text);
    making->made++; /* it was told */
}

static unsigned ops_of(enum darn_op op)
{
    return op == DARN_OP_READ    ? DARN_ALLOW_READ
           : op == DARN_OP_WRITE ? DARN_ALLOW_WRITE
                                 : DARN_ALLOW_ALL;
}

/* Of one variable, and what the other thread did could not have come before both nor after both:
 * from the one access to the next one of the thread is a section, in whatever functions they are.
 */
static bool take_torn(void *context, const struct darn_finding_access three[3])
{
    struct darn_heal_making *making = context;
    const struct darn_image_site *sites[3];
    struct darn_section *section;
    uint8_t allow;

    for (int i = 0; i < 3; i++) {
        sites[i] = darn_heal_site_of(making->heal, making->finding, &three[i]);
        if (!sites[i] || !*sites[i]->variable ||
            !darn_variable_same(sites[0]->variable, sites[i]->variable))
            return false;
    }
    allow = darn_section_allows(sites[0]->record.kind, sites[2]->record.kind);
    if (!(ops_of(three[1].op) & ~allow))
        return false;
    section = darn_heal_new_section(making->finding, sites[0], DARN_SECTION_LEARNED);
    section->inside = DARN_SECTION_UNKNOWN | DARN_SECTION_ACROSS;
    section->points[section->count] = darn_heal_point_of(sites[2], DARN_ROLE_END);
    section->points[section->count++].allow = allow;
    darn_heal_add_section(making, section);
    free(section);
    return true;
}

static void heal_failure(struct darn_heal_making *making, const char *directory)
{
    const struct darn_heal_torn torn = {take_torn, making};
    const struct darn_finding_access *at = &making->finding->accesses[0];
    struct darn_heal_why why = {""};
    char place[512] = ""; /* what a run prints is wrong nowhere */

    if (*directory && making->heal->compiled && darn_heal_torn_from(directory, &torn))
        return;
    if (at->file && *at->file)
        snprintf(place, sizeof(place), " at %s:%u", at->file, at->line);
    if (darn_heal_switch_from(making->finding, directory, &making->heal->signatures, &why) < 0)
        darn_tell_warning(making->heal->listener, "failure%s: there is nothing to heal it by: %s",
                          place, why.text);
    making->made++; /* it was told */
}

void darn_heal_from(struct darn_heal *heal)
{
    heal->fixes = darn_need_zeroed(heal->findings.count + 1, sizeof(*heal->fixes));
    for (size_t i = 0; i < heal->findings.count; i++) {
        struct darn_heal_making making = {heal, heal->findings.list[i], &heal->fixes[i], 0};

        making.fix->finding = making.finding;
        if (darn_finding_is(making.finding, "deadlock") ||
            darn_finding_is(making.finding, "order-violation"))
            heal_signature(&making);
        else if (darn_finding_is(making.finding, "data-race"))
            heal_race(&making);
        else if (darn_finding_is(making.finding, "atomicity-violation") &&
                 !darn_heal_together(&making))
            heal_violation(&making);
        if (darn_finding_is(making.finding, "failure") && !cause_of(heal, making.finding))
            heal_failure(&making, heal->findings.homes.items[i]);
        if (!making.made)
            say_nothing(heal, making.finding);
    }
}
