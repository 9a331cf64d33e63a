/* The sections of a module that are to be healed become rules. */
#include <stddef.h>
#include <string.h>

#include "runtime/heal/cures.h"
#include "runtime/heal/gates.h"
#include "runtime/section/rules_private.h"

/* ---- rules ---- */

static uint8_t bits_of(uint8_t kind)
{
    return kind == DARN_SITE_READ    ? DARN_ALLOW_READ
           : kind == DARN_SITE_WRITE ? DARN_ALLOW_WRITE
                                     : DARN_ALLOW_ALL;
}

/* What the section does, and what all of its ends allow others to do meanwhile. */
static void sum_up(struct darn_rule *rule)
{
    rule->allows = DARN_ALLOW_ALL;
    for (uint32_t i = 0; i < rule->count; i++) {
        const struct darn_rule_point *point = &rule->points[i];

        if (point->role <= DARN_ROLE_END)
            rule->ops |= bits_of(point->kind);
        if (point->role == DARN_ROLE_END)
            rule->allows &= point->allow;
    }
    if (rule->kind == DARN_SECTION_ORDER && rule->count)
        rule->ops = bits_of(rule->points[0].kind);
    if (rule->kind == DARN_SECTION_RACE || rule->kind == DARN_SECTION_ORDER)
        rule->allows = rule->ops == DARN_ALLOW_READ ? DARN_ALLOW_READ : 0;
}

/* What the program has, or, where that has no record of it, the repository. NULL: there is no
 * memory, or there is such a rule. */
static struct darn_rule *add_rule(struct darn_cure *cure, const struct darn_match_section *section)
{
    struct darn_rule like = {.variable = cure->wanted.section.variable,
                             .line = cure->line,
                             .kind = section->kind,
                             .with = darn_cures_way(section->inside),
                             .cure = cure};
    struct darn_rule *rule = darn_rules_make(&like, &cure->wanted, section);

    if (!rule)
        return NULL;
    sum_up(rule);
    darn_rules_add(rule);
    if (cure->gate)
        darn_gate_matches(cure->gate);
    return rule;
}

/* The section that the cure means. */
static void add_meant(void *unused, struct darn_match_wanted *wanted,
                      const struct darn_match_found *found)
{
    struct darn_cure *cure = (struct darn_cure *)wanted; /* its first member */

    (void)unused;
    if (!add_rule(cure, &found->section))
        return;
    darn_cures_add_name(found->section.variable);
    cure->inside = found->section.inside;
    cure->with = darn_cures_way(found->section.inside);
}

/* ---- what goes on where a section ends ---- */

static bool ends_at(const struct darn_rule *rule, uint64_t key)
{
    for (uint32_t i = 0; i < rule->count; i++) {
        if (rule->points[i].role == DARN_ROLE_END && rule->points[i].key == key)
            return true;
    }
    return false;
}

/*
 * A value that was tested is read again, and what is computed from it is written: the use is a
 * load-and-store section that begins where the test-and-use section ends. Both belong together:
 * two threads that have tested the value must not both go on to write.
 */
static void add_chained(struct darn_rule *rule, const struct darn_match *match)
{
    for (uint32_t i = 0; i < match->found_count; i++) {
        struct darn_match_found *found = &match->found[i];
        const struct darn_section_point *entry = found->section.entry;

        if (!entry || !ends_at(rule, entry->key) ||
            !darn_match_goes_along(&rule->cure->wanted.section, &found->section))
            continue;
        rule->ops |= DARN_ALLOW_WRITE;
        if (!found->is_claimed)
            add_rule(rule->cure, &found->section);
        found->is_claimed = true;
    }
}

static void add_all_chained(const struct darn_match *match)
{
    for (struct darn_rule *rule = darn_rules(); rule; rule = rule->next) {
        if (rule->cure && !rule->cure->gate && !(rule->ops & DARN_ALLOW_WRITE))
            add_chained(rule, match);
    }
}

/* ---- companions ---- */

static struct darn_cure *cure_over(const struct darn_match_section *section)
{
    for (struct darn_cure *cure = darn_cures(); cure; cure = cure->next) {
        if (cure->wanted.how >= DARN_MATCH_MOVED &&
            darn_match_goes_along(&cure->wanted.section, section))
            return cure;
    }
    return NULL;
}

/*
 * What reads the variable and writes it back elsewhere is healed as well, whoever knows of it. By
 * its name it may be another variable; so only at addresses where one of the repository's own has
 * been.
 */
static void add_companions(const struct darn_match *match)
{
    for (uint32_t i = 0; i < match->found_count; i++) {
        const struct darn_match_found *found = &match->found[i];
        bool is_free = found->section.entry && !found->is_claimed;
        struct darn_cure *cure = is_free ? cure_over(&found->section) : NULL;
        struct darn_rule *rule = cure ? add_rule(cure, &found->section) : NULL;

        if (!rule)
            continue;
        rule->companion = true;
        for (cure = darn_cures(); cure; cure = cure->next)
            cure->has_companion |= darn_match_goes_along(&cure->wanted.section, &found->section);
    }
}

/* ---- accesses that are named one by one ---- */

static void add_by_sites(struct darn_cure *cure, const struct darn_section_module *module)
{
    struct darn_match_section section;
    struct darn_section_point moved;

    if (darn_wanted_by_sites(&cure->wanted, module, &section, &moved) && !add_rule(cure, &section))
        cure->wanted.how = DARN_MATCH_NONE;
}

/* ---- modules ---- */

static struct darn_section_module *modules;

const struct darn_section_module *darn_cures_modules(void)
{
    return modules;
}

static uint32_t list_cures(struct darn_match_wanted **list)
{
    uint32_t count = 0;

    for (struct darn_cure *cure = darn_cures(); cure; cure = cure->next) {
        if (list)
            list[count] = &cure->wanted;
        count++;
    }
    return count;
}

/* False: there is no memory. */
static bool take_match(struct darn_match *match, const struct darn_section_module *module)
{
    if (!darn_wanted_open(match, module, list_cures))
        return false;
    match->meant = add_meant;
    return true;
}

bool darn_cures_have(const struct darn_section_record *record)
{
    struct darn_match_section section = darn_match_of_record(record);

    for (const struct darn_cure *cure = darn_cures(); cure; cure = cure->next) {
        if (darn_match_is_at_place(&cure->wanted.section, &section))
            return true;
    }
    return false;
}

void darn_cures_resolve_one(struct darn_cure *cure, const struct darn_section_module *module)
{
    struct darn_match match;

    if (!take_match(&match, module))
        return;
    darn_match_add(&match, &cure->wanted);
    add_all_chained(&match);
    add_companions(&match);
    darn_wanted_close(&match);
    add_by_sites(cure, module);
}

static void remember(const struct darn_section_module *module)
{
    struct darn_section_module *own = darn_rules_take(sizeof(*own));

    if (!own)
        return;
    for (struct darn_section_module **at = &modules; *at;) { /* what lay there was unloaded */
        if ((*at)->start < module->stop && module->start < (*at)->stop)
            *at = (*at)->next;
        else
            at = &(*at)->next;
    }
    *own = *module;
    own->next = modules;
    modules = own;
}

void darn_cures_resolve(const struct darn_section_module *module)
{
    struct darn_match match;

    remember(module);
    if (!darn_cures() || !take_match(&match, module))
        return;
    darn_match_module(&match);
    add_all_chained(&match);
    add_companions(&match);
    darn_wanted_close(&match);
    for (struct darn_cure *cure = darn_cures(); cure; cure = cure->next)
        add_by_sites(cure, module);
}
