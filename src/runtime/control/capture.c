#include "runtime/control/capture.h"

#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/control/control.h"
#include "runtime/control/enabled.h"
#include "runtime/control/turn.h"
#include "runtime/control/vtime.h"
#include "runtime/os/os.h"
#include "runtime/state.h"
#include "site/site.h"

static void fill_locks(struct darn_block_thread *to, const struct darn_slot *slot)
{
    const struct darn_locks *locks = &slot->thread->locks;

    for (uint32_t i = 0; i < locks->count && to->lock_count < 8; i++) {
        /* Given back while it waits. */
        if (slot->mutex && locks->held[i].address == slot->mutex && slot->order)
            continue;
        to->locks[to->lock_count] = locks->held[i].address;
        for (uint32_t j = 0; j < DARN_LOCK_CALLERS && j < DARN_BLOCK_CALLERS; j++)
            to->lock_callers[to->lock_count][j] = locks->held[i].callers[j];
        to->lock_pcs[to->lock_count++] = locks->held[i].pc;
    }
}

static uint8_t state_of(const struct darn_slot *slot)
{
    if (slot->state != DARN_STATE_READY)
        return slot->state;
    switch (slot->op) {
    case DARN_STEP_SLEEP:
        return DARN_STATE_ASLEEP;
    case DARN_STEP_JOIN:
        return darn_turn_slot_of((uint32_t)slot->object) ? DARN_STATE_BLOCKED : DARN_STATE_READY;
    case DARN_STEP_LOCK:
    case DARN_STEP_RELOCK:
    case DARN_STEP_READLOCK:
    case DARN_STEP_ONCE:
        return slot->target && slot->target->holder ? DARN_STATE_BLOCKED : DARN_STATE_READY;
    case DARN_STEP_WRITELOCK:
        return slot->target && slot->target->depth ? DARN_STATE_BLOCKED : DARN_STATE_READY;
    case DARN_STEP_WAIT:
    case DARN_STEP_BARRIER:
        return slot->order && !slot->signaled ? DARN_STATE_BLOCKED : DARN_STATE_READY;
    case DARN_STEP_TAKE:
    case DARN_STEP_SPIN:
        return DARN_STATE_BLOCKED;
    default:
        return DARN_STATE_READY;
    }
}

static void fill(struct darn_block_thread *to, const struct darn_slot *slot)
{
    memset(to, 0, sizeof(*to));
    to->thread = slot->number;
    to->state = state_of(slot);
    to->op = slot->op;
    to->atomic = slot->atomic;
    to->size = slot->size;
    to->object = slot->used ? slot->used : slot->object;
    to->what = slot->what;
    to->place = slot->place;
    to->mutex = slot->mutex;
    if (slot->op == DARN_STEP_JOIN)
        to->owner = (uint32_t)slot->object + 1;
    else if (slot->target)
        to->owner = slot->target->holder;
    fill_locks(to, slot);
    if (slot->frame && (slot->state != DARN_STATE_RUNNING || slot->inside))
        to->depth =
            (uint8_t)darn_stack_walk_into(to->stack, DARN_BLOCK_STACK, slot->thread, slot->frame);
}

/* NULL: the same places have met before, or there is no room. */
static struct darn_block_met *new_met(enum darn_met_kind kind, uint64_t a, uint64_t b,
                                      uint64_t step)
{
    struct darn_result *result = &darn_control->result;
    struct darn_block_met *met;

    for (uint32_t i = 0; i < result->met_count; i++) {
        met = &result->met[i];
        if (met->kind == (uint32_t)kind &&
            ((met->threads[0].place == a && met->threads[1].place == b) ||
             (met->threads[0].place == b && met->threads[1].place == a)))
            return NULL;
    }
    if (result->met_count == DARN_BLOCK_MET)
        return NULL;
    met = &result->met[result->met_count];
    met->kind = kind;
    met->step = step;
    return met;
}

static void keep_met(void)
{
    darn_control->result.met_count++;
    if (darn_control_wants(DARN_RUN_STOP))
        darn_control_end(DARN_END_MET);
}

/* An access that faults is none: two threads that both follow a null pointer do not race at what is
 * behind it. */
static bool can_be_made(const struct darn_slot *slot)
{
    if (!darn_step_is_access(slot->op) && slot->op != DARN_STEP_SPIN)
        return true;
    return darn_os_can_access(slot->object, slot->size, darn_step_changes(slot->op)) ||
           darn_threads_may_grow_to(slot->object);
}

void darn_capture_met(enum darn_met_kind kind, const struct darn_slot *a, const struct darn_slot *b,
                      bool b_first, uint64_t step)
{
    struct darn_block_met *met =
        can_be_made(a) && can_be_made(b) ? new_met(kind, a->place, b->place, step) : NULL;

    if (!met)
        return;
    met->first = b_first;
    fill(&met->threads[0], a);
    fill(&met->threads[1], b);
    keep_met();
}

/* What was noted for the thread in each slot: its own first access, and the second and third of
 * whoever makes them. */
static struct darn_block_thread noted[DARN_SLOTS][3];

void darn_capture_note(const struct darn_slot *local, const struct darn_slot *slot, uint32_t which)
{
    fill(&noted[local->index][which], slot);
}

void darn_capture_tripled(const struct darn_slot *local, uint64_t step)
{
    const struct darn_block_thread *notes = noted[local->index];
    struct darn_block_met *met =
        can_be_made(local) ? new_met(DARN_MET_TRIPLE, local->place, notes[1].place, step) : NULL;

    if (!met)
        return;
    met->first = 1;
    fill(&met->threads[0], local);
    met->threads[1] = notes[1];
    met->threads[2] = notes[0];
    keep_met();
}

void darn_capture_quadrupled(const struct darn_slot *local, const struct darn_slot *slot,
                             uint64_t step)
{
    const struct darn_block_thread *notes = noted[local->index];
    struct darn_block_met *met =
        can_be_made(slot) ? new_met(DARN_MET_QUAD, slot->place, notes[2].place, step) : NULL;

    if (!met)
        return;
    met->first = 1;
    fill(&met->threads[0], slot);
    met->threads[1] = notes[2];
    met->threads[2] = notes[1];
    met->threads[3] = notes[0];
    keep_met();
}

static struct darn_choice access_of(const struct darn_slot *slot)
{
    return (struct darn_choice){
        .thread = slot->number,
        .op = slot->op,
        .atomic = slot->atomic || (slot->is_volatile && !darn_state.options.report_volatile),
        .is_assertion = slot->is_assertion,
        .size = slot->size,
        .object = slot->object,
        .used = darn_turn_used(slot),
    };
}

static bool spins(const struct darn_slot *slot)
{
    return slot->site && slot->site->flags & DARN_SITE_SPIN &&
           !darn_control_wants(DARN_RUN_SPIN_RACES);
}

/* Of calls that may have to wait. */
static bool can_go_on(const struct darn_slot *slot)
{
    return !darn_turn_used(slot) || darn_step_is_enabled(slot);
}

static void check(struct darn_slot *other, void *argument)
{
    const struct darn_slot *slot = argument;
    struct darn_choice a = access_of(slot), b = access_of(other);

    if (other != slot && other->state == DARN_STATE_READY && !spins(slot) && !spins(other) &&
        darn_choices_race(&a, &b) && can_go_on(other))
        darn_capture_met(DARN_MET_RACE, slot, other, false, darn_control->result.steps);
}

void darn_capture_races(const struct darn_slot *slot)
{
    bool is_memory = darn_step_is_access(slot->op) || darn_step_ends(slot->op);

    if (is_memory || (darn_turn_used(slot) && can_go_on(slot)))
        darn_turn_each(check, (void *)(uintptr_t)slot);
}

static void add(struct darn_slot *slot, void *unused)
{
    struct darn_result *result = &darn_control->result;

    (void)unused;
    if (result->thread_count < DARN_BLOCK_THREADS)
        fill(&result->threads[result->thread_count++], slot);
}

void darn_capture_threads(void)
{
    darn_control->result.thread_count = 0;
    darn_turn_each(add, NULL);
}

volatile int darn_capture_held;

void darn_capture_hold(void)
{
    darn_capture_held = 1;
    do
        kill(darn_os_process_id(), SIGSTOP);
    while (darn_capture_held && darn_control_wants(DARN_RUN_HOLD));
}
