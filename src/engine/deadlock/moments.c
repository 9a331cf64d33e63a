#include "engine/deadlock/moments.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

void darn_moments_free(struct darn_moments *moments)
{
    free(moments->all);
    *moments = (struct darn_moments){0};
}

static void append(struct darn_moments *moments, struct darn_moment moment)
{
    if (moments->count == moments->capacity) {
        moments->capacity = moments->capacity ? 2 * moments->capacity : 1;
        moments->all =
            darn_need_memory(reallocarray(moments->all, moments->capacity, sizeof(*moments->all)));
    }
    moments->all[moments->count++] = moment;
}

void darn_moments_see(struct darn_moments *moments, struct darn_periods *periods, uint32_t thread,
                      uint32_t news)
{
    struct darn_period now = darn_periods_now(periods, thread);
    struct darn_moment *last;

    if (moments->count && darn_period_equal(moments->last, now))
        return;
    moments->last = now;
    if ((moments->count < DARN_MOMENTS_FIRST || moments->news != news) &&
        moments->pinned + 2 < DARN_MOMENTS_MOST) {
        append(moments, (struct darn_moment){darn_periods_keep(periods, thread), thread});
        moments->pinned = moments->count;
        moments->news = news;
        return;
    }
    if (moments->count == moments->pinned) {
        append(moments, (struct darn_moment){darn_periods_keep(periods, thread), thread});
        return;
    }
    last = &moments->all[moments->count - 1];
    darn_periods_drop(periods, last->kept);
    *last = (struct darn_moment){darn_periods_keep(periods, thread), thread};
    moments->thinned = true;
}

/* The moments that are looked at: one of each role. */
struct cursors {
    const struct darn_moments *of[DARN_CHOICE_MOST];
    uint32_t at[DARN_CHOICE_MOST];
};

struct choice {
    const struct darn_periods *periods;
    const struct darn_candidates *roles;
    uint32_t count;
    struct darn_chosen *chosen;
    uint64_t *work;
};

/* On from `at` to a moment that counts in this role. */
static bool settle(const struct choice *choice, struct cursors *cursors, uint32_t role)
{
    const struct darn_candidates *candidates = &choice->roles[role];
    const struct darn_moments *moments = cursors->of[role];

    while (candidates->is_of && cursors->at[role] < moments->count &&
           moments->all[cursors->at[role]].thread != candidates->of)
        cursors->at[role]++;
    return cursors->at[role] < moments->count;
}

static bool is_before(const struct choice *choice, const struct cursors *cursors, uint32_t a,
                      uint32_t b)
{
    if (*choice->work)
        --*choice->work;
    return darn_periods_before(choice->periods, cursors->of[a]->all[cursors->at[a]].kept,
                               cursors->of[b]->all[cursors->at[b]].kept);
}

/*
 * Moves the first `count` cursors on to the earliest moments that are all concurrent; false when
 * there are none. A moment that happens before another role's current one happens before all that
 * are still to come there, so it can be passed over (the algorithm of Garg and Waldecker for
 * conjunctive predicates).
 */
static bool agree(const struct choice *choice, struct cursors *cursors, uint32_t count)
{
    bool moved = true;

    while (moved) {
        moved = false;
        for (uint32_t a = 0; a < count; a++) {
            for (uint32_t b = 0; b < count; b++) {
                if (a == b || !is_before(choice, cursors, a, b))
                    continue;
                cursors->at[a]++;
                moved = true;
                if (!settle(choice, cursors, a))
                    return false;
            }
        }
    }
    return true;
}

static bool choose_from(const struct choice *choice, const struct cursors *before, uint32_t role)
{
    const struct darn_candidates *candidates = &choice->roles[role];

    if (role == choice->count) {
        for (uint32_t i = 0; i < role; i++)
            choice->chosen[i].thread = before->of[i]->all[before->at[i]].thread;
        return true;
    }
    for (uint32_t i = 0; i < candidates->count; i++) {
        struct cursors cursors = *before;
        bool is_taken = false;

        if (!*choice->work)
            return false;
        cursors.of[role] = candidates->from[i];
        cursors.at[role] = 0;
        for (uint32_t j = 0; j < role; j++)
            is_taken = is_taken || cursors.of[j]->last.slot == candidates->from[i]->last.slot;
        if (is_taken || !settle(choice, &cursors, role) || !agree(choice, &cursors, role + 1))
            continue;
        choice->chosen[role].which = i;
        if (choose_from(choice, &cursors, role + 1))
            return true;
    }
    return false;
}

bool darn_choose(const struct darn_periods *periods, const struct darn_candidates *roles,
                 uint32_t count, struct darn_chosen *chosen, uint64_t *work)
{
    struct choice choice = {periods, roles, count, chosen, work};
    struct cursors none;

    memset(&none, 0, sizeof(none));
    return count <= DARN_CHOICE_MOST && choose_from(&choice, &none, 0);
}
