/*
 * Sites that have a name in common with a section, and nothing else.
 *
 * Whoever may touch the variable of a section is known by the last part of its name, and names such
 * as `size` or `*this` are those of many variables. A site that is no point of a section, and was
 * found again and again where no section had ever been, is far away from all of them: it is not
 * armed any more. It is looked at again from time to time, while sections are entered: at once when
 * the first is, and more often where they come to new places.
 */
#include <stddef.h>

#include "runtime/heal/elision.h"
#include "runtime/heal/trust_parts.h"
#include "runtime/os/os.h"

/* A site is far after so many visits, or so many more if it was near once; then it never is. When
 * it is looked at again, the last so many of them are repeated. */
#define FAR        1000
#define FAR_AGAIN  (16 * FAR)
#define LOOK_AGAIN 16

/* It is looked at again each time that so many sections were entered; at a new place one counts as
 * many. */
#define PERIOD    1024
#define BEGINNING 64 /* then, after each of them, and from the start */
#define NEW_PLACE 16

/* Where sections have been: a bit for each granule, by a hash. Nothing is ever taken out. */
#define BITS_SHIFT 22
#define GRANULE    8

/* An access that is longer is near. */
#define LONGEST 64

static _Atomic uint8_t *places;

int darn_trust_far_open(void)
{
    if (!places)
        places = darn_os_allocate((1 << BITS_SHIFT) / 8);
    return places ? 0 : -1;
}

static uint32_t bit_of(uintptr_t granule)
{
    return (uint32_t)(granule * UINT64_C(0x9e3779b97f4a7c15) >> (64 - BITS_SHIFT));
}

static bool has_place(uintptr_t granule)
{
    uint32_t bit = bit_of(granule);

    return atomic_load_explicit(&places[bit / 8], memory_order_relaxed) >> bit % 8 & 1;
}

static bool is_near(uintptr_t address, uint64_t size)
{
    uintptr_t first = address / GRANULE, last = (address + (size ? size - 1 : 0)) / GRANULE;

    if (last - first >= LONGEST)
        return true;
    for (uintptr_t granule = first; granule <= last; granule++) {
        if (has_place(granule))
            return true;
    }
    return false;
}

/* Whether it is a new one. */
static bool add_place(uintptr_t address, uint64_t size)
{
    uintptr_t first = address / GRANULE, last = (address + (size ? size - 1 : 0)) / GRANULE;
    bool is_new = false;

    for (uintptr_t granule = first; granule <= last && granule - first < LONGEST; granule++) {
        uint32_t bit = bit_of(granule);

        if (has_place(granule))
            continue;
        atomic_fetch_or_explicit(&places[bit / 8], (uint8_t)(1 << bit % 8), memory_order_relaxed);
        is_new = true;
    }
    return is_new;
}

static void send_away(struct darn_trust_member *member, struct darn_trust_group *group)
{
    uint64_t mask = darn_trust_begin();

    atomic_store(&member->far, 0); /* if it cannot be, not soon again */
    if (!group->in && !member->is_far && atomic_load(&group->state) != DARN_TRUST_GIVEN) {
        member->is_far = true;
        atomic_fetch_add(&group->far, 1);
        darn_trust_set_level(member);
    }
    darn_trust_end(mask);
}

void darn_trust_far_visit(struct darn_trust_member *member, struct darn_trust_group *group,
                          const struct darn_touch *touch)
{
    uint32_t wanted = member->near ? FAR_AGAIN : FAR;

    if (member->near > 1)
        return;
    if (is_near(touch->address, touch->size)) {
        member->near++;
        atomic_store_explicit(&member->far, 0, memory_order_relaxed);
    } else if (atomic_fetch_add_explicit(&member->far, 1, memory_order_relaxed) + 1 >= wanted) {
        send_away(member, group);
    }
}

bool darn_trust_far_is_settled(const struct darn_trust_group *group)
{
    uint32_t entered = atomic_load(&group->entered);

    return !atomic_load(&group->far) || !entered || entered >= 2 * PERIOD;
}

static void call_back(struct darn_trust_group *group, bool anew)
{
    uint64_t mask = darn_trust_begin();

    for (struct darn_trust_member *member = group->members; member; member = member->next) {
        if (!member->is_far)
            continue;
        member->is_far = false;
        atomic_store(&member->far, anew ? 0 : (member->near ? FAR_AGAIN : FAR) - LOOK_AGAIN);
        darn_trust_set_level(member);
    }
    atomic_store(&group->far, 0);
    darn_trust_end(mask);
    if (anew)
        darn_os_barrier();
}

void darn_trust_enter(const struct darn_rule *rule, uintptr_t address, uint64_t size)
{
    struct darn_trust_group *group = darn_trust_whole(rule->trust);
    uint32_t count, before;
    bool is_new;

    if (!group || !(group->has_others || (group->has_reads && group->reads_matter)))
        return; /* nobody asks */
    is_new = add_place(address, size);
    if (!atomic_load_explicit(&group->far, memory_order_relaxed))
        return;
    before = atomic_fetch_add(&group->entered, is_new ? NEW_PLACE : 1);
    count = before + (is_new ? NEW_PLACE : 1);
    if (count <= BEGINNING || before / PERIOD != count / PERIOD)
        call_back(group, count <= BEGINNING);
}
