/*
 * Mishandled notification (Letko 4.1): signals that are lost, signals that wake a thread which
 * waits for something else, and condition variables that are used with two mutexes. When each is
 * reported is in lost.h and below; docs/engine-notify.md has it for users.
 *
 * A wrong waiter: two waits for one condition variable, in loops that test different things, and a
 * signal (not a broadcast) that a third thread can send while both wait. The signal wakes one of
 * the two, perhaps the one for whom nothing has changed; it waits on, and the other is never woken.
 *
 * Two mutexes: two waits for one condition variable at one time, with different mutexes. What
 * happens then is undefined in POSIX.
 */
#include <stdlib.h>

#include "engine/common/engine.h"
#include "engine/common/held.h"
#include "engine/common/pairs.h"
#include "engine/common/place.h"
#include "engine/deadlock/calls.h"
#include "engine/deadlock/lost.h"

/* The most predictions. */
#define PREDICTIONS 1024

static_assert(DARN_EVENT_WAIT < DARN_EVENT_SIGNAL, "calls.c sorts waits before signals");

struct notify {
    struct darn_engine_config config;
    struct darn_pairs *pairs;
    struct darn_locksets *sets;
    struct darn_held *held;
    struct darn_periods *periods;
    struct darn_objects conds;
    struct darn_lost lost;
    struct darn_calls calls;
    size_t reported;
    uint64_t dropped;
};

static void destroy(void *state)
{
    struct notify *notify = state;

    darn_pairs_destroy(notify->pairs);
    darn_held_destroy(notify->held);
    if (notify->sets)
        darn_locksets_destroy(notify->sets);
    darn_periods_destroy(notify->periods);
    darn_objects_free(&notify->conds);
    darn_lost_free(&notify->lost);
    darn_calls_free(&notify->calls);
    free(notify);
}

static void *create(const struct darn_engine_config *config)
{
    struct notify *notify = calloc(1, sizeof(*notify));

    if (!notify)
        return NULL;
    if (config)
        notify->config = *config;
    notify->pairs = darn_pairs_create(&notify->config);
    notify->sets = darn_locksets_create();
    notify->held = notify->sets ? darn_held_create(notify->sets) : NULL;
    notify->periods = darn_periods_create();
    if (!notify->pairs || !notify->held || !notify->periods) {
        destroy(notify);
        return NULL;
    }
    return notify;
}

static uint64_t predicate_of(const struct notify *notify, const struct darn_event *event)
{
    if (!notify->config.predicate_of || event->kind != DARN_EVENT_WAIT || !event->site)
        return 0;
    return notify->config.predicate_of(notify->config.context, event->site);
}

/* Of one of the calls that have a condition variable. */
static void on_call(struct notify *notify, const struct darn_event *event)
{
    uint32_t cond = darn_object_at(&notify->conds, event->target);
    struct darn_call call = {
        .place = darn_place(&notify->config, event->site, event->stack),
        .mutex = event->kind == DARN_EVENT_WAIT ? event->extra : 0,
        .predicate = predicate_of(notify, event),
        .cond = cond,
        .slot = darn_periods_now(notify->periods, event->thread).slot,
        .site = event->site,
        .stack = event->stack,
        .holding = darn_held_holding(notify->held, event->thread),
        .kind = event->kind,
    };

    darn_lost_event(&notify->lost, &notify->conds, event, cond, call.holding, call.predicate);
    if (event->kind == DARN_EVENT_WAIT || event->kind == DARN_EVENT_SIGNAL)
        darn_calls_see(&notify->calls, notify->periods, &call, event->thread);
}

static void event(void *state, const struct darn_event *event)
{
    struct notify *notify = state;

    switch (event->kind) {
    case DARN_EVENT_WAIT:
    case DARN_EVENT_WAKE:
    case DARN_EVENT_SIGNAL:
    case DARN_EVENT_BROADCAST:
        on_call(notify, event);
        break;
    case DARN_EVENT_ACQUIRE:
    case DARN_EVENT_RELEASE:
        darn_lost_event(&notify->lost, &notify->conds, event, 0, 0, false);
        darn_held_event(notify->held, event);
        break;
    case DARN_EVENT_EXIT:
        darn_lost_event(&notify->lost, &notify->conds, event, 0, 0, false);
        darn_held_event(notify->held, event);
        darn_periods_event(notify->periods, event);
        break;
    case DARN_EVENT_FORK:
    case DARN_EVENT_JOIN:
    case DARN_EVENT_ARRIVE:
    case DARN_EVENT_DEPART:
        darn_periods_event(notify->periods, event);
        break;
    case DARN_EVENT_ALLOC:
    case DARN_EVENT_FREE:
        darn_objects_event(&notify->conds, event);
        darn_periods_event(notify->periods, event);
        break;
    default:
        break;
    }
}

/* A new prediction, or NULL if there is one already, or no room. */
static struct darn_prediction *predict(struct notify *notify, enum darn_prediction_kind kind,
                                       uint64_t key)
{
    struct darn_prediction *prediction;

    if (notify->reported == PREDICTIONS) {
        notify->dropped++;
        return NULL;
    }
    prediction = darn_pairs_see_key(notify->pairs, kind, key, 0);
    notify->reported += prediction != NULL;
    return prediction;
}

static void add_step(const struct notify *notify, struct darn_prediction *prediction,
                     const struct darn_event *event, uint32_t holding)
{
    darn_holding_fill(notify->held, holding, darn_prediction_add(prediction, event));
}

static uint64_t hash_event(const struct notify *notify, uint64_t key,
                           const struct darn_event *event, uint32_t cond)
{
    return darn_hash_place(key, darn_place(&notify->config, event->site, event->stack), cond);
}

static void on_lost(void *to, uint32_t cond, const struct darn_notice *signal,
                    const struct darn_notice *wait)
{
    struct notify *notify = to;
    uint64_t key = hash_event(notify, DARN_HASH_START, &signal->event, cond);
    struct darn_prediction *prediction;

    key = hash_event(notify, key, &wait->event, cond);
    prediction = predict(notify, DARN_PREDICTS_LOST_SIGNAL, key);
    if (!prediction)
        return;
    add_step(notify, prediction, &signal->event, signal->holding);
    add_step(notify, prediction, &wait->event, wait->holding);
}

/* The waits of a pair come in any order, and are the same pair. */
static void on_found(void *to, const struct darn_calls_found *what)
{
    struct notify *notify = to;
    uint64_t keys[3], key = DARN_HASH_START;
    struct darn_prediction *prediction;
    uint32_t last = what->count - 1;

    for (uint32_t i = 0; i < what->count; i++)
        keys[i] = darn_hash_place(DARN_HASH_START, what->calls[i]->place, what->cond);
    if (keys[last - 1] > keys[last]) {
        uint64_t swapped = keys[last];

        keys[last] = keys[last - 1];
        keys[last - 1] = swapped;
    }
    for (uint32_t i = 0; i < what->count; i++)
        key = darn_hash_word(key, keys[i]);
    prediction = predict(notify, what->kind, key);
    for (uint32_t i = 0; prediction && i < what->count; i++) {
        const struct darn_call *call = what->calls[i];
        struct darn_event event = {.target = notify->conds.all[call->cond].address,
                                   .extra = call->mutex,
                                   .thread = what->threads[i],
                                   .site = call->site,
                                   .stack = call->stack,
                                   .kind = call->kind};

        add_step(notify, prediction, &event, call->holding);
    }
}

static void finish(void *state)
{
    struct notify *notify = state;

    darn_lost_find(&notify->lost, on_lost, notify);
    darn_calls_find(&notify->calls, notify->periods, on_found, notify);
}

static const struct darn_prediction *predictions(const void *state, size_t *count)
{
    const struct notify *notify = state;

    return darn_pairs_predictions(notify->pairs, count);
}

static uint64_t dynamic(const void *state)
{
    const struct notify *notify = state;

    return darn_pairs_dynamic(notify->pairs);
}

static struct darn_engine_cost cost(const void *state)
{
    const struct notify *notify = state;
    size_t memory = darn_pairs_memory(notify->pairs) + darn_locksets_memory(notify->sets) +
                    darn_held_memory(notify->held) + darn_periods_memory(notify->periods) +
                    darn_objects_memory(&notify->conds) + darn_lost_memory(&notify->lost) +
                    darn_calls_memory(&notify->calls);

    /* Nothing of it is given back before the end. */
    return (struct darn_engine_cost){.memory = memory,
                                     .peak = memory,
                                     .dropped = notify->dropped + notify->calls.dropped +
                                                notify->conds.worn +
                                                darn_periods_degraded(notify->periods)};
}

const struct darn_engine darn_engine_notify = {
    .name = "notify",
    .help = "signals that are lost or wake the wrong thread, condition variables with two mutexes",
    .create = create,
    .event = event,
    .finish = finish,
    .predictions = predictions,
    .dynamic = dynamic,
    .cost = cost,
    .destroy = destroy,
};
