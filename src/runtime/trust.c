#include "runtime/trust.h"

#include <stddef.h>

#include "runtime/os.h"
#include "runtime/state.h"
#include "runtime/trust_parts.h"
#include "runtime/trust_places.h"

/* So many visits are wanted at most. */
#define MOST_VISITS (1 << 20)

/* A group in which so many addresses were found under another lock than before is not trusted. */
#define MOST_OTHER 32

/* Who waits for those who may be in a section unseen looks this often, in nanoseconds. */
#define LOOK 20000

/* Where there are more threads, nothing is trusted. */
#define THREADS 256

static void trust(struct darn_trust_group *group)
{
    uint64_t mask = darn_trust_begin();

    atomic_store(&group->visits, 0);
    if (!group->in && atomic_load(&group->state) == DARN_TRUST_WATCHED &&
        darn_trust_far_is_settled(group) && darn_threads_alive() <= THREADS / 2) {
        atomic_store(&group->state, DARN_TRUST_GIVEN);
        darn_trust_set_levels(group);
    }
    darn_trust_end(mask);
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
    uint64_t mask = darn_trust_begin();
    bool was_trusted = atomic_load(&group->state) == DARN_TRUST_GIVEN;

    atomic_store(&group->visits, 0);
    if (was_trusted || state == DARN_TRUST_LOST) {
        atomic_store(&group->state, state);
        darn_trust_set_levels(group);
    }
    darn_trust_end(mask);
    if (was_trusted && self)
        await_unseen(self);
}

/* Somebody came without a lock: next time it takes longer until the group is trusted. */
static void doubt_longer(struct darn_trust_group *group, const struct darn_thread *self)
{
    uint32_t wanted = atomic_load(&group->wanted);

    if (wanted < MOST_VISITS)
        atomic_store(&group->wanted, wanted * 2);
    doubt(group, self, DARN_TRUST_WATCHED);
}

static void note_other(struct darn_trust_group *group, struct darn_trust_member *member,
                       const struct darn_thread *self)
{
    atomic_store(&member->visits, 0);
    doubt(group, self,
          atomic_fetch_add(&group->others, 1) < MOST_OTHER ? DARN_TRUST_WATCHED : DARN_TRUST_LOST);
}

/* The same lock as before. */
static void note_same(struct darn_trust_group *group, struct darn_trust_member *member,
                      bool trusted)
{
    bool is_new = !darn_trust_is_known(member);
    uint64_t mask;

    if (is_new)
        atomic_fetch_add_explicit(&member->visits, 1, memory_order_relaxed);
    if (!trusted && atomic_fetch_add_explicit(&group->visits, 1, memory_order_relaxed) + 1 >=
                        atomic_load_explicit(&group->wanted, memory_order_relaxed)) {
        trust(group);
    } else if (trusted && is_new && darn_trust_is_known(member)) {
        mask = darn_trust_begin();
        darn_trust_set_level(member);
        darn_trust_end(mask);
    }
}

/* True: it is left to the program's lock. */
static bool look_at_locks(struct darn_trust_member *member, struct darn_trust_group *group,
                          const struct darn_thread *thread, const struct darn_touch *touch)
{
    bool trusted = atomic_load_explicit(&group->state, memory_order_acquire) == DARN_TRUST_GIVEN;
    bool writes = touch->op != DARN_OP_READ;
    enum darn_trust_place place;

    if (!darn_trust_is_locked(writes)) {
        if (trusted)
            doubt_longer(group, thread);
        else if (atomic_load_explicit(&group->visits, memory_order_relaxed))
            atomic_store_explicit(&group->visits, 0, memory_order_relaxed);
        return false;
    }
    if (trusted && darn_trust_is_known(member))
        return true;
    place = darn_trust_place(touch->address, writes);
    if (place == DARN_PLACE_OTHER) {
        note_other(group, member, thread);
        return false;
    }
    if (trusted && place == DARN_PLACE_NEW) {
        doubt(group, thread, DARN_TRUST_WATCHED); /* it may be anybody's */
        return false;
    }
    note_same(group, member, trusted);
    return trusted && !member->is_wary;
}

bool darn_trust_visit(struct darn_thread *thread, const struct darn_touch *touch, bool idle)
{
    struct darn_trust_group *group;
    struct darn_trust_member *member = darn_trust_find(touch->site, &group);

    if (!member)
        return false;
    if (!member->is_point)
        darn_trust_far_visit(member, group, touch);
    return atomic_load_explicit(&group->state, memory_order_relaxed) != DARN_TRUST_LOST &&
           look_at_locks(member, group, thread, touch) && idle;
}

void darn_trust_lose(const struct darn_rule *rule)
{
    struct darn_trust_group *group = darn_trust_whole(rule->trust);

    if (group && atomic_load_explicit(&group->state, memory_order_relaxed) != DARN_TRUST_LOST)
        doubt(group, NULL, DARN_TRUST_LOST);
}

bool darn_trust_has(const struct darn_rule *rule)
{
    const struct darn_trust_group *group = darn_trust_whole(rule->trust);

    return group && atomic_load(&group->state) == DARN_TRUST_GIVEN;
}
