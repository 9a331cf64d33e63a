/* Sites that may touch the same memory: groups, and what their armed bytes say. */
#include <stddef.h>

#include "runtime/os.h"
#include "runtime/spin.h"
#include "runtime/state.h"
#include "runtime/trust.h"
#include "runtime/trust_parts.h"
#include "runtime/trust_places.h"
#include "section/match.h"
#include "site/guard.h"

/* A group is trusted after so many visits under locks without a break, a site of it after so many
 * of its own. */
#define VISITS      1000
#define SITE_VISITS 16

/* Sites of all modules that are healed; if there are more, nothing is trusted. */
#define SITES_SHIFT 16
#define SITES       (1 << SITES_SHIFT)

#define NAMES_SHIFT 12

static struct darn_trust_member *members;
static uint32_t member_count;
static bool full;
static struct darn_spin lock;

static struct darn_trust_member *place_of(const struct darn_site *site)
{
    uint32_t i = (uint32_t)((uintptr_t)site * UINT64_C(0x9e3779b97f4a7c15) >> (64 - SITES_SHIFT));

    while (members[i].site && members[i].site != site)
        i = (i + 1) % SITES;
    return &members[i];
}

struct darn_trust_member *darn_trust_find(const struct darn_site *site,
                                          struct darn_trust_group **group)
{
    struct darn_trust_member *member = members ? place_of(site) : NULL;

    if (!member || !member->group)
        return NULL;
    *group = darn_trust_whole(member->group);
    return member;
}

struct darn_trust_group *darn_trust_whole(struct darn_trust_group *group)
{
    while (group && group->in)
        group = group->in;
    return group;
}

static struct darn_trust_group *new_group(void)
{
    static struct darn_trust_group *piece;
    static uint32_t left;

    if (!left) {
        piece = darn_os_allocate(256 * sizeof(*piece));
        left = piece ? 256 : 0;
    }
    if (!left)
        return NULL;
    left--;
    atomic_init(&piece[left].wanted, VISITS);
    return &piece[left];
}

static struct darn_trust_group *unite(struct darn_trust_group *one, struct darn_trust_group *other)
{
    struct darn_trust_member **end;

    one = darn_trust_whole(one);
    other = darn_trust_whole(other);
    if (!one || !other || one == other)
        return one ? one : other;
    for (end = &one->members; *end; end = &(*end)->next)
        ;
    *end = other->members;
    other->members = NULL;
    atomic_fetch_add(&one->far, atomic_load(&other->far));
    if (atomic_load(&other->state) == DARN_TRUST_LOST)
        atomic_store(&one->state, DARN_TRUST_LOST);
    other->in = one;
    return one;
}

/* The groups of a name, one for each darn_variable_class: by its last part, which accesses to the
 * same memory have in common. Names that meet in the table are one group: that is larger than it
 * need be, and does no harm. */
static struct darn_trust_group **groups_of_name(const char *variable)
{
    static struct darn_trust_group *groups[1 << NAMES_SHIFT][2];
    uint64_t hash = darn_variable_hash(variable);

    return groups[hash * UINT64_C(0x9e3779b97f4a7c15) >> (64 - NAMES_SHIFT)];
}

/* Sections that may give a lock back in between. */
static bool may_give_back(const struct darn_rule *rule)
{
    return rule->has_call || rule->kind == DARN_SECTION_LEARNED ||
           rule->inside & (DARN_SECTION_SYNC | DARN_SECTION_UNKNOWN | DARN_SECTION_ACROSS);
}

bool darn_trust_is_known(const struct darn_trust_member *member)
{
    return member->site->kind > DARN_SITE_UPDATE ||
           atomic_load_explicit(&member->visits, memory_order_relaxed) >= SITE_VISITS;
}

void darn_trust_set_level(const struct darn_trust_member *member)
{
    const struct darn_trust_group *group = darn_trust_whole(member->group);
    uint8_t level = DARN_ARMED_HEAL;

    if (member->is_far)
        level = 0;
    else if (atomic_load(&group->state) == DARN_TRUST_GIVEN && !member->is_wary &&
             darn_trust_is_known(member))
        level = DARN_ARMED_TRUST;
    __atomic_store_n(darn_site_armed(member->site), level, __ATOMIC_RELAXED);
}

void darn_trust_set_levels(const struct darn_trust_group *group)
{
    for (const struct darn_trust_member *member = group->members; member; member = member->next)
        darn_trust_set_level(member);
}

uint64_t darn_trust_begin(void)
{
    uint64_t mask = darn_os_block_signals();

    darn_spin_lock(&lock);
    return mask;
}

void darn_trust_end(uint64_t mask)
{
    darn_spin_unlock(&lock);
    darn_os_restore_signals(mask);
}

static bool open_tables(void)
{
    if (!members && !full) {
        members = darn_os_allocate(SITES * sizeof(*members));
        full =
            !members || darn_trust_places_open() || darn_trust_far_open() || darn_os_barrier_open();
    }
    return !full;
}

static void lose_all(void)
{
    full = true;
    for (uint32_t i = 0; i < SITES; i++) {
        if (!members[i].group)
            continue;
        atomic_store(&darn_trust_whole(members[i].group)->state, DARN_TRUST_LOST);
        members[i].is_far = false;
        members[i].near = UINT8_MAX;
        darn_trust_set_level(&members[i]);
    }
}

static void add(const struct darn_site *site, const struct darn_role *roles, uint32_t count)
{
    struct darn_trust_member *member = place_of(site);
    const char *name = site->kind <= DARN_SITE_UPDATE ? darn_site_variable(site) : "";
    struct darn_trust_group **named = groups_of_name(name), *group = NULL;
    uint8_t classes = name[0] ? darn_variable_class(name) : 0;
    bool wary = false, is_point = false;

    if (member->group)
        return;
    for (uint32_t i = 0; i < 2; i++)
        group = classes >> i & 1 ? unite(group, named[i]) : group;
    for (uint32_t i = 0; i < count; i++) {
        group = unite(group, roles[i].point->rule->trust);
        wary |= may_give_back(roles[i].point->rule);
        is_point |= !roles[i].point->rule->companion;
    }
    if (!group)
        group = new_group();
    if (!group || (!member->site && member_count++ >= SITES / 2)) {
        lose_all();
        return;
    }
    for (uint32_t i = 0; i < 2; i++)
        named[i] = classes >> i & 1 ? group : named[i];
    for (uint32_t i = 0; i < count; i++)
        roles[i].point->rule->trust = group;
    if (atomic_load(&group->state) != DARN_TRUST_LOST)
        atomic_store(&group->state, DARN_TRUST_WATCHED); /* somebody new */
    *member = (struct darn_trust_member){.site = site,
                                         .group = group,
                                         .next = group->members,
                                         .is_point = is_point,
                                         .is_wary = wary};
    group->members = member;
    darn_trust_set_levels(group);
}

void darn_trust_add(const struct darn_site *site, const struct darn_role *roles, uint32_t count)
{
    uint64_t mask;

    if (!darn_production || !darn_state.options.heal_trust || !open_tables())
        return;
    mask = darn_trust_begin();
    add(site, roles, count);
    darn_trust_end(mask);
}

/* Their places in the table are kept for them: a module may be loaded again. */
void darn_trust_forget(const struct darn_site *start, const struct darn_site *stop)
{
    uint64_t mask;

    if (!members)
        return;
    mask = darn_trust_begin();
    for (uint32_t i = 0; i < SITES; i++) {
        struct darn_trust_member **at, *member = &members[i];

        if (!member->group || member->site < start || member->site >= stop)
            continue;
        for (at = &darn_trust_whole(member->group)->members; *at && *at != member;
             at = &(*at)->next)
            ;
        if (*at)
            *at = member->next;
        atomic_fetch_sub(&darn_trust_whole(member->group)->far, member->is_far);
        member->group = NULL;
    }
    darn_trust_end(mask);
}

void darn_trust_before_fork(void)
{
    darn_spin_lock(&lock);
}

void darn_trust_after_fork(void)
{
    darn_spin_unlock(&lock);
}
