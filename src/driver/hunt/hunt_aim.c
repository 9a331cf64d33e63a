/*
 * From what a prediction names, sites and calls, to addresses in the program; and from those to the
 * plan of a trial.
 */
#include <stdlib.h>
#include <string.h>

#include "driver/hunt/hunt.h"
#include "site/site.h"

static void add_place(struct darn_target_side *side, uint64_t place)
{
    for (uint32_t i = 0; i < side->count; i++)
        if (side->places[i] == place)
            return;
    if (place && side->count < DARN_TARGET_PLACES)
        side->places[side->count++] = place;
}

static uint32_t site_count(const struct darn_control_block *block)
{
    return block->site_count < DARN_BLOCK_SITES ? block->site_count : DARN_BLOCK_SITES;
}

/* The keys of all sites, by their number. NULL without memory. */
static uint64_t *find_keys(const struct darn_player *player)
{
    uint32_t count = site_count(player->block);
    uint64_t *keys = calloc(count + 1, sizeof(*keys));

    for (uint32_t i = 0; keys && i < count; i++)
        keys[i] = darn_snapshot_site_key(&player->snapshot, player->block->site_places[i]);
    return keys;
}

/* The records of a site: an inline function has one for each copy. */
static void add_site(const struct darn_player *player, const uint64_t *keys,
                     struct darn_target_side *side, uint64_t key)
{
    for (uint32_t i = 0; i < site_count(player->block); i++)
        if (keys[i] == key)
            add_place(side, player->block->site_places[i]);
}

/* Where a module of the trace is now; false when it is not there. */
static bool find_address(const struct darn_control_block *block, const struct darn_frame *frame,
                         uint64_t *address)
{
    for (uint32_t i = 0; frame->module && i < block->module_count && i < DARN_BLOCK_MODULES; i++) {
        if (strcmp(block->modules[i].path, frame->module) != 0)
            continue;
        *address = block->modules[i].base + frame->offset;
        return true;
    }
    return false;
}

/* The innermost call: what a scheduling point at a call has as its place. */
void darn_target_add_call(const struct darn_player *player, struct darn_target_side *side,
                          const struct darn_finding_stack *stack)
{
    uint64_t address;

    if (stack->count && find_address(player->block, &stack->frames[0], &address))
        add_place(side, address);
}

static void aim_at_race(const struct darn_player *player, const uint64_t *keys,
                        struct darn_target *target)
{
    for (size_t i = 0; i < 2 && i < target->finding->access_count; i++) {
        const struct darn_finding_access *access = &target->finding->accesses[i];

        if (access->op == DARN_OP_FREE || access->op == DARN_OP_USE) {
            darn_target_add_call(player, &target->sides[i], &access->stack);
        } else if (access->site_key) {
            add_site(player, keys, &target->sides[i], access->site_key);
            target->keys[target->key_count++] = access->site_key;
        }
    }
    if (target->key_count == 2 && target->keys[0] > target->keys[1]) {
        uint64_t key = target->keys[0];

        target->keys[0] = target->keys[1];
        target->keys[1] = key;
    }
}

/* Every thread of the cycle is held before the acquisition that closes it. */
static void aim_at_deadlock(const struct darn_player *player, struct darn_target *target)
{
    for (size_t i = 0; i < target->finding->access_count; i++)
        darn_target_add_call(player, &target->sides[0], &target->finding->accesses[i].stack);
}

/* A wait that comes too late: held before it, or before its mutex is taken. */
static void aim_at_notification(const struct darn_player *player, struct darn_target *target)
{
    for (size_t i = 0; i < target->finding->access_count; i++) {
        const struct darn_finding_access *access = &target->finding->accesses[i];

        if (access->op != DARN_OP_WAIT)
            continue;
        darn_target_add_call(player, &target->sides[0], &access->stack);
        for (size_t j = 0; j < access->lock_count; j++)
            darn_target_add_call(player, &target->sides[1], &access->locks[j].stack);
    }
}

void darn_target_add_key(struct darn_target *target, uint64_t key)
{
    uint32_t i = target->key_count;

    for (uint32_t j = 0; j < target->key_count; j++)
        if (target->keys[j] == key)
            return;
    if (i == DARN_TARGET_KEYS)
        return;
    for (; i > 0 && target->keys[i - 1] > key; i--)
        target->keys[i] = target->keys[i - 1];
    target->keys[i] = key;
    target->key_count++;
}

/* Of the copies of an inlined function only those that this call has become. */
static void keep_copies(const struct darn_player *player, struct darn_target_side *side,
                        uint32_t call)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < side->count; i++)
        if ((uint32_t)darn_snapshot_site_inlined(&player->snapshot, side->places[i]) == call)
            side->places[kept++] = side->places[i];
    side->count = kept;
}

/* The copy of the section's function that a place is in. */
static uint32_t copy_of(const struct darn_player *player, const struct darn_target *target,
                        int side, uint32_t i)
{
    return darn_site_copy_of(
        darn_snapshot_site_inlined(&player->snapshot, target->sides[side].places[i]),
        !target->calls[side]);
}

static void keep_copy(const struct darn_player *player, struct darn_target *target, int side,
                      uint32_t copy)
{
    struct darn_target_side *all = &target->sides[side];
    uint32_t kept = 0;

    for (uint32_t i = 0; i < all->count; i++)
        if (copy_of(player, target, side, i) == copy)
            all->places[kept++] = all->places[i];
    all->count = kept;
}

/* Entry and end are in one copy of the function: the first that has both. */
static void choose_copy(const struct darn_player *player, struct darn_target *target)
{
    uint32_t copy = 0;
    bool found = target->is_across;

    if (found)
        return;
    for (uint32_t i = 0; i < target->sides[0].count && !found; i++) {
        copy = copy_of(player, target, 0, i);
        for (uint32_t j = 0; j < target->sides[2].count && !found; j++)
            found = copy_of(player, target, 2, j) == copy;
    }
    keep_copy(player, target, 0, copy);
    keep_copy(player, target, 2, copy);
}

/* Of the copies of an inlined function the one that the trace names. Calls of it in one line are
 * not told apart: they all count. */
void darn_target_add_access(const struct darn_player *player, const uint64_t *keys,
                            struct darn_target_side *side, const struct darn_finding_access *access)
{
    for (uint32_t i = 0; i < site_count(player->block); i++) {
        uint64_t place = player->block->site_places[i];

        if (keys[i] == access->site_key &&
            (!access->has_copy ||
             darn_snapshot_site_inlined(&player->snapshot, place) == access->site_copy))
            add_place(side, place);
    }
}

/* A prediction names its accesses. */
static void aim_at_access(const struct darn_player *player, const uint64_t *keys,
                          struct darn_target *target, int side)
{
    const struct darn_finding_access *access = &target->finding->accesses[side];

    darn_target_add_key(target, access->site_key);
    darn_target_add_access(player, keys, &target->sides[side], access);
}

static void aim_at_units(const struct darn_player *player, const uint64_t *keys,
                         struct darn_target *target)
{
    for (int i = 0; i < 2; i++) {
        uint64_t key = target->finding->accesses[i].unit_key;

        target->in_section[i] = !key;
        if (key)
            add_site(player, keys, &target->units[i], key);
    }
}

static void aim_at_triple(const struct darn_player *player, const uint64_t *keys,
                          struct darn_target *target)
{
    if (!target->is_ours) {
        /* Of cycles, with more than four accesses, there is no aim. */
        for (int i = 0; target->finding->access_count == 3 && i < 3; i++) {
            target->triple[i] = target->finding->accesses[i].site_key;
            aim_at_access(player, keys, target, i);
        }
        aim_at_units(player, keys, target);
        return;
    }
    for (int i = 0; i < 3; i++) {
        add_site(player, keys, &target->sides[i], target->triple[i]);
        if (target->calls[i])
            keep_copies(player, &target->sides[i], target->calls[i]);
    }
    choose_copy(player, target);
}

static void aim_at_quad(const struct darn_player *player, const uint64_t *keys,
                        struct darn_target *target)
{
    const struct darn_finding_access *accesses = target->finding->accesses;

    target->is_crossed = accesses[0].thread && accesses[2].thread &&
                         strcmp(accesses[0].thread, accesses[2].thread) == 0;
    for (int i = 0; i < 4; i++)
        aim_at_access(player, keys, target, i);
    aim_at_units(player, keys, target);
}

static void aim(const struct darn_player *player, const uint64_t *keys, struct darn_target *target)
{
    switch (target->kind) {
    case DARN_TARGET_RACE:
        aim_at_race(player, keys, target);
        break;
    case DARN_TARGET_DEADLOCK:
        aim_at_deadlock(player, target);
        break;
    case DARN_TARGET_TRIPLE:
        aim_at_triple(player, keys, target);
        break;
    case DARN_TARGET_QUAD:
        aim_at_quad(player, keys, target);
        break;
    case DARN_TARGET_ORDER:
        darn_hunt_aim_at_order(player, keys, target);
        break;
    default:
        aim_at_notification(player, target);
        break;
    }
}

void darn_hunt_aim(struct darn_hunt *hunt)
{
    const struct darn_player *player = &hunt->exploration.players[0];
    uint64_t *keys = NULL;

    for (size_t i = 0; i < hunt->target_count; i++) {
        struct darn_target *target = &hunt->targets[i];

        if (target->sides[0].count || target->proved)
            continue;
        if (!keys && !(keys = find_keys(player)))
            return;
        aim(player, keys, target);
    }
    free(keys);
}

/* A prediction is about transactions: nothing can be confirmed where their ends are not seen. */
static bool has_clear_unit(const struct darn_target *target, int i)
{
    return target->is_ours || target->in_section[i] || target->units[i].count;
}

/* A plan that lacks some of the places would be about something else. */
static bool has_room(const struct darn_target *target)
{
    uint32_t count = 0;

    for (int i = 0; i < 4; i++)
        count += target->sides[i].count;
    for (int i = 0; i < 2; i++)
        count += target->in_section[i] ? target->sides[i].count : target->units[i].count;
    return target->is_ours || count <= DARN_AIMS;
}

bool darn_hunt_can_try(const struct darn_target *target)
{
    int wanted = target->kind == DARN_TARGET_QUAD ? 4 : target->kind == DARN_TARGET_TRIPLE ? 3 : 0;

    if (!wanted)
        return target->sides[0].count &&
               (!(darn_target_is_met(target) || target->kind == DARN_TARGET_ORDER) ||
                target->sides[1].count);
    for (int i = 0; i < wanted; i++)
        if (!target->sides[i].count)
            return false;
    return has_room(target) && has_clear_unit(target, 0) &&
           (wanted == 3 || has_clear_unit(target, 1));
}

void darn_plan_add_aims(struct darn_plan *plan, const struct darn_target_side *side,
                        enum darn_aim_kind kind)
{
    for (uint32_t i = 0; i < side->count && plan->aim_count < DARN_AIMS; i++)
        plan->aims[plan->aim_count++] = (struct darn_aim){.kind = kind, .place = side->places[i]};
}

static void add_unit_aims(struct darn_plan *plan, const struct darn_target *target, int i)
{
    if (target->in_section[i])
        darn_plan_add_aims(plan, &target->sides[i], i ? DARN_AIM_REMOTE_SECTION : DARN_AIM_SECTION);
    else
        darn_plan_add_aims(plan, &target->units[i], i ? DARN_AIM_REMOTE_UNIT : DARN_AIM_UNIT);
}

/* A wait may be missed for having been held at one of three places: at its own, where its mutex is
 * taken, or at none. */
static void plan_notification(struct darn_plan *plan, const struct darn_target *target,
                              uint32_t trial)
{
    plan->kind = DARN_STRATEGY_AIM;
    if (trial % 3 < 2)
        darn_plan_add_aims(plan, &target->sides[trial % 3], DARN_AIM_HOLD);
    if (!plan->aim_count)
        plan->kind = DARN_STRATEGY_POS;
}

/* Steps in which what was met may lead to something, where a run takes long or does not end. */
#define AFTER_MET 10000

/* The first two trials of long runs, in either order: what is met in them can soon be replayed. */
#define SHORT_TRIALS 2

static uint64_t steps_after_met(const struct darn_hunt *hunt, uint32_t trial)
{
    bool is_short = trial < SHORT_TRIALS && darn_hunt_is_long(hunt);

    return hunt->exploration.is_endless || is_short ? AFTER_MET : 0;
}

/* Trials that come to their end before others are cut off where all places are past. */
#define WHOLE 2

/* What has another way the second time is given all the time that it takes. */
static void expect_visits(struct darn_request *request, const struct darn_target *target)
{
    bool known = target->whole >= WHOLE && !target->again;

    for (int i = 0; i < 2; i++)
        request->visits[i] = known ? target->visits[i] : 0;
}

/* Who polls may give up after so many sleeps, which take no time: only then it comes to the place.
 */
#define POLLS 20000

/* In half of the trials of the second time, in either order: they are long where nobody gives up.
 */
static uint32_t patience_of(const struct darn_target *target, uint32_t trial)
{
    return target->again && trial / 2 % 2 ? POLLS : 0;
}

/* Which side goes first in this trial of a race: each comes first in half of them, and in the same
 * ones whichever came first in the run that was recorded. */
static uint64_t first_side(const struct darn_target *target, uint32_t trial)
{
    bool is_turned = target->sides[0].places[0] > target->sides[1].places[0];

    return 1 + (trial % 2 != is_turned);
}

void darn_hunt_request(const struct darn_hunt *hunt, const struct darn_target *target,
                       struct darn_player *player, uint32_t trial)
{
    struct darn_request *request = &player->block->request;
    struct darn_plan *plan = &request->plan;

    /* What was met by chance may take other accesses to be interrupted, too, and so may what a
     * trial of the two places alone has not shown. */
    if (target->kind == DARN_TARGET_RACE && (target->is_ours || target->again))
        darn_server_arm(player->server, hunt->exploration.armed, hunt->exploration.armed_count);
    else
        darn_server_arm(player->server, target->keys, target->key_count);
    request->flags = (hunt->options.early ? DARN_RUN_EARLY : 0) |
                     (hunt->options.report_spins ? DARN_RUN_SPIN_RACES : 0);
    request->time = 0;
    request->max_steps = hunt->max_steps;
    request->after_met = steps_after_met(hunt, trial);
    expect_visits(request, target);
    memset(plan, 0, sizeof(*plan));
    plan->seed = hunt->options.seed * 1000003 + trial;
    plan->patience = patience_of(target, trial);
    if (target->kind == DARN_TARGET_RACE) {
        plan->kind = DARN_STRATEGY_RACE;
        plan->seed = hunt->options.seed * 1000003 + trial / 2; /* each in both orders */
        plan->first = first_side(target, trial);
        darn_plan_add_aims(plan, &target->sides[0], DARN_AIM_FIRST);
        darn_plan_add_aims(plan, &target->sides[1], DARN_AIM_SECOND);
        darn_hunt_lead(target, player, trial);
    } else if (target->kind == DARN_TARGET_TRIPLE) {
        plan->kind = DARN_STRATEGY_TRIPLE;
        darn_plan_add_aims(plan, &target->sides[0], DARN_AIM_FIRST);
        darn_plan_add_aims(plan, &target->sides[1], DARN_AIM_SECOND);
        darn_plan_add_aims(plan, &target->sides[2], DARN_AIM_THIRD);
        add_unit_aims(plan, target, 0);
    } else if (target->kind == DARN_TARGET_QUAD) {
        plan->kind = DARN_STRATEGY_QUAD;
        darn_plan_add_aims(plan, &target->sides[0], DARN_AIM_FIRST);
        darn_plan_add_aims(plan, &target->sides[1], DARN_AIM_SECOND);
        darn_plan_add_aims(plan, &target->sides[2],
                           target->is_crossed ? DARN_AIM_BACK : DARN_AIM_THIRD);
        darn_plan_add_aims(plan, &target->sides[3], DARN_AIM_FOURTH);
        add_unit_aims(plan, target, 0);
        add_unit_aims(plan, target, 1);
    } else if (target->kind == DARN_TARGET_DEADLOCK) {
        plan->kind = DARN_STRATEGY_AIM;
        darn_plan_add_aims(plan, &target->sides[0], DARN_AIM_HOLD_LOCKED);
    } else if (target->kind == DARN_TARGET_ORDER) {
        plan->seed = hunt->options.seed * 1000003 + trial / 2; /* each in both orders */
        darn_hunt_plan_order(target, trial, plan);
    } else {
        plan_notification(plan, target, trial);
    }
}
