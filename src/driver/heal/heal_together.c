/*
 * A violation over two variables that belong together, as a pointer and its length: one thread has the first of them
 * before another thread has it, and the second one after that. No order of the two threads explains it, whatever
 * each access is by itself.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver/heal/heal_from_private.h"
#include "driver/heal/heal_site.h"
#include "section/alias.h"

/* The accesses in the order in which they happen: the first and the last are by one thread. */
enum { FIRST, OTHER_FIRST, OTHER_LAST, LAST, ACCESSES };

static bool conflict(const struct darn_image_site *one, const struct darn_image_site *other)
{
    return darn_variable_same(one->variable, other->variable) &&
           (one->record.kind != DARN_SITE_READ || other->record.kind != DARN_SITE_READ);
}

static bool find_sites(const struct darn_heal_making *making,
                       const struct darn_image_site *sites[ACCESSES])
{
    const struct darn_finding_access *accesses = making->finding->accesses;

    for (int i = 0; i < ACCESSES; i++) {
        if (!darn_heal_is_access(&accesses[i]))
            return false;
        sites[i] = darn_heal_site_of(making->heal, making->finding, &accesses[i]);
        if (!sites[i] || !*sites[i]->variable || !sites[i]->record.line)
            return false;
    }
    return true;
}

static bool is_torn(const struct darn_image_site *sites[ACCESSES])
{
    return !darn_variable_same(sites[FIRST]->variable, sites[LAST]->variable) &&
           ((conflict(sites[FIRST], sites[OTHER_FIRST]) &&
             conflict(sites[OTHER_LAST], sites[LAST])) ||
            (conflict(sites[FIRST], sites[OTHER_LAST]) &&
             conflict(sites[OTHER_FIRST], sites[LAST])));
}

static void add(struct darn_heal_making *making, const struct darn_image_site *first,
                const struct darn_image_site *last, const char *variables)
{
    struct darn_section *section =
        darn_heal_new_section(making->finding, first, DARN_SECTION_TOGETHER);

    section->variable = variables;
    section->inside = DARN_SECTION_UNKNOWN | DARN_SECTION_ACROSS; /* what is between is not known */
    section->points[section->count] = darn_heal_point_of(last, DARN_ROLE_END);
    section->points[section->count++].allow =
        darn_section_default(section->kind, first->record.kind, last->record.kind);
    darn_heal_add_section(making, section);
    free(section);
}

/* The names are those of the one thread, in the order of the alphabet: two findings about the same pair have one list.
 */
bool darn_heal_together(struct darn_heal_making *making)
{
    const struct darn_image_site *sites[ACCESSES], *low, *high;
    char variables[512];

    if (making->finding->access_count != ACCESSES || !find_sites(making, sites) || !is_torn(sites))
        return false;
    low = strcmp(sites[FIRST]->variable, sites[LAST]->variable) < 0 ? sites[FIRST] : sites[LAST];
    high = low == sites[FIRST] ? sites[LAST] : sites[FIRST];
    if ((size_t)snprintf(variables, sizeof(variables), "%s, %s", low->variable, high->variable) >=
        sizeof(variables))
        return false;
    add(making, sites[FIRST], sites[LAST], variables);
    add(making, sites[OTHER_FIRST], sites[OTHER_LAST], variables);
    return true;
}
