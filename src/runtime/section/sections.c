#include "runtime/section/sections.h"

#include <stddef.h>

#include "runtime/os/os.h"
#include "runtime/report/counters.h"
#include "runtime/section/inside.h"
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

static const void *caller_of(const void *frame)
{
    return *(const void *const *)frame;
}

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
    error = darn_rules_load(path);
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

/* What the site is in this rule, or NULL. */
static const struct darn_role *role_of(const struct darn_rule *rule, const struct darn_site *site,
                                       uint8_t role)
{
    struct darn_roles roles = site ? darn_rules_of(site) : (struct darn_roles){0};

    for (uint32_t i = 0; i < roles.count; i++) {
        if (roles.list[i].rule == rule && roles.list[i].role == role)
            return &roles.list[i];
    }
    return NULL;
}

static void end(struct darn_inside *inside, const struct darn_touch *touch,
                struct darn_rule_point *point, const void *frame)
{
    darn_inside_judge(inside, touch, point->allow, point, frame);
    darn_inside_drop(inside);
}

/* One of the thread's own sections, and an access of the thread. */
static void go_on(struct darn_inside *inside, const struct darn_touch *touch, const void *frame)
{
    const struct darn_role *last = role_of(inside->rule, touch->site, DARN_ROLE_END), *first;
    bool here = caller_of(frame) == inside->frame || inside->rule->inside & DARN_SECTION_ACROSS;
    bool same = inside->has_entry && darn_touch_overlap(&inside->touch, touch);
    bool ours = last && last->copy == inside->copy;

    if (inside->expired || (touch->op == DARN_OP_FREE && same)) {
        darn_inside_drop(inside);
    } else if (!inside->has_entry) {
        first = role_of(inside->rule, touch->site, DARN_ROLE_ENTRY);
        if (first) {
            inside->copy = first->copy;
            darn_inside_enter(inside, touch, frame);
        }
    } else if (inside->rule->kind == DARN_SECTION_LEARNED) {
        if (same && last)
            end(inside, touch, last->point, frame);
        else if (same)
            darn_inside_drop(inside);
    } else if (last && here) {
        if (same && ours)
            end(inside, touch, last->point, frame);
        else
            darn_inside_drop(inside);
    }
}

/* The thread is at the entry again without having left. In a call of its own function the outer
 * section goes on (recursion); else this one begins anew. Whether there is one that goes on. */
static bool begin_anew(struct darn_thread *thread, const struct darn_rule *rule, const void *caller)
{
    struct darn_inside *inside;
    bool outer = false;

    DARN_EACH_INSIDE(thread, inside)
    {
        if (inside->rule != rule)
            continue;
        if (inside->frame == caller || rule->kind == DARN_SECTION_LEARNED)
            darn_inside_drop(inside);
        else
            outer = true;
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
    inside->rule = rule;
    inside->frame = caller;
    inside->noise = noise;
    darn_rules_hold(rule); /* before the access: nothing of what follows is missed */
    return inside;
}

static void begin_here(struct darn_thread *thread, const struct darn_touch *touch,
                       const void *frame)
{
    struct darn_roles roles = darn_rules_of(touch->site);

    for (uint32_t i = 0; i < roles.count; i++) {
        struct darn_rule *rule = roles.list[i].rule;
        struct darn_inside *inside;

        if (rule->cure || roles.list[i].role != DARN_ROLE_ENTRY || rule->has_call ||
            begin_anew(thread, rule, caller_of(frame)))
            continue;
        inside = begin(thread, rule, caller_of(frame));
        if (!inside)
            continue;
        inside->copy = roles.list[i].copy;
        darn_inside_enter(inside, touch, frame);
    }
}

void darn_sections_access(struct darn_thread *thread, const struct darn_touch *touch,
                          const void *frame)
{
    struct darn_inside *inside;

    if (atomic_load_explicit(&thread->inside, memory_order_relaxed)) {
        DARN_EACH_INSIDE(thread, inside)
        {
            if (inside->rule)
                go_on(inside, touch, frame);
        }
    }
    if (thread->scope || atomic_load_explicit(&thread->inside, memory_order_relaxed))
        darn_scopes_access(thread, touch, frame);
    if (touch->site && !touch->assertion &&
        (always || atomic_load_explicit(&invited, memory_order_relaxed) || thread->inside))
        begin_here(thread, touch, frame);
}

void darn_sections_leave(struct darn_thread *thread, const struct darn_site *site,
                         const void *frame)
{
    struct darn_inside *inside;

    DARN_EACH_INSIDE(thread, inside)
    {
        if (inside->rule && inside->frame == caller_of(frame) &&
            role_of(inside->rule, site, DARN_ROLE_LEAVE))
            darn_inside_drop(inside);
    }
}

void darn_sections_call(struct darn_thread *thread, const struct darn_site *site, const void *frame)
{
    struct darn_roles roles = darn_rules_of(site);

    for (uint32_t i = 0; i < roles.count; i++) {
        struct darn_rule *rule = roles.list[i].rule;

        if (!rule->cure && roles.list[i].role == DARN_ROLE_CALL &&
            !begin_anew(thread, rule, caller_of(frame)))
            begin(thread, rule, caller_of(frame));
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
