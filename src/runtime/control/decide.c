#include "runtime/control/decide.h"

#include "runtime/control/busy.h"
#include "runtime/control/control.h"
#include "runtime/control/control_coverage.h"
#include "runtime/control/outsiders.h"
#include "runtime/control/enabled.h"
#include "runtime/control/followed.h"
#include "runtime/control/learning.h"
#include "runtime/control/livelock.h"
#include "runtime/control/capture.h"
#include "runtime/control/vain.h"
#include "runtime/control/vtime.h"
#include "runtime/os/os.h"
#include "runtime/os/proc.h"
#include "runtime/state.h"

/* Timers go off in virtual time when nobody else can go on. Whoever is outside gets this long, in
 * real time, to come back first. */
#define OUTSIDE_GETS UINT64_C(5000000)

/* Nor may a thread that waits by sleeping, yielding or spinning be done with all its steps before
 * they have moved: this is the least that such a step takes then, in real time. */
#define STEP_TAKES UINT64_C(100000)

/* A program that handles signals gets this long, in real time, to be sent one. */
#define SIGNALS_GET UINT64_C(100000000)

/* Reads of a spin in a row, while nobody else can go on, until that is a hang. */
#define FRUITLESS 100000

extern volatile uint8_t darn_functions; /* hook.c: functions say when they begin and end */

static struct darn_strategy strategy;
static struct darn_choice choices[DARN_SLOTS];
static struct darn_slot *last; /* the one that ran last */
static uint64_t steps;         /* made so far */
static uint32_t fruitless;     /* reads of spins */
static bool handlers;          /* the program handles signals */

void darn_decide_begin(struct darn_slot *first)
{
    last = first;
    darn_strategy_start(&strategy, &darn_control->request.plan, darn_control->follow,
                        darn_control->switches);
    darn_livelock_step(0);
    darn_functions = darn_strategy_wants_ends(&strategy);
}

static void describe(const struct darn_slot *slot, struct darn_choice *choice)
{
    *choice = (struct darn_choice){
        .thread = slot->number,
        .slot = slot->index,
        .own = slot->own,
        .op = slot->op,
        .yielded = slot->yielded,
        .received = slot->received,
        .atomic = slot->atomic || (slot->is_volatile && !darn_state.options.report_volatile),
        .is_assertion = slot->is_assertion,
        .locks = (uint8_t)slot->thread->locks.count,
        .size = slot->size,
        .object = slot->object,
        .used = darn_turn_used(slot),
        .place = slot->place,
        .writer = slot->target ? slot->target->writer : 0,
    };
}

uint32_t darn_decide_collect(bool spins)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < darn_slot_end; i++) {
        struct darn_slot *slot = &darn_slots[i];

        if (slot->state != DARN_STATE_READY)
            continue;
        if (darn_step_is_enabled(slot) || (spins && slot->op == DARN_STEP_SPIN))
            describe(slot, &choices[count++]);
    }
    return count;
}

/* The one whose time comes first; whether there is one. */
static bool set_off_timer(void)
{
    struct darn_slot *first = NULL;

    for (uint32_t i = 0; i < darn_slot_end; i++) {
        struct darn_slot *slot = &darn_slots[i];

        if (slot->state == DARN_STATE_READY && slot->timed &&
            (!first || slot->deadline < first->deadline))
            first = slot;
    }
    if (!first)
        return false;
    darn_vtime_jump(first->deadline);
    return true;
}

static bool correct_locks(void)
{
    bool any = false;

    for (uint32_t i = 0; i < darn_slot_end; i++) {
        struct darn_slot *slot = &darn_slots[i];

        if (slot->state != DARN_STATE_READY || !slot->target || !darn_step_lock_is_free(slot))
            continue;
        slot->target->holder = 0;
        slot->target->depth = 0;
        slot->tried = false;
        any = true;
    }
    return any;
}

/* Whether somebody may come back from the outside, or something come in from there. */
static bool is_outside_busy(void)
{
    for (uint32_t i = 0; i < darn_slot_end; i++) {
        const struct darn_slot *slot = &darn_slots[i];

        if (slot->state == DARN_STATE_OUTSIDE ||
            (slot->state == DARN_STATE_READY && slot->op == DARN_STEP_CALL && slot->ready))
            return true;
    }
    return false;
}

static bool has_spinner(void)
{
    for (uint32_t i = 0; i < darn_slot_end; i++) {
        if (darn_slots[i].state == DARN_STATE_READY && darn_slots[i].op == DARN_STEP_SPIN)
            return true;
    }
    return false;
}

/* Those who wait for condition variables that somebody outside has signalled. All of them: who
 * waits must be prepared to be woken for nothing. */
static void let_in(void)
{
    uint64_t cond;

    while ((cond = darn_outsiders_woken())) {
        const struct darn_object *object = darn_object((const volatile void *)(uintptr_t)cond);
        struct darn_slot *waiter;

        while ((waiter = darn_turn_first_waiter(object)))
            darn_turn_wake(waiter);
    }
}

/* Whether a thread is awake that does not have the turn: it handles a signal, or is about to. On a
 * busy machine that takes its time. */
static bool is_anybody_awake(void)
{
    int self = darn_os_thread_id();

    for (uint32_t i = 0; i < darn_slot_end; i++) {
        const struct darn_slot *slot = &darn_slots[i];

        if (darn_slot_is_used(slot) && slot->tid && slot->tid != self &&
            darn_proc_state(slot->tid) == 'R')
            return true;
    }
    return false;
}

/* Whether a signal may still come, or its handler still do something. */
static bool may_be_signalled(uint64_t waited)
{
    return handlers && (waited < SIGNALS_GET || is_anybody_awake());
}

/* Whoever sleeps may go on at any time, and would have made millions of steps before a client has
 * said its first word. */
static bool is_for_client_to_act(uint32_t count)
{
    if (!darn_control->client || !is_outside_busy() || darn_followed_next())
        return false;
    for (uint32_t i = 0; i < count; i++) {
        if (choices[i].op != DARN_STEP_SLEEP && choices[i].op != DARN_STEP_YIELD)
            return false;
    }
    return true;
}

/* Fills in the choices. 0: nobody can go on now, but the outside is busy. */
uint32_t darn_decide_find(uint64_t waited)
{
    uint32_t count;

    let_in();
    if (darn_followed_awaits(waited))
        return 0;
    darn_followed_jump();
    count = darn_decide_collect(false);
    if (count && waited < OUTSIDE_GETS && is_for_client_to_act(count))
        return 0;
    if (count) {
        fruitless = 0;
        return count;
    }
    if (correct_locks())
        return darn_decide_collect(false);
    if (waited < OUTSIDE_GETS && is_outside_busy())
        return 0;
    if (waited < (has_spinner() ? STEP_TAKES : OUTSIDE_GETS) && darn_outsiders_are_known())
        return 0;
    if (set_off_timer())
        return darn_decide_collect(false);
    if (has_spinner() && fruitless++ < FRUITLESS)
        return darn_decide_collect(true);
    if (is_outside_busy() || may_be_signalled(waited) || darn_outsiders_may_act())
        return 0;
    count = darn_decide_collect(false); /* a handler may have ended only just now */
    if (count)
        return count;
    darn_control_end(DARN_END_DEADLOCK);
}

bool darn_decide_is_disturbed(void)
{
    return handlers || is_outside_busy() || darn_outsiders_may_act();
}

static uint64_t mask_of(uint32_t count)
{
    uint64_t mask = 0;

    for (uint32_t i = 0; i < count; i++)
        mask |= UINT64_C(1) << choices[i].slot % 64;
    return mask;
}

static uint32_t index_of_last(uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (last && choices[i].slot == last->index && choices[i].thread == last->number)
            return i;
    }
    return count;
}

/* Whether the wait of a step that is made now ends by its time. */
static bool times_out(const struct darn_slot *slot)
{
    return slot->timed && !slot->interrupted &&
           (darn_followed_is_late(slot) || !darn_step_has_come(slot));
}

static void note_step(const struct darn_choice *choice, uint32_t count, uint32_t current,
                      bool waking)
{
    struct darn_result *result = &darn_control->result;
    struct darn_slot *slot = &darn_slots[choice->slot];
    uint8_t flags = count == 1 ? DARN_STEP_ALONE : 0;

    if (!waking && current < count && choices[current].slot != choice->slot &&
        !choices[current].yielded) {
        flags |= DARN_STEP_PREEMPTS;
        result->preemptions++;
    }
    if (times_out(slot)) {
        flags |= DARN_STEP_TIMED_OUT;
        slot->timed_out |= !waking; /* for good: something may come from the outside right now */
    }
    if (slot->forced && !waking)
        flags |= DARN_STEP_FORCED;
    if (count > 1)
        result->choices++;
    if (steps < DARN_BLOCK_STEPS)
        darn_control->steps[steps] = (struct darn_step){
            .thread = choice->thread,
            .op = waking ? DARN_STEP_WAKE : choice->op,
            .flags = flags,
            .slot = (uint16_t)choice->slot,
            .object = choice->object,
            .place = choice->place,
            .enabled = mask_of(count),
        };
    steps++;
    result->steps = steps;
    result->pending = 0;
    result->steps_of[choice->slot]++;
    darn_control->progress = steps;
    darn_livelock_step(steps);
}

bool darn_decide_ends_late(void)
{
    return darn_strategy_ends_late(&strategy);
}

/* A search could not leave the run at a later step, in favour of a thread that has none there. */
void darn_decide_cut_off(void)
{
    struct darn_result *result = &darn_control->result;
    uint32_t count = steps < DARN_BLOCK_STEPS ? darn_decide_collect(false) : 0;

    for (uint32_t i = 0; i < count && steps + i < DARN_BLOCK_STEPS; i++) {
        darn_control->steps[steps + i] = (struct darn_step){
            .thread = choices[i].thread,
            .op = choices[i].op,
            .slot = (uint16_t)choices[i].slot,
            .object = choices[i].object,
            .place = choices[i].place,
        };
        result->pending = i + 1;
    }
}

static void deal_with(const struct darn_met *met, uint32_t picked)
{
    if (met->kind == DARN_MET_DIVERGED) {
        darn_control->result.diverged = steps;
        darn_control_end(DARN_END_DIVERGED);
    }
    if (met->kind == DARN_MET_NOTHING)
        return;
    if (met->kind == DARN_MET_TRIPLE) {
        darn_capture_tripled(&darn_slots[choices[met->a].slot], steps);
        return;
    }
    if (met->kind == DARN_MET_QUAD) {
        darn_capture_quadrupled(&darn_slots[met->thread], &darn_slots[choices[met->a].slot], steps);
        return;
    }
    darn_capture_met((enum darn_met_kind)met->kind, &darn_slots[choices[met->a].slot],
                     &darn_slots[choices[met->b].slot], picked == met->b, steps);
}

/* Of the accesses before the last one of a triple or quad nothing is left when it is met. */
static void note_triple(const struct darn_slot *slot)
{
    for (uint32_t i = 0; i < strategy.come_count; i++)
        darn_capture_note(&darn_slots[strategy.come_into[i]], slot, strategy.come_as[i]);
    if (strategy.comes_first)
        darn_capture_note(slot, slot, 0);
}

bool darn_decide_aims_at(uint64_t place)
{
    const struct darn_plan *plan = &darn_control->request.plan;

    for (uint32_t i = 0; strategy.triple && i < plan->aim_count && i < DARN_AIMS; i++) {
        if (plan->aims[i].place == place)
            return true;
    }
    return false;
}

void darn_decide_scope(const struct darn_slot *slot, bool begins,
                       const struct darn_strategy_scope *scope)
{
    (begins ? darn_strategy_begin : darn_strategy_end)(&strategy, slot->index, slot->number, scope);
}

void darn_decide_leave(const struct darn_slot *slot)
{
    darn_strategy_leave(&strategy, slot->index, slot->number);
}

/* Whether the run has made as many steps as it may. */
static bool is_over(void)
{
    const struct darn_request *request = &darn_control->request;
    static uint64_t met_at; /* the number of the step */

    if (!met_at && darn_control->result.met_count)
        met_at = steps;
    return (request->max_steps && steps > request->max_steps) ||
           (request->after_met && met_at && steps > met_at + request->after_met);
}

/* Asks the strategy. The choices are in place. */
struct darn_slot *darn_decide_pick(uint32_t count, bool waking)
{
    struct darn_met met = {.kind = DARN_MET_NOTHING};
    struct darn_situation situation = {
        .choices = choices,
        .count = count,
        .current = index_of_last(count),
        .waking = waking,
        .step = steps,
        .thinned = darn_turn_thinned(),
    };
    uint32_t picked;

    if (darn_fair && !waking)
        darn_livelock_decide();
    if (!waking && count > 1 && situation.current < count && darn_busy_is_greedy())
        choices[situation.current].yielded = true;
    picked = darn_strategy_pick(&strategy, &situation, &met);
    if (picked >= count)
        picked = 0;
    deal_with(&met, picked);
    if (strategy.triple && !waking)
        note_triple(&darn_slots[choices[picked].slot]);
    note_step(&choices[picked], count, situation.current, waking);
    if (!waking && count > 1)
        darn_busy_made(picked == situation.current, UINT32_C(1) << situation.thinned);
    if (is_over())
        darn_control_end(DARN_END_STEPS);
    if (darn_vain_step(choices, count, picked, steps))
        darn_control_end(DARN_END_VAIN);
    if (darn_control_wants(DARN_RUN_HOLD) && steps == darn_control->request.hold_at + 1)
        darn_capture_hold();
    return &darn_slots[choices[picked].slot];
}

/* Whoever ends the process waits until the others are through, but not for ever. */
static bool is_patient(struct darn_slot *slot)
{
    return slot->op == DARN_STEP_FINISH && slot->patience && slot->patience--;
}

void darn_decide_make(struct darn_slot *slot)
{
    for (uint32_t i = 0; i < darn_slot_end; i++) {
        if (&darn_slots[i] != slot && !is_patient(&darn_slots[i]) &&
            !darn_busy_holds_back(&darn_slots[i], steps))
            darn_slots[i].yielded = false;
    }
    if (slot->timed_out)
        darn_vtime_jump(slot->deadline);
    if ((slot->op == DARN_STEP_SLEEP || slot->op == DARN_STEP_YIELD) && darn_outsiders_are_known())
        darn_os_sleep(STEP_TAKES);
    if (last != slot && darn_control_wants(DARN_RUN_LEARN))
        darn_learning_turn(slot->number);
    last = slot;
    darn_livelock_made((enum darn_step_op)slot->op);
    slot->received = false;
    slot->own++;
    darn_vtime_step();
    darn_coverage_step(slot);
}

static bool waits_for(const struct darn_slot *slot, const struct darn_object *object)
{
    return slot->state == DARN_STATE_READY && slot->order && !slot->signaled &&
           slot->object == object->address &&
           (slot->op == DARN_STEP_WAIT || slot->op == DARN_STEP_BARRIER);
}

struct darn_slot *darn_turn_choose_waiter(const struct darn_object *object)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < darn_slot_end; i++) {
        if (waits_for(&darn_slots[i], object))
            describe(&darn_slots[i], &choices[count++]);
    }
    return count == 0   ? NULL
           : count == 1 ? &darn_slots[choices[0].slot]
                        : darn_decide_pick(count, true);
}

struct darn_slot *darn_turn_first_waiter(const struct darn_object *object)
{
    struct darn_slot *first = NULL;

    for (uint32_t i = 0; i < darn_slot_end; i++) {
        if (waits_for(&darn_slots[i], object) && (!first || darn_slots[i].order < first->order))
            first = &darn_slots[i];
    }
    return first;
}

void darn_turn_expect_signals(void)
{
    handlers = true;
}
