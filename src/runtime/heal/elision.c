#include "runtime/heal/elision.h"

#include <stddef.h>

#include "runtime/heal/elision_locks.h"
#include "runtime/heal/elision_private.h"
#include "runtime/heal/hold.h"
#include "runtime/os/os.h"
#include "runtime/state.h"

/* A group is elided after so many visits under locks without a break. */
#define VISITS 1000

/* A group in which so many addresses were found under another lock than before is never elided. */
#define MOST_OTHER 32

/* Who waits for those who may be in a section unseen looks this often, in nanoseconds. */
#define LOOK 20000

/* Where there are more threads, nothing is elided. */
#define THREADS 256

/* An access may be to several variables at once, as where a constructor clears them, each of which
 * is reached by its own address elsewhere. The beginning of a long one stands for all. */
#define SHORTEST 4
#define LONGEST  64

/* So many times a thread is looked at until it is out of its hook. */
#define PATIENCE 200

static bool may_elide(const struct darn_elision_group *group)
{
    return !group->in && darn_threads_alive() <= THREADS / 2;
}

/* Whether the thread is in a section of the group that the locks of the others do not keep out, or
 * may be on its way into one: in a hook. */
static bool is_outside(const struct darn_thread *thread, const struct darn_elision_group *group)
{
    const struct darn_healer *healer = thread->healer;
    const void *outside;

    for (int tries = 0; healer && healer->busy; tries++) {
        if (tries == PATIENCE)
            return true;
        __builtin_ia32_pause();
    }
    outside = darn_own_outside(thread);
    return outside == DARN_OUTSIDE_ANY || (outside && darn_elision_whole(outside) == group);
}

/* Behind the barrier whoever comes by finds that the group is about to be elided, or is seen. */
static bool is_anybody_outside(const struct darn_thread *self,
                               const struct darn_elision_group *group)
{
    struct darn_thread *list[THREADS];
    uint32_t count;

    darn_os_barrier();
    count = darn_threads_list(list, THREADS);
    for (uint32_t i = 0; i < count; i++) {
        if (list[i] != self && is_outside(list[i], group))
            return true;
    }
    return count == THREADS;
}

/* Who came without a lock, or with another one, may still be in its section. Then, all visits are
 * wanted again. */
static void elide(struct darn_elision_group *group, const struct darn_thread *self)
{
    uint64_t mask = darn_elision_lock();
    bool possible = atomic_load(&group->state) == DARN_ELISION_WATCHED &&
                    atomic_load(&group->visits) >= VISITS && /* still */
                    may_elide(group);

    atomic_store(&group->visits, 0);
    if (possible)
        atomic_store(&group->state, DARN_ELISION_TRIED);
    darn_elision_unlock(mask);
    if (!possible)
        return;
    possible = !is_anybody_outside(self, group);
    mask = darn_elision_lock();
    if (atomic_load(&group->state) == DARN_ELISION_TRIED) {
        possible = possible && may_elide(group);
        atomic_store(&group->state, possible ? DARN_ELISION_ON : DARN_ELISION_WATCHED);
        darn_elision_set_levels(group);
    }
    darn_elision_unlock(mask);
}

/* Whether the thread may be where it was when it had so many locks given back: between a lock and
 * an unlock, in a section that nobody has seen. */
static bool is_still_there(const struct darn_thread *thread, uint32_t given)
{
    uint64_t all = darn_own_of(thread);

    return darn_own_holds(all) && darn_own_given(all) == given &&
           __atomic_load_n(&thread->wait.kind, __ATOMIC_RELAXED) == DARN_WAIT_NONE &&
           !(thread->healer && thread->healer->awaits);
}

/*
 * Everybody calls from now on; who did not is waited for. A thread writes down its lock, and looks
 * at armed bytes then; we have armed them, and look at what it has written then. The barrier, which
 * all threads have to pass, stands for those that they do not have: one of us sees the other. Two
 * that are both waiting here do not wait for each other.
 */
static void look_for_unseen(const struct darn_thread *self, uint64_t end)
{
    struct darn_thread *list[THREADS];
    uint32_t count;

    darn_os_barrier();
    count = darn_threads_list(list, THREADS);
    if (count == THREADS) { /* there may be more of them */
        darn_os_sleep(end - darn_os_now());
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

/* Whoever comes without the lock that is known, soon after the revocation, has to wait. */
static void await_unseen(struct darn_elision_group *group, const struct darn_thread *self)
{
    uint64_t until = atomic_load(&group->until);

    if (!until)
        return;
    if (darn_os_now() < until) {
        self->healer->awaits = true;
        look_for_unseen(self, darn_elision_bound());
        self->healer->awaits = false;
    }
    atomic_compare_exchange_strong(&group->until, &until, 0);
}

static void revoke(struct darn_elision_group *group, uint32_t state)
{
    uint64_t mask = darn_elision_lock();
    uint32_t before = atomic_load(&group->state);

    atomic_store(&group->visits, 0);
    if (before == DARN_ELISION_ON || before == DARN_ELISION_TRIED || state == DARN_ELISION_NEVER) {
        darn_elision_end(group, state);
        darn_elision_set_levels(group);
    }
    darn_elision_unlock(mask);
}

static void note_other(struct darn_elision_group *group, struct darn_elision_member *member)
{
    atomic_store(&member->visits, 0);
    revoke(group, atomic_fetch_add(&group->others, 1) < MOST_OTHER ? DARN_ELISION_WATCHED
                                                                   : DARN_ELISION_NEVER);
}

/* The member was under the lock of the one that came to the address before or after it. */
static void note_visit(struct darn_elision_member *member)
{
    uint64_t mask;

    if (darn_elision_is_known(member))
        return;
    atomic_fetch_add_explicit(&member->visits, 1, memory_order_relaxed);
    if (!darn_elision_is_known(member))
        return;
    mask = darn_elision_lock();
    if (member->group) /* its module is there */
        darn_elision_set_level(member);
    darn_elision_unlock(mask);
}

/* The same lock as before. For the group an access behind another one of the same section says
 * nothing more. */
static void note_same(struct darn_elision_group *group, struct darn_elision_member *member,
                      const struct darn_thread *self, uint32_t state, bool idle)
{
    note_visit(member);
    if (state == DARN_ELISION_WATCHED && idle &&
        atomic_fetch_add_explicit(&group->visits, 1, memory_order_relaxed) + 1 >= VISITS)
        elide(group, self);
}

/* Under which lock somebody comes says something of the one that came there before, too. A site
 * that comes to new memory alone, as a constructor does, becomes known by those who follow. */
static void note_before(const struct darn_elision_group *group, struct darn_elision_member *before,
                        enum darn_elision_locks locks)
{
    if (darn_elision_whole(before->group) != group)
        return;
    if (locks == DARN_LOCKS_SAME)
        note_visit(before);
    else
        atomic_store(&before->visits, 0);
}

/* What is known of a part says nothing of the rest. */
static enum darn_elision_locks look_at_all(struct darn_elision_member *member,
                                           const struct darn_elision_group *group,
                                           const struct darn_touch *touch, bool writes)
{
    enum darn_elision_locks all = DARN_LOCKS_SAME;
    const struct darn_elision_member *noted = member;

    for (uint32_t at = 0; at == 0 || (at < touch->size && at < LONGEST); at += SHORTEST) {
        struct darn_elision_member *before = member;
        enum darn_elision_locks locks;

        if (touch->gaps && !(touch->gaps >> at & 1))
            continue;
        locks = darn_elision_look(touch->address + at, writes, &before);
        if (before != member && before != noted) {
            note_before(group, before, locks);
            noted = before;
        }
        if (locks == DARN_LOCKS_OTHER || all == DARN_LOCKS_SAME)
            all = locks;
    }
    return all;
}

/* An access without a lock: nobody who has one is kept out. */
static void note_none(struct darn_elision_group *group, uint32_t state)
{
    if (state == DARN_ELISION_ON || state == DARN_ELISION_TRIED)
        revoke(group, DARN_ELISION_WATCHED);
    else if (atomic_load_explicit(&group->visits, memory_order_relaxed))
        atomic_store_explicit(&group->visits, 0, memory_order_relaxed);
}

/* Whether the access is under the lock that is known there. If not, that is revoked. */
static bool is_under_lock(struct darn_elision_member *member, struct darn_elision_group *group,
                          const struct darn_thread *thread, const struct darn_touch *touch,
                          uint32_t state, bool idle)
{
    bool writes = member->writes || touch->op != DARN_OP_READ;
    enum darn_elision_locks locks;

    if (!darn_elision_is_locked(writes)) {
        note_none(group, state);
        return false;
    }
    if (state == DARN_ELISION_ON && darn_elision_is_known(member))
        return true;
    locks = look_at_all(member, group, touch, writes);
    if (locks == DARN_LOCKS_SAME)
        note_same(group, member, thread, state, idle);
    else if (locks == DARN_LOCKS_OTHER)
        note_other(group, member);
    else if (state == DARN_ELISION_ON)
        revoke(group, DARN_ELISION_WATCHED); /* it may be anybody's */
    return locks == DARN_LOCKS_SAME;
}

/* `*outside`: it is not known to be under the lock that others hold. */
static enum darn_elision look_at_locks(struct darn_elision_member *member,
                                       struct darn_elision_group *group,
                                       const struct darn_thread *thread,
                                       const struct darn_touch *touch, bool idle, bool *outside)
{
    uint32_t state = atomic_load_explicit(&group->state, memory_order_acquire);

    *outside = false;
    if (state == DARN_ELISION_NEVER && !atomic_load_explicit(&group->until, memory_order_relaxed))
        return DARN_ELISION_NOT;
    *outside = !is_under_lock(member, group, thread, touch, state, idle);
    if (*outside && !(idle && member->is_end)) /* else it may be in a section unseen itself */
        await_unseen(group, thread);
    if (*outside || state != DARN_ELISION_ON)
        return DARN_ELISION_NOT;
    return member->may_release ? DARN_ELISION_TENTATIVE : DARN_ELISION_FULL;
}

/* What the thread is in already counts as well. */
static void note_outside(const struct darn_elision_group *group, bool idle)
{
    const void *before = idle ? NULL : darn_own_here.outside;

    if (!group || before == group)
        DARN_OWN_STORE(outside, before);
    else
        DARN_OWN_STORE(outside, before ? DARN_OUTSIDE_ANY : group);
}

enum darn_elision darn_elision_visit(struct darn_thread *thread, const struct darn_touch *touch,
                                     bool idle, struct darn_roles *roles)
{
    struct darn_elision_group *group;
    struct darn_elision_member *member = darn_elision_find(touch->site, &group);
    enum darn_elision found;
    bool outside;

    *roles = member ? member->roles : darn_rules_of(touch->site);
    if (!member)
        return DARN_ELISION_NOT;
    found = look_at_locks(member, group, thread, touch, idle, &outside);
    note_outside(outside ? group : NULL, idle);
    return idle ? found : DARN_ELISION_NOT;
}

void darn_elision_forbid(const struct darn_rule *rule)
{
    struct darn_elision_group *group = darn_elision_whole(rule->elision);

    if (group && atomic_load_explicit(&group->state, memory_order_relaxed) != DARN_ELISION_NEVER)
        revoke(group, DARN_ELISION_NEVER);
}

bool darn_elision_is_on(const struct darn_rule *rule)
{
    const struct darn_elision_group *group = darn_elision_whole(rule->elision);

    return group && atomic_load(&group->state) == DARN_ELISION_ON;
}
