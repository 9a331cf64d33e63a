/*
 * QUAD: four accesses of two threads to two variables, in an order that no order of whole
 * transactions has (Wang & Stoller, 6.2). Thread A makes the first one, thread B the second, and
 * then either B the third and A the fourth (B comes in between), or, if the plan says BACK, A the
 * third and B the fourth (they overlap).
 *
 * A thread that has made the first access is `between`; it is not known before the second access
 * which thread will be its B. From then on that one, or in the other order A, goes on until the
 * next access is made. Before anybody is between, threads wait at SECOND. All holds are soft
 * (strategy_hold.c): where a lock keeps the threads from this order, another one comes about, and
 * nothing is met.
 *
 * It is met when the last access is made and the four are two conflicts in opposite directions (a
 * conflict: the same memory, and one of the two changes it): in the first order whichever accesses
 * of A and B they are, in the other one the first with the fourth, and the second with the third.
 * That is told under every strategy whose plan has the aims, so that a replay tells it, too.
 */
#include "schedule/strategy_private.h"

/* The choices by what they are to the quad, as bits by index. */
struct roles {
    uint64_t next[DARN_SLOTS / 64];  /* on its way to the access that comes next */
    uint64_t ready[DARN_SLOTS / 64]; /* at SECOND, while another thread has made the first */
    uint64_t held[DARN_SLOTS / 64];  /* waits for others */
    uint64_t last[DARN_SLOTS / 64];  /* of these, before an access that would come too early */
};

static struct darn_strategy_touch touch_of(const struct darn_choice *choice)
{
    return (struct darn_strategy_touch){choice->object, choice->size,
                                        darn_step_changes(choice->op)};
}

static struct darn_strategy_touch first_of(const struct darn_strategy_between *between)
{
    return (struct darn_strategy_touch){between->object, between->size, between->changes};
}

static bool conflict(const struct darn_strategy_touch *a, const struct darn_strategy_touch *b)
{
    return a->object && b->object && (a->changes || b->changes) &&
           darn_strategy_overlap(a->object, a->size, b->object, b->size);
}

static bool touches(const struct darn_strategy_touch *touched, const struct darn_choice *choice)
{
    struct darn_strategy_touch other = touch_of(choice);

    return conflict(touched, &other);
}

static bool is_first_touched(const struct darn_strategy_between *between,
                             const struct darn_strategy_touch *touched)
{
    struct darn_strategy_touch first = first_of(between);

    return conflict(&first, touched);
}

/* The step is the next access of this quad. */
static void come(struct darn_strategy *strategy, struct darn_strategy_between *between,
                 const struct darn_choice *choice, uint32_t made)
{
    between->made = made;
    between->touched[made - 2] = touch_of(choice);
    strategy->come_as[strategy->come_count] = (uint8_t)(made - 1);
    strategy->come_into[strategy->come_count++] = between->slot;
}

/* The fourth access, made by A: conflicts in opposite directions either way. */
static bool closes(const struct darn_strategy_between *between, const struct darn_choice *choice)
{
    const struct darn_strategy_touch *second = &between->touched[0], *third = &between->touched[1];

    return (is_first_touched(between, second) && touches(third, choice)) ||
           (is_first_touched(between, third) && touches(second, choice));
}

void darn_quad_drop_remote(struct darn_strategy *strategy, uint32_t slot)
{
    bool is_crossed = darn_plan_has(strategy->plan, DARN_AIM_BACK);

    for (uint32_t i = 0; i < strategy->between_count; i++) {
        struct darn_strategy_between *between = &strategy->between[i];

        if (between->remote == slot && (between->made == 2 || (is_crossed && between->made == 3)))
            between->made = 1;
    }
}

/* A step of A. True when it is the last one. */
static bool observe_local(struct darn_strategy *strategy, struct darn_strategy_between *between,
                          const struct darn_choice *choice)
{
    const struct darn_plan *plan = strategy->plan;

    if (between->made == 2 && darn_aims_at(plan, DARN_AIM_BACK, choice->place) &&
        touches(&between->touched[0], choice))
        come(strategy, between, choice, 3);
    return between->made == 3 && !darn_plan_has(plan, DARN_AIM_BACK) &&
           darn_aims_at(plan, DARN_AIM_FOURTH, choice->place) && closes(between, choice);
}

/* A step of another thread. True when it is the last one. */
static bool observe_remote(struct darn_strategy *strategy, struct darn_strategy_between *between,
                           const struct darn_choice *choice)
{
    const struct darn_plan *plan = strategy->plan;
    struct darn_strategy_touch first = first_of(between);
    bool is_ours = between->made > 1 && between->remote == choice->slot;

    if (is_ours && between->made == 2 && darn_aims_at(plan, DARN_AIM_THIRD, choice->place) &&
        (is_first_touched(between, &between->touched[0]) || touches(&first, choice))) {
        come(strategy, between, choice, 3);
        return false;
    }
    if (is_ours && between->made == 3 && darn_plan_has(plan, DARN_AIM_BACK))
        return darn_aims_at(plan, DARN_AIM_FOURTH, choice->place) && touches(&first, choice);
    /* In a loop over many things, the one that A has touched is what counts. */
    if (between->made < 3 && darn_aims_at(plan, DARN_AIM_SECOND, choice->place) &&
        darn_unit_has(strategy, choice, true) &&
        !(is_ours && is_first_touched(between, &between->touched[0]) && !touches(&first, choice))) {
        come(strategy, between, choice, 2);
        between->remote = choice->slot;
    }
    return false;
}

/* A has made its second access before B has come that far: what it does next is another quad. */
static bool is_too_early(const struct darn_strategy *strategy,
                         const struct darn_strategy_between *between,
                         const struct darn_choice *choice)
{
    bool is_crossed = darn_plan_has(strategy->plan, DARN_AIM_BACK);

    return between->slot == choice->slot && between->made < (is_crossed ? 2u : 3u) &&
           darn_aims_at(strategy->plan, is_crossed ? DARN_AIM_BACK : DARN_AIM_FOURTH,
                        choice->place);
}

void darn_quad_observe(struct darn_strategy *strategy, const struct darn_situation *situation,
                       uint32_t picked, struct darn_met *met)
{
    const struct darn_choice *choice = &situation->choices[picked];
    const struct darn_strategy_slot *slot = darn_strategy_slot(strategy, choice);
    bool is_over = choice->op == DARN_STEP_EXIT;

    strategy->come_count = 0;
    strategy->comes_first = false;
    darn_unit_step(strategy, choice);
    if (is_over)
        darn_quad_drop_remote(strategy, choice->slot);
    for (uint32_t i = 0; i < strategy->between_count; i++) {
        struct darn_strategy_between *between = &strategy->between[i];
        bool is_local = between->slot == choice->slot;
        bool is_met;

        is_over = is_over || is_too_early(strategy, between, choice);
        is_met = is_local ? observe_local(strategy, between, choice)
                          : observe_remote(strategy, between, choice);
        if (!is_met)
            continue;
        if (met->kind == DARN_MET_NOTHING)
            *met = (struct darn_met){DARN_MET_QUAD, picked, picked, between->slot, situation->step};
        between->made = 1;
        is_over = is_over || is_local;
    }
    if (is_over && slot->between)
        darn_between_leave(strategy, choice);
    if (darn_aims_at(strategy->plan, DARN_AIM_FIRST, choice->place) &&
        darn_unit_has(strategy, choice, false)) {
        darn_between_enter(strategy, choice);
        if (slot->between)
            strategy->between[slot->between - 1].made = 1;
        strategy->comes_first = true;
    }
}

/* In the transaction of B, and not in that of A: as long as nobody has made the first access it
 * waits, before it takes a lock that A needs for that. With some seeds it does not: A may come to
 * the first access by what B has done. */
static bool is_only_remote(struct darn_strategy *strategy, const struct darn_choice *choice)
{
    return strategy->plan->seed % 4 && !choice->locks &&
           darn_plan_has(strategy->plan, DARN_AIM_REMOTE_UNIT) &&
           darn_unit_has(strategy, choice, true) && !darn_unit_has(strategy, choice, false);
}

/* What the thread of the choice is to a quad of its own, or of another thread. */
static void look_at(struct darn_strategy *strategy, const struct darn_choice *choice, uint32_t i,
                    struct roles *roles)
{
    const struct darn_plan *plan = strategy->plan;
    bool is_crossed = darn_plan_has(plan, DARN_AIM_BACK);
    bool is_second = darn_aims_at(plan, DARN_AIM_SECOND, choice->place);
    bool is_ready = false, is_next = false, waits = false;

    for (uint32_t j = 0; j < strategy->between_count; j++) {
        const struct darn_strategy_between *between = &strategy->between[j];
        bool is_local = between->slot == choice->slot;
        bool is_remote = !is_local && between->made > 1 && between->remote == choice->slot;
        bool is_turn_of_local = between->made == (is_crossed ? 2u : 3u);

        is_ready |= !is_local && is_second && between->made == 1;
        is_next |= between->made > 1 && (is_turn_of_local ? is_local : is_remote);
        waits |= between->made > 1 ? is_turn_of_local ? is_remote : is_local : is_local;
    }
    waits |= is_second && !is_ready && !darn_aims_at(plan, DARN_AIM_FIRST, choice->place);
    waits |= !strategy->between_count && is_only_remote(strategy, choice);
    if (is_next)
        darn_bit_set(roles->next, i);
    else if (is_ready)
        darn_bit_set(roles->ready, i);
    else if (waits)
        darn_bit_set(roles->held, i);
    if (!is_next && !is_ready && waits &&
        (is_second ||
         darn_aims_at(plan, is_crossed ? DARN_AIM_BACK : DARN_AIM_FOURTH, choice->place)))
        darn_bit_set(roles->last, i);
}

/* One that does not wait for something to change. */
static uint32_t pick_awake(struct darn_strategy *strategy, const struct darn_situation *situation,
                           const uint64_t *bits)
{
    uint32_t picked = darn_hold_random(strategy, situation, bits, true);

    return picked < situation->count && situation->choices[picked].yielded ? situation->count
                                                                           : picked;
}

static uint32_t pick(struct darn_strategy *strategy, const struct darn_situation *situation,
                     const struct roles *roles)
{
    uint32_t picked = pick_awake(strategy, situation, roles->next);
    uint64_t inside[DARN_SLOTS / 64];

    if (picked == situation->count)
        picked = pick_awake(strategy, situation, roles->ready);
    for (uint32_t i = 0; i < situation->count && picked == situation->count; i++)
        if (darn_bit(roles->held, i) && darn_hold_expired(strategy, &situation->choices[i]))
            picked = i;
    if (picked < situation->count)
        return picked;
    if (!darn_hold_must_release(strategy, situation, roles->held)) {
        picked = darn_hold_random(strategy, situation, roles->held, false);
        if (picked < situation->count)
            return picked;
    }
    for (uint32_t i = 0; i < DARN_SLOTS / 64; i++)
        inside[i] = roles->held[i] & ~roles->last[i];
    picked = darn_hold_random(strategy, situation, inside, true);
    if (picked == situation->count)
        picked = darn_hold_random(strategy, situation, roles->held, true);
    return picked;
}

uint32_t darn_pick_quad(struct darn_strategy *strategy, const struct darn_situation *situation,
                        struct darn_met *met)
{
    struct roles roles = {.next = {0}};
    uint32_t picked;

    if (situation->waking)
        return darn_pick_random(strategy, situation, met);
    strategy->picks++;
    for (uint32_t i = 0; i < situation->count; i++)
        look_at(strategy, &situation->choices[i], i, &roles);
    picked = pick(strategy, situation, &roles);
    darn_hold_made(strategy, &situation->choices[picked]);
    return picked;
}
