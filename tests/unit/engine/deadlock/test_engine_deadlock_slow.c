/*
 * The deadlock engine against its definition, on thousands of random traces: all combinations of
 * dependencies of different threads are tried, and orders are looked up in the closure of all edges
 * between events.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "event_order.h"
#include "lock_program.h"

struct dependency {
    uint32_t event, thread, site;
    uint32_t asks; /* lock; 1000 + thread for a join */
    bool reads;
    struct program_held held;
};

struct slow {
    const struct darn_event *events;
    uint32_t event_count;
    struct order order;
    struct dependency all[ORDER_EVENTS];
    uint32_t count;
    const struct dependency *path[PROGRAM_THREADS];
    struct program_keys *found;
};

static void collect(struct slow *slow)
{
    struct program_held held[PROGRAM_THREADS] = {0};

    slow->count = 0;
    for (uint32_t i = 0; i < slow->event_count; i++) {
        const struct darn_event *event = &slow->events[i];
        struct program_held *mine = &held[event->thread];
        uint32_t lock = (uint32_t)(event->target - 0x1000) / 64;

        if (event->kind == DARN_EVENT_JOIN || event->kind == DARN_EVENT_REQUEST ||
            (event->kind == DARN_EVENT_ACQUIRE && !(event->flags & DARN_EVENT_TRY)))
            slow->all[slow->count++] = (struct dependency){
                .event = i,
                .thread = event->thread,
                .site = event->site,
                .asks = event->kind == DARN_EVENT_JOIN ? 1000 + (uint32_t)event->target : lock,
                .reads = event->lock == DARN_EVENT_RDLOCK,
                .held = *mine};
        if (event->kind == DARN_EVENT_ACQUIRE) {
            mine->locks[mine->count].lock = lock;
            mine->locks[mine->count].site = event->site;
            mine->locks[mine->count++].reads = event->lock == DARN_EVENT_RDLOCK;
        }
        for (uint32_t j = 0; event->kind == DARN_EVENT_RELEASE && j < mine->count; j++) {
            if (mine->locks[j].lock == lock) {
                memmove(&mine->locks[j], &mine->locks[j + 1],
                        (--mine->count - j) * sizeof(mine->locks[0]));
                break;
            }
        }
    }
}

static bool waits(const struct dependency *a, const struct dependency *b, uint32_t *site)
{
    *site = 0;
    if (a->asks >= 1000)
        return a->asks - 1000 == b->thread;
    for (uint32_t i = 0; i < b->held.count; i++) {
        *site = b->held.locks[i].site;
        if (b->held.locks[i].lock == a->asks && !(b->held.locks[i].reads && a->reads))
            return true;
    }
    return false;
}

static bool fit(const struct slow *slow, const struct dependency *a, const struct dependency *b)
{
    if (a->thread == b->thread || !order_concurrent(&slow->order, a->event, b->event))
        return false;
    for (uint32_t i = 0; i < a->held.count; i++) {
        for (uint32_t j = 0; j < b->held.count; j++) {
            if (a->held.locks[i].lock == b->held.locks[j].lock &&
                !(a->held.locks[i].reads && b->held.locks[j].reads))
                return false;
        }
    }
    return true;
}

/* No step waits for any but the next. */
static bool is_minimal(const struct slow *slow, uint32_t count)
{
    uint32_t site;

    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t j = 0; j < count; j++) {
            if (j != (i + 1) % count && waits(slow->path[i], slow->path[j], &site))
                return false;
        }
    }
    return true;
}

static void extend(struct slow *slow, uint32_t count)
{
    uint32_t site;

    if (count > 1 && waits(slow->path[count - 1], slow->path[0], &site)) {
        struct program_key key = {.count = count};

        for (uint32_t i = 0; i < count; i++) {
            key.steps[i].asks = slow->path[i]->site;
            waits(slow->path[(i + count - 1) % count], slow->path[i], &key.steps[i].holds);
        }
        if (is_minimal(slow, count))
            program_add(slow->found, key);
    }
    for (uint32_t i = 0; count < PROGRAM_THREADS && i < slow->count; i++) {
        bool fits = waits(slow->path[count - 1], &slow->all[i], &site);

        for (uint32_t j = 0; fits && j < count; j++)
            fits = fit(slow, slow->path[j], &slow->all[i]);
        if (!fits)
            continue;
        slow->path[count] = &slow->all[i];
        extend(slow, count + 1);
    }
}

static void find_slowly(const struct darn_event *events, uint32_t count, struct program_keys *found)
{
    static struct slow slow;

    assert_true(count <= ORDER_EVENTS);
    slow.events = events;
    slow.event_count = count;
    slow.found = found;
    found->count = 0;
    order_close(&slow.order, events, count);
    collect(&slow);
    for (uint32_t i = 0; i < slow.count; i++) {
        slow.path[0] = &slow.all[i];
        extend(&slow, 1);
    }
}

static void say_keys(const char *title, const struct program_keys *keys)
{
    for (uint32_t i = 0; i < keys->count; i++) {
        fprintf(stderr, "%s:", title);
        for (uint32_t j = 0; j < keys->keys[i].count; j++)
            fprintf(stderr, " (%u, %u)", keys->keys[i].steps[j].asks, keys->keys[i].steps[j].holds);
        fprintf(stderr, "\n");
    }
}

static void check(const struct darn_event *events, uint32_t count, uint32_t *with_findings)
{
    static struct program_keys slow, fast;
    bool is_same;

    find_slowly(events, count, &slow);
    program_predict(events, count, &fast);
    is_same = slow.count == fast.count;
    for (uint32_t i = 0; i < slow.count; i++)
        is_same = is_same && program_has(&fast, &slow.keys[i]);
    *with_findings += slow.count != 0;
    if (is_same)
        return;
    for (uint32_t i = 0; i < count; i++)
        fprintf(stderr, "T%u %u(%lx) %u\n", events[i].thread, events[i].kind,
                (unsigned long)events[i].target, events[i].site);
    say_keys("definition", &slow);
    say_keys("engine", &fast);
    fail();
}

static void engine_finds_what_the_definition_says(void **state)
{
    uint64_t seed = 20240607;
    uint32_t with_findings = 0, runs = 0;

    (void)state;
    for (uint32_t round = 0; round < 6000; round++) {
        struct program_options options = {
            .threads = 2 + program_random(&seed, PROGRAM_THREADS - 1),
            .locks = 2 + program_random(&seed, PROGRAM_LOCKS - 1),
            .ops = 4 + program_random(&seed, 9),
            .sites = program_random(&seed, 3) ? 0 : 4,
            .has_readers = program_random(&seed, 2),
            .has_tries = program_random(&seed, 4) == 0,
            .has_barriers = program_random(&seed, 4) == 0,
            .is_nested = program_random(&seed, 2),
            .joins_early = program_random(&seed, 2),
        };
        struct darn_event events[ORDER_EVENTS];
        struct program_state end;
        struct program program;
        uint32_t count;

        options.has_inner_forks = !options.has_barriers && program_random(&seed, 2);
        options.joins_early &= !options.has_barriers;
        program_make(&program, &options, &seed);
        program_run(&program, &seed, events, &count, &end);
        runs += count != 0;
        check(events, count, &with_findings);
    }
    /* The generator must not have become dull. */
    assert_true(runs > 4000);
    assert_true(with_findings > 1000);
    assert_true(runs - with_findings > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(engine_finds_what_the_definition_says),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
