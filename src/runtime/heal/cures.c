#include "runtime/heal/cures.h"

#include <stddef.h>
#include <string.h>

#include "base/hash.h"
#include "runtime/heal/elision.h"
#include "runtime/heal/gates.h"
#include "runtime/section/rules_private.h"
#include "runtime/state.h"
#include "section/alias.h"
#include "site/armed.h"

/* The names of the variables, by a hash of their last parts. */
#define NAMES 4096

static struct darn_cure *cures, **last_cure = &cures;
static const char *names[NAMES];

struct darn_cure *darn_cures(void)
{
    return cures;
}

/* ---- the repository ---- */

static uint32_t hash_of(const char *variable)
{
    uint64_t hash = darn_variable_hash(variable);

    return (uint32_t)(hash ^ hash >> 32) % NAMES;
}

static bool is_named(const char *variable)
{
    for (uint32_t i = hash_of(variable); names[i]; i = (i + 1) % NAMES) {
        if (darn_variable_same(names[i], variable))
            return true;
    }
    return false;
}

void darn_cures_add_name(const char *variable)
{
    static uint32_t used;
    uint32_t i = hash_of(variable);

    if (is_named(variable) || used >= NAMES / 2)
        return;
    while (names[i])
        i = (i + 1) % NAMES;
    names[i] = darn_rules_keep(variable);
    used++;
}

/* Assurance: what synchronizes or calls the unknown inside must not hold a lock meanwhile. */
uint8_t darn_cures_way(uint16_t inside)
{
    uint8_t with = (uint8_t)darn_state.options.heal_with;

    return with == DARN_HEAL_LOCK && inside & (DARN_SECTION_SYNC | DARN_SECTION_UNKNOWN)
               ? DARN_HEAL_BLOCK
               : with;
}

static uint64_t identity_of(const struct darn_section *section)
{
    uint64_t hash = darn_hash_string(DARN_HASH_START, section->variable);

    hash = darn_hash_string(darn_hash_string(hash, section->function), section->file);
    hash = darn_hash_number(darn_hash_number(hash, section->first), section->last);
    hash = darn_hash_number(hash, (uint32_t)section->kind << 8 | section->until);
    hash = darn_hash_number(hash, (uint32_t)section->has_allow << 8 | section->allow);
    for (uint32_t i = 0; i < section->count; i++) {
        const struct darn_point *point = &section->points[i];

        hash = darn_hash_word(darn_hash_number(hash, point->at), darn_point_key(point));
        hash = darn_hash_number(hash, (uint32_t)point->role << 8 | point->allow);
    }
    return hash;
}

struct darn_cure *darn_cures_find(const struct darn_section *section)
{
    uint64_t identity = identity_of(section);
    struct darn_cure *cure = cures;

    while (cure && cure->identity != identity)
        cure = cure->next;
    return cure;
}

struct darn_cure *darn_cures_add(const struct darn_section *section)
{
    struct darn_cure *cure = darn_rules_take(sizeof(*cure));

    if (!cure || !darn_wanted_keep(&cure->wanted, section))
        return NULL;
    cure->line = section->position;
    cure->identity = identity_of(section);
    cure->entry_line = section->count ? section->points[0].line : 0;
    cure->entry_column = section->count ? section->points[0].column : 0;
    cure->inside = section->inside;
    cure->with = darn_cures_way(section->inside);
    atomic_init(&cure->bound, (uint64_t)darn_state.options.heal_bound * 1000000);
    cure->until = section->until;
    if (section->kind == DARN_SECTION_ORDER)
        cure->gate = darn_gate_of_accesses(cure->line, section->until);
    else if (section->kind != DARN_SECTION_TOGETHER)
        darn_cures_add_name(cure->wanted.section.variable);
    *last_cure = cure;
    last_cure = &cure->next;
    return cure;
}

static bool keep_section(void *context, const struct darn_section *section)
{
    (void)context;
    darn_cures_add(section);
    return true;
}

int darn_cures_load(const char *path)
{
    if (!path[0]) /* all of it is to be found */
        return darn_rules_prepare();
    return darn_rules_read(path, keep_section);
}

/* Whether one of the roles is in an order; if there are others, or the name is wanted, its cure
 * knows. */
static bool is_in_order(struct darn_roles roles, bool is_wanted)
{
    bool found = false;

    for (uint32_t i = 0; i < roles.count; i++)
        found |= roles.list[i].rule->cure && roles.list[i].rule->kind == DARN_SECTION_ORDER;
    for (uint32_t i = 0; found && i < roles.count; i++)
        is_wanted |= roles.list[i].rule->kind != DARN_SECTION_ORDER;
    for (uint32_t i = 0; found && is_wanted && i < roles.count; i++)
        if (roles.list[i].rule->cure)
            roles.list[i].rule->cure->is_shared = true;
    return found;
}

void darn_cures_arm(const struct darn_site *start, const struct darn_site *stop)
{
    for (const struct darn_site *site = start; site < stop; site++) {
        struct darn_roles roles = darn_rules_of(site);
        bool wanted = site->kind <= DARN_SITE_UPDATE && is_named(darn_site_variable(site));
        bool in_order = is_in_order(roles, wanted);

        for (uint32_t i = 0; i < roles.count; i++)
            wanted |= roles.list[i].rule->cure != NULL;
        if (!wanted)
            continue;
        darn_armed_add(site, DARN_ARMED_HEAL);
        if (!in_order) /* these tell whatever locks are held */
            darn_elision_add(site, roles);
    }
}
