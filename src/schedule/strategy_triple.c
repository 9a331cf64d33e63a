/*
 * TRIPLE: the remote access (SECOND) between two local ones (FIRST, THIRD) of the same object.
 *
 * A thread that has made the first access is `between`. It gives way to all others, so that a
 * remote thread gets where it has to be, but for one thing: at the remote access everybody waits
 * until a thread that is between stands before its second access. Then the remote access is made.
 * If a lock keeps the local thread away from its second access as long as the remote thread has not
 * left (both accesses in critical sections of their own), nobody can go on; the remote access is
 * made then. The triple is met when the local thread makes its second access; that is told under
 * every strategy whose plan has the three aims, so that a replay tells it, too. The three places
 * may be the same ones for all threads, as in `n++`.
 */
#include "schedule/strategy_private.h"

/* The choices by what they are to the triple, as bits by index. */
struct roles {
    uint64_t waits[DARN_SLOTS / 64];  /* at THIRD, with no remote access yet */
    uint64_t second[DARN_SLOTS / 64]; /* at SECOND */
    uint64_t inside[DARN_SLOTS / 64]; /* between, on its way to THIRD */
    uint64_t held[DARN_SLOTS / 64];   /* any of these */
    uint32_t waiting, held_count;
};

static bool is_about(const struct darn_strategy_between *between, const struct darn_choice *choice)
{
    return choice->object &&
           darn_strategy_overlap(between->object, between->size, choice->object, choice->size);
}

static struct darn_strategy_between *between_of(struct darn_strategy *strategy,
                                                const struct darn_choice *choice)
{
    const struct darn_strategy_slot *slot = darn_strategy_slot(strategy, choice);

    return slot->between ? &strategy->between[slot->between - 1] : NULL;
}

static void look_around(struct darn_strategy *strategy, const struct darn_situation *situation,
                        struct roles *roles)
{
    const struct darn_plan *plan = strategy->plan;

    for (uint32_t i = 0; i < situation->count; i++) {
        const struct darn_choice *choice = &situation->choices[i];
        const struct darn_strategy_between *between = between_of(strategy, choice);
        bool is_second = darn_aims_at(plan, DARN_AIM_SECOND, choice->place);

        if (is_second)
            darn_bit_set(roles->second, i);
        if (between && !between->step) {
            if (is_about(between, choice) && darn_aims_at(plan, DARN_AIM_THIRD, choice->place)) {
                darn_bit_set(roles->waits, i);
                roles->waiting++;
            } else {
                darn_bit_set(roles->inside, i);
            }
        } else if (!is_second) {
            continue;
        }
        darn_bit_set(roles->held, i);
        roles->held_count++;
    }
}

/* A local thread that waits for this remote access; the count when there is none. */
static uint32_t local_for(struct darn_strategy *strategy, const struct darn_situation *situation,
                          const struct roles *roles, uint32_t remote)
{
    for (uint32_t i = 0; i < situation->count; i++)
        if (i != remote && darn_bit(roles->waits, i) &&
            is_about(between_of(strategy, &situation->choices[i]), &situation->choices[remote]))
            return i;
    return situation->count;
}

/* Whether some other thread is between accesses of the object, wherever it is now. */
static bool comes_between(struct darn_strategy *strategy, const struct darn_choice *choice)
{
    for (uint32_t i = 0; i < strategy->between_count; i++)
        if (strategy->between[i].slot != choice->slot && is_about(&strategy->between[i], choice))
            return true;
    return false;
}

/* A random one of the remote accesses that complete a triple now; or, `at_all`, of those that come
 * between two accesses of a thread that does not stand there yet. */
static uint32_t pick_remote(struct darn_strategy *strategy, const struct darn_situation *situation,
                            const struct roles *roles, bool at_all)
{
    uint64_t remotes[DARN_SLOTS / 64] = {0};

    for (uint32_t i = 0; i < situation->count; i++)
        if (darn_bit(roles->second, i) &&
            (at_all ? comes_between(strategy, &situation->choices[i])
                    : local_for(strategy, situation, roles, i) < situation->count))
            darn_bit_set(remotes, i);
    return darn_hold_random(strategy, situation, remotes, true);
}

/* On its way to THIRD, and not at somebody else's SECOND. */
static uint32_t pick_inside(struct darn_strategy *strategy, const struct darn_situation *situation,
                            const struct roles *roles)
{
    uint64_t inside[DARN_SLOTS / 64];

    for (uint32_t i = 0; i < DARN_SLOTS / 64; i++)
        inside[i] = roles->inside[i] & ~roles->second[i];
    return darn_hold_random(strategy, situation, inside, true);
}

static uint32_t pick(struct darn_strategy *strategy, const struct darn_situation *situation,
                     const struct roles *roles)
{
    uint32_t picked = situation->count;

    if (!roles->held_count)
        return darn_hold_random(strategy, situation, roles->held, false);
    if (roles->waiting)
        picked = pick_remote(strategy, situation, roles, false);
    for (uint32_t i = 0; i < situation->count && picked == situation->count; i++)
        if (darn_bit(roles->held, i) && darn_hold_expired(strategy, &situation->choices[i]))
            picked = i;
    if (picked < situation->count)
        return picked;
    if (!darn_hold_must_release(strategy, situation, roles->held))
        return darn_hold_random(strategy, situation, roles->held, false);
    picked = pick_inside(strategy, situation, roles);
    if (picked == situation->count)
        picked = pick_remote(strategy, situation, roles, true);
    if (picked == situation->count)
        picked = darn_hold_random(strategy, situation, roles->held, true);
    return picked;
}

void darn_between_leave(struct darn_strategy *strategy, const struct darn_choice *choice)
{
    struct darn_strategy_slot *slot = darn_strategy_slot(strategy, choice);
    uint32_t i = slot->between, last = strategy->between_count;

    if (!i)
        return;
    slot->between = 0;
    strategy->between_count--;
    if (i < last) {
        strategy->between[i - 1] = strategy->between[last - 1];
        strategy->slots[strategy->between[i - 1].slot].between = i;
    }
}

void darn_between_enter(struct darn_strategy *strategy, const struct darn_choice *choice)
{
    darn_between_leave(strategy, choice);
    if (strategy->between_count == DARN_TRIPLE_BETWEEN || !choice->object)
        return;
    strategy->between[strategy->between_count++] = (struct darn_strategy_between){
        .slot = choice->slot,
        .size = choice->size,
        .object = choice->object,
        .changes = darn_step_changes(choice->op)};
    darn_strategy_slot(strategy, choice)->between = strategy->between_count;
}

/* The remote access is made: what it means to all who are between. */
static void come_between(struct darn_strategy *strategy, const struct darn_situation *situation,
                         const struct darn_choice *choice)
{
    for (uint32_t i = 0; i < strategy->between_count; i++) {
        struct darn_strategy_between *between = &strategy->between[i];

        if (between->slot == choice->slot || between->step || !is_about(between, choice))
            continue;
        between->step = situation->step + 1;
        between->remote = choice->thread;
        strategy->come_as[strategy->come_count] = 1;
        strategy->come_into[strategy->come_count++] = between->slot;
    }
}

void darn_triple_observe(struct darn_strategy *strategy, const struct darn_situation *situation,
                         uint32_t picked, struct darn_met *met)
{
    const struct darn_plan *plan = strategy->plan;
    const struct darn_choice *choice = &situation->choices[picked];
    const struct darn_strategy_between *between;

    strategy->come_count = 0;
    strategy->comes_first = false;
    darn_unit_step(strategy, choice);
    between = between_of(strategy, choice);
    if (darn_aims_at(plan, DARN_AIM_SECOND, choice->place))
        come_between(strategy, situation, choice);
    if (between && is_about(between, choice) && darn_aims_at(plan, DARN_AIM_THIRD, choice->place)) {
        if (between->step && met->kind == DARN_MET_NOTHING)
            *met = (struct darn_met){DARN_MET_TRIPLE, picked, picked, between->remote,
                                     between->step - 1};
        darn_between_leave(strategy, choice);
    }
    if (darn_aims_at(plan, DARN_AIM_FIRST, choice->place) &&
        darn_unit_has(strategy, choice, false)) {
        darn_between_enter(strategy, choice);
        strategy->comes_first = true;
    } else if (choice->op == DARN_STEP_EXIT) {
        darn_between_leave(strategy, choice);
    }
}

void darn_strategy_leave(struct darn_strategy *strategy, uint32_t slot, uint32_t thread)
{
    if (strategy->triple && !strategy->quad)
        darn_between_leave(strategy, &(struct darn_choice){.slot = slot, .thread = thread});
}

uint32_t darn_pick_triple(struct darn_strategy *strategy, const struct darn_situation *situation,
                          struct darn_met *met)
{
    struct roles roles = {.waiting = 0};
    uint32_t picked;

    if (situation->waking)
        return darn_pick_random(strategy, situation, met);
    strategy->picks++;
    look_around(strategy, situation, &roles);
    picked = pick(strategy, situation, &roles);
    darn_hold_made(strategy, &situation->choices[picked]);
    return picked;
}
