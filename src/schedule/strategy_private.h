/*
 * What the strategies share: the bits of choices, the table of slots, and the picks of which
 * others are made. Private to strategy*.c.
 */
#ifndef DARN_SCHEDULE_STRATEGY_PRIVATE_H
#define DARN_SCHEDULE_STRATEGY_PRIVATE_H

#include <stddef.h>

#include "base/random.h"
#include "schedule/strategy.h"

static inline bool darn_bit(const uint64_t *bits, uint32_t i)
{
    return bits[i / 64] >> (i % 64) & 1;
}

static inline void darn_bit_set(uint64_t *bits, uint32_t i)
{
    bits[i / 64] |= UINT64_C(1) << (i % 64);
}

/* What is known about the thread of a choice. Slots are used again: then it is nothing. */
static inline struct darn_strategy_slot *darn_strategy_slot(struct darn_strategy *strategy,
                                                            const struct darn_choice *choice)
{
    struct darn_strategy_slot *slot = &strategy->slots[choice->slot];

    if (slot->thread != choice->thread + 1)
        *slot = (struct darn_strategy_slot){.thread = choice->thread + 1};
    return slot;
}

/* Do the two overlap in memory? An object of synchronization counts as one byte. */
static inline bool darn_strategy_overlap(uint64_t a, uint32_t a_size, uint64_t b, uint32_t b_size)
{
    return a < b + (b_size ? b_size : 1) && b < a + (a_size ? a_size : 1);
}

/* The index of the thread with this number; the count when it is not among them. */
static inline uint32_t darn_strategy_find(const struct darn_situation *situation, uint32_t thread)
{
    uint32_t i = 0;

    while (i < situation->count && situation->choices[i].thread != thread)
        i++;
    return i;
}

typedef uint32_t darn_strategy_picker(struct darn_strategy *strategy,
                                      const struct darn_situation *situation, struct darn_met *met);

/* Triples (strategy_triple.c) and quads (strategy_quad.c): what the step that was picked is to it.
 */
void darn_triple_observe(struct darn_strategy *strategy, const struct darn_situation *situation,
                         uint32_t picked, struct darn_met *met);
void darn_quad_observe(struct darn_strategy *strategy, const struct darn_situation *situation,
                       uint32_t picked, struct darn_met *met);

/* QUAD: what the thread did for others will not be completed by it. */
void darn_quad_drop_remote(struct darn_strategy *strategy, uint32_t slot);

/* Transactions (strategy_unit.c). The step that was picked may end what its thread is in the middle
 * of; and whether its thread is in the transaction that the plan asks for, the one of the other
 * thread if `remote`. */
void darn_unit_step(struct darn_strategy *strategy, const struct darn_choice *choice);
bool darn_unit_has(struct darn_strategy *strategy, const struct darn_choice *choice, bool remote);

/* Whether the plan has an aim of this kind. */
bool darn_plan_has(const struct darn_plan *plan, enum darn_aim_kind kind);

/* The thread of the choice has made the first of its two accesses; it has left. */
void darn_between_enter(struct darn_strategy *strategy, const struct darn_choice *choice);
void darn_between_leave(struct darn_strategy *strategy, const struct darn_choice *choice);

/* Another than darn_pick_straight has picked: what that goes by afterwards is as if it had been the
 * one. */
void darn_straight_made(struct darn_strategy *strategy, const struct darn_situation *situation,
                        uint32_t picked);

/* Whether a thread has gone on for so long that it has to give way. */
bool darn_straight_is_tired(const struct darn_strategy *strategy);

darn_strategy_picker darn_pick_straight;
darn_strategy_picker darn_pick_random;
darn_strategy_picker darn_pick_pct;
darn_strategy_picker darn_pick_pos;
darn_strategy_picker darn_pick_surw;
darn_strategy_picker darn_pick_follow;
darn_strategy_picker darn_pick_script;
darn_strategy_picker darn_pick_aim;
darn_strategy_picker darn_pick_race;
darn_strategy_picker darn_pick_triple;
darn_strategy_picker darn_pick_quad;
darn_strategy_picker darn_pick_delay;

void darn_pct_start(struct darn_strategy *strategy);
void darn_surw_start(struct darn_strategy *strategy);
void darn_script_start(struct darn_strategy *strategy);

/* The choice with the highest priority, of those that did not yield first, and whose bits in
 * `barred` (by index; NULL: none) are not set. The count when there is none. */
uint32_t darn_pos_highest(struct darn_strategy *strategy, const struct darn_situation *situation,
                          const uint64_t *barred);
/* The step of this choice is made: those that conflict with it draw again. */
void darn_pos_made(struct darn_strategy *strategy, const struct darn_situation *situation,
                   uint32_t made);

/* RACE: who goes on for the sake of the lead; the count when there is none, or no more. The bits of
 * those who wait at their place are set in `postponed`. */
uint32_t darn_lead_pick(struct darn_strategy *strategy, const struct darn_situation *situation,
                        uint64_t *postponed);

/* Whether the plan has an aim of this kind at the place. */
bool darn_aims_at(const struct darn_plan *plan, enum darn_aim_kind kind, uint64_t place);

/* A random one of the choices whose bit (by index) is as `set` says, of those that did not yield
 * first. The count when there is none. */
uint32_t darn_hold_random(struct darn_strategy *strategy, const struct darn_situation *situation,
                          const uint64_t *bits, bool set);

/* The choice is held back at its step. True when that has lasted too long: it shall go on. */
bool darn_hold_expired(struct darn_strategy *strategy, const struct darn_choice *choice);

/* Whether one of those that are held back has to go on: nobody else can, or those who can have
 * been yielding for a while. */
bool darn_hold_must_release(struct darn_strategy *strategy, const struct darn_situation *situation,
                            const uint64_t *held);
/* The step of this choice is made. */
void darn_hold_made(struct darn_strategy *strategy, const struct darn_choice *choice);

#endif
