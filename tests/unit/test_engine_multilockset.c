/* The multilockset engine: Wang & Stoller's examples, phases and escape, and the same answers as
 * the slow version on thousands of random traces. */
#include "slow_locksets.h"

#define TRACES 6000

#define X UINT64_C(0x1000)
#define L UINT64_C(0x8000)
#define M UINT64_C(0x8040)
#define N UINT64_C(0x8080)

static size_t races(const struct darn_event *events, size_t count)
{
    struct trial trial = start(&darn_engine_multilockset, NULL);
    size_t found;

    for (size_t i = 0; i < count; i++)
        give(&trial, events[i]);
    finish(&trial);
    found = trial.count;
    stop(&trial);
    return found;
}

#define RACES(...)                                                                                 \
    races((struct darn_event[]){__VA_ARGS__},                                                      \
          sizeof((struct darn_event[]){__VA_ARGS__}) / sizeof(struct darn_event))

#define LOCKED(who, what, which)                                                                   \
    EVENT(who, ACQUIRE, which), ACCESS(who, what, X), EVENT(who, RELEASE, which)

/* In the order t3, t2, t1: all pairs of accesses have a lock in common. */
static void figure_4_of_wang_and_stoller_has_no_race(void **state)
{
    (void)state;
    assert_string_equal(lines_of(&darn_engine_multilockset, "wang-stoller-figure4-t3-t2-t1.std"),
                        "");
}

/* In the order t3, t2, t4: the paper calls this one a false alarm, and makes it, too. */
static void figure_4_of_wang_and_stoller_has_its_false_alarm(void **state)
{
    (void)state;
    assert_string_equal(lines_of(&darn_engine_multilockset, "wang-stoller-figure4-t3-t2-t4.std"),
                        "21-43");
}

static void a_race_with_the_last_access_of_the_first_thread_is_found(void **state)
{
    (void)state;
    assert_string_equal(lines_of(&darn_engine_multilockset, "wang-stoller-second-thread-late.std"),
                        "10-20");
}

/* a and c are in order; b is written by both in concurrent periods. */
static void only_concurrent_periods_of_figure_2_race(void **state)
{
    (void)state;
    assert_string_equal(lines_of(&darn_engine_multilockset, "wang-stoller-figure2.std"), "4-11");
}

static void a_result_that_is_read_after_all_joins_is_never_reported(void **state)
{
    (void)state;
    assert_string_equal(lines_of(&darn_engine_multilockset, "letko-join.std"), "");
    assert_string_equal(lines_of(&darn_engine_multilockset, "letko-owner.std"), "");
}

static void locked_counter_is_never_reported(void **state)
{
    (void)state;
    assert_int_equal(RACES(ACCESS(0, WRITE, X), EVENT(0, FORK, 1), EVENT(0, FORK, 2),
                           LOCKED(1, WRITE, L), LOCKED(2, WRITE, L), LOCKED(0, READ, L)),
                     0);
}

static void an_unlocked_counter_is_reported(void **state)
{
    (void)state;
    assert_int_equal(RACES(ACCESS(0, WRITE, X), EVENT(0, FORK, 1), EVENT(0, FORK, 2),
                           LOCKED(1, WRITE, L), ACCESS(2, WRITE, X)),
                     1);
}

/* A thread that was there before: it is concurrent with what was set up before the others. */
static void a_late_comer_races_with_what_an_older_phase_did(void **state)
{
    (void)state;
    assert_int_equal(RACES(EVENT(0, FORK, 1), ACCESS(0, WRITE, X), EVENT(0, FORK, 2),
                           LOCKED(2, WRITE, L), LOCKED(1, WRITE, L)),
                     1);
    assert_int_equal(RACES(EVENT(0, FORK, 1), LOCKED(0, WRITE, L), EVENT(0, FORK, 2),
                           LOCKED(2, WRITE, L), LOCKED(1, WRITE, L)),
                     0);
}

/* Thread 1's write has a lock in common with the other write, but not with the read before it. */
static void a_late_comer_races_with_what_an_older_phase_only_read(void **state)
{
    (void)state;
    assert_int_equal(RACES(EVENT(0, FORK, 1), ACCESS(0, READ, X), EVENT(0, FORK, 2),
                           LOCKED(2, WRITE, L), LOCKED(1, WRITE, L)),
                     1);
    assert_int_equal(RACES(EVENT(0, FORK, 1), ACCESS(0, WRITE, X), EVENT(0, FORK, 2),
                           LOCKED(2, READ, L), LOCKED(1, READ, L)),
                     1);
}

/* The first read says no more than the second one, and may be forgotten; the write between them may
 * not. */
static void an_older_phase_stays_when_an_even_older_one_goes(void **state)
{
    (void)state;
    assert_int_equal(RACES(EVENT(0, FORK, 9), ACCESS(0, READ, X), EVENT(0, FORK, 1),
                           LOCKED(0, WRITE, L), EVENT(0, FORK, 2), ACCESS(0, READ, X),
                           EVENT(0, FORK, 3), LOCKED(0, READ, M), EVENT(0, FORK, 4),
                           LOCKED(0, READ, N), ACCESS(9, READ, X)),
                     1);
}

static void what_barriers_separate_is_never_reported(void **state)
{
    const uint64_t barrier = 0x4000;

    (void)state;
    assert_int_equal(
        RACES(ACCESS(1, WRITE, X), EVENT(1, ARRIVE, barrier), EVENT(2, ARRIVE, barrier),
              EVENT(1, DEPART, barrier), EVENT(2, DEPART, barrier), ACCESS(2, READ, X),
              ACCESS(1, READ, X), EVENT(1, ARRIVE, barrier), EVENT(2, ARRIVE, barrier),
              EVENT(2, DEPART, barrier), EVENT(1, DEPART, barrier), ACCESS(2, WRITE, X)),
        0);
}

static void what_a_thread_does_with_its_own_new_block_does_not_count(void **state)
{
    (void)state;
    assert_int_equal(RACES(EVENT(1, ALLOC, X - 8, .extra = 64), ACCESS(1, WRITE, X),
                           LOCKED(2, WRITE, L), LOCKED(1, WRITE, L)),
                     0);
    assert_int_equal(RACES(ACCESS(1, WRITE, X), LOCKED(2, WRITE, L), LOCKED(1, WRITE, L)), 1);
    assert_int_equal(RACES(EVENT(3, ALLOC, X - 8, .extra = 64), ACCESS(1, WRITE, X),
                           LOCKED(2, WRITE, L), LOCKED(1, WRITE, L)),
                     1);
}

static void a_block_that_has_escaped_stays_so(void **state)
{
    (void)state;
    assert_int_equal(RACES(EVENT(1, ALLOC, X, .extra = 8), ACCESS(1, WRITE, X), ACCESS(2, READ, X),
                           ACCESS(1, WRITE, X)),
                     1);
}

static void readers_and_writers_of_a_read_write_lock_are_never_reported(void **state)
{
    (void)state;
    assert_int_equal(RACES(EVENT(1, ACQUIRE, L, .lock = DARN_EVENT_RDLOCK), ACCESS(1, READ, X),
                           EVENT(1, RELEASE, L), EVENT(2, ACQUIRE, L, .lock = DARN_EVENT_WRLOCK),
                           ACCESS(2, WRITE, X), EVENT(2, RELEASE, L)),
                     0);
}

static void writes_under_a_lock_that_is_held_for_reading_are_reported(void **state)
{
    (void)state;
    assert_int_equal(RACES(EVENT(1, ACQUIRE, L, .lock = DARN_EVENT_RDLOCK), ACCESS(1, WRITE, X),
                           EVENT(1, RELEASE, L), EVENT(2, ACQUIRE, L, .lock = DARN_EVENT_RDLOCK),
                           ACCESS(2, WRITE, X), EVENT(2, RELEASE, L)),
                     1);
}

/* Each two have a lock in common, all three have none: WriteSet is empty, as the paper has it. */
static void three_writers_with_three_locks_are_a_false_alarm(void **state)
{
    (void)state;
    assert_int_equal(RACES(EVENT(1, ACQUIRE, L), LOCKED(1, WRITE, M), EVENT(1, RELEASE, L),
                           EVENT(2, ACQUIRE, M), LOCKED(2, WRITE, N), EVENT(2, RELEASE, M),
                           EVENT(3, ACQUIRE, N), LOCKED(3, WRITE, L), EVENT(3, RELEASE, N)),
                     1);
}

static void memory_that_is_allocated_anew_has_no_past(void **state)
{
    (void)state;
    assert_int_equal(RACES(ACCESS(0, WRITE, X), EVENT(1, FREE, X, .extra = 16),
                           EVENT(1, ALLOC, X, .extra = 16), ACCESS(2, WRITE, X)),
                     0);
}

static void both_sides_are_named_with_their_locks(void **state)
{
    struct trial trial = start(&darn_engine_multilockset, NULL);
    uint32_t lock, first, second;

    (void)state;
    lock = __LINE__ + 1;
    give(&trial, EVENT(1, ACQUIRE, L, .stack = 77));
    first = __LINE__ + 1;
    give(&trial, ACCESS(1, WRITE, X, .stack = 78));
    give(&trial, EVENT(1, RELEASE, L));
    second = __LINE__ + 1;
    give(&trial, ACCESS(2, READ, X));
    finish(&trial);
    assert_int_equal(trial.count, 1);
    assert_true(names_pair(&trial, first, second));
    assert_int_equal(trial.predictions[0].target, X);
    assert_int_equal(trial.predictions[0].steps[0].event.thread, 1);
    assert_int_equal(trial.predictions[0].steps[0].event.stack, 78);
    assert_int_equal(trial.predictions[0].steps[0].lock_count, 1);
    assert_int_equal(trial.predictions[0].steps[0].locks[0].lock, L);
    assert_int_equal(trial.predictions[0].steps[0].locks[0].site, lock);
    assert_int_equal(trial.predictions[0].steps[0].locks[0].stack, 77);
    assert_int_equal(trial.predictions[0].steps[1].event.thread, 2);
    assert_int_equal(trial.predictions[0].steps[1].lock_count, 0);
    stop(&trial);
}

/* Sets of locks as bits: shared is 1, exclusive is 3, at the place of a lock. Subsets and
 * intersections are then those of the bits. */
static uint32_t bits_at(const struct slow *slow, size_t at)
{
    uint32_t locks = locks_at(slow, at);

    return locks | (locks >> 1 & 0x55555555u);
}

static bool keep_apart(uint32_t a, uint32_t b)
{
    return a & b & 0x55555555u & (a | b) >> 1;
}

struct variable {
    size_t accesses[TRACE_EVENTS];
    bool reported[TRACE_EVENTS]; /* a race at this access */
    size_t count;
    bool own;
    uint32_t owner;
    bool racy, pair, plain; /* ever */
};

/* Figure 3 for some accesses in a row, with nothing left out and no set made smaller. */
static bool figure_3(const struct slow *slow, const size_t *accesses, size_t count)
{
    uint32_t write_set = UINT32_MAX;
    bool writes_meet = false, reads_meet = false;

    for (size_t j = 0; j < count; j++) {
        bool writes = darn_event_writes(&slow->events[accesses[j]]);

        if (writes)
            write_set &= bits_at(slow, accesses[j]);
        for (size_t i = 0; i < j; i++) {
            bool other_writes = darn_event_writes(&slow->events[accesses[i]]);

            if (happens_before(slow, accesses[i], accesses[j]))
                continue;
            writes_meet |= writes && other_writes;
            reads_meet |= writes != other_writes;
        }
    }
    if (writes_meet && !(write_set & 0xaaaaaaaau))
        return true;
    for (size_t j = 0; j < count && reads_meet; j++) {
        if (!darn_event_writes(&slow->events[accesses[j]]) &&
            !keep_apart(bits_at(slow, accesses[j]), write_set))
            return true;
    }
    return false;
}

/* The last phase begins at the last access of which it and all that follow happen after all
 * before it. */
static size_t last_phase(const struct slow *slow, const struct variable *variable)
{
    for (size_t start = variable->count - 1; start > 0; start--) {
        bool cut = true;

        for (size_t i = 0; i < start; i++) {
            for (size_t j = start; j < variable->count; j++)
                cut &= happens_before(slow, variable->accesses[i], variable->accesses[j]);
        }
        if (cut)
            return start;
    }
    return 0;
}

static bool allocated_by(const struct slow *slow, size_t at, uint64_t byte, uint32_t *thread)
{
    while (at-- > 0) {
        if (renews(&slow->events[at], byte)) {
            *thread = slow->events[at].thread;
            return slow->events[at].kind == DARN_EVENT_ALLOC;
        }
    }
    return false;
}

static bool is_pair(const struct slow *slow, size_t i, size_t j)
{
    return (darn_event_writes(&slow->events[i]) || darn_event_writes(&slow->events[j])) &&
           !happens_before(slow, i, j) && !keep_apart(bits_at(slow, i), bits_at(slow, j));
}

static bool has_escaped(const struct slow *slow, struct variable *variable, size_t at,
                        uint64_t byte)
{
    uint32_t thread = slow->events[at].thread;

    if (!variable->count && !variable->own)
        variable->own = allocated_by(slow, at, byte, &variable->owner) && variable->owner == thread;
    else if (variable->own && variable->owner != thread)
        variable->own = false;
    return !variable->own;
}

/* Whether the byte is reported at event `at`. */
static bool slow_multilockset(const struct slow *slow, struct variable *variable, size_t at,
                              uint64_t byte)
{
    size_t start;

    if (renews(&slow->events[at], byte))
        *variable = (struct variable){.count = 0};
    if (!counts(slow, at, byte) || !has_escaped(slow, variable, at, byte))
        return false;
    for (size_t i = 0; i < variable->count; i++)
        variable->pair |= is_pair(slow, variable->accesses[i], at);
    variable->reported[variable->count] = false;
    variable->accesses[variable->count++] = at;
    variable->plain |= figure_3(slow, variable->accesses, variable->count);
    start = last_phase(slow, variable);
    if (!figure_3(slow, variable->accesses + start, variable->count - start))
        return false;
    variable->racy = true;
    for (size_t i = start; i < variable->count; i++) {
        if (variable->reported[i])
            return false;
    }
    variable->reported[variable->count - 1] = true;
    return true;
}

static struct random_trace trace;
static struct slow slow;

/* The block that overlaps with this one and was not freed before event `at`. */
static struct darn_event *block_in_the_way(const struct darn_event *event, size_t at)
{
    for (size_t i = 0; i < at; i++) {
        struct darn_event *other = &trace.events[i];
        bool live = other->kind == DARN_EVENT_ALLOC &&
                    other->target < event->target + event->extra &&
                    event->target < other->target + other->extra;

        for (size_t j = i; j < at; j++)
            live &=
                trace.events[j].kind != DARN_EVENT_FREE || trace.events[j].target != other->target;
        if (live)
            return other;
    }
    return NULL;
}

/* Blocks do not overlap, nobody runs over the end of one, and what is freed was allocated. */
static void make_blocks_sound(void)
{
    for (size_t j = 0; j < trace.count; j++) {
        struct darn_event *event = &trace.events[j], *block;

        if (event->kind != DARN_EVENT_ALLOC && event->kind != DARN_EVENT_FREE)
            continue;
        event->extra = (event->extra + event->target % 8 + 7) / 8 * 8;
        event->target -= event->target % 8;
        block = block_in_the_way(event, j);
        if ((event->kind == DARN_EVENT_ALLOC) == (block != NULL))
            event->kind = DARN_EVENT_NONE;
        if (event->kind == DARN_EVENT_FREE) {
            event->target = block->target;
            event->extra = block->extra;
        }
    }
}

static struct variable variables[TRACE_BYTES];

static size_t compare(uint64_t seed, const struct darn_engine_config *config)
{
    struct trial trial = start(&darn_engine_multilockset, config);
    size_t reports = 0;

    memset(variables, 0, sizeof(variables));
    slow_open(&slow, &trace, config);
    slow_periods(&slow);
    for (size_t j = 0; j < trace.count; j++) {
        uint64_t before = trial.engine->dynamic(trial.state);
        bool expected = false;

        for (uint32_t i = 0; i < TRACE_BYTES; i++) {
            expected |= slow_multilockset(&slow, &variables[i], j, TRACE_MEMORY + i);
            /* What races is in one phase, and phases only take alarms away. */
            assert_true(!variables[i].pair || variables[i].racy);
            assert_true(!variables[i].racy || variables[i].plain);
        }
        give(&trial, trace.events[j]);
        if (expected != (trial.engine->dynamic(trial.state) > before))
            fail_msg("seed %llu, event %zu: %s", (unsigned long long)seed, j,
                     expected ? "missed" : "false");
        reports += expected;
    }
    check_predictions(&slow, &trace, &trial);
    assert_int_equal(trial.engine->cost(trial.state).dropped, 0);
    stop(&trial);
    return reports;
}

/* Two variables, each with a lock, and threads that come and go: older phases are what this is
 * about. How often the locks are forgotten is drawn for each trace: a phase that has a race is over
 * for us, but without any there is nothing to find. */
static void make_dense_trace(uint64_t seed)
{
    static const enum step steps[] = {STEP_LOCK, STEP_UNLOCK, STEP_FORK, STEP_JOIN, STEP_ARRIVE};
    uint32_t careless, accesses, kinds;

    trace = (struct random_trace){
        .seed = (seed + 1) * UINT64_C(0x9e3779b97f4a7c15), .parties = 2, .thread_count = 1};
    trace.threads[0].doing = RUNNING;
    careless = 1 + draw(&trace, 30);
    accesses = 1 + draw(&trace, 6);
    kinds = 4 + draw(&trace, 2);
    for (uint32_t tries = 0; trace.count < 60 && tries < 2000; tries++) {
        uint32_t thread = draw(&trace, trace.thread_count), which = draw(&trace, 2);
        uint32_t step = draw(&trace, kinds + accesses);

        if (trace.threads[thread].doing != RUNNING) {
            go_on(&trace, thread);
        } else if (step < kinds) {
            run(&trace, thread, steps[step]);
        } else if (trace.holder[which] == thread + 1 || !draw(&trace, careless)) {
            uint8_t kind = draw(&trace, 2) ? DARN_EVENT_READ : DARN_EVENT_WRITE;

            emit(&trace, thread, kind, TRACE_MEMORY + 4 + 8 * which)->size = 8;
        }
    }
}

static void the_reports_on_many_phases_are_those_of_the_slow_version(void **state)
{
    static const struct darn_engine_config config;
    size_t reports = 0;

    (void)state;
    for (uint64_t seed = 0; seed < 2 * TRACES; seed++) {
        make_dense_trace(seed);
        reports += compare(seed, &config);
    }
    assert_true(reports > TRACES / 2);
}

static void the_reports_are_those_of_the_slow_version(void **state)
{
    size_t reports = 0;

    (void)state;
    for (uint64_t seed = 0; seed < TRACES; seed++) {
        struct darn_engine_config config = {.ignore_sync = seed % 16 == 1,
                                            .ignore_atomic = seed % 16 == 2};

        make_trace(&trace, seed);
        make_blocks_sound();
        reports += compare(seed, &config);
    }
    assert_true(reports > TRACES);
}

/* A barrier a hundred thousand times, with a phase for each that writes and each that reads. */
static void memory_does_not_grow_with_the_number_of_phases(void **state)
{
    struct trial trial = start(&darn_engine_multilockset, NULL);
    const uint64_t barrier = 0x4000;
    size_t memory = 0;

    (void)state;
    for (uint32_t round = 0; round < 100000; round++) {
        uint32_t writer = round % 3;

        for (uint64_t at = 0; at < 64; at += 8) {
            give(&trial, ACCESS(writer, WRITE, X + at));
            give(&trial, ACCESS(writer, READ, X + at));
        }
        for (uint32_t half = 0; half < 2; half++) {
            for (uint32_t i = 0; i < 3; i++)
                give(&trial, EVENT(i, ARRIVE, barrier));
            for (uint32_t i = 0; i < 3; i++)
                give(&trial, EVENT(i, DEPART, barrier));
            for (uint32_t i = 0; i < 3 && !half; i++)
                give(&trial, ACCESS(i, READ, X + 8 * i));
        }
        if (round == 1000)
            memory = trial.engine->cost(trial.state).memory;
    }
    finish(&trial);
    assert_int_equal(trial.count, 0);
    assert_true(trial.engine->cost(trial.state).memory < memory + 50000);
    stop(&trial);
}

/* One phase of forty thousand periods: thread 1 is concurrent with all that thread 0 does. */
static void memory_does_not_grow_with_the_length_of_a_phase(void **state)
{
    struct trial trial = start(&darn_engine_multilockset, NULL);
    size_t memory = 0;

    (void)state;
    give(&trial, EVENT(0, FORK, 1));
    for (uint32_t i = 0; i < 40000; i++) {
        give(&trial, EVENT(1, ACQUIRE, L));
        give(&trial, ((struct darn_event){.thread = 1,
                                          .kind = i % 2 ? DARN_EVENT_READ : DARN_EVENT_WRITE,
                                          .target = X,
                                          .size = 4}));
        give(&trial, EVENT(1, RELEASE, L));
        give(&trial, EVENT(0, ACQUIRE, L));
        give(&trial, ((struct darn_event){.thread = 0,
                                          .kind = i % 2 ? DARN_EVENT_WRITE : DARN_EVENT_READ,
                                          .target = X,
                                          .size = 4}));
        give(&trial, EVENT(0, RELEASE, L));
        give(&trial, EVENT(0, FORK, i % 100 + 2));
        give(&trial, EVENT(0, JOIN, i % 100 + 2));
        if (i == 20000)
            memory = trial.engine->cost(trial.state).memory;
    }
    finish(&trial);
    assert_int_equal(trial.count, 0);
    /* Each fork takes eight bytes to remember whose periods were whose. */
    assert_true(trial.engine->cost(trial.state).memory < memory + 500000);
    stop(&trial);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figure_4_of_wang_and_stoller_has_no_race),
        cmocka_unit_test(figure_4_of_wang_and_stoller_has_its_false_alarm),
        cmocka_unit_test(a_race_with_the_last_access_of_the_first_thread_is_found),
        cmocka_unit_test(only_concurrent_periods_of_figure_2_race),
        cmocka_unit_test(a_result_that_is_read_after_all_joins_is_never_reported),
        cmocka_unit_test(locked_counter_is_never_reported),
        cmocka_unit_test(an_unlocked_counter_is_reported),
        cmocka_unit_test(a_late_comer_races_with_what_an_older_phase_did),
        cmocka_unit_test(a_late_comer_races_with_what_an_older_phase_only_read),
        cmocka_unit_test(an_older_phase_stays_when_an_even_older_one_goes),
        cmocka_unit_test(what_barriers_separate_is_never_reported),
        cmocka_unit_test(what_a_thread_does_with_its_own_new_block_does_not_count),
        cmocka_unit_test(a_block_that_has_escaped_stays_so),
        cmocka_unit_test(readers_and_writers_of_a_read_write_lock_are_never_reported),
        cmocka_unit_test(writes_under_a_lock_that_is_held_for_reading_are_reported),
        cmocka_unit_test(three_writers_with_three_locks_are_a_false_alarm),
        cmocka_unit_test(memory_that_is_allocated_anew_has_no_past),
        cmocka_unit_test(both_sides_are_named_with_their_locks),
        cmocka_unit_test(the_reports_are_those_of_the_slow_version),
        cmocka_unit_test(the_reports_on_many_phases_are_those_of_the_slow_version),
        cmocka_unit_test(memory_does_not_grow_with_the_number_of_phases),
        cmocka_unit_test(memory_does_not_grow_with_the_length_of_a_phase),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
