#include "runtime/heal/heal.h"

#include <errno.h>
#include <stddef.h>

#include "runtime/heal/gates.h"
#include "runtime/heal/heal_closed.h"
#include "runtime/heal/heal_parts.h"
#include "runtime/heal/hold.h"
#include "runtime/heal/elision.h"
#include "runtime/os/os.h"
#include "runtime/state.h"
#include "runtime/watch/attention.h"

/* So many hooks come before the first of their accesses, at most (plugin/core/group.c). */
#define GROUP 64

bool darn_healing, darn_heal_is_open, darn_heal_is_child, darn_heal_signals;

static const void *caller_of(const void *frame)
{
    return *(const void *const *)frame;
}

static const struct darn_rules_client client = {
    .resolve = darn_cures_resolve, .arm = darn_cures_arm, .forget = darn_trust_forget};

int darn_heal_open(void)
{
    const char *path = darn_state.options.heal;
    int signatures, error;

    if (!path[0] && !darn_state.options.heal_learn[0])
        return 0;
    error = darn_holds_open() ? -ENOMEM : darn_cures_load(path);
    if (error)
        return darn_rules_refuse("heal", path, error, "being healed");
    darn_heal_is_open = true;
    signatures = path[0] ? darn_gates_open(path) : 0;
    darn_healing = darn_cures() || signatures > 0 || darn_state.options.heal_learn[0];
    if (darn_healing)
        darn_rules_serve(&client);
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

static uint8_t ops_of(const struct darn_touch *touch)
{
    switch (touch->op) {
    case DARN_OP_READ:
        return DARN_ALLOW_READ;
    case DARN_OP_WRITE:
        return DARN_ALLOW_WRITE;
    default:
        return DARN_ALLOW_ALL;
    }
}

static bool overlap(const struct darn_hold *hold, const struct darn_touch *touch)
{
    return hold->address < touch->address + touch->size &&
           touch->address < hold->address + hold->size;
}

/* The access that follows is the last one. */
static void end_with(struct darn_hold *hold, const struct darn_touch *touch, const void *frame)
{
    struct darn_healer *healer = hold->healer;

    healer->ending |= 1u << (hold - healer->holds);
    hold->state = DARN_HOLD_LAST;
    hold->told = touch->site->flags & DARN_SITE_AFTER;
    hold->last = touch->site;
    hold->made_in = caller_of(frame);
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

/* Where sections of the repository have been, by a hash: what companions ask. */
#define PLACES 4096

static _Atomic uintptr_t places[PLACES];

static _Atomic uintptr_t *place_of(uintptr_t address)
{
    return &places[address * UINT64_C(0x9e3779b97f4a7c15) >> 52];
}

static void get_to_know(uintptr_t address)
{
    _Atomic uintptr_t *place = place_of(address);

    if (atomic_load_explicit(place, memory_order_relaxed) != address)
        atomic_store_explicit(place, address, memory_order_relaxed);
}

static bool is_known(uintptr_t address)
{
    return atomic_load_explicit(place_of(address), memory_order_relaxed) == address;
}

/* Goes in as soon as nobody is in the way. */
static void take(struct darn_hold *hold, const struct darn_touch *touch, const void *frame)
{
    const struct darn_rule *rule = hold->rule;
    bool taken;

    show(touch);
    if (rule->with == DARN_HEAL_YIELD)
        darn_os_yield();
    taken = darn_hold_take(hold, frame);
    if (!taken)
        drop(hold);
    else if (rule->with == DARN_HEAL_PRIORITY)
        darn_heal_urge(hold);
    if (taken && !hold->soft && rule->kind != DARN_SECTION_RACE)
        darn_closed_enter(hold);
    if (taken && rule->kind == DARN_SECTION_RACE)
        end_with(hold, touch, frame);
}

/* The thread is at the entry. */
static void enter(struct darn_hold *hold, const struct darn_touch *touch, bool left,
                  const void *frame)
{
    const struct darn_rule *rule = hold->rule;

    hold->address = touch->address;
    hold->size = touch->size;
    hold->ops = rule->ops;
    hold->allow = rule->allows;
    hold->alone = rule->with == DARN_HEAL_LOCK;
    hold->soft = rule->with >= DARN_HEAL_YIELD;
    hold->locks = darn_own_here.count;
    hold->state = DARN_HOLD_INSIDE;
    if (!rule->companion && rule->cure->has_companion)
        get_to_know(touch->address);
    if (darn_production)
        darn_trust_enter(rule, touch->address, touch->size);
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
    hold->address = touch->address;
    hold->size = touch->size;
    hold->ops = ops_of(touch);
    hold->allow = DARN_ALLOW_ALL;
    hold->state = DARN_HOLD_INSIDE;
    if (darn_hold_take(hold, frame))
        end_with(hold, touch, frame);
    else
        drop(hold);
}

/* ---- sections of the thread ---- */

static const struct darn_role *role_in(const struct darn_roles *roles, const struct darn_rule *rule,
                                       uint8_t role)
{
    for (uint32_t i = 0; i < roles->count; i++) {
        if (roles->list[i].rule == rule && roles->list[i].role == role)
            return &roles->list[i];
    }
    return NULL;
}

/* One of the thread's sections, and an access of the thread: as figure 3 of AtomRace. */
static void go_on(struct darn_hold *hold, const struct darn_touch *touch,
                  const struct darn_roles *roles, const void *frame)
{
    const struct darn_role *last = role_in(roles, hold->rule, DARN_ROLE_END), *first;
    bool here = caller_of(frame) == hold->frame || hold->rule->inside & DARN_SECTION_ACROSS;
    bool same, ours = last && last->copy == hold->copy;

    if (hold->state == DARN_HOLD_AWAITED) {
        first = role_in(roles, hold->rule, DARN_ROLE_ENTRY);
        if (first) {
            hold->copy = first->copy;
            enter(hold, touch, false, frame);
        }
        return;
    }
    same = overlap(hold, touch);
    if (hold->rule->kind == DARN_SECTION_LEARNED) {
        if (same && last)
            end_with(hold, touch, frame);
        else if (same)
            drop(hold);
    } else if (last && here) {
        if (same && ours)
            end_with(hold, touch, frame);
        else
            drop(hold);
    }
}

/* As in sections.c: whether a section of the rule goes on that began in an outer call. */
static bool begin_anew(struct darn_healer *healer, const struct darn_rule *rule, const void *caller)
{
    struct darn_hold *hold;
    bool outer = false;

    DARN_EACH_HOLD(healer, hold)
    {
        if (hold->rule != rule || healer->ending >> (hold - healer->holds) & 1)
            continue;
        if (hold->frame == caller || rule->kind == DARN_SECTION_LEARNED)
            drop(hold);
        else
            outer = true;
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
    hold->rule = rule;
    hold->cure = rule->cure;
    hold->frame = caller;
    hold->state = DARN_HOLD_AWAITED;
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
    for (uint32_t i = 0; i < roles->count; i++) {
        const struct darn_role *role = &roles->list[i];
        struct darn_rule *rule = role->rule;
        struct darn_hold *hold;

        if (role->role != DARN_ROLE_ENTRY || rule->has_call || !is_of_use(rule, alone) ||
            (left && !darn_trust_is_wary(rule)) || /* nobody would tell its end */
            (rule->companion && !is_known(touch->address)) ||
            begin_anew(healer, rule, caller_of(frame)))
            continue;
        hold = begin(healer, rule, caller_of(frame));
        if (!hold)
            continue;
        hold->copy = role->copy;
        enter(hold, touch, left, frame);
    }
}

/* Whether one of the thread's own holds stands for the access. */
static bool is_covered(struct darn_healer *healer, const struct darn_touch *touch)
{
    uint8_t ops = ops_of(touch);
    struct darn_hold *hold;

    DARN_EACH_HOLD(healer, hold)
    {
        if (hold->linked && overlap(hold, touch) && !(ops & ~hold->ops))
            return true;
    }
    return false;
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
    enum darn_trust trust = DARN_TRUST_NOT;
    struct darn_roles roles;
    struct darn_hold *hold;

    if (!healer || has_nothing_to_do(thread, healer, touch))
        return;
    healer->busy = __builtin_frame_address(0);
    if (alone)
        DARN_OWN_STORE(outside, DARN_OUTSIDE_ANY);
    if (!alone && darn_production)
        trust = darn_trust_visit(thread, touch, !(healer->used & ~healer->left), &roles);
    else
        roles = darn_rules_of(touch->site);
    if (trust == DARN_TRUST_FULL) {
        healer->busy = NULL;
        return;
    }
    if (trust == DARN_TRUST_NOT)
        darn_heal_show(thread);
    settle_at(healer, touch->site, caller_of(frame));
    DARN_EACH_HOLD(healer, hold)
    {
        if (hold->rule && !(healer->ending >> (hold - healer->holds) & 1))
            go_on(hold, touch, &roles, frame);
    }
    begin_here(healer, touch, &roles, alone, trust == DARN_TRUST_WARY, frame);
    if (!alone && trust == DARN_TRUST_NOT && !is_covered(healer, touch))
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
    settle(healer, frame ? caller_of(frame) : NULL);
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
    settle(healer, caller_of(frame));
    DARN_EACH_HOLD(healer, hold)
    {
        if (hold->rule && hold->frame == caller_of(frame) &&
            role_in(&roles, hold->rule, DARN_ROLE_LEAVE))
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
    settle(healer, caller_of(frame));
    for (uint32_t i = 0; i < roles.count; i++) {
        struct darn_rule *rule = roles.list[i].rule;

        if (is_of_use(rule, false) && roles.list[i].role == DARN_ROLE_CALL &&
            !begin_anew(healer, rule, caller_of(frame)))
            begin(healer, rule, caller_of(frame));
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
    darn_trust_before_fork();
    darn_holds_before_fork();
}

void darn_heal_after_fork(bool child)
{
    darn_heal_is_child |= child;
    darn_holds_after_fork(child);
    darn_trust_after_fork();
    if (child) {
        darn_closed_after_fork();
        darn_heal_count_anew();
    }
    darn_gates_after_fork(child);
}
