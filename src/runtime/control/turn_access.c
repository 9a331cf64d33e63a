/* Accesses of controlled threads: armed sites, and the reads of spins. */
#include <string.h>

#include "runtime/control/control.h"
#include "runtime/control/decide.h"
#include "runtime/control/learning.h"
#include "runtime/control/livelock.h"
#include "runtime/control/turn.h"
#include "runtime/control/turn_sync.h"
#include "runtime/watch/sites.h"
#include "site/armed.h"

/* A read that has seen the same value so often, with nothing in between, is taken for a spin. */
#define SPINS_AT 3

/*
 * The accesses of an inner loop would be most of the steps of a run. So the first ones of a site
 * are always steps; of the others, in all, the first HOT_STEPS are, then every second one for
 * HOT_STEPS more, every fourth one, and so on. What is a step depends on nothing but the run so
 * far: a replay has the same ones.
 */
#define SITE_STEPS 64
#define HOT_STEPS  4096

static uint8_t steps_of[DARN_BLOCK_SITES];
static uint64_t hot_accesses, hot_steps;

uint32_t darn_turn_thinned(void)
{
    uint64_t thinned = hot_steps / HOT_STEPS;

    return thinned < 16 ? (uint32_t)thinned : 16;
}

bool darn_turn_counts(uint8_t *times)
{
    if (*times < SITE_STEPS) {
        ++*times;
        return true;
    }
    if (hot_accesses++ & ((UINT64_C(1) << hot_steps / HOT_STEPS) - 1))
        return false;
    hot_steps++;
    return true;
}

static bool is_step(const struct darn_site *site)
{
    uint32_t number = darn_site_number(site);

    return number >= DARN_BLOCK_SITES || darn_decide_aims_at((uint64_t)(uintptr_t)site) ||
           darn_turn_counts(&steps_of[number]);
}

/* That nobody else has any access is violated as if there were a write, that nobody else writes as
 * if there were a read; atomic ones do not help. */
static enum darn_step_op op_of(const struct darn_touch *touch)
{
    if (touch->assertion)
        return touch->assertion == DARN_ASSERT_ACCESS ? DARN_STEP_WRITE : DARN_STEP_READ;
    switch (touch->op) {
    case DARN_OP_READ:
        return DARN_STEP_READ;
    case DARN_OP_WRITE:
        return DARN_STEP_WRITE;
    case DARN_OP_UPDATE:
        return DARN_STEP_UPDATE;
    default:
        return DARN_STEP_FREE;
    }
}

static void stand(struct darn_slot *slot, const struct darn_touch *touch, const void *frame)
{
    darn_turn_step(slot, op_of(touch), (const volatile void *)(touch->address & ~UINT64_C(7)),
                   frame);
    slot->object = touch->address;
    slot->size = touch->size < UINT32_MAX ? (uint32_t)touch->size : UINT32_MAX;
    slot->atomic = touch->atomic;
    slot->is_volatile = touch->is_volatile;
    slot->is_assertion = touch->assertion;
    slot->site = touch->site;
    if (touch->site)
        slot->place = (uint64_t)(uintptr_t)touch->site;
    darn_turn_take(slot);
}

/* A thread whose spin is not recognised would keep the turn for ever without a step in its loop. */
static bool really_spins(const struct darn_site *site)
{
    return (darn_fair || darn_control_wants(DARN_RUN_SPIN)) && site->flags & DARN_SITE_SPIN;
}

/* In the fair part of a run: also of a thread that is alone, and however often. */
static void access_fairly(struct darn_slot *slot, const struct darn_touch *touch, const void *frame)
{
    if (!touch->site && !darn_control_has_compiled(((const uint64_t *)frame)[1])) {
        darn_livelock_spoil();
        return;
    }
    if (touch->site && touch->op != DARN_OP_READ)
        darn_livelock_write(touch);
    if (!touch->site || really_spins(touch->site) || darn_armed(touch->site) & DARN_ARMED_STEP)
        stand(slot, touch, frame);
}

void darn_turn_access(struct darn_thread *thread, const struct darn_touch *touch, const void *frame)
{
    struct darn_slot *slot = darn_turn_mine(thread);

    if (slot && darn_fair && !touch->assertion) {
        access_fairly(slot, touch, frame);
        return;
    }
    if (!slot || darn_fair || !(darn_turn_has_others() || darn_turn_has_unjoined()))
        return;
    /* libc gives memory back while it holds locks of its own. */
    if (!touch->site && !darn_control_has_compiled(((const uint64_t *)frame)[1]))
        return;
    if (touch->site && darn_control_wants(DARN_RUN_LEARN))
        darn_learning_access(thread->number, touch);
    else if (darn_control_wants(DARN_RUN_LEARN))
        darn_learning_freed(thread->number, touch);
    if (!darn_turn_has_others())
        return; /* another schedule lets the other thread end later; in this one it is no step */
    if (!touch->site || really_spins(touch->site) ||
        (darn_armed(touch->site) & DARN_ARMED_STEP && is_step(touch->site)))
        stand(slot, touch, frame);
}

/* The entry of this read in the way around the loop; NULL: it is a new one. */
static struct darn_spin_read *find(struct darn_slot *slot, uintptr_t address,
                                   const struct darn_site *site)
{
    for (uint32_t i = 0; i < slot->spin_count; i++) {
        if (slot->spins[i].site == site && slot->spins[i].address == address)
            return &slot->spins[i];
    }
    return NULL;
}

/* Whether the thread has been around the loop and nothing has changed. */
static bool goes_around(struct darn_slot *slot, uintptr_t address, const struct darn_site *site)
{
    uint32_t size = site->size < 8 ? site->size : 8;
    struct darn_spin_read *read = find(slot, address, site);
    uint64_t value = 0;

    memcpy(&value, (const void *)address, size);
    if (read && read->value == value)
        return ++read->count >= SPINS_AT;
    if (read || slot->spin_count == DARN_SPIN_READS)
        slot->spin_count = 0; /* something has changed: another way around */
    slot->spins[slot->spin_count++] = (struct darn_spin_read){
        .site = site, .address = address, .value = value, .size = size, .count = 1};
    return false;
}

void darn_turn_spin(struct darn_thread *thread, uintptr_t address, const struct darn_site *site,
                    const void *frame)
{
    struct darn_slot *slot = darn_turn_mine(thread);
    struct darn_touch touch = {
        .address = address,
        .size = site->size,
        .site = site,
        .op = site->kind,
        .atomic = site->flags & DARN_SITE_ATOMIC,
        .is_volatile = site->flags & DARN_SITE_VOLATILE,
    };

    if (!slot)
        return;
    if (!darn_fair && !darn_control_wants(DARN_RUN_SPIN) && goes_around(slot, address, site)) {
        darn_turn_step(slot, DARN_STEP_SPIN, (const volatile void *)(address & ~UINT64_C(7)),
                       frame);
        slot->object = address;
        slot->size = site->size;
        slot->site = site;
        slot->place = (uint64_t)(uintptr_t)site;
        darn_turn_take(slot);
        slot->spin_count = 0;
        return;
    }
    darn_turn_access(thread, &touch, frame);
}
