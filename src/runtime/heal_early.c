#include "runtime/heal_early.h"

#include <stdatomic.h>
#include <stddef.h>

#include "runtime/heal_parts.h"
#include "runtime/os.h"
#include "runtime/spin.h"
#include "runtime/state.h"

#define PLACES 512

/* An access that comes after a lock was taken at a place. What is not so every time is never
 * believed again. */
struct place {
    _Atomic uintptr_t pc; /* 0: not used; written last */
    const struct darn_site *site;
    struct darn_rule *rule; /* whose entry it is; NULL: a single access */
    uintptr_t address;
    uintptr_t distance; /* from the lock */
    uint64_t size;
    uint8_t ops;
    _Atomic bool same_address, same_distance;
};

uint8_t darn_early_marks[DARN_EARLY_MARKS];

static struct place places[PLACES];
static struct darn_spin lock; /* for those who add one; signals are blocked */

static uint32_t first_of(uintptr_t pc)
{
    return (uint32_t)((pc * UINT64_C(0x9e3779b97f4a7c15)) >> 55);
}

/* The next place with this pc from `at` on, at most once around. NULL: there is none. */
static struct place *next_of(uintptr_t pc, uint32_t *at, uint32_t *left)
{
    for (; *left; *at = (*at + 1) % PLACES, (*left)--) {
        struct place *place = &places[*at];
        uintptr_t found = atomic_load_explicit(&place->pc, memory_order_acquire);

        if (!found)
            return NULL;
        if (found == pc) {
            *at = (*at + 1) % PLACES;
            (*left)--;
            return place;
        }
    }
    return NULL;
}

#define EACH_PLACE(pc, place)                                                                      \
    for (uint32_t at_ = first_of(pc), left_over_ = PLACES;                                         \
         ((place) = next_of(pc, &at_, &left_over_)) != NULL;)

static void add(const struct darn_thread *thread, const struct darn_touch *touch,
                struct darn_rule *rule)
{
    uint32_t at = first_of(thread->locked_at), left = PLACES - 1;
    uint64_t mask = darn_os_block_signals();

    darn_spin_lock(&lock);
    while (places[at].pc && left) {
        at = (at + 1) % PLACES;
        left--;
    }
    if (left) {
        struct place *place = &places[at];

        place->site = touch->site;
        place->rule = rule;
        place->address = touch->address;
        place->distance = touch->address - thread->locked;
        place->size = touch->size;
        place->ops = darn_heal_ops(touch);
        atomic_store_explicit(&place->same_address, true, memory_order_relaxed);
        atomic_store_explicit(&place->same_distance, true, memory_order_relaxed);
        atomic_store_explicit(&place->pc, thread->locked_at, memory_order_release);
        darn_early_marks[darn_early_mark(thread->locked_at)] = 1;
    }
    darn_spin_unlock(&lock);
    darn_os_restore_signals(mask);
}

void darn_early_learn(const struct darn_thread *thread, const struct darn_touch *touch,
                      struct darn_rule *rule)
{
    struct place *place;

    if (!thread->locked)
        return;
    EACH_PLACE(thread->locked_at, place)
    {
        if (place->site != touch->site || place->rule != rule)
            continue;
        if (place->same_address && place->address != touch->address)
            place->same_address = false;
        if (place->same_distance && place->distance != touch->address - thread->locked)
            place->same_distance = false;
        return;
    }
    add(thread, touch, rule);
}

/* The address at which the access is expected; 0: that is not known. */
static uintptr_t guess(const struct place *place, const volatile void *taken)
{
    if (atomic_load_explicit(&place->same_address, memory_order_relaxed))
        return place->address;
    return atomic_load_explicit(&place->same_distance, memory_order_relaxed)
               ? (uintptr_t)taken + place->distance
               : 0;
}

/* The hold of the rule that awaits its entry, after a call that leads there. */
static struct darn_hold *find_awaited(struct darn_healer *healer, const struct darn_rule *rule)
{
    struct darn_hold *hold;

    DARN_EACH_HOLD(healer, hold)
    {
        if (hold->rule == rule && hold->state == DARN_HOLD_AWAITED)
            return hold;
    }
    return NULL;
}

static struct darn_hold *hold_for(struct darn_healer *healer, const struct place *place,
                                  const void *caller)
{
    struct darn_hold *hold;

    if (!place->rule) {
        hold = darn_hold_new(healer);
        if (hold)
            hold->ops = place->ops;
        if (hold)
            hold->allow = DARN_ALLOW_ALL;
        return hold;
    }
    if (place->rule->cure->given_up)
        return NULL;
    if (place->rule->has_call)
        hold = find_awaited(healer, place->rule);
    else
        hold = darn_heal_begin_anew(healer, place->rule, caller)
                   ? NULL
                   : darn_heal_begin(healer, place->rule, caller);
    if (hold)
        darn_heal_fill(hold);
    return hold;
}

/* Nothing is held early any more; one that a call has led to goes on without. */
static void take_back(struct darn_hold *hold)
{
    if (!hold->rule || !hold->rule->has_call) {
        darn_heal_drop(hold);
        return;
    }
    darn_hold_free(hold);
    hold->state = DARN_HOLD_AWAITED;
}

static bool has_section(const struct darn_healer *healer, const struct darn_site *site,
                        uintptr_t pc)
{
    struct place *place;

    EACH_PLACE(pc, place)
    {
        const struct darn_hold *hold;

        if (place->site != site || !place->rule)
            continue;
        DARN_EACH_HOLD(healer, hold)
        {
            if (hold->rule == place->rule && hold->state == DARN_HOLD_EARLY)
                return true;
        }
    }
    return false;
}

static void take_one(struct darn_healer *healer, const struct place *place,
                     const volatile void *taken, const void *frame)
{
    uintptr_t address = guess(place, taken);
    struct darn_hold *hold = NULL;

    if (address)
        hold = hold_for(healer, place, *(const void *const *)frame);
    if (!hold)
        return;
    hold->address = address;
    hold->size = place->size;
    hold->early_for = taken;
    hold->state = DARN_HOLD_EARLY;
    if (darn_hold_take(hold, frame))
        healer->thread->early = true;
    else
        take_back(hold);
}

/* Sections first: a single access that is the entry of one needs no hold of its own. */
void darn_early_take(struct darn_thread *thread, const volatile void *taken, const void *frame)
{
    struct darn_healer *healer = darn_healer_of(thread);
    uintptr_t pc = ((const uintptr_t *)frame)[1];
    struct place *place;

    if (!healer || healer->busy || thread->ignore || darn_threads_alive() < 2)
        return;
    healer->busy = true;
    EACH_PLACE(pc, place)
    {
        if (place->rule)
            take_one(healer, place, taken, frame);
    }
    EACH_PLACE(pc, place)
    {
        if (!place->rule && !has_section(healer, place->site, pc))
            take_one(healer, place, taken, frame);
    }
    healer->busy = false;
}

void darn_early_drop(struct darn_thread *thread, const volatile void *given)
{
    struct darn_healer *healer = thread->healer;
    struct darn_hold *hold;
    bool left = false;

    if (!healer || healer->busy)
        return;
    healer->busy = true;
    DARN_EACH_HOLD(healer, hold)
    {
        if (hold->state != DARN_HOLD_EARLY)
            continue;
        if (hold->early_for == given)
            take_back(hold);
        else
            left = true;
    }
    thread->early = left;
    healer->busy = false;
}

bool darn_early_comes(struct darn_hold *hold, const struct darn_touch *touch)
{
    if (hold->state != DARN_HOLD_EARLY)
        return false;
    if (darn_hold_overlaps(hold, touch) && touch->size <= hold->size)
        return true;
    darn_hold_free(hold); /* the guess was wrong */
    hold->state = DARN_HOLD_AWAITED;
    return false;
}
