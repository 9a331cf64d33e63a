/* Which places share memory, and what others do with it: what must be found, and what was only
 * handed over. */
#include "shared_fixture.h"

static uint8_t shared_by(const struct darn_event *events, size_t count, uint32_t site)
{
    struct darn_shared *shared = start_shared();
    uint8_t result;

    give_shared(shared, EVENT(0, FORK, 1));
    give_shared(shared, EVENT(0, FORK, 2));
    for (size_t i = 0; i < count; i++)
        darn_shared_event(shared, &events[i]);
    result = darn_shared_by(shared, site);
    darn_shared_destroy(shared);
    return result;
}

/* What the others do in the pairs that a site is shared in. */
#define SHARED_BY(site, ...)                                                                       \
    shared_by((const struct darn_event[]){__VA_ARGS__},                                            \
              sizeof((const struct darn_event[]){__VA_ARGS__}) / sizeof(struct darn_event), site)
#define IS_SHARED(site, ...) (SHARED_BY(site, __VA_ARGS__) != 0)
#define AT(number, ...)      at_site(number, __VA_ARGS__)

/* Each access of a pair is told what the other does. */
static void it_is_told_what_the_others_do(void **state)
{
    (void)state;
    for (uint32_t order = 0; order < 2; order++) {
        uint32_t one = 1 + order, other = 2 - order;

        assert_int_equal(SHARED_BY(6, AT(6, ACCESS(one, WRITE, X)), AT(7, ACCESS(other, READ, X))),
                         DARN_ALLOW_READ);
        assert_int_equal(SHARED_BY(7, AT(6, ACCESS(one, WRITE, X)), AT(7, ACCESS(other, READ, X))),
                         DARN_ALLOW_WRITE);
        assert_int_equal(SHARED_BY(6, AT(6, ACCESS(one, WRITE, X)), AT(7, ACCESS(other, WRITE, X))),
                         DARN_ALLOW_WRITE);
        assert_int_equal(SHARED_BY(6, AT(6, ACCESS(one, READ, X)), AT(7, ACCESS(other, UPDATE, X))),
                         DARN_ALLOW_ALL);
        assert_int_equal(SHARED_BY(7, AT(6, ACCESS(one, READ, X)), AT(7, ACCESS(other, UPDATE, X))),
                         DARN_ALLOW_READ);
    }
}

/* What the owner alone loads and stores, and others only read: its loads are not shared. */
static void readers_do_not_share_with_the_loads_of_a_writer(void **state)
{
    (void)state;
    for (uint32_t site = 6; site <= 8; site++)
        assert_int_equal(SHARED_BY(site, EVENT(1, ACQUIRE, L), AT(6, ACCESS(1, READ, X)),
                                   AT(7, ACCESS(1, WRITE, X)), EVENT(1, RELEASE, L),
                                   EVENT(2, ACQUIRE, L), AT(8, ACCESS(2, READ, X)),
                                   EVENT(2, RELEASE, L), EVENT(1, ACQUIRE, L),
                                   AT(6, ACCESS(1, READ, X)), AT(7, ACCESS(1, WRITE, X))),
                         site == 6   ? 0
                         : site == 7 ? DARN_ALLOW_READ
                                     : DARN_ALLOW_WRITE);
}

/* A write says nothing about the reads that came before, or come after it. */
static void a_kind_is_found_after_another_one(void **state)
{
    (void)state;
    assert_int_equal(SHARED_BY(6, AT(6, ACCESS(1, WRITE, X)), AT(7, ACCESS(2, WRITE, X)),
                               AT(8, ACCESS(2, READ, X))),
                     DARN_ALLOW_ALL);
    assert_int_equal(SHARED_BY(6, AT(7, ACCESS(2, READ, X)), AT(7, ACCESS(2, WRITE, X)),
                               AT(6, ACCESS(1, WRITE, X))),
                     DARN_ALLOW_ALL);
    assert_int_equal(SHARED_BY(6, AT(7, ACCESS(2, WRITE, X)), AT(7, ACCESS(2, READ, X)),
                               AT(6, ACCESS(1, WRITE, X))),
                     DARN_ALLOW_ALL);
}

/* The first half of the sites is harmed by writes, the others by reads. */
static struct darn_shared_place halves(void *context, uint32_t site)
{
    (void)context;
    return (struct darn_shared_place){.number = site,
                                      .harm = site < 10 ? DARN_ALLOW_WRITE : DARN_ALLOW_READ};
}

static struct darn_shared_place additions(void *context, uint32_t site)
{
    (void)context;
    return (struct darn_shared_place){
        .number = site == 9 ? 0 : site, .harm = DARN_ALLOW_ALL, .reads = site == 9};
}

/* `x += 1` has one event. */
static void a_write_may_stand_for_a_read(void **state)
{
    struct darn_shared *shared = darn_shared_create(additions, NULL, DARN_ALLOW_ALL);

    (void)state;
    assert_non_null(shared);
    give_shared(shared, AT(1, ACCESS(1, WRITE, X)));
    give_shared(shared, AT(9, ACCESS(2, WRITE, X)));
    assert_int_equal(darn_shared_by(shared, 1), DARN_ALLOW_ALL);
    darn_shared_destroy(shared);
}

static void only_what_does_harm_is_told(void **state)
{
    struct darn_shared *shared = darn_shared_create(halves, NULL, DARN_ALLOW_ALL);

    (void)state;
    assert_non_null(shared);
    give_shared(shared, AT(1, ACCESS(1, WRITE, X)));
    give_shared(shared, AT(11, ACCESS(1, WRITE, X)));
    give_shared(shared, AT(2, ACCESS(2, READ, X)));
    give_shared(shared, AT(12, ACCESS(2, READ, X)));
    assert_int_equal(darn_shared_by(shared, 1), 0);
    assert_int_equal(darn_shared_by(shared, 11), DARN_ALLOW_READ);
    assert_int_equal(darn_shared_by(shared, 2), DARN_ALLOW_WRITE);
    assert_int_equal(darn_shared_by(shared, 12), 0);
    give_shared(shared, AT(13, ACCESS(3, UPDATE, X)));
    assert_int_equal(darn_shared_by(shared, 1), DARN_ALLOW_WRITE);
    assert_int_equal(darn_shared_by(shared, 12), DARN_ALLOW_READ);
    darn_shared_destroy(shared);
}

static void readers_and_a_writer_of_one_lock_share(void **state)
{
    (void)state;
    assert_true(
        IS_SHARED(7, EVENT(1, ACQUIRE, L, .lock = DARN_EVENT_WRLOCK), AT(6, ACCESS(1, WRITE, X)),
                  EVENT(1, RELEASE, L, .lock = DARN_EVENT_WRLOCK),
                  EVENT(2, ACQUIRE, L, .lock = DARN_EVENT_RDLOCK), AT(7, ACCESS(2, READ, X)),
                  EVENT(2, RELEASE, L, .lock = DARN_EVENT_RDLOCK)));
    /* Held for reading by both, it keeps nobody out; something else has put them in order. */
    assert_false(
        IS_SHARED(7, EVENT(1, ACQUIRE, L, .lock = DARN_EVENT_RDLOCK), AT(6, ACCESS(1, WRITE, X)),
                  EVENT(1, POST, S), EVENT(1, RELEASE, L, .lock = DARN_EVENT_RDLOCK),
                  EVENT(2, TAKE, S), EVENT(2, ACQUIRE, L, .lock = DARN_EVENT_RDLOCK),
                  AT(7, ACCESS(2, READ, X)), EVENT(2, RELEASE, L, .lock = DARN_EVENT_RDLOCK)));
}

static void semaphores_barriers_and_conditions_hand_over(void **state)
{
    (void)state;
    assert_false(IS_SHARED(7, AT(6, ACCESS(1, WRITE, X)), EVENT(1, POST, S), EVENT(2, TAKE, S),
                           AT(7, ACCESS(2, WRITE, X))));
    assert_false(IS_SHARED(7, AT(6, ACCESS(1, WRITE, X)), EVENT(1, ARRIVE, S), EVENT(2, ARRIVE, S),
                           EVENT(1, DEPART, S), EVENT(2, DEPART, S), AT(7, ACCESS(2, WRITE, X))));
    assert_false(IS_SHARED(7, EVENT(2, WAIT, S, .extra = L), AT(6, ACCESS(1, WRITE, X)),
                           EVENT(1, SIGNAL, S), EVENT(2, WAKE, S, .extra = L),
                           AT(7, ACCESS(2, WRITE, X))));
    assert_true(IS_SHARED(7, AT(6, ACCESS(1, WRITE, X)), EVENT(2, TAKE, S), EVENT(1, POST, S),
                          AT(7, ACCESS(2, WRITE, X))));
}

#define ATOMIC(who, what, where, order)                                                            \
    ACCESS(who, what, where, .flags = DARN_EVENT_ATOMIC | (order))

/* The flag is shared; what it guards was handed over. */
static void an_atomic_flag_hands_over_and_is_shared(void **state)
{
    (void)state;
    assert_false(
        IS_SHARED(7, AT(6, ACCESS(1, WRITE, X)), AT(8, ATOMIC(1, WRITE, S, DARN_EVENT_RELEASES)),
                  AT(9, ATOMIC(2, READ, S, DARN_EVENT_ACQUIRES)), AT(7, ACCESS(2, WRITE, X))));
    for (uint32_t site = 8; site <= 9; site++)
        assert_true(IS_SHARED(site, AT(8, ATOMIC(1, WRITE, S, DARN_EVENT_RELEASES)),
                              AT(9, ATOMIC(2, READ, S, DARN_EVENT_ACQUIRES))));
    /* Relaxed, it hands nothing over. */
    assert_true(IS_SHARED(7, AT(6, ACCESS(1, WRITE, X)), ATOMIC(1, WRITE, S, 0),
                          ATOMIC(2, READ, S, 0), AT(7, ACCESS(2, WRITE, X))));
}

static void atomic_counters_are_shared_whatever_their_order(void **state)
{
    static const uint16_t orders[] = {0, DARN_EVENT_ACQUIRES | DARN_EVENT_RELEASES};

    (void)state;
    for (size_t i = 0; i < 2; i++)
        assert_true(IS_SHARED(7, AT(7, ATOMIC(1, UPDATE, X, orders[i])),
                              AT(7, ATOMIC(2, UPDATE, X, orders[i]))));
    assert_false(IS_SHARED(7, AT(7, ATOMIC(1, READ, X, DARN_EVENT_ACQUIRES)),
                           AT(7, ATOMIC(2, READ, X, DARN_EVENT_ACQUIRES))));
    /* The second half of an update is no access. */
    assert_false(IS_SHARED(7, AT(6, ATOMIC(1, UPDATE, X, DARN_EVENT_RELEASES)),
                           AT(7, ATOMIC(2, READ, X, DARN_EVENT_ACQUIRES | DARN_EVENT_HALF))));
}

/* A new thread gets the stack of one that has ended, and holds the same lock. */
static void a_stack_has_no_past(void **state)
{
    struct darn_event stack = EVENT(2, STACK, X - 0x800, .extra = 0x1000);

    (void)state;
    assert_false(IS_SHARED(7, EVENT(1, ACQUIRE, L), AT(6, ACCESS(1, WRITE, X)),
                           EVENT(1, RELEASE, L), stack, EVENT(2, ACQUIRE, L),
                           AT(7, ACCESS(2, WRITE, X)), EVENT(2, RELEASE, L)));
    assert_true(IS_SHARED(7, stack, EVENT(1, ACQUIRE, L), AT(6, ACCESS(1, WRITE, X)),
                          EVENT(1, RELEASE, L), EVENT(2, ACQUIRE, L), AT(7, ACCESS(2, WRITE, X)),
                          EVENT(2, RELEASE, L)));
}

static void only_common_bytes_count(void **state)
{
    (void)state;
    assert_false(IS_SHARED(7, AT(6, ACCESS(1, WRITE, X)), AT(7, ACCESS(2, WRITE, X + 4))));
    assert_true(IS_SHARED(7, AT(6, ACCESS(1, WRITE, X)), AT(7, ACCESS(2, WRITE, X + 3))));
    assert_true(
        IS_SHARED(7, AT(6, EVENT(1, WRITE, X - 512, .size = 1024)), AT(7, ACCESS(2, WRITE, X))));
}

static void nothing_is_dropped_when_many_threads_take_a_lock(void **state)
{
    struct darn_shared *shared = start_shared();

    (void)state;
    for (uint32_t thread = 1; thread <= 200; thread++)
        give_shared(shared, EVENT(0, FORK, thread));
    for (uint32_t round = 0; round < 3; round++) {
        for (uint32_t thread = 1; thread <= 200; thread++) {
            give_shared(shared, EVENT(thread, ACQUIRE, L));
            give_shared(shared, AT(1 + thread % 5, ACCESS(thread, READ, X)));
            give_shared(shared, AT(6 + round, ACCESS(thread, WRITE, X)));
            give_shared(shared, EVENT(thread, RELEASE, L));
        }
    }
    for (uint32_t site = 1; site <= 8; site++)
        assert_true(has(shared, site));
    assert_int_equal(darn_shared_cost(shared).dropped, 0);
    darn_shared_destroy(shared);
}

static struct darn_shared_place harmed_by_writes(void *context, uint32_t site)
{
    (void)context;
    return (struct darn_shared_place){.number = site, .harm = DARN_ALLOW_WRITE};
}

/* Who cannot be harmed by reads need not know which there were: a cell has room for all places. */
static void what_does_no_harm_takes_no_room(void **state)
{
    struct darn_shared *shared = darn_shared_create(harmed_by_writes, NULL, DARN_ALLOW_WRITE);
    size_t before;

    (void)state;
    assert_non_null(shared);
    give_shared(shared, EVENT(0, FORK, 1));
    for (uint32_t turn = 0; turn < 1000; turn++) {
        uint32_t thread = turn % 2;

        give_shared(shared, EVENT(thread, ACQUIRE, L));
        give_shared(shared, AT(1 + turn, ACCESS(thread, READ, X)));
        give_shared(shared, AT(1001 + turn, ACCESS(thread, WRITE, X)));
        give_shared(shared, EVENT(thread, RELEASE, L));
    }
    for (uint32_t site = 2; site <= 2000; site++)
        assert_int_equal(darn_shared_by(shared, site), DARN_ALLOW_WRITE);
    assert_int_equal(darn_shared_cost(shared).dropped, 0);
    give_shared(shared, AT(0, EVENT(0, WRITE, X + 64, .size = 8)));
    before = darn_shared_cost(shared).peak;
    give_shared(shared, AT(0, EVENT(0, READ, X + 64, .size = 8)));
    assert_int_equal(darn_shared_cost(shared).peak, before);
    darn_shared_destroy(shared);
}

static void memory_is_bounded_by_what_is_alive(void **state)
{
    struct darn_shared *shared = start_shared();
    size_t early = 0;

    (void)state;
    for (uint32_t i = 0; i < 200000; i++) {
        uint32_t thread = 1 + i % 7;
        uint64_t block = X + 4096 * (i % 50);

        give_shared(shared, EVENT(thread, ALLOC, block, .extra = 4096));
        for (uint32_t k = 0; k < 20; k++)
            give_shared(shared, AT(1 + i % 1000 + k, ACCESS(thread, WRITE, block + 8 * k)));
        if (i % 3)
            give_shared(shared, EVENT(thread, FREE, block, .extra = 4096));
        if (i == 20000)
            early = darn_shared_cost(shared).peak;
    }
    assert_true(darn_shared_cost(shared).peak < early + early / 4);
    darn_shared_destroy(shared);
}

/* More ways to come to one variable than a cell has room for: what comes before everything else
 * goes first, then others do, and are counted. */
static void what_a_cell_has_no_room_for_is_counted(void **state)
{
    struct darn_shared *shared = start_shared();
    uint64_t found = 0, dropped;

    (void)state;
    for (uint32_t site = 1; site <= 300; site++)
        give_shared(shared, AT(site, ACCESS(0, READ, X)));
    assert_int_equal(darn_shared_cost(shared).dropped, 0);
    give_shared(shared, EVENT(0, FORK, 1));
    for (uint32_t site = 301; site <= 600; site++)
        give_shared(shared, AT(site, ACCESS(0, READ, X)));
    dropped = darn_shared_cost(shared).dropped;
    give_shared(shared, AT(1000, ACCESS(1, WRITE, X)));
    for (uint32_t site = 1; site <= 300; site++)
        assert_false(has(shared, site));
    for (uint32_t site = 301; site <= 600; site++)
        found += has(shared, site);
    assert_true(has(shared, 1000));
    assert_true(found >= 100);
    assert_int_equal(found + dropped, 300);
    darn_shared_destroy(shared);
}

/* What was done under a lock may be shared by whatever comes later. */
static void what_was_locked_is_never_dropped_in_silence(void **state)
{
    struct darn_shared *shared = start_shared();
    uint64_t found = 0, dropped;

    (void)state;
    give_shared(shared, EVENT(0, ACQUIRE, L));
    for (uint32_t site = 1; site <= 300; site++)
        give_shared(shared, AT(site, ACCESS(0, READ, X)));
    give_shared(shared, EVENT(0, RELEASE, L));
    give_shared(shared, EVENT(0, FORK, 1));
    dropped = darn_shared_cost(shared).dropped;
    give_shared(shared, EVENT(1, ACQUIRE, L));
    give_shared(shared, AT(1000, ACCESS(1, WRITE, X)));
    for (uint32_t site = 1; site <= 300; site++)
        found += has(shared, site);
    assert_int_equal(found + dropped, 300);
    darn_shared_destroy(shared);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_told_what_the_others_do),
        cmocka_unit_test(readers_do_not_share_with_the_loads_of_a_writer),
        cmocka_unit_test(a_kind_is_found_after_another_one),
        cmocka_unit_test(a_write_may_stand_for_a_read),
        cmocka_unit_test(only_what_does_harm_is_told),
        cmocka_unit_test(readers_and_a_writer_of_one_lock_share),
        cmocka_unit_test(semaphores_barriers_and_conditions_hand_over),
        cmocka_unit_test(an_atomic_flag_hands_over_and_is_shared),
        cmocka_unit_test(atomic_counters_are_shared_whatever_their_order),
        cmocka_unit_test(a_stack_has_no_past),
        cmocka_unit_test(only_common_bytes_count),
        cmocka_unit_test(nothing_is_dropped_when_many_threads_take_a_lock),
        cmocka_unit_test(what_does_no_harm_takes_no_room),
        cmocka_unit_test(memory_is_bounded_by_what_is_alive),
        cmocka_unit_test(what_a_cell_has_no_room_for_is_counted),
        cmocka_unit_test(what_was_locked_is_never_dropped_in_silence),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
