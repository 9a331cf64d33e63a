#include "runtime/section/inside.h"

#include <stddef.h>
#include <string.h>

#include "runtime/os/os.h"
#include "runtime/report/counters.h"
#include "runtime/report/found.h"
#include "runtime/section/sections.h"
#include "runtime/state.h"
#include "runtime/watch/attention.h"
#include "runtime/watch/noise_inject.h"

/* How long the end waits for a write that was announced to become visible, in nanoseconds. */
#define SETTLE UINT64_C(20000)

/* Inside a section for so long, in nanoseconds. */
#define FOR_EVER UINT64_C(5000000000)

static struct darn_inside insides[DARN_INSIDES];
_Atomic uint64_t darn_insides_used, darn_insides_visible;

static uint64_t bit_of(const struct darn_inside *inside)
{
    return UINT64_C(1) << (inside - insides);
}

struct darn_inside *darn_inside_at(uint64_t bits)
{
    return &insides[__builtin_ctzll(bits)];
}

struct darn_inside *darn_inside_take(struct darn_thread *thread)
{
    uint64_t bits = atomic_load(&darn_insides_used);
    struct darn_inside *inside;

    while (~bits) {
        int i = __builtin_ctzll(~bits);

        if (!atomic_compare_exchange_weak(&darn_insides_used, &bits, bits | UINT64_C(1) << i))
            continue;
        inside = &insides[i];
        inside->thread = thread;
        inside->owner = thread->number;
        inside->stay = (struct darn_stay){0};
        inside->function = NULL;
        inside->expired = inside->has_value = false;
        inside->noise = 0;
        inside->since = darn_os_now();
        atomic_store(&inside->ops, 0);
        atomic_fetch_or(&thread->inside, bit_of(inside));
        return inside;
    }
    darn_count(DARN_COUNT_SECTIONS_FULL);
    return NULL;
}

/* The value that the thread is about to read or write over; false: it has too many bytes. */
static bool read_value(const struct darn_stay *stay, uint64_t *value)
{
    *value = 0;
    if (stay->size > sizeof(*value) || stay->gaps)
        return false;
    memcpy(value, (const void *)stay->address, stay->size);
    return true;
}

void darn_inside_show(struct darn_inside *inside)
{
    atomic_fetch_or(&darn_insides_visible, bit_of(inside));
    darn_attention_refresh();
}

void darn_inside_enter(struct darn_inside *inside, const struct darn_touch *touch,
                       const struct darn_role *role, const void *frame)
{
    uint64_t mask = darn_os_block_signals();

    atomic_fetch_and(&darn_insides_visible, ~bit_of(inside)); /* it was on the way */
    atomic_store(&inside->ops, 0);
    darn_stay_enter(&inside->stay, touch, role);
    inside->has_value = !touch->is_volatile && /* it may be a device */
                        read_value(&inside->stay, &inside->before);
    if (!darn_state.options.sections_out[0])
        darn_side_fill(&inside->entry, inside->thread, touch, frame);
    darn_inside_show(inside);
    darn_count(DARN_COUNT_SECTIONS);
    darn_os_restore_signals(mask);
}

/* Until somebody comes who may not, or the time is over. */
static void wait_inside(struct darn_inside *inside, uint8_t allow)
{
    uint64_t end = darn_os_now() + inside->noise, now;
    uint32_t ops;
    int timing = darn_os_exact_timing();

    while (!darn_stay_forbids(allow, ops = atomic_load(&inside->ops)) && !inside->expired &&
           (now = darn_os_now()) < end)
        darn_noise_wait(&inside->ops, ops, end - now);
    inside->noise = 0;
    darn_os_restore_timing(timing);
}

void darn_sections_at_call(struct darn_thread *thread)
{
    struct darn_inside *inside;
    bool waited = false;

    /* Whoever holds a lock keeps others out, perhaps; a better moment may come. */
    if (thread->locks.count)
        return;
    DARN_EACH_INSIDE(thread, inside)
    {
        if (inside->stay.has_entry && inside->noise) {
            if (!waited)
                wait_inside(inside, 0);
            waited = true;
            inside->noise = 0;
        }
    }
}

static void report(struct darn_inside *inside, uint32_t forbidden, const struct darn_touch *touch,
                   uint8_t allow, const void *frame)
{
    const struct darn_rule *rule = inside->stay.rule;
    const struct darn_side *remote = &inside->suspects[forbidden & DARN_ALLOW_WRITE ? 1 : 0];
    struct darn_violation violation = {
        .entry = &inside->entry,
        .remote = remote,
        .kind = darn_section_kind_name(rule ? rule->kind : DARN_SECTION_HAND),
        .function = rule ? rule->function : inside->function,
        .repository = rule ? darn_state.options.sections : NULL,
        .line = rule ? rule->line : 0,
        .allow = allow,
        .before = inside->before,
    };
    struct darn_side end;

    darn_side_fill(&end, inside->thread, touch, frame);
    violation.end = &end;
    violation.has_values =
        inside->has_value && !touch->is_volatile && touch->address == inside->stay.address &&
        touch->size == inside->stay.size && read_value(&inside->stay, &violation.after);
    darn_finding_violation(&violation);
}

/* The other has said that it will write, and stands right before it. */
static void await_write(const struct darn_inside *inside)
{
    uint64_t end = darn_os_now() + SETTLE, value;

    while (inside->has_value && read_value(&inside->stay, &value) && value == inside->before &&
           darn_os_now() < end)
        __builtin_ia32_pause();
}

static void hide(struct darn_inside *inside)
{
    darn_spin_lock(&inside->lock); /* whoever is still telling who it is */
    atomic_fetch_and(&darn_insides_visible, ~bit_of(inside));
    darn_spin_unlock(&inside->lock);
    darn_attention_refresh();
}

/* The thread is about to make an access that ends the section. Waits the noise, counts if there is
 * something to count, and reports what is not allowed. */
static void judge(struct darn_inside *inside, const struct darn_touch *touch,
                  const struct darn_role *role, const void *frame)
{
    struct darn_rule_point *point = role ? role->point : NULL;
    uint8_t allow = darn_stay_allows(&inside->stay, touch, role);
    uint32_t forbidden;
    uint64_t mask;

    if (inside->noise)
        wait_inside(inside, allow);
    if (inside->expired)
        return;
    mask = darn_os_block_signals();
    hide(inside);
    forbidden = darn_stay_forbids(allow, atomic_load(&inside->ops));
    if (point)
        atomic_fetch_add_explicit(&point->seen, 1, memory_order_relaxed);
    if (forbidden) {
        if (point)
            atomic_fetch_add_explicit(&point->violated, 1, memory_order_relaxed);
        if (forbidden & DARN_ALLOW_WRITE)
            await_write(inside);
        darn_count(DARN_COUNT_VIOLATIONS);
        if (!darn_state.options.sections_out[0])
            report(inside, forbidden, touch, allow, frame);
    }
    darn_os_restore_signals(mask);
}

void darn_inside_drop(struct darn_inside *inside)
{
    uint64_t mask = darn_os_block_signals();
    struct darn_rule *rule = inside->stay.rule;

    if (atomic_load(&darn_insides_visible) & bit_of(inside))
        hide(inside);
    darn_scopes_dropped(inside);
    atomic_fetch_and(&inside->thread->inside, ~bit_of(inside));
    inside->thread = NULL;
    atomic_fetch_and(&darn_insides_used, ~bit_of(inside));
    if (rule)
        darn_rules_release(rule);
    darn_os_restore_signals(mask);
}

void darn_inside_step(struct darn_inside *inside, const struct darn_touch *touch,
                      const struct darn_roles *roles, const void *frame)
{
    const struct darn_role *role;
    enum darn_stay_step step =
        darn_stay_step(&inside->stay, touch, roles, darn_stay_caller(frame), &role);

    if (inside->expired) /* what an annotation has seen before is not looked at again */
        step = inside->stay.rule ? DARN_STAY_OUT : DARN_STAY_NONE;
    if (step == DARN_STAY_END || step == DARN_STAY_NEXT)
        judge(inside, touch, role, frame);
    if (step == DARN_STAY_ENTRY || (step == DARN_STAY_NEXT && !inside->expired))
        darn_inside_enter(inside, touch, role, frame);
    if (step == DARN_STAY_END || step == DARN_STAY_OUT)
        darn_inside_drop(inside);
}

/* What the access is for somebody who is inside: once of each kind is enough. */
static void suspect(struct darn_inside *inside, uint32_t ops, struct darn_thread *thread,
                    const struct darn_touch *touch, const void *frame)
{
    uint64_t mask = darn_os_block_signals();

    darn_spin_lock(&inside->lock);
    ops &= ~atomic_load(&inside->ops);
    /* What was seen without the lock may be gone, and somebody else be in its place. */
    if (ops && inside->stay.has_entry && atomic_load(&darn_insides_visible) & bit_of(inside) &&
        darn_stay_meets(&inside->stay, touch)) {
        if (ops & DARN_ALLOW_READ && !darn_state.options.sections_out[0])
            darn_side_fill(&inside->suspects[0], thread, touch, frame);
        if (ops & DARN_ALLOW_WRITE && !darn_state.options.sections_out[0])
            darn_side_fill(&inside->suspects[1], thread, touch, frame);
        atomic_fetch_or(&inside->ops, ops);
        darn_os_wake((const volatile uint32_t *)&inside->ops, 1);
    }
    darn_spin_unlock(&inside->lock);
    darn_os_restore_signals(mask);
}

void darn_sections_meet(struct darn_thread *thread, const struct darn_touch *touch,
                        const void *frame)
{
    uint64_t left = atomic_load(&darn_insides_visible) & ~atomic_load(&thread->inside);

    if (!left || thread->ignore || touch->assertion)
        return;
    for (; left; left &= left - 1) {
        struct darn_inside *inside = darn_inside_at(left);
        uint32_t ops = darn_stay_ops(touch);

        if (inside->stay.has_entry && darn_stay_meets(&inside->stay, touch) &&
            (atomic_load_explicit(&inside->ops, memory_order_relaxed) & ops) != ops)
            suspect(inside, ops, thread, touch, frame);
    }
}

bool darn_sections_are_open(void)
{
    return atomic_load(&darn_insides_visible) != 0;
}

bool darn_sections_each(void (*visit)(uintptr_t address, uint32_t size))
{
    uint64_t left = atomic_load(&darn_insides_visible);
    bool any = left != 0;

    for (; left; left &= left - 1) {
        const struct darn_stay *stay = &darn_inside_at(left)->stay;

        if (stay->size) /* it is not on the way only */
            visit(stay->address, (uint32_t)stay->size);
    }
    return any;
}

void darn_sections_expire(uint64_t longest)
{
    /* With noise, somebody wants to see what happens: then only what seems to be for ever. */
    uint64_t most = darn_state.options.noise_count ? FOR_EVER : longest;
    uint64_t left = atomic_load(&darn_insides_visible), now = darn_os_now();

    for (; left; left &= left - 1) {
        struct darn_inside *inside = darn_inside_at(left);

        if (now - inside->since > most) {
            darn_count(DARN_COUNT_SECTIONS_EXPIRED);
            inside->expired = true;
            hide(inside);
        }
    }
}

void darn_sections_after_fork(bool child)
{
    struct darn_thread *thread = darn_thread_peek();

    if (child) {
        atomic_store(&darn_insides_used, 0);
        atomic_store(&darn_insides_visible, 0);
        for (int i = 0; i < DARN_INSIDES; i++)
            atomic_store(&insides[i].lock.taken, 0);
        if (thread)
            atomic_store(&thread->inside, 0);
        darn_scopes_after_fork();
    }
    darn_rules_after_fork(child);
}
