#include "engine/deadlock/calls.h"

#include <stdlib.h>

#include "base/grow.h"
#include "base/hash.h"

/* Comparisons for one condition variable. */
#define WORK (1u << 20)

void darn_calls_free(struct darn_calls *calls)
{
    for (size_t i = 0; i < calls->count; i++)
        darn_moments_free(&calls->all[i].moments);
    free(calls->all);
    darn_htable_free(&calls->table);
    *calls = (struct darn_calls){0};
}

static uint32_t hash_call(const struct darn_call *call)
{
    uint64_t key = (uint64_t)call->cond << 32 | call->slot;

    key = darn_fold(key, call->place << 8);
    key ^= call->mutex + call->kind;
    return darn_spread(key);
}

static bool is_same_call(const struct darn_call *a, const struct darn_call *b)
{
    return a->cond == b->cond && a->slot == b->slot && a->place == b->place &&
           a->mutex == b->mutex && a->kind == b->kind;
}

static struct darn_call *find_or_add_call(struct darn_calls *calls, const struct darn_call *call)
{
    uint32_t hash = hash_call(call), known;
    size_t at = hash;

    while ((known = darn_htable_next(&calls->table, hash, &at))) {
        if (is_same_call(&calls->all[known - 1], call))
            return &calls->all[known - 1];
    }
    calls->all = darn_grow(calls->all, &calls->capacity, calls->count + 1, sizeof(*calls->all));
    calls->all[calls->count] = *call;
    calls->all[calls->count++].moments = (struct darn_moments){0};
    darn_htable_add(&calls->table, hash, (uint32_t)calls->count);
    return &calls->all[calls->count - 1];
}

void darn_calls_see(struct darn_calls *calls, struct darn_periods *periods,
                    const struct darn_call *call, uint32_t thread)
{
    struct darn_call *known = find_or_add_call(calls, call);

    darn_moments_see(&known->moments, periods, thread, (uint32_t)calls->count);
}

/* Calls that differ in their slots alone. */
struct group {
    const struct darn_call *const *calls;
    struct darn_candidates candidates;
};

struct finder {
    const struct darn_periods *periods;
    void (*found)(void *to, const struct darn_calls_found *what);
    void *to;
    const struct darn_call **calls; /* sorted */
    const struct darn_moments **moments;
    struct group *groups;
    size_t group_count;
    uint64_t work;
};

static int compare_calls(const void *left, const void *right)
{
    const struct darn_call *a = *(const struct darn_call *const *)left;
    const struct darn_call *b = *(const struct darn_call *const *)right;

    if (a->cond != b->cond)
        return a->cond < b->cond ? -1 : 1;
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    if (a->place != b->place)
        return a->place < b->place ? -1 : 1;
    if (a->mutex != b->mutex)
        return a->mutex < b->mutex ? -1 : 1;
    return (a > b) - (a < b);
}

static bool is_group(const struct darn_call *a, const struct darn_call *b)
{
    return a->cond == b->cond && a->kind == b->kind && a->place == b->place && a->mutex == b->mutex;
}

static void make_groups(struct finder *finder, struct darn_calls *calls)
{
    for (size_t i = 0; i < calls->count; i++) {
        finder->calls[i] = &calls->all[i];
        calls->dropped += calls->all[i].moments.thinned;
    }
    qsort(finder->calls, calls->count, sizeof(*finder->calls), compare_calls);
    for (size_t i = 0; i < calls->count; i++) {
        finder->moments[i] = &finder->calls[i]->moments;
        if (!i || !is_group(finder->calls[i - 1], finder->calls[i]))
            finder->groups[finder->group_count++] = (struct group){
                .calls = &finder->calls[i], .candidates = {.from = &finder->moments[i]}};
        finder->groups[finder->group_count - 1].candidates.count++;
    }
}

/* Whether threads could make these calls at one time; if so, tells it. */
static void try_groups(struct finder *finder, enum darn_prediction_kind kind,
                       const struct group *const *groups, uint32_t count)
{
    struct darn_calls_found what = {
        .kind = kind, .cond = groups[0]->calls[0]->cond, .count = count};
    struct darn_candidates roles[3];
    struct darn_chosen chosen[3];

    for (uint32_t i = 0; i < count; i++)
        roles[i] = groups[i]->candidates;
    if (!darn_choose(finder->periods, roles, count, chosen, &finder->work))
        return;
    for (uint32_t i = 0; i < count; i++) {
        what.calls[i] = groups[i]->calls[chosen[i].which];
        what.threads[i] = chosen[i].thread;
    }
    finder->found(finder->to, &what);
}

/* Two groups of waits for one condition variable. */
static void try_waits(struct finder *finder, const struct group *a, const struct group *b,
                      const struct group *signals, size_t signal_count)
{
    const struct darn_call *one = a->calls[0], *two = b->calls[0];
    const struct group *groups[3] = {a, b};

    if (one->mutex && two->mutex && one->mutex != two->mutex)
        try_groups(finder, DARN_PREDICTS_TWO_MUTEXES, groups, 2);
    if (!one->predicate || !two->predicate || one->predicate == two->predicate)
        return;
    groups[1] = a;
    groups[2] = b;
    for (size_t i = 0; i < signal_count; i++) {
        groups[0] = &signals[i];
        try_groups(finder, DARN_PREDICTS_WRONG_WAITER, groups, 3);
    }
}

/* The groups of one condition variable, from `from` on: where they end. Waits come before signals.
 */
static size_t try_cond(struct finder *finder, size_t from)
{
    const struct group *groups = finder->groups;
    uint32_t cond = groups[from].calls[0]->cond;
    size_t signals = from, end;

    while (signals < finder->group_count && groups[signals].calls[0]->cond == cond &&
           groups[signals].calls[0]->kind == DARN_EVENT_WAIT)
        signals++;
    for (end = signals; end < finder->group_count && groups[end].calls[0]->cond == cond;)
        end++;
    finder->work = WORK;
    for (size_t i = from; i < signals; i++) {
        for (size_t j = i + 1; j < signals; j++)
            try_waits(finder, &groups[i], &groups[j], &groups[signals], end - signals);
    }
    return end;
}

void darn_calls_find(struct darn_calls *calls, const struct darn_periods *periods,
                     void (*found)(void *to, const struct darn_calls_found *what), void *to)
{
    size_t count = calls->count + 1;
    struct finder finder = {
        .periods = periods,
        .found = found,
        .to = to,
        .calls = darn_need_memory(calloc(count, sizeof(*finder.calls))),
        .moments = darn_need_memory(calloc(count, sizeof(*finder.moments))),
        .groups = darn_need_memory(calloc(count, sizeof(*finder.groups))),
    };

    make_groups(&finder, calls);
    for (size_t i = 0; i < finder.group_count;) {
        i = try_cond(&finder, i);
        calls->dropped += !finder.work;
    }
    free(finder.calls);
    free(finder.moments);
    free(finder.groups);
}

size_t darn_calls_memory(const struct darn_calls *calls)
{
    size_t memory = calls->capacity * sizeof(*calls->all) + darn_htable_memory(&calls->table);

    for (size_t i = 0; i < calls->count; i++)
        memory += calls->all[i].moments.capacity * sizeof(struct darn_moment);
    return memory;
}
