/*
 * Orders that nothing enforces: the two operations that always came in one order are made in the
 * other one, and it is seen what comes of it. Where both are under one lock the order is decided
 * where they take it: there the two threads meet, and either goes first.
 */
#include <stdlib.h>
#include <string.h>

#include "driver/hunt/hunt.h"

/* The outermost lock of the one that the other holds, too; NULL: none. */
static const struct darn_lock *common_lock(const struct darn_finding *finding, int side)
{
    const struct darn_finding_access *own = &finding->accesses[side];
    const struct darn_finding_access *other = &finding->accesses[!side];

    for (size_t i = 0; i < own->lock_count; i++)
        for (size_t j = 0; j < other->lock_count; j++)
            if (own->locks[i].address == other->locks[j].address)
                return &own->locks[i];
    return NULL;
}

void darn_hunt_aim_at_order(const struct darn_player *player, const uint64_t *keys,
                            struct darn_target *target)
{
    const struct darn_finding *finding = target->finding;

    for (int side = 0; finding->access_count == 2 && side < 2; side++) {
        const struct darn_finding_access *access = &finding->accesses[side];
        const struct darn_lock *lock = common_lock(finding, side);

        if (access->site_key)
            darn_target_add_key(target, access->site_key);
        if (lock)
            darn_target_add_call(player, &target->sides[side], &lock->stack);
        else if (access->site_key)
            darn_target_add_access(player, keys, &target->sides[side], access);
        else
            darn_target_add_call(player, &target->sides[side], &access->stack);
    }
}

/* The number in `T3`. */
static unsigned long thread_of(const struct darn_finding_access *access)
{
    return access->thread ? strtoul(access->thread + 1, NULL, 10) : 0;
}

/* Both are decided at one place, as in a function that takes the lock for all who need it. Then the
 * first side is that of the thread with the lower number. */
static bool is_one_place(const struct darn_target *target)
{
    return target->sides[0].places[0] == target->sides[1].places[0];
}

static bool is_turned(const struct darn_target *target)
{
    const struct darn_finding_access *accesses = target->finding->accesses;

    return is_one_place(target) && thread_of(&accesses[1]) < thread_of(&accesses[0]);
}

void darn_hunt_plan_order(const struct darn_target *target, uint32_t trial, struct darn_plan *plan)
{
    bool as_expected = trial % 2;

    plan->kind = DARN_STRATEGY_ORDER;
    plan->depth = !as_expected; /* else every other time has to be as expected, too */
    plan->first = as_expected != is_turned(target) ? 1 : 2;
    darn_plan_add_aims(plan, &target->sides[0], DARN_AIM_FIRST);
    darn_plan_add_aims(plan, &target->sides[1], DARN_AIM_SECOND);
}

const struct darn_block_met *darn_hunt_met_order(const struct darn_target *target,
                                                 const struct darn_result *result)
{
    for (uint32_t i = 0; i < result->met_count && i < DARN_BLOCK_MET; i++) {
        const struct darn_block_met *met = &result->met[i];

        if (met->kind == DARN_MET_ORDER && target->finding->access_count == 2)
            return met;
    }
    return NULL;
}

uint32_t darn_hunt_order_of(const struct darn_target *target, const struct darn_block_met *met)
{
    return (met->first != 0) != is_turned(target);
}

/* The thread has made a step on this side of the target, from `from` on: behind which step; 0: no.
 */
static uint64_t find_step(const struct darn_player *player, const struct darn_target *target,
                          int side)
{
    const struct darn_control_block *block = player->block;

    for (uint64_t i = 0; i < block->result.steps && i < DARN_BLOCK_STEPS; i++)
        for (uint32_t j = 0; j < target->sides[side].count; j++)
            if (block->steps[i].place == target->sides[side].places[j] &&
                block->steps[i].thread == target->threads[side])
                return i + 1;
    return 0;
}

/* Whether the thread of the first has come to its end: else the process may have ended too soon for
 * it to do any harm. */
static bool has_ended(const struct darn_player *player, const struct darn_target *target)
{
    const struct darn_control_block *block = player->block;

    for (uint64_t i = 0; i < block->result.steps && i < DARN_BLOCK_STEPS; i++)
        if (block->steps[i].op == DARN_STEP_EXIT && block->steps[i].thread == target->threads[0])
            return true;
    return false;
}

/*
 * Whether all may be well though the second comes first: where the whole thread of the first is
 * late, and not only its one step. Then it is the steps before that belong with this one, and no
 * order is needed: a check, and the use of what was checked.
 */
static bool may_be_turned(struct darn_hunt *hunt, struct darn_player *player,
                          const struct darn_target *target)
{
    uint64_t first, second;

    darn_hunt_request(hunt, target, player, 0);
    player->block->request.plan.length = (uint64_t)target->threads[0] + 1;
    hunt->runs++;
    if (!darn_player_run(player) || player->judged.kind != DARN_VERDICT_OK)
        return false;
    first = find_step(player, target, 0);
    second = find_step(player, target, 1);
    return second && (!first || first > second) && (first || has_ended(player, target));
}

static bool may_be_order(const struct darn_target *target, enum darn_verdict_kind kind)
{
    return target->ends[1][kind] && !target->ends[0][kind] && target->ends[0][DARN_VERDICT_OK];
}

bool darn_hunt_is_by_order(struct darn_hunt *hunt, struct darn_player *player,
                           const struct darn_target *target, enum darn_verdict_kind kind)
{
    return may_be_order(target, kind) && !may_be_turned(hunt, player, target);
}

bool darn_hunt_is_idle_order(const struct darn_hunt *hunt, struct darn_target *target)
{
    bool idle = true;

    if (target->kind != DARN_TARGET_ORDER)
        return false;
    for (int kind = DARN_VERDICT_OK + 1; kind < DARN_VERDICTS; kind++) {
        if (!target->shown[kind] || !may_be_order(target, (enum darn_verdict_kind)kind))
            continue;
        target->proved |= darn_hunt_is_explained(hunt, target->ids[kind]);
        idle = target->proved;
    }
    return idle;
}

void darn_hunt_count_order(struct darn_finding *finding, const struct darn_target *target)
{
    uint32_t as_expected = 0;

    for (int kind = 0; kind < DARN_VERDICTS; kind++)
        as_expected += target->ends[0][kind];
    finding->trials = target->trials - as_expected;
    finding->hits = target->hits - as_expected;
}

void darn_hunt_tell_order(struct darn_finding *failure, const struct darn_target *target)
{
    const struct darn_finding *order = target->finding;
    struct darn_finding_access *accesses =
        darn_pool_get(&failure->pool, order->access_count, sizeof(*accesses));

    for (size_t i = 0; i < order->access_count; i++) {
        accesses[i] = order->accesses[i];
        accesses[i].thread = darn_pool_format(&failure->pool, "T%u", target->threads[i & 1]);
        accesses[i].thread_name = NULL;
    }
    failure->came = order->came;
    failure->kind = order->kind;
    failure->reason = NULL;
    failure->accesses = accesses;
    failure->access_count = order->access_count;
    failure->variable = order->variable;
    failure->variable_from_symbol = order->variable_from_symbol;
    failure->variable_is_vague = order->variable_is_vague;
    failure->location = order->location;
    failure->address = order->address;
    failure->size = order->size;
}

#define TRIED "orders" /* in the state: the trials of each, by its id */

void darn_hunt_note_order(struct darn_hunt *hunt, const struct darn_target *target)
{
    json_t *tried = json_object_get(hunt->index.state, TRIED);

    if (!json_is_object(tried)) {
        tried = json_object();
        json_object_set_new(hunt->index.state, TRIED, tried);
    }
    if (target->finding->id)
        json_object_set_new(tried, target->finding->id, json_integer(target->trials));
}

uint32_t darn_hunt_recall_order(const struct darn_hunt *hunt, const struct darn_target *target)
{
    const json_t *tried = json_object_get(hunt->index.state, TRIED);
    const char *id = target->finding->id ? target->finding->id : "";

    return (uint32_t)json_integer_value(json_object_get(tried, id));
}
