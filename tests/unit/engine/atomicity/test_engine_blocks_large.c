/*
 * The atomicity engines on long traces: a generator of what programs do, over and over. With
 * DARN_LARGE=10000000 in the environment it makes so many events and prints what they cost.
 */
#include "engine_fixture.h"

#include <time.h>

#define THREADS 8
#define BUCKETS 512
#define NODES   4 /* in a bucket, at most */

struct generator {
    struct trial *trial;
    uint64_t seed, count;
    uint64_t block[THREADS]; /* the thread's own */
    uint64_t next_block;
};

static uint32_t draw(struct generator *generator, uint32_t below)
{
    generator->seed ^= generator->seed << 13;
    generator->seed ^= generator->seed >> 7;
    generator->seed ^= generator->seed << 17;
    return (uint32_t)((generator->seed >> 20) % below);
}

static void emit(struct generator *generator, uint32_t thread, uint8_t kind, uint64_t target,
                 uint32_t site)
{
    struct darn_event event = {
        .thread = thread, .kind = kind, .target = target, .site = site, .size = 8, .extra = 64};

    generator->count++;
    generator->trial->engine->event(generator->trial->state, &event);
}

#define DO(kind, target, site) emit(generator, thread, DARN_EVENT_##kind, (target), (site))

static uint64_t bucket_at(uint32_t bucket)
{
    return UINT64_C(0x100000) + 64 * (uint64_t)bucket;
}

static uint64_t node_at(uint32_t bucket, uint32_t node)
{
    return UINT64_C(0x800000) + 64 * ((uint64_t)bucket * NODES + node);
}

/* Few buckets have most of the accesses. */
static uint32_t draw_bucket(struct generator *generator)
{
    uint32_t bits = draw(generator, 10);

    return draw(generator, 1u << bits) % BUCKETS;
}

static void table_get(struct generator *generator, uint32_t thread)
{
    uint32_t bucket = draw_bucket(generator), length = 1 + draw(generator, NODES);

    DO(BEGIN, 0, 100);
    DO(ACQUIRE, bucket_at(bucket) + 8, 101);
    DO(READ, bucket_at(bucket), 102);
    for (uint32_t i = 0; i < length; i++) {
        DO(READ, node_at(bucket, i), 103);
        DO(READ, node_at(bucket, i) + 8, 104);
    }
    DO(READ, node_at(bucket, length - 1) + 16, 105);
    DO(RELEASE, bucket_at(bucket) + 8, 106);
    DO(END, 0, 100);
}

static void table_put(struct generator *generator, uint32_t thread)
{
    uint32_t bucket = draw_bucket(generator);

    DO(BEGIN, 0, 110);
    DO(ACQUIRE, bucket_at(bucket) + 8, 111);
    DO(READ, bucket_at(bucket), 112);
    DO(READ, node_at(bucket, 0), 113);
    DO(WRITE, node_at(bucket, 0) + 16, 114);
    DO(RELEASE, bucket_at(bucket) + 8, 115);
    DO(ACQUIRE, 0x5000, 116);
    DO(READ, 0x5008, 117);
    DO(WRITE, 0x5008, 118);
    DO(RELEASE, 0x5000, 119);
    DO(END, 0, 110);
}

/* Two sections where one should be: the bug. */
static void counter_add(struct generator *generator, uint32_t thread)
{
    DO(BEGIN, 0, 120);
    DO(ACQUIRE, 0x6000, 121);
    DO(READ, 0x6008, 122);
    DO(RELEASE, 0x6000, 123);
    DO(ACQUIRE, 0x6000, 124);
    DO(WRITE, 0x6008, 125);
    DO(RELEASE, 0x6000, 126);
    DO(END, 0, 120);
}

/* A message that is made, handed over and freed by the next thread. */
static void message(struct generator *generator, uint32_t thread)
{
    uint64_t block = UINT64_C(0x4000000) + 64 * (generator->next_block++ % 4096);
    uint32_t other = (thread + 1) % THREADS;

    DO(ALLOC, block, 130);
    for (uint64_t i = 0; i < 64; i += 8)
        DO(WRITE, block + i, 131);
    DO(ACQUIRE, 0x7000, 132);
    DO(WRITE, 0x7008, 133);
    DO(RELEASE, 0x7000, 134);
    thread = other;
    DO(ACQUIRE, 0x7000, 135);
    DO(READ, 0x7008, 136);
    DO(RELEASE, 0x7000, 137);
    DO(BEGIN, 0, 138);
    for (uint64_t i = 0; i < 64; i += 8)
        DO(READ, block + i, 139);
    DO(END, 0, 138);
    DO(FREE, block, 140);
}

/* A loop over memory of its own. */
static void compute(struct generator *generator, uint32_t thread)
{
    uint64_t own = UINT64_C(0x2000000) + 4096 * (uint64_t)thread;

    DO(BEGIN, 0, 150);
    for (uint64_t i = 0; i < 64; i++) {
        DO(READ, own + 8 * i, 151);
        DO(WRITE, own + 8 * i, 152);
    }
    DO(END, 0, 150);
}

static void all_meet(struct generator *generator)
{
    for (uint32_t thread = 0; thread < THREADS; thread++)
        DO(ARRIVE, 0x8000, 160);
    for (uint32_t thread = 0; thread < THREADS; thread++)
        DO(DEPART, 0x8000, 161);
}

static void generate(struct generator *generator, uint64_t events, bool barriers)
{
    uint64_t until = generator->count + events, round = 0;

    while (generator->count < until) {
        uint32_t thread = draw(generator, THREADS), choice = draw(generator, 32);

        if (choice < 16)
            table_get(generator, thread);
        else if (choice < 24)
            table_put(generator, thread);
        else if (choice < 26)
            counter_add(generator, thread);
        else if (choice < 29)
            message(generator, thread);
        else
            compute(generator, thread);
        if (barriers && ++round % 2000 == 0)
            all_meet(generator);
    }
}

static void begin_threads(struct generator *generator)
{
    for (uint32_t thread = 1; thread < THREADS; thread++)
        emit(generator, 0, DARN_EVENT_FORK, thread, 1);
}

static uint64_t wanted(uint64_t otherwise)
{
    const char *text = getenv("DARN_LARGE");

    return text ? strtoull(text, NULL, 10) : otherwise;
}

static void run(const struct darn_engine *engine, bool barriers)
{
    struct trial trial = start(engine, NULL);
    struct generator generator = {.trial = &trial, .seed = 88172645463325252ull};
    uint64_t events = wanted(200000);
    struct darn_engine_fact facts[DARN_ENGINE_FACTS];
    clock_t begun = clock();
    size_t half, count;

    begin_threads(&generator);
    generate(&generator, events / 2, barriers);
    half = trial.engine->cost(trial.state).memory;
    generate(&generator, events / 2, barriers);
    if (getenv("DARN_LARGE"))
        printf("%s%s: %.2f s before the end, memory %zu then %zu kB\n", engine->name,
               barriers ? ", barriers" : "", (double)(clock() - begun) / CLOCKS_PER_SEC,
               half / 1024, trial.engine->cost(trial.state).memory / 1024);
    /* What there is to know has been seen; messages come and go. */
    assert_true(trial.engine->cost(trial.state).memory < 2 * half);
    finish(&trial);
    if (getenv("DARN_LARGE")) {
        printf("  %.2f s for %llu events, %zu findings, peak %zu kB\n",
               (double)(clock() - begun) / CLOCKS_PER_SEC, (unsigned long long)generator.count,
               trial.count, trial.engine->cost(trial.state).peak / 1024);
        count = engine->facts(trial.state, facts);
        for (size_t i = 0; i < count; i++)
            printf("  %llu %s\n", (unsigned long long)facts[i].value, facts[i].text);
    }
    assert_true(trial.count > 0);
    stop(&trial);
}

static void blocks_keeps_what_is_distinct(void **state)
{
    (void)state;
    run(&darn_engine_blocks, false);
}

static void blocks_keeps_what_is_distinct_between_barriers(void **state)
{
    (void)state;
    run(&darn_engine_blocks, true);
}

static void reduction_keeps_what_is_distinct(void **state)
{
    (void)state;
    run(&darn_engine_reduction, false);
}

static void reduction_online_keeps_what_is_distinct(void **state)
{
    (void)state;
    run(&darn_engine_reduction_online, true);
}

static void meet(struct trial *trial)
{
    for (uint32_t thread = 0; thread < 2; thread++)
        give(trial, EVENT(thread, ARRIVE, 0x8000));
    for (uint32_t thread = 0; thread < 2; thread++)
        give(trial, EVENT(thread, DEPART, 0x8000));
}

/* A transaction of many places: many blocks, and new ones after each barrier. */
static void work_on(struct trial *trial, uint32_t thread)
{
    give(trial, EVENT(thread, BEGIN, 0));
    for (uint32_t i = 0; i < 20; i++)
        give(trial, at_site(1000 + i, ACCESS(thread, WRITE, 0x10000 + 0x1000 * thread + 8 * i)));
    give(trial, EVENT(thread, END, 0));
}

/* What is past is checked before it goes, and does not take memory any more. */
static void memory_does_not_grow_with_the_number_of_barriers(void **state)
{
    struct trial trial = start(&darn_engine_blocks, NULL);
    size_t memory = 0;

    (void)state;
    give(&trial, EVENT(0, FORK, 1));
    give(&trial, EVENT(0, BEGIN, 0));
    give(&trial, at_site(1, ACCESS(0, READ, 0x50)));
    give(&trial, at_site(2, ACCESS(0, WRITE, 0x50)));
    give(&trial, EVENT(0, END, 0));
    give(&trial, at_site(3, ACCESS(1, WRITE, 0x50)));
    for (uint32_t round = 0; round < 500; round++) {
        meet(&trial);
        work_on(&trial, 0);
        work_on(&trial, 1);
        if (round == 100)
            memory = trial.engine->cost(trial.state).memory;
    }
    assert_true(trial.engine->cost(trial.state).memory < memory + memory / 2);
    finish(&trial);
    assert_int_equal(trial.count, 1);
    assert_int_equal(trial.predictions[0].steps[0].event.site, 1);
    assert_int_equal(trial.predictions[0].steps[1].event.site, 3);
    assert_int_equal(trial.predictions[0].steps[2].event.site, 2);
    stop(&trial);
}

/* A bound on the blocks: those that are past make room for others, and what was turned away is
 * said. */
static void blocks_that_are_past_make_room(void **state)
{
    struct darn_engine_config config = {.block_count = 250};
    struct trial trial = start(&darn_engine_blocks, &config);

    (void)state;
    give(&trial, EVENT(0, FORK, 1));
    for (uint32_t round = 0; round < 100; round++) {
        meet(&trial);
        work_on(&trial, 0);
        work_on(&trial, 1);
    }
    assert_true(trial.engine->cost(trial.state).memory < 2000000);
    meet(&trial);
    meet(&trial);
    for (uint32_t thread = 0; thread < 2; thread++) {
        give(&trial, EVENT(thread, BEGIN, 0));
        give(&trial, at_site(1 + thread, ACCESS(thread, WRITE, 0x50)));
        give(&trial, at_site(3 + thread, ACCESS(thread, WRITE, 0x60)));
        give(&trial, EVENT(thread, END, 0));
    }
    finish(&trial);
    assert_int_equal(trial.count, 1);
    assert_int_equal(trial.predictions[0].step_count, 4);
    assert_true(trial.engine->cost(trial.state).dropped > 0);
    stop(&trial);
}

/* Hundreds of threads, each forked before anything is known of it, and each with a transaction open
 * while the next begins. */
static void many_threads_are_told_apart(void **state)
{
    static const struct darn_engine *const engines[] = {
        &darn_engine_blocks, &darn_engine_reduction, &darn_engine_reduction_online};

    (void)state;
    for (size_t i = 0; i < sizeof(engines) / sizeof(engines[0]); i++) {
        struct trial trial = start(engines[i], NULL);

        for (uint32_t thread = 1; thread < 300; thread++) {
            give(&trial, EVENT(0, FORK, thread));
            give(&trial, EVENT(thread, BEGIN, 0));
            give(&trial, ACCESS(thread, WRITE, 0x1000 + 8 * thread));
            give(&trial, ACCESS(thread, READ, 0x1000 + 8 * thread));
        }
        for (uint32_t thread = 1; thread < 300; thread++)
            give(&trial, EVENT(thread, END, 0));
        finish(&trial);
        assert_int_equal(trial.count, 0);
        stop(&trial);
    }
}

/* Variables that are cut in pieces while a transaction has them, and freed. */
static void memory_does_not_grow_with_variables_that_are_split(void **state)
{
    struct trial trial = start(&darn_engine_blocks, NULL);
    size_t memory = 0;

    (void)state;
    for (uint32_t round = 0; round < 20000; round++) {
        give(&trial, at_site(1, EVENT(0, ALLOC, 0x1000, .extra = 64)));
        give(&trial, at_site(2, ACCESS(1, WRITE, 0x1020)));
        give(&trial, EVENT(0, BEGIN, 0));
        give(&trial, at_site(3, EVENT(0, READ, 0x1000, .size = 8)));
        give(&trial, at_site(4, ACCESS(0, READ, 0x1004)));
        give(&trial, at_site(5, ACCESS(0, WRITE, 0x1030)));
        give(&trial, EVENT(0, END, 0));
        give(&trial, at_site(6, EVENT(1, FREE, 0x1000, .extra = 64)));
        if (round == 100)
            memory = trial.engine->cost(trial.state).memory;
    }
    /* Signatures of transactions are kept up to a bound. */
    assert_true(trial.engine->cost(trial.state).memory < memory + 20000 * 4 * 16);
    finish(&trial);
    assert_int_equal(trial.count, 0);
    stop(&trial);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_keeps_what_is_distinct),
        cmocka_unit_test(blocks_keeps_what_is_distinct_between_barriers),
        cmocka_unit_test(reduction_keeps_what_is_distinct),
        cmocka_unit_test(reduction_online_keeps_what_is_distinct),
        cmocka_unit_test(memory_does_not_grow_with_the_number_of_barriers),
        cmocka_unit_test(blocks_that_are_past_make_room),
        cmocka_unit_test(many_threads_are_told_apart),
        cmocka_unit_test(memory_does_not_grow_with_variables_that_are_split),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
