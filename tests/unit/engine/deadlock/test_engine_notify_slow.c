/*
 * The notify engine against its definition, on thousands of random traces: all pairs and triples of
 * waits and signals are tried, and what was lost is looked for by walking back through the trace.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/common/engine.h"
#include "event_order.h"

#define THREADS 5
#define CONDS   2
#define KEYS    512

enum { MUTEX = 0x1000, COND = 0x2000 };

/* Kind of prediction and sites, the two waits of a pair in order. */
struct key {
    uint32_t kind, sites[3];
};

struct keys {
    uint32_t count;
    struct key all[KEYS];
};

static uint32_t pick(uint64_t *seed, uint32_t below)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*seed >> 33) % below;
}

static void add(struct keys *keys, uint32_t kind, uint32_t a, uint32_t b, uint32_t c)
{
    bool swaps = kind != DARN_PREDICTS_LOST_SIGNAL && b > c;
    struct key key = {kind, {a, swaps ? c : b, swaps ? b : c}};

    for (uint32_t i = 0; i < keys->count; i++) {
        if (memcmp(&keys->all[i], &key, sizeof(key)) == 0)
            return;
    }
    assert_true(keys->count < KEYS);
    keys->all[keys->count++] = key;
}

/* Sites of waits for something known are 100 or more. */
static uint64_t predicate(const void *context, uint32_t site)
{
    (void)context;
    return site / 100;
}

/* What a thread does next in a random run. */
struct actor {
    bool is_live, is_waiting, is_signalled, has_timeout;
    uint32_t mutex, cond; /* mutex: held, or to get back; 0: none, else its number + 1 */
    uint32_t wait_site;
};

struct run {
    struct darn_event events[ORDER_EVENTS];
    uint32_t count;
    struct actor actors[THREADS];
    bool is_taken[2];
};

static void put(struct run *run, uint8_t kind, uint32_t thread, uint64_t target, uint64_t extra,
                uint32_t site, uint16_t flags)
{
    run->events[run->count++] = (struct darn_event){.kind = kind,
                                                    .thread = thread,
                                                    .target = target,
                                                    .extra = extra,
                                                    .site = site,
                                                    .flags = flags};
}

static void wake(struct run *run, uint32_t thread, uint16_t flags)
{
    struct actor *actor = &run->actors[thread];
    uint64_t mutex = MUTEX + 64 * (actor->mutex - 1);

    if (run->is_taken[actor->mutex - 1])
        return;
    run->is_taken[actor->mutex - 1] = true;
    put(run, DARN_EVENT_ACQUIRE, thread, mutex, 0, actor->wait_site, 0);
    put(run, DARN_EVENT_WAKE, thread, COND + 64 * actor->cond, mutex, actor->wait_site, flags);
    actor->is_waiting = actor->is_signalled = false;
}

static void wait(struct run *run, uint32_t thread, uint64_t *seed)
{
    struct actor *actor = &run->actors[thread];
    uint64_t mutex = MUTEX + 64 * (actor->mutex - 1);

    actor->cond = pick(seed, CONDS);
    actor->wait_site = 60 + pick(seed, 3) * 70 + pick(seed, 2);
    actor->has_timeout = pick(seed, 5) == 0;
    actor->is_waiting = true;
    run->is_taken[actor->mutex - 1] = false;
    put(run, DARN_EVENT_WAIT, thread, COND + 64 * actor->cond, mutex, actor->wait_site,
        actor->has_timeout ? DARN_EVENT_TRY : 0);
    put(run, DARN_EVENT_RELEASE, thread, mutex, 0, actor->wait_site, 0);
}

/* Those who have waited longest are woken, as far as the trace shows; here: in order of number. */
static void notify(struct run *run, uint32_t thread, uint64_t *seed)
{
    uint32_t cond = pick(seed, CONDS);
    bool is_signal = pick(seed, 4) != 0;

    put(run, is_signal ? DARN_EVENT_SIGNAL : DARN_EVENT_BROADCAST, thread, COND + 64 * cond, 0,
        20 + pick(seed, 3), 0);
    for (uint32_t i = 0; i < THREADS; i++) {
        struct actor *actor = &run->actors[i];

        if (!actor->is_waiting || actor->is_signalled || actor->cond != cond)
            continue;
        actor->is_signalled = true;
        if (is_signal)
            return;
    }
}

static void act(struct run *run, uint32_t thread, uint64_t *seed)
{
    struct actor *actor = &run->actors[thread];
    uint32_t mutex = pick(seed, 2), what = pick(seed, 8);

    if (actor->is_signalled) {
        wake(run, thread, 0);
    } else if (actor->is_waiting) {
        if (actor->has_timeout && what == 0)
            wake(run, thread, DARN_EVENT_TIMEOUT);
    } else if (what < 2) {
        notify(run, thread, seed);
    } else if (actor->mutex && what < 5) {
        wait(run, thread, seed);
    } else if (actor->mutex) {
        put(run, DARN_EVENT_RELEASE, thread, MUTEX + 64 * (actor->mutex - 1), 0, 30, 0);
        run->is_taken[actor->mutex - 1] = false;
        actor->mutex = 0;
    } else if (!run->is_taken[mutex]) {
        put(run, DARN_EVENT_ACQUIRE, thread, MUTEX + 64 * mutex, 0, 31, 0);
        run->is_taken[mutex] = true;
        actor->mutex = mutex + 1;
    }
}

/* Thread 0 forks the others one by one, and joins some that have nothing in hand. */
static void make_run(struct run *run, uint64_t *seed)
{
    uint32_t forked = 1, length = 20 + pick(seed, 100), threads = 2 + pick(seed, THREADS - 1);

    memset(run, 0, sizeof(*run));
    run->actors[0].is_live = true;
    while (run->count < length) {
        uint32_t thread = pick(seed, forked);
        struct actor *actor = &run->actors[thread];

        if (forked < threads && pick(seed, 6) == 0) {
            run->actors[forked].is_live = true;
            put(run, DARN_EVENT_FORK, 0, forked++, 0, 1, 0);
        } else if (thread && actor->is_live && !actor->mutex && pick(seed, 12) == 0) {
            actor->is_live = false;
            put(run, DARN_EVENT_JOIN, 0, thread, 0, 2, 0);
        } else if (thread && actor->is_live) {
            act(run, thread, seed);
        } else if (pick(seed, 50) == 0) {
            break; /* nobody can go on for ever */
        }
    }
}

/* Whether the wait at `at` is over before `until`. */
static bool is_waiting(const struct run *run, uint32_t at, uint32_t until)
{
    const struct darn_event *wait = &run->events[at];

    if (wait->kind != DARN_EVENT_WAIT)
        return false;
    for (uint32_t i = at; i < until; i++) {
        if (run->events[i].kind == DARN_EVENT_WAKE && run->events[i].thread == wait->thread)
            return false;
    }
    return at < until;
}

/* Signals that are under way to the waiters of a condition variable. */
static uint32_t sent_before(const struct run *run, uint64_t cond, uint32_t until)
{
    uint32_t sent = 0;

    for (uint32_t i = 0; i < until; i++) {
        const struct darn_event *event = &run->events[i];
        uint32_t waiting = 0;

        if (event->target != cond)
            continue;
        for (uint32_t j = 0; j < i; j++)
            waiting += run->events[j].target == cond && is_waiting(run, j, i);
        if (event->kind == DARN_EVENT_SIGNAL && sent < waiting)
            sent++;
        if (event->kind == DARN_EVENT_BROADCAST)
            sent = waiting;
        if (event->kind == DARN_EVENT_WAKE && sent &&
            (!(event->flags & DARN_EVENT_TIMEOUT) || sent > waiting - 1))
            sent--;
    }
    return sent;
}

static uint32_t waiting_before(const struct run *run, uint64_t cond, uint32_t until)
{
    uint32_t waiting = 0;

    for (uint32_t i = 0; i < until; i++)
        waiting += run->events[i].target == cond && is_waiting(run, i, until);
    return waiting;
}

/* The acquisition that the release or wait at `at` is the end of. */
static uint32_t acquired_before(const struct run *run, uint32_t at, uint64_t mutex)
{
    for (uint32_t i = at; i-- > 0;) {
        if (run->events[i].kind == DARN_EVENT_ACQUIRE && run->events[i].target == mutex &&
            run->events[i].thread == run->events[at].thread)
            return i;
    }
    return 0;
}

/* Whether a thread that ever waits for the condition variable has held the mutex between the two.
 */
static bool was_seen(const struct run *run, uint32_t signal, uint32_t wait)
{
    const struct darn_event *waits = &run->events[wait];

    for (uint32_t i = signal; i < wait; i++) {
        const struct darn_event *event = &run->events[i];
        bool ever = false, by_wait = i && run->events[i - 1].kind == DARN_EVENT_WAIT &&
                                     run->events[i - 1].thread == event->thread;

        if (event->kind != DARN_EVENT_RELEASE || event->target != waits->extra || by_wait ||
            acquired_before(run, i, event->target) < signal)
            continue;
        for (uint32_t j = 0; j < run->count; j++)
            ever |= run->events[j].kind == DARN_EVENT_WAIT &&
                    run->events[j].thread == event->thread &&
                    run->events[j].target == waits->target;
        if (ever)
            return true;
    }
    return false;
}

static void find_lost(const struct run *run, struct keys *keys)
{
    for (uint32_t i = 0; i < run->count; i++) {
        const struct darn_event *wait = &run->events[i];
        uint32_t older = 0, after;

        if (!is_waiting(run, i, run->count) || wait->flags & DARN_EVENT_TRY)
            continue;
        for (uint32_t j = 0; j < i; j++)
            older += run->events[j].target == wait->target && is_waiting(run, j, run->count);
        if (older < sent_before(run, wait->target, run->count))
            continue;
        after = predicate(NULL, wait->site) ? acquired_before(run, i, wait->extra) : 0;
        for (uint32_t j = i; j-- > after;) {
            const struct darn_event *signal = &run->events[j];

            if ((signal->kind != DARN_EVENT_SIGNAL && signal->kind != DARN_EVENT_BROADCAST) ||
                signal->target != wait->target || signal->thread == wait->thread ||
                sent_before(run, signal->target, j) < waiting_before(run, signal->target, j))
                continue;
            if (!was_seen(run, j, i))
                add(keys, DARN_PREDICTS_LOST_SIGNAL, signal->site, wait->site, 0);
            break;
        }
    }
}

static bool meet(const struct run *run, const struct order *order, uint32_t a, uint32_t b)
{
    return run->events[a].thread != run->events[b].thread &&
           run->events[a].target == run->events[b].target && order_concurrent(order, a, b);
}

static void find_pairs(const struct run *run, const struct order *order, struct keys *keys)
{
    for (uint32_t i = 0; i < run->count; i++) {
        for (uint32_t j = 0; j < i; j++) {
            const struct darn_event *one = &run->events[i], *two = &run->events[j];
            uint64_t a = predicate(NULL, one->site), b = predicate(NULL, two->site);

            if (one->kind != DARN_EVENT_WAIT || two->kind != DARN_EVENT_WAIT ||
                !meet(run, order, i, j))
                continue;
            if (one->extra != two->extra)
                add(keys, DARN_PREDICTS_TWO_MUTEXES, 0, one->site, two->site);
            for (uint32_t k = 0; a && b && a != b && k < run->count; k++) {
                if (run->events[k].kind == DARN_EVENT_SIGNAL && meet(run, order, i, k) &&
                    meet(run, order, j, k))
                    add(keys, DARN_PREDICTS_WRONG_WAITER, run->events[k].site, one->site,
                        two->site);
            }
        }
    }
}

static void ask_engine(const struct run *run, struct keys *keys)
{
    static const struct darn_engine_config config = {.predicate_of = predicate};
    void *state = darn_engine_notify.create(&config);
    const struct darn_prediction *all;
    size_t count;

    for (uint32_t i = 0; i < run->count; i++)
        darn_engine_notify.event(state, &run->events[i]);
    darn_engine_notify.finish(state);
    all = darn_engine_notify.predictions(state, &count);
    for (size_t i = 0; i < count; i++) {
        const struct darn_prediction_step *steps = all[i].steps;

        if (all[i].kind == DARN_PREDICTS_LOST_SIGNAL)
            add(keys, all[i].kind, steps[0].event.site, steps[1].event.site, 0);
        else if (all[i].kind == DARN_PREDICTS_TWO_MUTEXES)
            add(keys, all[i].kind, 0, steps[0].event.site, steps[1].event.site);
        else
            add(keys, all[i].kind, steps[0].event.site, steps[1].event.site, steps[2].event.site);
    }
    darn_engine_notify.destroy(state);
}

static int compare_keys(const void *left, const void *right)
{
    return memcmp(left, right, sizeof(struct key));
}

static void engine_finds_what_the_definition_says(void **state)
{
    static struct keys slow, fast;
    static struct order order;
    static struct run run;
    uint32_t found[DARN_PREDICTS_TWO_MUTEXES + 1] = {0};
    uint64_t seed = 1;

    (void)state;
    for (int round = 0; round < 4000; round++) {
        make_run(&run, &seed);
        memset(&slow, 0, sizeof(slow));
        memset(&fast, 0, sizeof(fast));
        order_close(&order, run.events, run.count);
        find_lost(&run, &slow);
        find_pairs(&run, &order, &slow);
        ask_engine(&run, &fast);
        for (uint32_t i = 0; i < slow.count; i++)
            found[slow.all[i].kind]++;
        qsort(slow.all, slow.count, sizeof(slow.all[0]), compare_keys);
        qsort(fast.all, fast.count, sizeof(fast.all[0]), compare_keys);
        if (slow.count == fast.count && memcmp(&slow, &fast, sizeof(slow)) == 0)
            continue;
        for (uint32_t i = 0; i < run.count; i++)
            fprintf(stderr, "T%u %u(%lx, %lx) %u %u\n", run.events[i].thread, run.events[i].kind,
                    (unsigned long)run.events[i].target, (unsigned long)run.events[i].extra,
                    run.events[i].site, run.events[i].flags);
        for (uint32_t i = 0; i < slow.count; i++)
            fprintf(stderr, "definition: %u %u %u %u\n", slow.all[i].kind, slow.all[i].sites[0],
                    slow.all[i].sites[1], slow.all[i].sites[2]);
        for (uint32_t i = 0; i < fast.count; i++)
            fprintf(stderr, "engine: %u %u %u %u\n", fast.all[i].kind, fast.all[i].sites[0],
                    fast.all[i].sites[1], fast.all[i].sites[2]);
        fail();
    }
    print_message("lost %u, wrong waiters %u, two mutexes %u\n", found[DARN_PREDICTS_LOST_SIGNAL],
                  found[DARN_PREDICTS_WRONG_WAITER], found[DARN_PREDICTS_TWO_MUTEXES]);
    assert_true(found[DARN_PREDICTS_LOST_SIGNAL] > 200);
    assert_true(found[DARN_PREDICTS_WRONG_WAITER] > 200);
    assert_true(found[DARN_PREDICTS_TWO_MUTEXES] > 200);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(engine_finds_what_the_definition_says),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
