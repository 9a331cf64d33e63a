#include "runtime/section/sections.h"

#include <stddef.h>

#include "runtime/os/os.h"
#include "runtime/report/counters.h"
#include "runtime/section/inside.h"
#include "runtime/section/obeyed.h"
#include "runtime/section/rules.h"
#include "runtime/state.h"
#include "runtime/watch/attention.h"
#include "runtime/watch/noise_inject.h"
#include "runtime/watch/sampler.h"

bool darn_sections;

/* A thread that waits for something better passes armed sites meanwhile, and each pass costs. */
#define MOST_TRIES 4

/* Noise for sections was asked for: all are watched, always. */
static bool always;
static _Atomic uint32_t invited;

static bool wants_noise(void)
{
    for (uint32_t i = 0; i < darn_state.options.noise_count; i++) {
        if (darn_state.options.noise[i].kind == DARN_NOISE_SECTION)
            return true;
    }
    return false;
}

int darn_sections_open(void)
{
    const char *path = darn_state.options.sections;
    int error;

    always = wants_noise();
    if (!path[0])
        return 0;
    error = darn_obeyed_load(path);
    if (error)
        return darn_rules_refuse("sections", path, error, "them");
    darn_sections = true;
    if (always) {
        darn_rules_arm_all();
        darn_attention_keep();
    }
    return 0;
}

bool darn_inside_is_wanted(struct darn_thread *thread, uint32_t tries, uint64_t *noise)
{
    uint32_t one = 1;

    if (thread->ignore || darn_state.finished || darn_threads_alive() < 2)
        return false;
    if (always) {
        *noise = darn_noise_in_section(thread);
        return true;
    }
    if (!atomic_load_explicit(&invited, memory_order_relaxed) ||
        !darn_sampler_is_worth(thread, tries < MOST_TRIES ? tries : MOST_TRIES) ||
        !atomic_compare_exchange_strong(&invited, &one, 0))
        return false;
    *noise = darn_sampler_window();
    return true;
}

/* The thread is where a section of the rule begins. One that it never left is over now; whether it
 * is in one of an outer call, which goes on. */
static bool is_in_outer(struct darn_thread *thread, const struct darn_rule *rule,
                        const void *caller)
{
    struct darn_inside *inside;
    bool outer = false;

    DARN_EACH_INSIDE(thread, inside)
    {
        enum darn_stay_again again = darn_stay_again(&inside->stay, rule, caller);

        outer |= again == DARN_STAY_OUTER;
        if (again == DARN_STAY_ANEW)
            darn_inside_drop(inside);
    }
    return outer;
}

static struct darn_inside *begin(struct darn_thread *thread, struct darn_rule *rule,
                                 const void *caller)
{
    uint64_t noise;
    struct darn_inside *inside;

    if (!darn_rule_is_whole(rule) || !darn_inside_is_wanted(thread, rule->tries, &noise))
        return NULL;
    inside = darn_inside_take(thread);
    if (!inside)
        return NULL;
    atomic_fetch_add_explicit(&rule->tries, 1, memory_order_relaxed);
    inside->stay.rule = rule;
    inside->stay.frame = caller;
    inside->noise = noise;
    darn_rules_hold(rule); /* before the access: nothing of what follows is missed */
    return inside;
}

static void begin_here(struct darn_thread *thread, const struct darn_touch *touch,
                       const struct darn_roles *roles, const void *frame)
{
    const void *caller = darn_stay_caller(frame);

    for (uint32_t i = 0; i < roles->count; i++) {
        const struct darn_role *role = &roles->list[i];
        struct darn_inside *inside;

        if (role->rule->cure || !darn_stay_begins(role) || is_in_outer(thread, role->rule, caller))
            continue;
        inside = begin(thread, role->rule, caller);
        if (inside)
            darn_inside_enter(inside, touch, role, frame);
    }
}

/* Whether the thread may come into a section now. */
static bool may_begin(const struct darn_thread *thread)
{
    return always || atomic_load_explicit(&invited, memory_order_relaxed) ||
           atomic_load_explicit(&thread->inside, memory_order_relaxed);
}

void darn_sections_access(struct darn_thread *thread, const struct darn_touch *touch,
                          const void *frame)
{
    struct darn_roles roles = {0};
    struct darn_inside *inside;

    if (!thread->scope && !may_begin(thread))
        return;
    if (touch->site)
        roles = darn_rules_of(touch->site);
    DARN_EACH_INSIDE(thread, inside)
    {
        darn_inside_step(inside, touch, &roles, frame);
    }
    if (thread->scope)
        darn_scopes_follow(thread, touch, frame);
    if (touch->site && !touch->assertion && may_begin(thread))
        begin_here(thread, touch, &roles, frame);
}

void darn_sections_leave(struct darn_thread *thread, const struct darn_site *site,
                         const void *frame)
{
    struct darn_roles roles = darn_rules_of(site);
    struct darn_inside *inside;

    DARN_EACH_INSIDE(thread, inside)
    {
        if (darn_stay_is_left(&inside->stay, &roles, darn_stay_caller(frame)))
            darn_inside_drop(inside);
    }
}

void darn_sections_call(struct darn_thread *thread, const struct darn_site *site, const void *frame)
{
    struct darn_roles roles = darn_rules_of(site);
    const void *caller = darn_stay_caller(frame);

    for (uint32_t i = 0; i < roles.count; i++) {
        struct darn_rule *rule = roles.list[i].rule;

        if (!rule->cure && roles.list[i].role == DARN_ROLE_CALL &&
            !is_in_outer(thread, rule, caller)) {
            struct darn_inside *inside = begin(thread, rule, caller);

            if (inside)
                darn_inside_show(inside);
        }
    }
}

void darn_sections_abandon(struct darn_thread *thread)
{
    struct darn_inside *inside;

    if (atomic_load_explicit(&thread->inside, memory_order_relaxed)) {
        DARN_EACH_INSIDE(thread, inside)
        {
            darn_inside_drop(inside);
        }
    }
    darn_scopes_abandon(thread);
}

void darn_sections_invite(bool on)
{
    atomic_store(&invited, on);
    darn_rules_invite(on);
}

bool darn_sections_invited(void)
{
    return atomic_load_explicit(&invited, memory_order_relaxed);
}

void darn_sections_before_fork(void)
{
    darn_rules_before_fork();
}
