#define _GNU_SOURCE
#include "runtime/control/busy.h"

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/control/control.h"
#include "runtime/control/decide.h"
#include "runtime/control/enabled.h"
#include "runtime/control/slots.h"
#include "runtime/os/os.h"
#include "runtime/state.h"

/* A thread that has made no step for so long, in nanoseconds, is looked at; sooner where such a one
 * is known to be. It has computed for a part of the look, or the machine is busy. */
#define LOOK_AFTER UINT64_C(200000000)
#define LOOK_SOON  UINT64_C(10000000)
#define LOOK_SHARE 4
#define BUSY_SHARE 3

/* Steps in a row. The next time it is half as many: who goes on like that gets ever less. */
#define ROW_GETS  4096
#define ROW_LEAST 16
#define STEPS_OF_OTHERS                                                                            \
    200 /* before a thread that was interrupted is chosen while others can go on */

static uint32_t row, row_gets = ROW_GETS;

/* ---- by steps ---- */

bool darn_busy_is_greedy(void)
{
    uint32_t kind = darn_control->request.plan.kind;

    if (kind == DARN_STRATEGY_FOLLOW || kind == DARN_STRATEGY_SCRIPT ||
        kind == DARN_STRATEGY_STRAIGHT || row < row_gets)
        return false; /* these have their own patience */
    if (row_gets > ROW_LEAST)
        row_gets /= 2;
    return true;
}

void darn_busy_made(bool again, uint32_t weight)
{
    row = again ? row + weight : 0;
}

/* ---- by time ---- */

/* FOLLOW: the next step of the thread is one that was forced. Not FOLLOW: any may be. */
static bool may_be_forced(const struct darn_slot *slot)
{
    const struct darn_plan *plan = &darn_control->request.plan;

    if (plan->kind != DARN_STRATEGY_FOLLOW)
        return true;
    for (uint64_t i = darn_control->progress; i < plan->step_count; i++) {
        const struct darn_step *step = &darn_control->follow[i];

        if (step->thread == slot->number && step->op != DARN_STEP_WAKE)
            return step->flags & DARN_STEP_FORCED;
    }
    return darn_control->progress >= plan->step_count;
}

uint64_t darn_busy_patience(void)
{
    return darn_control->busy || darn_control->request.plan.forced ? LOOK_SOON : LOOK_AFTER;
}

void darn_busy_look(struct darn_slot *slot)
{
    uint64_t progress = darn_control->progress, before = darn_os_thread_time(slot->tid), after;
    uint64_t look = darn_busy_patience() / LOOK_SHARE;

    darn_os_sleep(look);
    after = darn_os_thread_time(slot->tid);
    if (before == UINT64_MAX || after == UINT64_MAX || after - before < look / BUSY_SHARE ||
        progress != darn_control->progress || !may_be_forced(slot))
        return;
    __atomic_store_n(&slot->give_way, true, __ATOMIC_RELEASE);
    syscall(SYS_tgkill, darn_state.pid, slot->tid, DARN_SIGNAL_TELL);
}

static bool can_others_go_on(const struct darn_slot *self)
{
    for (uint32_t i = 0; i < darn_slot_end; i++) {
        if (&darn_slots[i] != self && darn_slots[i].state == DARN_STATE_READY &&
            darn_step_is_enabled(&darn_slots[i]))
            return true;
    }
    return false;
}

static void give_way(struct darn_slot *self)
{
    darn_control->busy = 1;
    self->forced = true; /* before the step, which asks whether it is to be forced */
    darn_turn_step(self, DARN_STEP_YIELD, NULL, NULL);
    self->yielded = true;
    self->forced_at = darn_control->progress;
    darn_turn_take(self);
    self->forced = false;
}

bool darn_busy_give_way(struct darn_slot *self)
{
    int saved = errno;

    if (!__atomic_exchange_n(&self->give_way, false, __ATOMIC_ACQUIRE))
        return false;
    /* In our own code it comes to a step soon. */
    if (!self->inside && !self->hooked && self->state == DARN_STATE_RUNNING &&
        can_others_go_on(self))
        give_way(self);
    errno = saved;
    return true;
}

void darn_busy_follow(struct darn_slot *self)
{
    const struct darn_plan *plan = &darn_control->request.plan;

    if (plan->kind == DARN_STRATEGY_FOLLOW && plan->forced && !self->forced &&
        self->state == DARN_STATE_RUNNING && darn_control->progress < plan->step_count &&
        may_be_forced(self))
        give_way(self);
}

bool darn_busy_holds_back(const struct darn_slot *slot, uint64_t steps)
{
    return slot->forced && steps - slot->forced_at < STEPS_OF_OTHERS;
}
