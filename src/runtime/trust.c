#include "runtime/trust.h"

#include <stdatomic.h>
#include <stddef.h>

#include "base/hash.h"
#include "runtime/os.h"
#include "runtime/spin.h"
#include "runtime/state.h"
#include "runtime/trust_places.h"
#include "section/match.h"
#include "site/guard.h"

/* A group is trusted after so many visits under locks without a break, a site of it after so many
 * of its own. */
#define VISITS      1000
#define MOST_VISITS (1 << 20)
#define SITE_VISITS 16

/* A group in which so many addresses were found under another lock than before is not trusted. */
#define MOST_OTHER 32

/* Sites of all modules that are healed; if there are more, nothing is trusted. */
#define SITES_SHIFT 16
#define SITES       (1 << SITES_SHIFT)

/* Who waits for those who may be in a section unseen looks this often, in nanoseconds. */
#define LOOK 20000

/* Where there are more threads, nothing is trusted. */
#define THREADS 256

#define NAMES_SHIFT 12

enum state { WATCHED, TRUSTED, LOST };

struct member {
    const struct darn_site *site; /* NULL: unused */
    struct darn_trust_group *group;
    struct member *next; /* of the same group */
    _Atomic uint32_t visits;
};

struct darn_trust_group {
    struct darn_trust_group *in; /* it is a part of this one; NULL: it stands for itself */
    _Atomic uint32_t state;
    _Atomic uint32_t visits, others;
    _Atomic uint32_t wanted; /* visits, until it is trusted */
    struct member *members;
};

static struct member *members;
static uint32_t member_count;
static bool full;
static struct darn_spin lock; /* of states, and of lists; taken with signals blocked */

static struct member *place_of(const struct darn_site *site)
{
    uint32_t i = (uint32_t)((uintptr_t)site * UINT64_C(0x9e3779b97f4a7c15) >> (64 - SITES_SHIFT));

    while (members[i].site && members[i].site != site)
        i = (i + 1) % SITES;
    return &members[i];
}

static struct member *find(const struct darn_site *site)
{
    struct member *member = members ? place_of(site) : NULL;

    return member && member->site ? member : NULL;
}

static struct darn_trust_group *whole(struct darn_trust_group *group)
{
    while (group->in)
        group = group->in;
    return group;
}

/* ---- groups ---- */

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
    struct member **end;

    one = one ? whole(one) : NULL;
    other = other ? whole(other) : NULL;
    if (!one || !other || one == other)
        return one ? one : other;
    for (end = &one->members; *end; end = &(*end)->next)
        ;
    *end = other->members;
    other->members = NULL;
    if (atomic_load(&other->state) == LOST)
        atomic_store(&one->state, LOST);
    other->in = one;
    return one;
}

/* The group of a name: by its last part, which accesses to the same memory have in common. Names
 * that meet in the table are one group: that is larger than it need be, and does no harm. */
static struct darn_trust_group **group_of_name(const char *variable)
{
    static struct darn_trust_group *groups[1 << NAMES_SHIFT];
    uint32_t length;
    const char *last = darn_variable_last(variable, &length);
    uint64_t hash = DARN_HASH_START;

    for (uint32_t i = 0; i < length; i++)
        hash = darn_hash_number(hash, (uint8_t)last[i]);
    return &groups[hash * UINT64_C(0x9e3779b97f4a7c15) >> (64 - NAMES_SHIFT)];
}

/* Sections that are under one lock from their beginning to their end, as far as can be known before
 * they are run. */
static bool can_be_trusted(const struct darn_rule *rule)
{
    return !rule->has_call && rule->kind != DARN_SECTION_LEARNED &&
           !(rule->inside & (DARN_SECTION_SYNC | DARN_SECTION_UNKNOWN | DARN_SECTION_ACROSS));
}

static void set_level(const struct member *member, bool trusted)
{
    volatile uint8_t *armed = darn_site_armed(member->site);

    if (trusted)
        __atomic_store_n(armed, DARN_ARMED_TRUST, __ATOMIC_RELAXED);
    else
        __atomic_store_n(armed, DARN_ARMED_HEAL, __ATOMIC_RELAXED);
}

static bool is_known(const struct member *member)
{
    return member->site->kind > DARN_SITE_UPDATE ||
           atomic_load_explicit(&member->visits, memory_order_relaxed) >= SITE_VISITS;
}

static void set_levels(const struct darn_trust_group *group, bool trusted)
{
    for (const struct member *member = group->members; member; member = member->next)
        set_level(member, trusted && is_known(member));
}

static uint64_t enter(void)
{
    uint64_t mask = darn_os_block_signals();

    darn_spin_lock(&lock);
    return mask;
}

static void leave(uint64_t mask)
{
    darn_spin_unlock(&lock);
    darn_os_restore_signals(mask);
}

static bool open_tables(void)
{
    if (!members && !full) {
        members = darn_os_allocate(SITES * sizeof(*members));
        full = !members || darn_trust_places_open() || darn_os_barrier_open();
    }
    return !full;
}

static void lose_all(void)
{
    full = true;
    for (uint32_t i = 0; i < SITES; i++) {
        if (members[i].group) {
            atomic_store(&whole(members[i].group)->state, LOST);
            set_level(&members[i], false);
        }
    }
}

static void add(const struct darn_site *site, const struct darn_role *roles, uint32_t count)
{
    struct member *member = place_of(site);
    struct darn_trust_group **name =
        site->kind <= DARN_SITE_UPDATE ? group_of_name(darn_site_variable(site)) : NULL;
    struct darn_trust_group *group = name ? *name : NULL;
    bool lost = false;

    if (member->group)
        return;
    for (uint32_t i = 0; i < count; i++) {
        group = unite(group, roles[i].point->rule->trust);
        lost |= !can_be_trusted(roles[i].point->rule);
    }
    if (!group)
        group = new_group();
    if (!group || (!member->site && member_count++ >= SITES / 2)) {
        lose_all();
        return;
    }
    if (name)
        *name = group;
    for (uint32_t i = 0; i < count; i++)
        roles[i].point->rule->trust = group;
    if (lost)
        atomic_store(&group->state, LOST);
    else if (atomic_load(&group->state) == TRUSTED)
        atomic_store(&group->state, WATCHED); /* somebody new */
    *member = (struct member){.site = site, .group = group, .next = group->members};
    group->members = member;
    set_levels(group, false);
}

void darn_trust_add(const struct darn_site *site, const struct darn_role *roles, uint32_t count)
{
    uint64_t mask;

    if (!darn_production || !darn_state.options.heal_trust || !open_tables())
        return;
    mask = enter();
    add(site, roles, count);
    leave(mask);
}

/* Their places in the table are kept for them: a module may be loaded again. */
void darn_trust_forget(const struct darn_site *start, const struct darn_site *stop)
{
    uint64_t mask;

    if (!members)
        return;
    mask = enter();
    for (uint32_t i = 0; i < SITES; i++) {
        struct member **at, *member = &members[i];

        if (!member->group || member->site < start || member->site >= stop)
            continue;
        for (at = &whole(member->group)->members; *at && *at != member; at = &(*at)->next)
            ;
        if (*at)
            *at = member->next;
        member->group = NULL;
    }
    leave(mask);
}

/* ---- trust ---- */

static void trust(struct darn_trust_group *group)
{
    uint64_t mask = enter();

    if (!group->in && atomic_load(&group->state) == WATCHED &&
        darn_threads_alive() <= THREADS / 2) {
        atomic_store(&group->state, TRUSTED);
        set_levels(group, true);
    }
    leave(mask);
}

/* Whether the thread may be where it was when it had so many locks given back: between a lock and
 * an unlock, in a section that nobody has seen. */
static bool is_still_there(const struct darn_thread *thread, uint32_t given)
{
    uint64_t all = darn_own_of(thread);

    return darn_own_holds(all) && darn_own_given(all) == given &&
           __atomic_load_n(&thread->wait.kind, __ATOMIC_RELAXED) == DARN_WAIT_NONE;
}

/*
 * Everybody calls from now on; who did not is waited for. A thread writes down its lock, and looks
 * at armed bytes then; we have armed them, and look at what it has written then. The barrier, which
 * all threads have to pass, stands for those that they do not have: one of us sees the other.
 */
static void await_unseen(const struct darn_thread *self)
{
    struct darn_thread *list[THREADS];
    uint64_t bound = (uint64_t)darn_state.options.heal_bound * 1000000;
    uint64_t end = darn_os_now() + bound;
    uint32_t count;

    darn_os_barrier();
    count = darn_threads_list(list, THREADS);
    if (count == THREADS) { /* there may be more of them */
        darn_os_sleep(bound);
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t given = darn_own_given(darn_own_of(list[i]));

        for (int tries = 0; list[i] != self && is_still_there(list[i], given); tries++) {
            if (tries < 16)
                __builtin_ia32_pause();
            else if (darn_os_now() < end)
                darn_os_sleep(LOOK);
            else
                return;
        }
    }
}

static void doubt(struct darn_trust_group *group, const struct darn_thread *self, uint32_t state)
{
    uint64_t mask = enter();
    bool was_trusted = atomic_load(&group->state) == TRUSTED;

    atomic_store(&group->visits, 0);
    if (was_trusted || state == LOST) {
        atomic_store(&group->state, state);
        set_levels(group, false);
    }
    leave(mask);
    if (was_trusted && self)
        await_unseen(self);
}

/* Somebody came without a lock: next time it takes longer until the group is trusted. */
static void doubt_longer(struct darn_trust_group *group, const struct darn_thread *self)
{
    uint32_t wanted = atomic_load(&group->wanted);

    if (wanted < MOST_VISITS)
        atomic_store(&group->wanted, wanted * 2);
    doubt(group, self, WATCHED);
}

static void note_other(struct darn_trust_group *group, struct member *member,
                       const struct darn_thread *self)
{
    atomic_store(&member->visits, 0);
    doubt(group, self, atomic_fetch_add(&group->others, 1) < MOST_OTHER ? WATCHED : LOST);
}

/* The same lock as before. */
static void note_same(struct darn_trust_group *group, struct member *member, bool trusted)
{
    bool is_new = !is_known(member);
    uint64_t mask;

    if (is_new)
        atomic_fetch_add_explicit(&member->visits, 1, memory_order_relaxed);
    if (!trusted && atomic_fetch_add_explicit(&group->visits, 1, memory_order_relaxed) + 1 >=
                        atomic_load_explicit(&group->wanted, memory_order_relaxed)) {
        trust(group);
    } else if (trusted && is_new && is_known(member)) {
        mask = enter();
        if (!group->in && atomic_load(&group->state) == TRUSTED)
            set_level(member, true);
        leave(mask);
    }
}

bool darn_trust_visit(struct darn_thread *thread, const struct darn_touch *touch, bool idle)
{
    struct member *member = find(touch->site);
    struct darn_trust_group *group = member && member->group ? whole(member->group) : NULL;
    uint32_t state = group ? atomic_load_explicit(&group->state, memory_order_acquire) : LOST;
    bool writes = touch->op != DARN_OP_READ, trusted = state == TRUSTED;
    enum darn_trust_place place;

    if (state == LOST)
        return false;
    if (!darn_trust_is_locked(writes)) {
        if (trusted)
            doubt_longer(group, thread);
        else if (atomic_load_explicit(&group->visits, memory_order_relaxed))
            atomic_store_explicit(&group->visits, 0, memory_order_relaxed);
        return false;
    }
    if (trusted && is_known(member))
        return idle;
    place = darn_trust_place(touch->address, writes);
    if (place == DARN_PLACE_OTHER) {
        note_other(group, member, thread);
        return false;
    }
    if (trusted && place == DARN_PLACE_NEW) {
        doubt(group, thread, WATCHED); /* it may be anybody's */
        return false;
    }
    note_same(group, member, trusted);
    return trusted && idle;
}

void darn_trust_lose(const struct darn_rule *rule)
{
    struct darn_trust_group *group = rule->trust ? whole(rule->trust) : NULL;

    if (group && atomic_load_explicit(&group->state, memory_order_relaxed) != LOST)
        doubt(group, NULL, LOST);
}

bool darn_trust_has(const struct darn_rule *rule)
{
    return rule->trust && atomic_load(&whole(rule->trust)->state) == TRUSTED;
}

void darn_trust_before_fork(void)
{
    darn_spin_lock(&lock);
}

void darn_trust_after_fork(void)
{
    darn_spin_unlock(&lock);
}
