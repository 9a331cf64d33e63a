#include "engine/deadlock/lockdep.h"

#include <stdlib.h>

#include "base/grow.h"
#include "base/hash.h"
#include "engine/common/place.h"

struct darn_lockdep_thread {
    struct darn_event request; /* that was not granted yet; of an object */
    uint32_t holding;          /* at the time of the request */
    bool has_request;
    bool is_waiting; /* for a condition variable, and will get this mutex back */
    uint64_t mutex;
};

bool darn_lockdeps_init(struct darn_lockdeps *deps, const struct darn_engine_config *config)
{
    *deps = (struct darn_lockdeps){.config = config};
    deps->sets = darn_locksets_create();
    deps->held = deps->sets ? darn_held_create(deps->sets) : NULL;
    deps->periods = darn_periods_create();
    return deps->held && deps->periods;
}

void darn_lockdeps_free(struct darn_lockdeps *deps)
{
    for (size_t i = 0; i < deps->count; i++)
        darn_moments_free(&deps->all[i].moments);
    free(deps->all);
    darn_htable_free(&deps->table);
    free(deps->states);
    darn_threads_free(&deps->threads);
    darn_objects_free(&deps->locks);
    darn_held_destroy(deps->held);
    if (deps->sets)
        darn_locksets_destroy(deps->sets);
    darn_periods_destroy(deps->periods);
    *deps = (struct darn_lockdeps){0};
}

uint64_t darn_lockdep_place_held(const struct darn_lockdeps *deps, uint32_t holding, uint32_t lock)
{
    while (holding != DARN_HOLDING_NOTHING) {
        const struct darn_holding *one = darn_holding(deps->held, holding);

        if (one->lock == lock)
            return darn_place(deps->config, one->site, one->stack);
        holding = one->outer;
    }
    return 0;
}

static struct darn_lockdep_thread *state_of(struct darn_lockdeps *deps, uint32_t thread)
{
    uint32_t index = darn_threads_index(&deps->threads, thread);

    deps->states =
        darn_grow(deps->states, &deps->state_capacity, deps->threads.count, sizeof(*deps->states));
    return &deps->states[index];
}

static bool is_exclusive(const struct darn_lockdep *dep)
{
    return darn_lock_is_exclusive(dep->lock);
}

static uint32_t hash_dep(const struct darn_lockdep *dep)
{
    uint64_t key = (uint64_t)dep->asked << 32 | dep->holding;

    key = darn_fold(key, dep->place << 8);
    key ^= (uint64_t)dep->slot << 4 | (uint64_t)(dep->kind == DARN_EVENT_JOIN) << 1 |
           (uint64_t)is_exclusive(dep);
    return darn_spread(key);
}

static bool is_same_dep(const struct darn_lockdep *a, const struct darn_lockdep *b)
{
    return a->asked == b->asked && a->holding == b->holding && a->place == b->place &&
           a->slot == b->slot && is_exclusive(a) == is_exclusive(b) && a->is_self == b->is_self &&
           (a->kind == DARN_EVENT_JOIN) == (b->kind == DARN_EVENT_JOIN);
}

/* NULL if there is no room for it. */
static struct darn_lockdep *find_or_add_dep(struct darn_lockdeps *deps,
                                            const struct darn_lockdep *dep)
{
    uint32_t hash = hash_dep(dep), known;
    size_t at = hash;

    while ((known = darn_htable_next(&deps->table, hash, &at))) {
        if (is_same_dep(&deps->all[known - 1], dep))
            return &deps->all[known - 1];
    }
    if (deps->count == DARN_LOCKDEP_MOST ||
        (dep->holding == DARN_HOLDING_NOTHING && deps->lone == DARN_LOCKDEP_LONE)) {
        deps->dropped++;
        return NULL;
    }
    deps->lone += dep->holding == DARN_HOLDING_NOTHING;
    deps->all = darn_grow(deps->all, &deps->capacity, deps->count + 1, sizeof(*deps->all));
    deps->all[deps->count++] = *dep;
    darn_htable_add(&deps->table, hash, (uint32_t)deps->count);
    return &deps->all[deps->count - 1];
}

/* The target of the event is an object, or of a JOIN a thread. */
static void depend(struct darn_lockdeps *deps, const struct darn_event *event, uint32_t holding,
                   bool is_self)
{
    struct darn_lockdep dep = {
        .place = darn_place(deps->config, event->site, event->stack),
        .asked = (uint32_t)event->target,
        .holding = holding,
        .slot = darn_periods_now(deps->periods, event->thread).slot,
        .site = event->site,
        .stack = event->stack,
        .kind = event->kind,
        .lock = event->lock,
        .is_self = is_self,
    };
    struct darn_lockdep *known = find_or_add_dep(deps, &dep);

    if (known)
        darn_moments_see(&known->moments, deps->periods, event->thread, (uint32_t)deps->count);
}

static void on_acquire(struct darn_lockdeps *deps, const struct darn_event *event)
{
    struct darn_lockdep_thread *state = state_of(deps, event->thread);
    bool is_back = state->is_waiting && state->mutex == event->target;
    struct darn_event named = *event;

    named.target = darn_object_at(&deps->locks, event->target);
    deps->locks.all[named.target].users++;
    state->has_request = false;
    if (is_back)
        state->is_waiting = false;
    if ((is_back || !(event->flags & DARN_EVENT_TRY)) &&
        !darn_held_find(deps->held, event->thread, named.target))
        depend(deps, &named, darn_held_holding(deps->held, event->thread), false);
    darn_held_event(deps->held, &named);
}

static void on_release(struct darn_lockdeps *deps, const struct darn_event *event)
{
    struct darn_event named = *event;
    struct darn_sync_object *object;

    named.target = darn_object_at(&deps->locks, event->target);
    object = &deps->locks.all[named.target];
    if (object->users)
        object->users--;
    state_of(deps, event->thread)->has_request = false;
    darn_held_event(deps->held, &named);
}

static void on_request(struct darn_lockdeps *deps, const struct darn_event *event)
{
    struct darn_lockdep_thread *state = state_of(deps, event->thread);

    state->has_request = !(event->flags & DARN_EVENT_TRY);
    state->request = *event;
    state->request.target = darn_object_at(&deps->locks, event->target);
    state->holding = darn_held_holding(deps->held, event->thread);
}

/* The main thread is joined by nobody, so if it has no lock, nobody waits for it. */
static void on_join(struct darn_lockdeps *deps, const struct darn_event *event)
{
    uint32_t holding = darn_held_holding(deps->held, event->thread);

    state_of(deps, event->thread)->has_request = false;
    if (event->target <= UINT32_MAX && event->target != event->thread &&
        !(event->flags & DARN_EVENT_TRY) && (holding != DARN_HOLDING_NOTHING || event->thread))
        depend(deps, event, holding, false);
}

void darn_lockdeps_event(struct darn_lockdeps *deps, const struct darn_event *event)
{
    struct darn_lockdep_thread *state;

    switch (event->kind) {
    case DARN_EVENT_ACQUIRE:
        on_acquire(deps, event);
        break;
    case DARN_EVENT_RELEASE:
        on_release(deps, event);
        break;
    case DARN_EVENT_REQUEST:
        on_request(deps, event);
        break;
    case DARN_EVENT_WAIT:
        state = state_of(deps, event->thread);
        state->has_request = false;
        state->is_waiting = true;
        state->mutex = event->extra;
        break;
    case DARN_EVENT_EXIT:
        state_of(deps, event->thread)->has_request = false;
        darn_held_event(deps->held, event);
        darn_periods_event(deps->periods, event);
        break;
    case DARN_EVENT_JOIN:
        on_join(deps, event);
        darn_periods_event(deps->periods, event);
        break;
    case DARN_EVENT_FORK:
    case DARN_EVENT_ARRIVE:
    case DARN_EVENT_DEPART:
        darn_periods_event(deps->periods, event);
        break;
    case DARN_EVENT_ALLOC:
    case DARN_EVENT_FREE:
        darn_objects_event(&deps->locks, event);
        darn_periods_event(deps->periods, event);
        break;
    default:
        break;
    }
}

void darn_lockdeps_finish(struct darn_lockdeps *deps)
{
    for (uint32_t i = 0; i < deps->threads.count; i++) {
        const struct darn_lockdep_thread *state = &deps->states[i];
        const struct darn_held_lock *own;

        if (!state->has_request)
            continue;
        own = darn_held_find(deps->held, state->request.thread, state->request.target);
        if (!own)
            depend(deps, &state->request, state->holding, false);
        else if (darn_lock_is_exclusive(own->kind) || darn_lock_is_exclusive(state->request.lock))
            depend(deps, &state->request, state->holding, true);
    }
}

size_t darn_lockdeps_memory(const struct darn_lockdeps *deps)
{
    size_t memory = darn_objects_memory(&deps->locks) + darn_locksets_memory(deps->sets) +
                    darn_held_memory(deps->held) + darn_periods_memory(deps->periods) +
                    darn_threads_memory(&deps->threads) +
                    deps->state_capacity * sizeof(*deps->states) +
                    deps->capacity * sizeof(*deps->all) + darn_htable_memory(&deps->table);

    for (size_t i = 0; i < deps->count; i++)
        memory += deps->all[i].moments.capacity * sizeof(struct darn_moment);
    return memory;
}
