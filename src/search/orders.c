#include "search/orders.h"

#include <stdlib.h>
#include <string.h>

#define SWITCHES 4096

void darn_orders_forget(struct darn_orders *orders)
{
    orders->reverse.count = orders->eager.count = 0;
}

void darn_orders_free(struct darn_orders *orders)
{
    darn_array_free(&orders->reverse);
    darn_array_free(&orders->eager);
}

static void add_switch(struct darn_array *script, uint32_t thread, uint32_t own, uint32_t to)
{
    struct darn_switch *at;

    if (script->count == SWITCHES)
        return;
    at = darn_array_add(script, sizeof(*at));
    *at = (struct darn_switch){.thread = thread, .own = own, .to = to};
}

/* In a plain run another thread goes on only when one has ended, waits or gives way. */
static void reverse(struct darn_orders *orders, const struct darn_trail *trail)
{
    uint32_t youngest = trail->threads - 1;

    for (uint32_t i = 0; i + 1 < trail->count; i++) {
        const struct darn_step *step = &trail->steps[i];

        if (trail->steps[i + 1].thread == step->thread || darn_trail_is_wake(trail, i) ||
            darn_trail_is_wake(trail, i + 1))
            continue;
        /* Whoever cannot go on hands over to the youngest, that one to the next, and so on; a
         * switch to a thread that has ended is ignored, and the ones after it count. */
        if (step->thread == 0)
            add_switch(&orders->reverse, 0, trail->own[i] + 1, youngest);
        else if (step->op == DARN_STEP_EXIT)
            add_switch(&orders->reverse, step->thread, trail->own[i] + 1, step->thread - 1);
    }
}

static void eager(struct darn_orders *orders, const struct darn_trail *trail)
{
    uint32_t made = 1;

    for (uint32_t i = 0; i < trail->count; i++) {
        const struct darn_step *step = &trail->steps[i];

        if (step->op == DARN_STEP_CREATE)
            add_switch(&orders->eager, step->thread, trail->own[i] + 1, made++);
    }
}

/* Whoever is about to sleep gives way to all who can go on, and would come last in any order. */
static void sleep_on(struct darn_array *script, const struct darn_trail *trail)
{
    for (uint32_t i = 0; i < trail->count; i++) {
        const struct darn_step *step = &trail->steps[i];

        if (step->op == DARN_STEP_SLEEP)
            add_switch(script, step->thread, trail->own[i], step->thread);
    }
}

void darn_orders_learn(struct darn_orders *orders, const struct darn_trail *trail)
{
    darn_orders_forget(orders);
    if (trail->threads < 2)
        return;
    if (trail->threads > 2) {
        reverse(orders, trail);
        sleep_on(&orders->reverse, trail);
    }
    eager(orders, trail);
    sleep_on(&orders->eager, trail);
}

bool darn_orders_give(const struct darn_array *script, struct darn_task *task)
{
    if (!script->count)
        return false;
    task->switches = malloc(script->count * sizeof(struct darn_switch));
    if (!task->switches)
        return false;
    memcpy(task->switches, script->at, script->count * sizeof(struct darn_switch));
    task->plan.kind = DARN_STRATEGY_SCRIPT;
    task->plan.switch_count = (uint32_t)script->count;
    return true;
}
