/* The happens-before engine: what must be reported, what must never be, and the same races as the
 * slow version on thousands of random traces. */
#include "engine_fixture.h"
#include "random_trace.h"
#include "slow_races.h"

#define TRACES 10000

#define X UINT64_C(0x1000)
#define Y UINT64_C(0x1100)
#define L UINT64_C(0x2000)
#define M UINT64_C(0x2100)
#define N UINT64_C(0x2200)

/* Here the lock orders what is done with x; hybrid sees it. */
static void figure_1_of_racefuzzer_has_one_race_in_this_order(void **state)
{
    (void)state;
    assert_string_equal(lines_of(&darn_engine_hb, "racefuzzer-figure1.std"), "5-7");
}

/* RaceFuzzer 3.2: what this technique misses when the lock happens to come between. */
static void figure_2_of_racefuzzer_is_missed_when_the_lock_orders_it(void **state)
{
    (void)state;
    assert_string_equal(lines_of(&darn_engine_hb, "racefuzzer-figure2.std"), "");
    assert_string_equal(lines_of(&darn_engine_hb, "racefuzzer-figure2-late.std"), "8-10");
}

static void neighbours(struct trial *trial)
{
    for (uint32_t thread = 1; thread < 9; thread++)
        give(trial, EVENT(thread, WRITE, X + thread - 1, .size = 1));
    give(trial, EVENT(9, WRITE, X + 8, .size = 3));
    give(trial, EVENT(10, WRITE, X + 11, .size = 5));
    give(trial, EVENT(11, WRITE, X + 16, .size = 8, .flags = DARN_EVENT_GAPS, .extra = 0x55));
    give(trial, EVENT(12, WRITE, X + 16, .size = 8, .flags = DARN_EVENT_GAPS, .extra = 0xaa));
}

static void neighbours_in_a_granule_never_race(void **state)
{
    (void)state;
    assert_int_equal(races_in(&darn_engine_hb, neighbours, NULL), 0);
}

/* What was written by one thread before the memory was freed is not the next owner's business. */
static void memory_in_two_lives(struct trial *trial)
{
    give(trial, ACCESS(1, WRITE, X));
    give(trial, EVENT(1, FREE, X, .extra = 64));
    give(trial, EVENT(2, ALLOC, X, .extra = 64));
    give(trial, ACCESS(2, WRITE, X));
}

/* And the lock in it is another one. */
static void lock_in_two_lives(struct trial *trial)
{
    give(trial, ACCESS(1, WRITE, X));
    give(trial, EVENT(1, ACQUIRE, L));
    give(trial, EVENT(1, RELEASE, L));
    give(trial, EVENT(1, FREE, L, .extra = 64));
    give(trial, EVENT(2, ACQUIRE, L));
    give(trial, ACCESS(2, WRITE, X));
}

static void memory_that_was_freed_has_no_past(void **state)
{
    (void)state;
    assert_int_equal(races_in(&darn_engine_hb, memory_in_two_lives, NULL), 0);
    assert_int_equal(races_in(&darn_engine_hb, lock_in_two_lives, NULL), 1);
}

/* A call that frees is a write of the block; what has no place is the end of a stack. */
static void unordered_end(struct trial *trial)
{
    give(trial, EVENT(1, FORK, 2));
    give(trial, ACCESS(2, READ, X + 8));
    give(trial, EVENT(1, FREE, X, .extra = 64));
    give(trial, ACCESS(2, READ, X + 128));
    give(trial, at_site(0, EVENT(1, FREE, X + 128, .extra = 64)));
}

static void ordered_end(struct trial *trial)
{
    give(trial, EVENT(1, FORK, 2));
    give(trial, ACCESS(2, WRITE, X + 8));
    give(trial, EVENT(1, JOIN, 2));
    give(trial, EVENT(1, FREE, X, .extra = 64));
}

static void a_free_is_a_write_of_the_block(void **state)
{
    (void)state;
    assert_int_equal(races_in(&darn_engine_hb, unordered_end, NULL), 1);
    assert_int_equal(races_in(&darn_engine_hb, ordered_end, NULL), 0);
}

static void both_sides_are_named_with_their_locks(void **state)
{
    struct trial trial = start(&darn_engine_hb, NULL);
    const struct darn_prediction *race;

    (void)state;
    give(&trial, EVENT(0, FORK, 1));
    give(&trial, EVENT(0, FORK, 2));
    give(&trial, EVENT(1, ACQUIRE, L, .stack = 11));
    give(&trial, EVENT(1, ACQUIRE, M, .stack = 12));
    give(&trial, EVENT(1, WRITE, X + 2, .size = 6, .stack = 13, .flags = DARN_EVENT_VOLATILE));
    give(&trial, EVENT(1, RELEASE, M));
    give(&trial, EVENT(1, RELEASE, L));
    give(&trial, EVENT(2, ACQUIRE, N, .lock = DARN_EVENT_RDLOCK, .stack = 14));
    give(&trial, EVENT(2, READ, X + 4, .size = 4, .stack = 15));
    finish(&trial);
    assert_int_equal(trial.count, 1);
    race = trial.predictions;
    assert_int_equal(race->kind, DARN_PREDICTS_RACE);
    assert_int_equal(race->target, X + 4);
    assert_int_equal(race->count, 1);
    assert_int_equal(race->step_count, 2);
    assert_int_equal(race->steps[0].event.thread, 1);
    assert_int_equal(race->steps[0].event.kind, DARN_EVENT_WRITE);
    assert_int_equal(race->steps[0].event.target, X + 2);
    assert_int_equal(race->steps[0].event.size, 6);
    assert_int_equal(race->steps[0].event.stack, 13);
    assert_int_equal(race->steps[0].event.flags, DARN_EVENT_VOLATILE);
    assert_int_equal(race->steps[0].lock_count, 2);
    assert_int_equal(race->steps[0].locks[0].lock, L);
    assert_int_equal(race->steps[0].locks[0].stack, 11);
    assert_int_equal(race->steps[0].locks[1].lock, M);
    assert_int_equal(race->steps[1].event.thread, 2);
    assert_int_equal(race->steps[1].event.stack, 15);
    assert_int_equal(race->steps[1].lock_count, 1);
    assert_int_equal(race->steps[1].locks[0].kind, DARN_EVENT_RDLOCK);
    assert_int_equal(race->steps[1].locks[0].stack, 14);
    stop(&trial);
}

static void a_pair_that_races_a_thousand_times_is_one_prediction(void **state)
{
    struct trial trial = start(&darn_engine_hb, NULL);

    (void)state;
    for (uint32_t i = 0; i < 1000; i++) {
        give(&trial, ACCESS(1, WRITE, X + 8 * i));
        give(&trial, ACCESS(2, WRITE, X + 8 * i));
    }
    finish(&trial);
    assert_int_equal(trial.count, 1);
    assert_int_equal(trial.predictions->count, 1000);
    assert_int_equal(trial.engine->dynamic(trial.state), 1000);
    stop(&trial);
}

static void a_race_of_two_long_ranges_is_counted_once(void **state)
{
    struct trial trial = start(&darn_engine_hb, NULL);

    (void)state;
    give(&trial, EVENT(1, WRITE, X + 3, .size = 1 << 20));
    give(&trial, EVENT(2, READ, X + 7000, .size = 1 << 20));
    finish(&trial);
    assert_int_equal(trial.count, 1);
    assert_int_equal(trial.engine->dynamic(trial.state), 1);
    assert_int_equal(trial.predictions->target, X + 7000);
    stop(&trial);
}

static uint32_t tens(const void *context, uint32_t site)
{
    assert_non_null(context);
    return site - site % 10;
}

static void sites_of_one_place_are_one(void **state)
{
    struct darn_engine_config config = {.place_of = tens, .context = &config};
    struct trial trial = start(&darn_engine_hb, &config);

    (void)state;
    for (uint32_t i = 0; i < 20; i++) {
        give(&trial, at_site(100 + i, ACCESS(1, WRITE, X + 8 * i)));
        give(&trial, at_site(200 + i, ACCESS(2, WRITE, X + 8 * i)));
    }
    finish(&trial);
    assert_int_equal(trial.count, 2);
    assert_int_equal(trial.predictions[0].count, 10);
    assert_int_equal(trial.predictions[1].count, 10);
    stop(&trial);
}

static void unknown_sites_of_different_variables_stay_apart(void **state)
{
    struct trial trial = start(&darn_engine_hb, NULL);

    (void)state;
    for (int i = 0; i < 2; i++) {
        give(&trial, at_site(0, ACCESS(1, WRITE, X)));
        give(&trial, at_site(0, ACCESS(2, WRITE, X)));
        give(&trial, at_site(0, ACCESS(1, WRITE, Y)));
        give(&trial, at_site(0, ACCESS(2, WRITE, Y)));
    }
    finish(&trial);
    assert_int_equal(trial.count, 2);
    stop(&trial);
}

/* A thread for each request, some joined, some detached: all of them work on one table under a
 * lock. */
static struct trial serve(uint32_t threads, bool joined)
{
    struct trial trial = start(&darn_engine_hb, NULL);

    for (uint32_t thread = 1; thread <= threads; thread++) {
        give(&trial, EVENT(0, FORK, thread));
        give(&trial, EVENT(thread, START, 0));
        give(&trial, EVENT(thread, ACQUIRE, L));
        give(&trial, ACCESS(thread, UPDATE, X));
        give(&trial, EVENT(thread, RELEASE, L));
        give(&trial, ACCESS(thread, WRITE, Y + 8 * thread));
        give(&trial, EVENT(thread, EXIT, 0));
        if (joined)
            give(&trial, EVENT(0, JOIN, thread));
    }
    finish(&trial);
    return trial;
}

static void thousands_of_threads_cost_little_and_are_never_mixed_up(void **state)
{
    struct trial few = serve(1000, true), many = serve(11000, true), loose = serve(11000, false);
    size_t per_thread =
        (many.engine->cost(many.state).peak - few.engine->cost(few.state).peak) / 10000;

    (void)state;
    assert_int_equal(many.count, 0);
    assert_int_equal(many.engine->cost(many.state).dropped, 0);
    /* A line of the shadow memory and a page now and then, for what it wrote; a few words for its
     * number. */
    assert_in_range(per_thread, 64, 160);
    /* Nobody learns of the last write of a detached thread. */
    assert_int_equal(loose.count, 0);
    assert_true(loose.engine->cost(loose.state).dropped > 0);
    stop(&few);
    stop(&many);
    stop(&loose);
}

static void memory_is_bounded_by_live_variables(void **state)
{
    struct trial trial = start(&darn_engine_hb, NULL);
    size_t early = 0;

    (void)state;
    for (uint64_t i = 0; i < 200000; i++) {
        uint64_t block = UINT64_C(0x7f0000000000) + i * 64;

        give(&trial, EVENT(1, ALLOC, block, .extra = 64));
        give(&trial, ACCESS(1, WRITE, block));
        give(&trial, ACCESS(2, READ, block, .flags = DARN_EVENT_ATOMIC));
        give(&trial, EVENT(2, SEND, block + 8));
        give(&trial, EVENT(2, ARRIVE, block + 16));
        give(&trial, EVENT(1, FREE, block, .extra = 64));
        if (i == 20000)
            early = trial.engine->cost(trial.state).memory;
    }
    finish(&trial);
    assert_int_equal(trial.engine->cost(trial.state).memory, early);
    stop(&trial);
}

/* What comes after an end, until the memory has a new owner. */
static void ends_are_remembered(void **state)
{
    (void)state;
    assert_string_equal(lines_of(&darn_engine_hb, "ends.std"), "3-4 12-14 21-22 33-36");
}

static void a_piece_of_a_stack(struct trial *trial)
{
    struct darn_event end = EVENT(1, FREE, X, .extra = 64, .stack = 5);

    end.flags = (uint16_t)(DARN_EVENT_STAYS | darn_event_about(DARN_EVENT_IS_STACK));
    give(trial, EVENT(0, FORK, 1));
    give(trial, EVENT(0, FORK, 2));
    give(trial, EVENT(0, FORK, 3));
    give(trial, end);
    give(trial, EVENT(1, EXIT, 0));
}

static void after_a_stack(struct trial *trial)
{
    a_piece_of_a_stack(trial);
    give(trial, ACCESS(2, WRITE, X + 8));
}

static void on_the_next_stack(struct trial *trial)
{
    a_piece_of_a_stack(trial);
    give(trial, EVENT(3, START, 0));
    give(trial, EVENT(3, STACK, X - 64, .extra = 256));
    give(trial, ACCESS(3, WRITE, X + 8));
}

/* The stack of a thread that has ended is nobody's, until it is the next one's. */
static void the_end_of_a_stack_is_remembered_until_another_thread_has_it(void **state)
{
    (void)state;
    assert_int_equal(races_in(&darn_engine_hb, after_a_stack, NULL), 1);
    assert_int_equal(races_in(&darn_engine_hb, on_the_next_stack, NULL), 0);
}

static void files(struct trial *trial, bool again)
{
    struct darn_event use = EVENT(2, USE, DARN_EVENT_FILES | 0x30, .stack = 7);
    struct darn_event end =
        EVENT(1, DESTROY, DARN_EVENT_FILES | 0x30, .extra = 16, .stack = 8);

    use.flags = darn_event_about(DARN_EVENT_IS_DESCRIPTOR);
    end.flags = (uint16_t)(use.flags | DARN_EVENT_STAYS);
    give(trial, EVENT(0, FORK, 1));
    give(trial, EVENT(0, FORK, 2));
    give(trial, EVENT(0, FORK, 3));
    give(trial, end);
    end.thread = 3;
    give(trial, end); /* the number was another file's in between */
    if (again)
        give(trial, EVENT(2, ALLOC, DARN_EVENT_FILES | 0x30, .extra = 16));
    give(trial, use);
}

static void a_closed_file(struct trial *trial)
{
    files(trial, false);
}

static void a_file_of_the_same_number(struct trial *trial)
{
    files(trial, true);
}

static void a_file_that_is_closed_and_used_races_until_it_is_another(void **state)
{
    (void)state;
    assert_int_equal(races_in(&darn_engine_hb, a_closed_file, NULL), 1);
    assert_int_equal(races_in(&darn_engine_hb, a_file_of_the_same_number, NULL), 0);
}

/* Two uses, and a use and a write of the program's to the same bytes, are nobody's business. */
static void uses(struct trial *trial)
{
    give(trial, EVENT(0, FORK, 1));
    give(trial, EVENT(0, FORK, 2));
    give(trial, EVENT(1, SIGNAL, X));
    give(trial, EVENT(2, SIGNAL, X));
    give(trial, ACCESS(2, WRITE, X));
    give(trial, EVENT(1, SIGNAL, X));
    give(trial, EVENT(0, JOIN, 1));
    give(trial, EVENT(0, JOIN, 2));
    give(trial, EVENT(0, DESTROY, X, .extra = 48, .flags = DARN_EVENT_STAYS));
}

static void a_use_conflicts_with_an_end_alone(void **state)
{
    (void)state;
    assert_int_equal(races_in(&darn_engine_hb, uses, NULL), 0);
}

static struct random_trace trace;
static struct slow slow;

/* With a site for each event a prediction names two events. */
static void pairs_are_real(const struct trial *trial, uint64_t seed)
{
    for (size_t p = 0; p < trial->count; p++) {
        const struct darn_prediction *prediction = &trial->predictions[p];
        size_t i = prediction->steps[0].event.site - 1, j = prediction->steps[1].event.site - 1;
        const struct darn_event *first = &prediction->steps[0].event;

        if (!is_race_on(&slow, i, j, prediction->target) && !is_object_race(&slow, i, j))
            fail_msg("seed %llu: events %zu and %zu do not race", (unsigned long long)seed, i, j);
        assert_int_equal(first->thread, trace.events[i].thread);
        assert_int_equal(first->stack, trace.events[i].stack);
        if (!darn_event_is_access(first)) {
            assert_int_equal(first->kind == DARN_EVENT_USE, uses_object(&trace.events[i]));
            continue;
        }
        assert_int_equal(first->kind, trace.events[i].kind);
        assert_int_equal(first->target, trace.events[i].target);
        assert_int_equal(first->size, trace.events[i].size);
        assert_int_equal(first->flags, trace.events[i].flags & ~DARN_EVENT_GAPS);
        if (prediction->steps[1].event.kind != DARN_EVENT_USE)
            assert_memory_equal(&prediction->steps[1].event, &trace.events[j], sizeof(*first));
    }
}

/* For each byte, the first access that races there is found to race there. */
static void first_races_are_found(const struct trial *trial, uint64_t seed)
{
    for (uint64_t byte = TRACE_MEMORY; byte < TRACE_MEMORY + TRACE_BYTES; byte++) {
        size_t i = 0, j = 0;
        bool found = false;

        for (size_t at = 0; at < trace.count * trace.count && !found; at++) {
            i = at % trace.count;
            j = at / trace.count;
            found = i < j && is_race_on(&slow, i, j, byte);
        }
        if (!found)
            continue;
        found = false;
        for (size_t p = 0; p < trial->count && !found; p++)
            found = trial->predictions[p].steps[1].event.site == j + 1 &&
                    is_race_on(&slow, trial->predictions[p].steps[0].event.site - 1, j, byte);
        if (!found)
            fail_msg("seed %llu: the race of %zu and %zu is missed", (unsigned long long)seed, i,
                     j);
    }
}

static void compare(uint64_t seed, const struct darn_engine_config *config)
{
    struct trial trial = start(&darn_engine_hb, config);

    find_slowly(&slow, &trace, config, true);
    for (size_t j = 0, races = 0; j < trace.count; j++) {
        give(&trial, trace.events[j]);
        for (size_t i = 0; i < j; i++)
            races += slow.races[i][j];
        if ((races > 0) != (trial.engine->dynamic(trial.state) > 0))
            fail_msg("seed %llu: at event %zu, %zu races", (unsigned long long)seed, j, races);
    }
    finish(&trial);
    if (!trace.sites) {
        pairs_are_real(&trial, seed);
        first_races_are_found(&trial, seed);
    }
    stop(&trial);
}

static void races_are_those_of_the_slow_version(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < TRACES; seed++) {
        struct darn_engine_config config = {.ignore_sync = seed % 16 == 1,
                                            .ignore_atomic = seed % 16 == 2};

        make_trace_of(&trace, seed, seed % 2);
        compare(seed, &config);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figure_1_of_racefuzzer_has_one_race_in_this_order),
        cmocka_unit_test(figure_2_of_racefuzzer_is_missed_when_the_lock_orders_it),
        cmocka_unit_test(neighbours_in_a_granule_never_race),
        cmocka_unit_test(memory_that_was_freed_has_no_past),
        cmocka_unit_test(a_free_is_a_write_of_the_block),
        cmocka_unit_test(ends_are_remembered),
        cmocka_unit_test(the_end_of_a_stack_is_remembered_until_another_thread_has_it),
        cmocka_unit_test(a_file_that_is_closed_and_used_races_until_it_is_another),
        cmocka_unit_test(a_use_conflicts_with_an_end_alone),
        cmocka_unit_test(both_sides_are_named_with_their_locks),
        cmocka_unit_test(a_pair_that_races_a_thousand_times_is_one_prediction),
        cmocka_unit_test(a_race_of_two_long_ranges_is_counted_once),
        cmocka_unit_test(sites_of_one_place_are_one),
        cmocka_unit_test(unknown_sites_of_different_variables_stay_apart),
        cmocka_unit_test(thousands_of_threads_cost_little_and_are_never_mixed_up),
        cmocka_unit_test(memory_is_bounded_by_live_variables),
        cmocka_unit_test(races_are_those_of_the_slow_version),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
