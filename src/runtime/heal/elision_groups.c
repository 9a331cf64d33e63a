/* Sites that may touch the same memory: groups, and what their armed bytes say. */
#include <stddef.h>

#include "base/hash.h"
#include "runtime/heal/elision.h"
#include "runtime/heal/elision_locks.h"
#include "runtime/heal/elision_private.h"
#include "runtime/os/os.h"
#include "runtime/os/os_spin.h"
#include "runtime/state.h"
#include "section/alias.h"
#include "site/armed.h"

/* A site of a group is elided after so many visits of its own. */
#define SITE_VISITS 16

/* Sites of all modules that are healed; if there are more, nothing is elided. */
#define MOST_SITES (1 << 15)

/* Members are kept close together. */
#define PIECE 256

#define NAMES_SHIFT 12

/* By the address of the site. Replaced as a whole when it becomes too small: asked without a lock.
 */
struct table {
    uint32_t mask;
    struct slot {
        const struct darn_site *site; /* NULL: unused */
        struct darn_elision_member *member;
    } slots[];
};

static struct table *_Atomic table;
static uint32_t member_count;
static bool full;
static struct darn_spin lock;

static struct slot *slot_of(struct table *in, const struct darn_site *site)
{
    uint32_t i = (uint32_t)((uintptr_t)site / sizeof(*site)) & in->mask;

    while (in->slots[i].site && in->slots[i].site != site)
        i = (i + 1) & in->mask;
    return &in->slots[i];
}

static bool make_room(void)
{
    struct table *old = atomic_load(&table), *larger;
    uint32_t size = old ? 2 * (old->mask + 1) : 1024;

    if (old && member_count <= old->mask / 4)
        return true;
    larger = member_count < MOST_SITES
                 ? darn_os_allocate(sizeof(*larger) + size * sizeof(larger->slots[0]))
                 : NULL;
    if (!larger)
        return false;
    larger->mask = size - 1;
    for (uint32_t i = 0; old && i <= old->mask; i++) {
        if (old->slots[i].site)
            *slot_of(larger, old->slots[i].site) = old->slots[i];
    }
    atomic_store_explicit(&table, larger, memory_order_release);
    return true;
}

/* The member of a site, or a new one; NULL: there is no memory. */
static struct darn_elision_member *member_of(const struct darn_site *site)
{
    static struct darn_elision_member *piece;
    static uint32_t left;
    struct slot *slot;

    if (!make_room())
        return NULL;
    slot = slot_of(atomic_load(&table), site);
    if (slot->site)
        return slot->member;
    if (!left) {
        piece = darn_os_allocate(PIECE * sizeof(*piece));
        left = piece ? PIECE : 0;
    }
    if (!left)
        return NULL;
    slot->member = &piece[--left];
    member_count++;
    __atomic_store_n(&slot->site, site, __ATOMIC_RELEASE);
    return slot->member;
}

struct darn_elision_member *darn_elision_find(const struct darn_site *site,
                                              struct darn_elision_group **group)
{
    struct table *all = atomic_load_explicit(&table, memory_order_acquire);
    const struct slot *slot = all ? slot_of(all, site) : NULL;

    if (!slot || slot->site != site || !slot->member->group)
        return NULL;
    *group = darn_elision_whole(slot->member->group);
    return slot->member;
}

struct darn_elision_group *darn_elision_whole(const struct darn_elision_group *group)
{
    while (group && group->in)
        group = group->in;
    return (struct darn_elision_group *)group;
}

static struct darn_elision_group *new_group(void)
{
    static struct darn_elision_group *piece;
    static uint32_t left;

    if (!left) {
        piece = darn_os_allocate(256 * sizeof(*piece));
        left = piece ? 256 : 0;
    }
    if (!left)
        return NULL;
    return &piece[--left];
}

uint64_t darn_elision_bound(void)
{
    return darn_os_now() + (uint64_t)darn_state.options.heal_bound * 1000000;
}

void darn_elision_end(struct darn_elision_group *group, uint32_t state)
{
    if (atomic_load(&group->state) == DARN_ELISION_ON)
        atomic_store(&group->until, darn_elision_bound());
    atomic_store(&group->state, state);
}

static struct darn_elision_group *unite(struct darn_elision_group *one,
                                        struct darn_elision_group *other)
{
    struct darn_elision_member **end;

    one = darn_elision_whole(one);
    other = darn_elision_whole(other);
    if (!one || !other || one == other)
        return one ? one : other;
    for (end = &one->members; *end; end = &(*end)->next)
        ;
    *end = other->members;
    other->members = NULL;
    one->reads_matter |= other->reads_matter;
    if (atomic_load(&other->state) == DARN_ELISION_ON)
        atomic_store(&one->until, darn_elision_bound());
    if (atomic_load(&other->state) == DARN_ELISION_NEVER)
        darn_elision_end(one, DARN_ELISION_NEVER);
    other->in = one;
    return one;
}

/* The groups of a name, one for each darn_variable_class: by its last part, which accesses to the
 * same memory have in common. Names that meet in the table are one group: that is larger than it
 * need be, and does no harm. */
static struct darn_elision_group **groups_of_name(const char *variable)
{
    static struct darn_elision_group *groups[1 << NAMES_SHIFT][2];

    return groups[darn_spread_to(darn_variable_hash(variable), NAMES_SHIFT)];
}

/* Sections that may give a lock back in between. */
bool darn_elision_may_release(const struct darn_rule *rule)
{
    return rule->has_call || darn_section_is_anywhere(rule->kind) ||
           rule->inside & (DARN_SECTION_SYNC | DARN_SECTION_UNKNOWN | DARN_SECTION_ACROSS);
}

/* A lock keeps everybody out; else who may do what depends on the section. */
static bool forbids_reads(const struct darn_rule *rule)
{
    return rule->with == DARN_HEAL_LOCK || !(rule->allows & DARN_ALLOW_READ);
}

bool darn_elision_is_known(const struct darn_elision_member *member)
{
    return atomic_load_explicit(&member->visits, memory_order_relaxed) >= SITE_VISITS;
}

void darn_elision_set_level(const struct darn_elision_member *member)
{
    const struct darn_elision_group *group = darn_elision_whole(member->group);
    enum darn_level level = DARN_LEVEL_HEAL;

    if (member->is_read && !group->reads_matter)
        level = DARN_LEVEL_NONE;
    else if (atomic_load(&group->state) == DARN_ELISION_ON && !member->may_release &&
             darn_elision_is_known(member))
        level = DARN_LEVEL_ELIDED;
    darn_armed_set_level(member->site, level);
}

void darn_elision_set_levels(const struct darn_elision_group *group)
{
    for (const struct darn_elision_member *member = group->members; member; member = member->next)
        darn_elision_set_level(member);
}

uint64_t darn_elision_lock(void)
{
    uint64_t mask = darn_os_block_signals();

    darn_spin_lock(&lock);
    return mask;
}

void darn_elision_unlock(uint64_t mask)
{
    darn_spin_unlock(&lock);
    darn_os_restore_signals(mask);
}

static bool open_tables(void)
{
    if (!atomic_load(&table) && !full)
        full = !make_room() || darn_elision_locks_open() || darn_os_barrier_open();
    return !full;
}

static void forbid_all(void)
{
    struct table *all = atomic_load(&table);

    full = true;
    for (uint32_t i = 0; i <= all->mask; i++) {
        struct darn_elision_member *member = all->slots[i].member;
        struct darn_elision_group *group = member ? darn_elision_whole(member->group) : NULL;

        if (!group)
            continue;
        darn_elision_end(group, DARN_ELISION_NEVER);
        group->reads_matter = true;
        darn_elision_set_level(member);
    }
}

static void add(const struct darn_site *site, struct darn_roles roles)
{
    struct darn_elision_member *member = member_of(site);
    const char *name = darn_site_variable(site);
    struct darn_elision_group **named = groups_of_name(name), *group = NULL;
    uint8_t classes = name[0] ? darn_variable_class(name) : 0;
    bool may_release = false, reads_matter = false, writes = false;
    bool is_end = roles.count != 0;

    if (member && member->group)
        return;
    for (uint32_t i = 0; i < 2; i++)
        group = classes >> i & 1 ? unite(group, named[i]) : group;
    for (uint32_t i = 0; i < roles.count; i++) {
        group = unite(group, roles.list[i].rule->elision);
        may_release |= darn_elision_may_release(roles.list[i].rule);
        reads_matter |= forbids_reads(roles.list[i].rule);
        writes |= roles.list[i].rule->ops & DARN_ALLOW_WRITE;
        is_end &= roles.list[i].role == DARN_ROLE_END;
    }
    if (!group)
        group = new_group();
    if (!group || !member) {
        forbid_all();
        return;
    }
    for (uint32_t i = 0; i < 2; i++)
        named[i] = classes >> i & 1 ? group : named[i];
    for (uint32_t i = 0; i < roles.count; i++)
        roles.list[i].rule->elision = group;
    if (atomic_load(&group->state) != DARN_ELISION_NEVER)
        darn_elision_end(group, DARN_ELISION_WATCHED); /* somebody new */
    *member = (struct darn_elision_member){.site = site,
                                           .group = group,
                                           .roles = roles,
                                           .next = group->members,
                                           .may_release = may_release,
                                           .is_end = is_end,
                                           .writes = writes,
                                           .is_read = !roles.count && site->kind == DARN_SITE_READ};
    group->members = member;
    group->reads_matter |= reads_matter;
    darn_elision_set_levels(group);
}

/* A way out is no memory. Who is in a section that is left to a lock does not know it, unless the
 * section may give that back. */
static void add_mark(const struct darn_site *site, struct darn_roles roles)
{
    enum darn_level level = DARN_LEVEL_LEAVE;

    for (uint32_t i = 0; i < roles.count; i++) {
        if (roles.list[i].role != DARN_ROLE_LEAVE || darn_elision_may_release(roles.list[i].rule))
            level = DARN_LEVEL_HEAL;
    }
    darn_armed_set_level(site, level);
}

void darn_elision_add(const struct darn_site *site, struct darn_roles roles)
{
    uint64_t mask;

    if (!darn_production[0] || !darn_state.options.heal_elides || !open_tables())
        return;
    if (site->kind > DARN_SITE_UPDATE) {
        add_mark(site, roles);
        return;
    }
    mask = darn_elision_lock();
    add(site, roles);
    darn_elision_unlock(mask);
}

/* Their slots in the table are kept for them: a module may be loaded again. */
void darn_elision_forget(const struct darn_site *start, const struct darn_site *stop)
{
    struct table *all = atomic_load(&table);
    uint64_t mask;

    if (!all)
        return;
    mask = darn_elision_lock();
    for (uint32_t i = 0; i <= all->mask; i++) {
        struct darn_elision_member **at, *member = all->slots[i].member;

        if (!member || !member->group || member->site < start || member->site >= stop)
            continue;
        for (at = &darn_elision_whole(member->group)->members; *at && *at != member;
             at = &(*at)->next)
            ;
        if (*at)
            *at = member->next;
        member->group = NULL;
    }
    darn_elision_unlock(mask);
}

void darn_elision_before_fork(void)
{
    darn_spin_lock(&lock);
}

void darn_elision_after_fork(void)
{
    darn_spin_unlock(&lock);
}
