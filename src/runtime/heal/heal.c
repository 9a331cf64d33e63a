#include "runtime/heal/heal.h"

#include <errno.h>
#include <stddef.h>

#include "runtime/heal/elision.h"
#include "runtime/heal/gates.h"
#include "runtime/heal/heal_closed.h"
#include "runtime/heal/heal_private.h"
#include "runtime/heal/heal_reload.h"
#include "runtime/heal/hold.h"
#include "runtime/heal/visited.h"
#include "runtime/os/os.h"
#include "runtime/report/found.h"
#include "runtime/state.h"
#include "runtime/watch/attention.h"

/* So many hooks come before the first of their accesses, at most (plugin/core/group.c). */
#define GROUP 64

bool darn_healing, darn_heal_is_open, darn_heal_is_child, darn_heal_signals;

static const struct darn_rules_client client = {
    .resolve = darn_cures_resolve, .arm = darn_cures_arm, .forget = darn_elision_forget};

int darn_heal_open(void)
{
    const char *path = darn_state.options.heal;
    int signatures, error;

    if (!path[0] && !darn_state.options.heal_learn[0])
        return 0;
    error = darn_holds_open() || darn_visited_open() ? -ENOMEM : darn_cures_load(path);
    if (error)
        return darn_rules_refuse("heal", path, error, "being healed");
    darn_heal_is_open = true;
    signatures = path[0] ? darn_gates_open(path) : 0;
    darn_healing = darn_cures() || signatures > 0 || darn_state.options.heal_learn[0];
    if (darn_healing) {
        darn_rules_serve(&client);
        darn_findings_teach(darn_heal_learn);
        darn_heal_reload_open();
    }
    return 0;
}

static void drop(struct darn_hold *hold)
{
    if (hold->urged)
        darn_heal_calm(hold);
    darn_closed_open(hold);
    darn_hold_drop(hold);
}

/* ---- holds ---- */

/* The access that follows is the last one. */
static void end_with(struct darn_hold *hold, const struct darn_touch *touch, const void *frame)
{
    struct darn_healer *healer = hold->healer;

    healer->ending |= 1u << (hold - healer->holds);
    hold->state = DARN_HOLD_LAST;
    hold->told = touch->site->flags & DARN_SITE_AFTER;
    hold->last = touch->site;
    hold->made_in = darn_stay_caller(frame);
    healer->thread->lingers = true;
}

/* Whether the thread may be in a signal handler that came before the access was made: what runs now
 * was called from there, or by the function itself afterwards. */
static bool may_be_interrupted(const struct darn_hold *hold, const void *here)
{
    return here && here < hold->made_in && (hold->told || darn_heal_signals);
}

/* `here` is the frame of the function that tells, or NULL: whatever it is, the thread is in a call.
 */
static void settle(struct darn_healer *healer, const void *here)
{
    for (uint32_t left = healer->ending; left; left &= left - 1) {
        struct darn_hold *hold = &healer->holds[__builtin_ctz(left)];

        if (!may_be_interrupted(hold, here))
            drop(hold);
    }
    healer->thread->lingers = healer->ending != 0;
}

/* What the thread has left behind. A hook that comes before accesses that were announced earlier
 * (DARN_SITE_LATER) only tells that its own access of the last time is over. */
static void settle_at(struct darn_healer *healer, const struct darn_site *site, const void *here)
{
    if (!(site->flags & DARN_SITE_LATER)) {
        settle(healer, here);
        return;
    }
    for (uint32_t left = healer->ending; left; left &= left - 1) {
        struct darn_hold *hold = &healer->holds[__builtin_ctz(left)];

        if (may_be_interrupted(hold, here))
            continue;
        if (hold->last == site || hold->later++ == GROUP)
            drop(hold);
        else
            hold->state = DARN_HOLD_LAST; /* the thread is in a hook, and may wait there */
    }
}

/* Where guards look into the filter, all accesses to the line call from now on, whatever the name
 * by which they reach the variable. */
static void show(const struct darn_touch *touch)
{
    uintptr_t last = touch->address + touch->size - 1;

    if (!(touch->site->flags & DARN_SITE_AFTER) &&
        (!darn_attention_is_marked(touch->address, 1) || !darn_attention_is_marked(last, 1)))
        darn_attention_mark(touch->address, touch->size);
}

/* Nothing but the moment of its entry. */
static bool is_one_access(const struct darn_rule *rule)
{
    return rule->kind == DARN_SECTION_RACE || rule->kind == DARN_SECTION_ORDER;
}

/* Goes in as soon as nobody is in the way. */
static void take(struct darn_hold *hold, const struct darn_touch *touch, const void *frame)
{
    const struct darn_rule *rule = hold->stay.rule;
    bool taken;

    show(touch);
    if (rule->with == DARN_HEAL_YIELD)
        darn_os_yield();
    taken = darn_hold_take(hold, frame);
    if (!taken)
        drop(hold);
    else if (rule->with == DARN_HEAL_PRIORITY)
        darn_heal_urge(hold);
    if (taken && !hold->soft && !is_one_access(rule))
        darn_closed_enter(hold);
    if (taken && is_one_access(rule))
        end_with(hold, touch, frame);
}

/* The thread is at the entry. */
static void enter(struct darn_hold *hold, const struct darn_touch *touch,
                  const struct darn_role *role, bool left, const void *frame)
{
    const struct darn_rule *rule = role->rule;

    darn_stay_enter(&hold->stay, touch, role);
    hold->ops = rule->ops;
    hold->allow = rule->allows;
    hold->alone = rule->with == DARN_HEAL_LOCK;
    hold->soft = rule->with >= DARN_HEAL_YIELD;
    hold->locks = darn_own_here.count;
    hold->state = DARN_HOLD_INSIDE;
    if (!rule->companion && rule->cure->has_companion)
        darn_visited_add(touch->address);
    darn_healer_count(hold->healer, hold->cure);
    if (!left)
        take(hold, touch, frame);
    else if (rule->kind == DARN_SECTION_RACE)
        drop(hold);
    else
        darn_hold_leave(hold);
}

/* An access that belongs to none of the thread's sections. */
static void enter_alone(struct darn_healer *healer, const struct darn_touch *touch,
                        const void *frame)
{
    struct darn_hold *hold = darn_hold_new(healer);

    if (!hold)
        return;
    darn_stay_enter(&hold->stay, touch, NULL);
    hold->ops = darn_stay_ops(touch);
    hold->allow = DARN_ALLOW_ALL;
    hold->state = DARN_HOLD_INSIDE;
    if (darn_hold_take(hold, frame))
        end_with(hold, touch, frame);
    else
        drop(hold);
}

/* ---- sections of the thread ---- */

static void go_on(struct darn_hold *hold, const struct darn_touch *touch,
                  const struct darn_roles *roles, const void *frame)
{
    const struct darn_role *role;

    switch (darn_stay_step(&hold->stay, touch, roles, darn_stay_caller(frame), &role)) {
    case DARN_STAY_ENTRY:
        enter(hold, touch, role, false, frame);
        break;
    case DARN_STAY_END:
        end_with(hold, touch, frame);
        break;
    case DARN_STAY_OUT:
        drop(hold);
        break;
    default:
        break;
    }
}

/* The thread is where a section of the rule begins. One that it never left is over now; whether it
 * is in one of an outer call, which goes on. */
static bool is_in_outer(struct darn_healer *healer, const struct darn_rule *rule,
                        const void *caller)
{
    struct darn_hold *hold;
    bool outer = false;

    DARN_EACH_HOLD(healer, hold)
    {
        enum darn_stay_again again = darn_stay_again(&hold->stay, rule, caller);

        if (healer->ending >> (hold - healer->holds) & 1)
            continue;
        outer |= again == DARN_STAY_OUTER;
        if (again == DARN_STAY_ANEW)
            drop(hold);
    }
    return outer;
}

static struct darn_hold *begin(struct darn_healer *healer, struct darn_rule *rule,
                               const void *caller)
{
    struct darn_hold *hold = NULL;

    if (!rule->whole)
        rule->whole = darn_rule_is_whole(rule);
    if (rule->whole)
        hold = darn_hold_new(healer);
    if (!hold)
        return NULL;
    hold->stay.rule = rule;
    hold->stay.frame = caller;
    hold->cure = rule->cure;
    return hold;
}

/* Whoever is alone may get company inside, from one that it creates there. */
static bool is_of_use(const struct darn_rule *rule, bool alone)
{
    return rule->cure && !rule->cure->given_up &&
           (!alone ||
            rule->inside & (DARN_SECTION_SYNC | DARN_SECTION_CALLS | DARN_SECTION_UNKNOWN));
}

static void begin_here(struct darn_healer *healer, const struct darn_touch *touch,
                       const struct darn_roles *roles, bool alone, bool left, const void *frame)
{
    const void *caller = darn_stay_caller(frame);

    for (uint32_t i = 0; i < roles->count; i++) {
        const struct darn_role *role = &roles->list[i];
        struct darn_rule *rule = role->rule;
        struct darn_hold *hold;

        if (!darn_stay_begins(role) || rule->kind == DARN_SECTION_ORDER || !is_of_use(rule, alone) ||
            (left && !darn_elision_may_release(rule)) || /* nobody would tell its end */
            (rule->companion && !darn_visited_has(touch->address)) ||
            is_in_outer(healer, rule, caller))
            continue;
        hold = begin(healer, rule, caller);
        if (hold)
            enter(hold, touch, role, left, frame);
    }
}

/* Whether one of the thread's own holds stands for the access. */
static bool is_covered(struct darn_healer *healer, const struct darn_touch *touch)
{
    uint8_t ops = darn_stay_ops(touch);
    struct darn_hold *hold;

    DARN_EACH_HOLD(healer, hold)
    {
        if (hold->linked && darn_stay_meets(&hold->stay, touch) && !(ops & ~hold->ops))
            return true;
    }
    return false;
}

/* ---- orders ---- */

/* The first access of an order. Until it is made nobody else shall make the second, who waits for
 * it at the gate: for that moment it is healed as one that races. */
static void go_first(struct darn_healer *healer, const struct darn_touch *touch,
                     const struct darn_role *role, const void *frame)
{
    struct darn_cure *cure = role->rule->cure;
    struct darn_hold *hold;

    if (!atomic_load_explicit(&cure->is_settled, memory_order_relaxed) &&
        cure->until == DARN_UNTIL_DONE) {
        hold = begin(healer, role->rule, darn_stay_caller(frame));
        if (hold)
            enter(hold, touch, role, false, frame);
    }
    darn_gate_reach(cure->gate, healer->thread);
}

/* Who is alone waits for nobody. */
static void go_second(struct darn_healer *healer, const struct darn_touch *touch,
                      struct darn_cure *cure, bool alone, const void *frame)
{
    if (atomic_load_explicit(&cure->is_settled, memory_order_relaxed) || alone)
        return;
    darn_gate_come(cure->gate, healer->thread, frame);
    if (cure->until != DARN_UNTIL_DONE || !darn_gate_is_done(cure->gate))
        return;
    enter_alone(healer, touch, frame);
    atomic_store_explicit(&cure->is_settled, true, memory_order_relaxed);
}

/* Whether the access has to do with something else, too. */
static bool keep_orders(struct darn_healer *healer, const struct darn_touch *touch,
                        const struct darn_roles *roles, bool alone, const void *frame)
{
    bool more = roles->count == 0;

    for (uint32_t i = 0; i < roles->count; i++) {
        const struct darn_role *role = &roles->list[i];
        struct darn_cure *cure = role->rule->cure;

        if (!cure || !cure->gate) {
            more = true;
            continue;
        }
        more |= cure->is_shared;
        if (role->role == DARN_ROLE_ENTRY)
            go_first(healer, touch, role, frame);
        else if (role->role == DARN_ROLE_END)
            go_second(healer, touch, cure, alone, frame);
    }
    return more;
}

static bool has_nothing_to_do(const struct darn_thread *thread, const struct darn_healer *healer,
                              const struct darn_touch *touch)
{
    return healer->busy || !touch->site || touch->assertion || thread->ignore ||
           darn_state.finished;
}

void darn_heal_access(struct darn_thread *thread, const struct darn_touch *touch, const void *frame)
{
    struct darn_healer *healer = darn_healer_of(thread);
    bool alone = darn_threads_alive() < 2;
    enum darn_elision elision = DARN_ELISION_NOT;
    struct darn_roles roles;
    struct darn_hold *hold;

    if (!healer || has_nothing_to_do(thread, healer, touch))
        return;
    healer->busy = __builtin_frame_address(0);
    if (alone)
        DARN_OWN_STORE(outside, DARN_OUTSIDE_ANY);
    if (!alone && darn_production[0])
        elision = darn_elision_visit(thread, touch, !(healer->used & ~healer->left), &roles);
    else
        roles = darn_rules_of(touch->site);
    if (elision == DARN_ELISION_FULL) {
        healer->busy = NULL;
        return;
    }
    if (elision == DARN_ELISION_NOT)
        darn_heal_show(thread);
    settle_at(healer, touch->site, darn_stay_caller(frame));
    if (!keep_orders(healer, touch, &roles, alone, frame)) {
        healer->busy = NULL;
        return;
    }
    DARN_EACH_HOLD(healer, hold)
    {
        if (hold->stay.rule && !(healer->ending >> (hold - healer->holds) & 1))
            go_on(hold, touch, &roles, frame);
    }
    begin_here(healer, touch, &roles, alone, elision == DARN_ELISION_TENTATIVE, frame);
    if (!alone && elision == DARN_ELISION_NOT && !is_covered(healer, touch))
        enter_alone(healer, touch, frame);
    healer->busy = NULL;
}

void darn_heal_linger(struct darn_thread *thread)
{
    struct darn_healer *healer = thread->healer;

    if (!healer || healer->busy)
        return;
    for (uint32_t left = healer->ending; left; left &= left - 1) {
        struct darn_hold *hold = &healer->holds[__builtin_ctz(left)];

        if (!hold->told) {
            hold->serial++; /* from now on its thread runs */
            __atomic_store_n(&hold->state, DARN_HOLD_LINGERS, __ATOMIC_RELEASE);
        }
    }
}

void darn_heal_done(struct darn_thread *thread, const void *frame)
{
    struct darn_healer *healer = thread->healer;

    if (!healer || healer->busy || !healer->ending)
        return;
    healer->busy = __builtin_frame_address(0);
    settle(healer, frame ? darn_stay_caller(frame) : NULL);
    healer->busy = NULL;
}

void darn_heal_leave(struct darn_thread *thread, const struct darn_site *site, const void *frame)
{
    struct darn_healer *healer = thread->healer;
    struct darn_roles roles;
    struct darn_hold *hold;

    if (!healer || healer->busy || !healer->used)
        return;
    roles = darn_rules_of(site);
    healer->busy = __builtin_frame_address(0);
    settle(healer, darn_stay_caller(frame));
    DARN_EACH_HOLD(healer, hold)
    {
        if (darn_stay_is_left(&hold->stay, &roles, darn_stay_caller(frame)))
            drop(hold);
    }
    healer->busy = NULL;
}

void darn_heal_call(struct darn_thread *thread, const struct darn_site *site, const void *frame)
{
    struct darn_healer *healer = darn_healer_of(thread);
    struct darn_roles roles = darn_rules_of(site);

    if (!healer || healer->busy || thread->ignore || darn_state.finished)
        return;
    healer->busy = __builtin_frame_address(0);
    settle(healer, darn_stay_caller(frame));
    for (uint32_t i = 0; i < roles.count; i++) {
        struct darn_rule *rule = roles.list[i].rule;

        if (is_of_use(rule, false) && roles.list[i].role == DARN_ROLE_CALL &&
            !is_in_outer(healer, rule, darn_stay_caller(frame)))
            begin(healer, rule, darn_stay_caller(frame));
    }
    healer->busy = NULL;
}

void darn_heal_abandon(struct darn_thread *thread)
{
    struct darn_healer *healer = thread->healer;
    struct darn_hold *hold;

    if (!healer || healer->busy)
        return;
    healer->busy = __builtin_frame_address(0);
    DARN_EACH_HOLD(healer, hold)
    {
        if (!hold->closed_by) /* a lock that is closed is opened with its section */
            drop(hold);
    }
    healer->busy = NULL;
}

void darn_heal_before_fork(void)
{
    darn_elision_before_fork();
    darn_holds_before_fork();
}

void darn_heal_after_fork(bool child)
{
    darn_heal_is_child |= child;
    darn_holds_after_fork(child);
    darn_elision_after_fork();
    if (child) {
        darn_closed_after_fork();
        darn_heal_reload_after_fork();
        darn_heal_count_anew();
    }
    darn_gates_after_fork(child);
}
