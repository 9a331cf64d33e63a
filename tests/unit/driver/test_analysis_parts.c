/* The parts of an analysis: which block a race is about, which sites are one place. The trace is a
 * stand-in. */
#include "report_fixture.h"

#include "driver/analysis/places.h"
#include "driver/analysis/race_blocks.h"
#include "site/site.h"

struct darn_trace {
    const struct darn_event *events;
    size_t count, at;
    const struct darn_trace_site *sites;
    size_t site_count;
};

int darn_trace_next(struct darn_trace *trace, struct darn_event *event)
{
    if (trace->at == trace->count)
        return 0;
    *event = trace->events[trace->at++];
    return 1;
}

void darn_trace_rewind(struct darn_trace *trace)
{
    trace->at = 0;
}

const struct darn_trace_site *darn_trace_site(const struct darn_trace *trace, uint32_t id)
{
    return id >= 1 && id <= trace->site_count ? &trace->sites[id - 1] : NULL;
}

size_t darn_trace_site_count(const struct darn_trace *trace)
{
    return trace->site_count;
}

static struct darn_event event(enum darn_event_kind kind, uint32_t thread, uint64_t target,
                               uint64_t extra, uint32_t site)
{
    return (struct darn_event){.kind = (uint8_t)kind,
                               .thread = thread,
                               .target = target,
                               .extra = extra,
                               .size = 8,
                               .site = site};
}

static struct darn_prediction race(uint64_t target, struct darn_event one, struct darn_event other)
{
    return (struct darn_prediction){.kind = DARN_PREDICTS_RACE,
                                    .target = target,
                                    .step_count = 2,
                                    .steps = {{.event = one}, {.event = other}}};
}

/* One address is in three blocks, one after the other; the race is about the second. */
static void a_race_is_about_the_block_of_its_time(void **state)
{
    const struct darn_event events[] = {
        event(DARN_EVENT_ALLOC, 0, 0x1000, 64, 0), event(DARN_EVENT_WRITE, 3, 0x1010, 0, 9),
        event(DARN_EVENT_FREE, 0, 0x1000, 64, 0),  event(DARN_EVENT_ALLOC, 1, 0x1008, 32, 0),
        event(DARN_EVENT_WRITE, 1, 0x1010, 0, 1),  event(DARN_EVENT_READ, 2, 0x100c, 0, 2),
        event(DARN_EVENT_FREE, 1, 0x1008, 32, 0),  event(DARN_EVENT_ALLOC, 2, 0x1000, 4096, 0),
        event(DARN_EVENT_WRITE, 3, 0x1010, 0, 9),  event(DARN_EVENT_ALLOC, 2, 0x9000, 16, 0),
        event(DARN_EVENT_WRITE, 2, 0x9010, 0, 3),
    };
    struct darn_trace trace = {events, sizeof(events) / sizeof(events[0]), 5, NULL, 0};
    struct darn_prediction in_block = race(0x1010, events[4], events[5]);
    struct darn_prediction outside = race(0x9010, events[10], events[10]);
    struct darn_prediction by_free = race(0x1010, events[6], events[5]);
    struct darn_prediction never = race(0x1010, event(DARN_EVENT_READ, 7, 0x1010, 0, 7), events[0]);
    struct darn_race_blocks blocks = {NULL, 0, 0, NULL, NULL};

    (void)state;
    darn_race_blocks_want(&blocks, &outside);
    darn_race_blocks_want(&blocks, &in_block);
    darn_race_blocks_want(&blocks, &by_free);
    darn_race_blocks_find(&blocks, &trace);
    assert_non_null(darn_race_blocks_get(&blocks, &in_block));
    assert_int_equal(darn_race_blocks_get(&blocks, &in_block)->target, 0x1008);
    assert_int_equal(darn_race_blocks_get(&blocks, &in_block)->thread, 1);
    assert_int_equal(darn_race_blocks_get(&blocks, &by_free)->target, 0x1008);
    assert_null(darn_race_blocks_get(&blocks, &outside));
    assert_null(darn_race_blocks_get(&blocks, &never));
    darn_race_blocks_free(&blocks);
}

/* Two threads access it under the lock 7; one of them holds 5 outside of that. */
static void a_race_knows_the_locks_of_accesses_that_race_with_nobody(void **state)
{
    const struct darn_event events[] = {
        event(DARN_EVENT_ACQUIRE, 1, 5, 0, 0),    event(DARN_EVENT_ACQUIRE, 1, 7, 0, 0),
        event(DARN_EVENT_WRITE, 1, 0x9010, 0, 1), event(DARN_EVENT_WRITE, 1, 0x9010, 0, 1),
        event(DARN_EVENT_RELEASE, 1, 7, 0, 0),    event(DARN_EVENT_RELEASE, 1, 5, 0, 0),
        event(DARN_EVENT_ACQUIRE, 2, 7, 0, 0),    event(DARN_EVENT_WRITE, 2, 0x9010, 0, 2),
        event(DARN_EVENT_RELEASE, 2, 7, 0, 0),    event(DARN_EVENT_WRITE, 3, 0x9010, 0, 3),
    };
    struct darn_trace trace = {events, sizeof(events) / sizeof(events[0]), 0, NULL, 0};
    struct darn_prediction wanted = race(0x9010, events[2], events[9]);
    struct darn_race_blocks blocks = {NULL, 0, 0, NULL, NULL};
    struct darn_prediction_step uses[DARN_RACE_USES];

    (void)state;
    darn_race_blocks_want(&blocks, &wanted);
    darn_race_blocks_find(&blocks, &trace);
    assert_int_equal(darn_race_blocks_uses(&blocks, &wanted, uses), 3);
    assert_int_equal(uses[0].lock_count, 2);
    assert_int_equal(uses[0].locks[0].lock, 5);
    assert_int_equal(uses[0].locks[1].lock, 7);
    assert_int_equal(uses[1].lock_count, 1);
    assert_int_equal(uses[1].locks[0].lock, 7);
    assert_int_equal(uses[2].lock_count, 0);
    darn_race_blocks_free(&blocks);
}

static void many_races_find_their_blocks(void **state)
{
    enum { COUNT = 300 };
    static struct darn_event events[2 * COUNT];
    static struct darn_prediction races[COUNT];
    struct darn_trace trace = {events, 2 * COUNT, 0, NULL, 0};
    struct darn_race_blocks blocks = {NULL, 0, 0, NULL, NULL};

    (void)state;
    for (uint32_t i = 0; i < COUNT; i++) {
        uint64_t address = 0x1000 + (uint64_t)(i * 7919 % COUNT) * 64;

        events[2 * i] = event(DARN_EVENT_ALLOC, 0, address, 48, 0);
        events[2 * i + 1] = event(DARN_EVENT_WRITE, 1, address + 40, 0, i + 1);
        races[i] = race(address + 40, events[2 * i + 1], events[2 * i + 1]);
        darn_race_blocks_want(&blocks, &races[i]);
    }
    darn_race_blocks_find(&blocks, &trace);
    for (uint32_t i = 0; i < COUNT; i++)
        assert_int_equal(darn_race_blocks_get(&blocks, &races[i])->target, races[i].target - 40);
    darn_race_blocks_free(&blocks);
}

static void copies_of_a_line_are_one_place(void **state)
{
    const struct darn_trace_site sites[] = {
        {.file = "a.h", .function = "f<int>", .line = 3, .column = 5, .kind = DARN_SITE_READ},
        {.file = "a.h", .function = "f<int>", .line = 3, .column = 5, .kind = DARN_SITE_WRITE},
        {.file = "a.h", .function = "f<long>", .line = 3, .column = 5, .kind = DARN_SITE_READ},
        {.file = "b.h", .function = "f<int>", .line = 3, .column = 5, .kind = DARN_SITE_READ},
        {.function = "unknown"},
        {.function = "unknown"},
        {.file = "q.c", .line = 9, .kind = DARN_SITE_WAIT, .variable = "count"},
        {.file = "q.c", .line = 19, .kind = DARN_SITE_WAIT, .variable = "count"},
        {.file = "q.c", .line = 29, .kind = DARN_SITE_WAIT, .variable = "full"},
        {.file = "q.c", .line = 39, .kind = DARN_SITE_WAIT, .variable = ""},
    };
    struct darn_trace trace = {NULL, 0, 0, sites, sizeof(sites) / sizeof(sites[0])};
    struct darn_places places = {0};

    (void)state;
    darn_places_make(&places, &trace);
    assert_int_equal(darn_places_of(&places, 1), 1);
    assert_int_equal(darn_places_of(&places, 2), 2);
    assert_int_equal(darn_places_of(&places, 3), 1);
    assert_int_equal(darn_places_of(&places, 4), 4);
    assert_int_equal(darn_places_of(&places, 6), 6);
    assert_int_equal(darn_places_of(&places, 0), 0);
    assert_int_equal(darn_places_of(&places, 1000), 1000);
    assert_true(darn_places_predicate(&places, 7) != 0);
    assert_true(darn_places_predicate(&places, 7) == darn_places_predicate(&places, 8));
    assert_true(darn_places_predicate(&places, 7) != darn_places_predicate(&places, 9));
    assert_true(darn_places_predicate(&places, 10) == 0);
    assert_true(darn_places_predicate(&places, 1) == 0);
    assert_true(darn_places_predicate(&places, 0) == 0);
    darn_places_free(&places);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_race_is_about_the_block_of_its_time),
        cmocka_unit_test(a_race_knows_the_locks_of_accesses_that_race_with_nobody),
        cmocka_unit_test(many_races_find_their_blocks),
        cmocka_unit_test(copies_of_a_line_are_one_place),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
