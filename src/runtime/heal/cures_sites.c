/* Cures whose accesses are named one by one: learned sections, races, and those by hand. */
#include <string.h>

#include "runtime/heal/cures.h"
#include "runtime/section/rules_parts.h"

static bool is_of_cure(const struct darn_cure *cure, const struct darn_site *site)
{
    return site->kind >= DARN_SITE_LEAVE ||
           darn_variable_same(darn_site_variable(site), cure->shape.variable);
}

static bool has_all_sites(const struct darn_cure *cure, const struct darn_site *start,
                          const struct darn_site *stop)
{
    for (uint32_t i = 0; i < cure->count; i++) {
        const struct darn_site *site = start;

        if (cure->points[i].role == DARN_ROLE_LEAVE)
            continue;
        while (site < stop &&
               (darn_site_key(site) != cure->points[i].key || !is_of_cure(cure, site)))
            site++;
        if (site == stop)
            return false;
    }
    return cure->count != 0;
}

/* The only access of this kind to the variable in the function. */
static const struct darn_site *
find_only(const struct darn_cure *cure, const struct darn_site *start, const struct darn_site *stop)
{
    const struct darn_site *only = NULL;

    for (const struct darn_site *site = start; site < stop; site++) {
        struct darn_shape found = {.file = darn_site_file(site),
                                   .function = darn_site_function(site),
                                   .variable = darn_site_variable(site),
                                   .kind = DARN_SECTION_RACE,
                                   .entry = site->kind};

        if (!darn_shape_means(&cure->shape, &found))
            continue;
        if (only && darn_site_key(only) != darn_site_key(site))
            return NULL;
        only = site;
    }
    return only;
}

/* Learned sections, races, and those by hand need no record. */
void darn_cures_add_by_sites(struct darn_cure *cure, const struct darn_site *start,
                             const struct darn_site *stop)
{
    const struct darn_site *only = NULL;
    struct darn_rule *rule;

    if (cure->shape.kind < DARN_SECTION_LEARNED)
        return;
    if (!has_all_sites(cure, start, stop)) {
        only = cure->shape.kind == DARN_SECTION_RACE ? find_only(cure, start, stop) : NULL;
        if (!only)
            return;
    }
    rule = darn_cures_rule(cure, cure->count);
    if (!rule)
        return;
    for (uint32_t i = 0; i < cure->count; i++) {
        struct darn_rule_point point = cure->points[i];

        if (only)
            point.key = darn_site_key(only);
        darn_rules_add_point(rule, &point);
    }
    darn_cures_sum_up(rule);
    darn_rules_add(rule);
    cure->match = only ? DARN_CURE_MOVED : DARN_CURE_EXACT;
}
