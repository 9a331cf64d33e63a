/* The multilockset engine gives the same answers as Wang & Stoller's figure 3, done slowly, and its
 * memory is bounded. */
#include "slow_locksets.h"

#define TRACES 6000

#define X UINT64_C(0x1000)
#define L UINT64_C(0x8000)

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
        cmocka_unit_test(the_reports_are_those_of_the_slow_version),
        cmocka_unit_test(the_reports_on_many_phases_are_those_of_the_slow_version),
        cmocka_unit_test(memory_does_not_grow_with_the_number_of_phases),
        cmocka_unit_test(memory_does_not_grow_with_the_length_of_a_phase),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
