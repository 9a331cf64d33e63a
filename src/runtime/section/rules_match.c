/* Which sites of the modules are points of rules. */
#include <stddef.h>
#include <string.h>

#include "runtime/os/os.h"
#include "runtime/os/os_spin.h"
#include "runtime/section/obeyed.h"
#include "runtime/section/rules.h"
#include "runtime/section/rules_private.h"
#include "runtime/watch/sites.h"
#include "section/match.h"
#include "site/armed.h"

/* The sites that are points, by their address. Replaced as a whole when a module is loaded: asked
 * without a lock. */
struct known_site {
    const struct darn_site *site;
    struct darn_roles roles;
};

struct known_sites {
    uint32_t mask;
    uint32_t used;
    struct known_site items[];
};

static struct known_sites *_Atomic known_sites;

static bool any_begins; /* set once */

bool darn_rules_begin(void)
{
    return any_begins;
}

static bool is_point(const struct darn_rule_point *point, const struct darn_site *site)
{
    const struct darn_rule *rule = point->rule;
    struct darn_match_home home = {rule->function, rule->kind, rule->inside};

    return point->role > DARN_ROLE_END ||
           darn_match_is_point(&home, point->at, darn_site_function(site),
                               (uint32_t)darn_site_inlined(site));
}

/* Entry and end are in the same copy of the section's function (darn_role.copy). What is in a
 * function that is called, or was learned, has its end anywhere. */
static uint32_t copy_of(const struct darn_rule_point *point, const struct darn_site *site)
{
    const struct darn_rule *rule = point->rule;

    if (darn_section_is_anywhere(rule->kind) || rule->inside & DARN_SECTION_ACROSS)
        return 0;
    return darn_site_copy_of(darn_site_inlined(site),
                             strcmp(darn_site_function(site), rule->function) == 0);
}

/* An end that no site is would be passed unseen. */
bool darn_rule_is_whole(const struct darn_rule *rule)
{
    for (uint32_t i = 0; i < rule->count; i++) {
        if (rule->points[i].role == DARN_ROLE_END && !rule->points[i].sites)
            return false;
    }
    return true;
}

/*
 * Names of variables are not compared: a function that was inlined has another name for the same
 * memory in each copy (`*p`, `count`), and a macro has several variables at one place. Entry and
 * end have to touch the same address, and that tells them apart.
 */
static uint32_t count_points(uint64_t key, const struct darn_site *site)
{
    uint32_t count = 0;

    for (struct darn_rule_point *point = darn_rule_buckets[key % DARN_RULE_BUCKETS]; point;
         point = point->next)
        count += point->key == key && is_point(point, site);
    return count;
}

static void put_site(struct known_sites *table, const struct known_site *item)
{
    uint32_t i = (uint32_t)((uintptr_t)item->site / sizeof(*item->site)) & table->mask;

    while (table->items[i].site && table->items[i].site != item->site)
        i = (i + 1) & table->mask;
    table->used += !table->items[i].site;
    table->items[i] = *item;
}

static struct known_sites *larger(const struct known_sites *old, uint32_t more)
{
    uint32_t size = 64, needed = 2 * ((old ? old->used : 0) + more);
    struct known_sites *table;

    while (size < needed)
        size *= 2;
    table = darn_rules_take(sizeof(*table) + size * sizeof(table->items[0]));
    if (!table)
        return NULL;
    table->mask = size - 1;
    for (uint32_t i = 0; old && i <= old->mask; i++) {
        if (old->items[i].site)
            put_site(table, &old->items[i]);
    }
    return table;
}

static struct darn_role role_of(struct darn_rule_point *point, const struct darn_site *site)
{
    return (struct darn_role){.rule = point->rule,
                              .point = point,
                              .site = site,
                              .copy = copy_of(point, site),
                              .role = point->role,
                              .next = point->rule->roles};
}

static void add_site(struct known_sites *table, uint64_t key, const struct darn_site *site,
                     uint32_t count)
{
    struct darn_role *roles = darn_rules_take(count * sizeof(*roles));
    struct known_site item = {site, {roles, count}};
    uint32_t filled = 0;

    if (!roles)
        return;
    for (struct darn_rule_point *point = darn_rule_buckets[key % DARN_RULE_BUCKETS]; point;
         point = point->next) {
        if (point->key != key || !is_point(point, site))
            continue;
        point->sites++;
        roles[filled] = role_of(point, site);
        point->rule->roles = &roles[filled++];
        any_begins |= point->role == DARN_ROLE_ENTRY;
        if (darn_rules_armed_all)
            darn_armed_add(site, DARN_ARMED_RULE);
    }
    put_site(table, &item);
}

static void match_sites(const struct darn_site *start, const struct darn_site *stop)
{
    struct darn_site_keys keys = {0};
    struct known_sites *table;
    uint32_t found = 0;

    for (const struct darn_site *site = start; site < stop; site++)
        found += count_points(darn_site_next_key(&keys, site), site) != 0;
    table = found ? larger(known_sites, found) : NULL;
    if (!table)
        return;
    for (const struct darn_site *site = start; site < stop; site++) {
        uint64_t key = darn_site_next_key(&keys, site);
        uint32_t count = count_points(key, site);

        if (count)
            add_site(table, key, site, count);
    }
    known_sites = table;
}

static const struct known_site *find_site(const struct known_sites *table,
                                          const struct darn_site *site)
{
    uint32_t i = (uint32_t)((uintptr_t)site / sizeof(*site)) & table->mask;

    while (table->items[i].site && table->items[i].site != site)
        i = (i + 1) & table->mask;
    return table->items[i].site ? &table->items[i] : NULL;
}

/* Those that the site had, and one more. */
static void add_role(struct known_sites *table, struct darn_rule_point *point,
                     const struct darn_site *site)
{
    const struct known_site *old = find_site(table, site);
    uint32_t count = old ? old->roles.count : 0;
    struct darn_role *roles = darn_rules_take((count + 1) * sizeof(*roles));

    if (!roles)
        return;
    if (count)
        memcpy(roles, old->roles.list, count * sizeof(*roles));
    roles[count] = role_of(point, site);
    point->rule->roles = &roles[count];
    point->sites++;
    put_site(table, &(struct known_site){site, {roles, count + 1}});
}

void darn_rules_place(struct darn_rule *rule, const struct darn_site *start,
                      const struct darn_site *stop)
{
    struct known_sites *table = NULL;
    struct darn_site_keys keys = {0};

    for (const struct darn_site *site = start; site < stop; site++) {
        uint64_t key = darn_site_next_key(&keys, site);

        for (uint32_t i = 0; i < rule->count; i++) {
            if (rule->points[i].key != key || !is_point(&rule->points[i], site))
                continue;
            if (!table)
                table = larger(known_sites, rule->count * 16);
            if (table && 2 * (table->used + 1) <= table->mask)
                add_role(table, &rule->points[i], site);
        }
    }
    if (table)
        known_sites = table;
}

static const struct darn_rules_client *client; /* NULL: nothing is healed */

void darn_rules_serve(const struct darn_rules_client *healing)
{
    client = healing;
}

void darn_rules_module(const struct darn_site *start, const struct darn_site *stop,
                       const void *first_record, const void *last_record)
{
    struct darn_section_module module = {start, stop, first_record, last_record, NULL};
    uint64_t mask;

    if (!darn_rule_buckets)
        return;
    mask = darn_os_block_signals();
    darn_spin_lock(&darn_rules_lock);
    darn_obeyed_resolve(&module);
    if (client)
        client->resolve(&module);
    match_sites(start, stop);
    if (client)
        client->arm(start, stop);
    darn_spin_unlock(&darn_rules_lock);
    darn_os_restore_signals(mask);
}

static void forget_roles(struct darn_rule *rule, const struct darn_site *start,
                         const struct darn_site *stop)
{
    struct darn_role **at = &rule->roles;

    while (*at) {
        if ((*at)->site >= start && (*at)->site < stop)
            *at = (*at)->next;
        else
            at = &(*at)->next;
    }
}

void darn_rules_forget(const struct darn_site *start, const struct darn_site *stop)
{
    struct known_sites *table = known_sites;
    uint64_t mask;

    if (!darn_rule_buckets)
        return;
    mask = darn_os_block_signals();
    darn_spin_lock(&darn_rules_lock);
    for (struct darn_rule *rule = darn_rules(); rule; rule = rule->next)
        forget_roles(rule, start, stop);
    for (uint32_t i = 0; table && i <= table->mask; i++) {
        if (table->items[i].site >= start && table->items[i].site < stop)
            table->items[i].roles.count = 0; /* something else may be loaded there */
    }
    if (client)
        client->forget(start, stop);
    darn_spin_unlock(&darn_rules_lock);
    darn_os_restore_signals(mask);
}

struct darn_roles darn_rules_of(const struct darn_site *site)
{
    const struct known_sites *table = atomic_load_explicit(&known_sites, memory_order_acquire);
    const struct known_site *found = table ? find_site(table, site) : NULL;

    return found ? found->roles : (struct darn_roles){0};
}
