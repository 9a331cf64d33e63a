#include "atomicity_fixture.h"
#include "random_trace.h"
#include "slow_serial.h"

#include "engine/atomicity/transactions.h"
#include "engine/common/held.h"
#include "engine/common/lockset.h"

/* A text trace stands in the order of the run. */
static const struct darn_engine_config in_order = {.in_order = true};

static const char *said(const char *text)
{
    return said_of(&darn_engine_serial, text, &in_order);
}

/* What follows are runs as the papers draw them: whole transactions in columns. */

static void a_serial_order_of_three_transactions_is_no_violation(void **state)
{
    (void)state;
    assert_string_equal(said("t1|begin(a)|1\nt1|w(x)|2\nt2|begin(b)|3\nt2|r(x)|4\nt2|end(b)|5\n"
                             "t3|begin(c)|6\nt3|w(z)|7\nt3|end(c)|8\nt1|r(z)|9\nt1|end(a)|10\n"),
                        "");
}

static void two_transactions_that_saw_each_other_are_a_violation(void **state)
{
    (void)state;
    assert_string_equal(said("t1|begin(a)|1\nt2|begin(b)|2\nt1|w(x)|3\nt2|r(x)|4\nt2|w(y)|5\n"
                             "t1|r(y)|6\nt1|end(a)|7\nt2|end(b)|8\n"),
                        "w3 r4 w5 r6");
}

/* Neither of the two accesses that close the circle shows it: each comes before the other's end. */
static void a_violation_is_seen_at_the_end_of_a_transaction(void **state)
{
    (void)state;
    assert_string_equal(said("t1|begin(a)|1\nt2|begin(b)|2\nt3|begin(c)|3\n"
                             "t1|w(x)|4\nt2|r(x)|5\n" /* a before b */
                             "t3|w(y)|6\nt1|r(y)|7\n" /* c before a */
                             "t2|w(z)|8\nt3|r(z)|9\n" /* b before c */
                             "t2|end(b)|10\nt3|end(c)|11\nt1|end(a)|12\n"),
                        "w6 r7 w4 r5 w8 r9");
}

static void a_violation_through_a_transaction_that_has_ended_is_seen(void **state)
{
    (void)state;
    assert_string_equal(said("t1|begin(a)|1\nt1|w(x)|2\n"
                             "t2|begin(b)|3\nt2|w(y)|4\nt2|r(x)|5\nt2|end(b)|6\n"
                             "t3|begin(c)|7\nt3|r(y)|8\nt3|w(z)|9\nt3|end(c)|10\n"
                             "t1|r(z)|11\nt1|end(a)|12\n"),
                        "w2 r5 w4 r8 w9 r11");
}

/* Velodrome's first example: a read and a write in two critical sections of one transaction. */
static void two_sections_of_one_transaction_with_a_foreign_one_between_are_a_violation(void **state)
{
    (void)state;
    assert_string_equal(said("t1|begin(inc)|1\nt1|acq(m)|2\nt1|r(x)|3\nt1|rel(m)|4\n"
                             "t2|begin(inc)|1\nt2|acq(m)|2\nt2|r(x)|3\nt2|rel(m)|4\n"
                             "t2|acq(m)|5\nt2|w(x)|6\nt2|rel(m)|7\nt2|end(inc)|8\n"
                             "t1|acq(m)|5\nt1|w(x)|6\nt1|rel(m)|7\nt1|end(inc)|8\n"),
                        "r3 w6 w6");
}

static void a_lock_in_common_and_nothing_else_is_no_violation(void **state)
{
    (void)state;
    assert_string_equal(said("t1|begin(a)|1\nt1|acq(m)|2\nt1|w(x)|3\nt1|rel(m)|4\n"
                             "t2|begin(b)|5\nt2|acq(m)|6\nt2|w(y)|7\nt2|rel(m)|8\nt2|end(b)|9\n"
                             "t1|acq(m)|10\nt1|w(x)|11\nt1|rel(m)|12\nt1|end(a)|13\n"),
                        "");
}

static void an_access_outside_of_transactions_can_come_between(void **state)
{
    (void)state;
    assert_string_equal(said("t1|begin(a)|1\nt1|r(x)|2\nt2|w(x)|3\nt1|w(x)|4\nt1|end(a)|5\n"),
                        "r2 w3 w4");
    assert_string_equal(said("t1|begin(a)|1\nt1|r(x)|2\nt2|w(y)|3\nt1|w(x)|4\nt1|end(a)|5\n"), "");
}

static void a_violation_is_told_once_with_a_count(void **state)
{
    static const char once[] = "t1|begin(a)|1\nt1|r(x)|2\nt2|w(x)|3\nt1|w(x)|4\nt1|end(a)|5\n";
    char text[sizeof(once) * 10 + 1] = "";

    (void)state;
    for (int i = 0; i < 10; i++)
        strcat(text, once);
    assert_string_equal(said(text), "r2 w3 w4");
}

/* The order of a recorded trace is that of its synchronization. */
static void an_order_that_only_the_file_has_makes_no_edge(void **state)
{
    static const char race[] = "t1|begin(a)|1\nt1|r(x)|2\nt2|w(x)|3\nt1|w(x)|4\nt1|end(a)|5\n";
    static const char locked[] =
        "t1|begin(a)|1\nt1|acq(m)|1\nt1|r(x)|2\nt1|rel(m)|2\nt2|acq(m)|3\nt2|w(x)|3\nt2|rel(m)|3\n"
        "t1|acq(m)|4\nt1|w(x)|4\nt1|rel(m)|4\nt1|end(a)|5\n";

    (void)state;
    assert_string_equal(said_of(&darn_engine_serial, race, NULL), "");
    assert_string_equal(said_of(&darn_engine_serial, locked, NULL), "r2 w3 w4");
}

static void memory_that_was_freed_is_another_variable(void **state)
{
    struct trial trial = start(&darn_engine_serial, &in_order);

    (void)state;
    give(&trial, EVENT(1, BEGIN, 7));
    give(&trial, ACCESS(1, READ, 0x100));
    give(&trial, ACCESS(2, WRITE, 0x100));
    give(&trial, EVENT(2, FREE, 0x100, .extra = 16));
    give(&trial, ACCESS(1, WRITE, 0x100));
    give(&trial, EVENT(1, END, 7));
    finish(&trial);
    assert_int_equal(trial.count, 0);
    stop(&trial);
}

/* A transaction is open all the time, and each of many others learns of it and is read by the next:
 * what they leave behind must not add up. */
static void memory_does_not_grow_with_the_trace(void **state)
{
    struct trial trial = start(&darn_engine_serial, &in_order);
    size_t early = 0;

    (void)state;
    give(&trial, EVENT(9, BEGIN, 1));
    give(&trial, ACCESS(9, WRITE, 0x100));
    for (uint32_t i = 0; i < 400000; i++) {
        uint32_t thread = 1 + i % 2;

        give(&trial, EVENT(thread, BEGIN, 2));
        if (i == 0)
            give(&trial, ACCESS(thread, READ, 0x100));
        give(&trial, ACCESS(thread, READ, 0x200));
        give(&trial, ACCESS(thread, WRITE, 0x200));
        give(&trial, EVENT(thread, END, 2));
        if (i == 200000)
            early = darn_engine_serial.cost(trial.state).memory;
    }
    assert_true(darn_engine_serial.cost(trial.state).memory <= early);
    finish(&trial);
    assert_int_equal(trial.count, 0);
    stop(&trial);
}

/* Each transaction comes after one of the other thread that was open when it ended: a chain as long
 * as the trace, that a variable at its beginning names. (Only after a violation can it be longer
 * than there are threads.) */
static void a_long_chain_of_overlapping_transactions_is_made_short(void **state)
{
    struct trial trial = start(&darn_engine_serial, &in_order);
    size_t early = 0;

    (void)state;
    for (uint32_t i = 0; i < 200000; i++) {
        uint32_t thread = 1 + i % 2, other = 3 - thread;

        give(&trial, EVENT(thread, BEGIN, 2));
        give(&trial, ACCESS(thread, WRITE, 0x100 + 8 * thread));
        if (i) {
            give(&trial, ACCESS(other, READ, 0x100 + 8 * thread));
            give(&trial, EVENT(other, END, 2));
        } else {
            give(&trial, ACCESS(thread, WRITE, 0x400));
        }
        if (i == 100000)
            early = darn_engine_serial.cost(trial.state).memory;
    }
    give(&trial, ACCESS(5, READ, 0x400));
    assert_true(darn_engine_serial.cost(trial.state).memory < early + 4096);
    finish(&trial);
    assert_int_equal(trial.count, 1);
    stop(&trial);
}

/* The random traces and the reference. */

struct pair {
    struct slow_serial slow;
    struct trial trial;
    struct darn_locksets *sets;
    struct darn_held *held;
    struct darn_transactions *transactions;
};

static void begin_slow(void *to, uint32_t thread, uint32_t site)
{
    (void)site;
    slow_begin(to, thread);
}

static void end_slow(void *to, uint32_t thread)
{
    slow_end(to, thread);
}

static void give_slow(struct pair *pair, const struct darn_event *event, uint32_t number)
{
    darn_transactions_before(pair->transactions, event);
    if (darn_event_is_access(event) && !(event->flags & (DARN_EVENT_SYNC | DARN_EVENT_ATOMIC)))
        slow_access(&pair->slow, event, number);
    else if (event->kind == DARN_EVENT_FORK)
        slow_fork(&pair->slow, event->thread, (uint32_t)event->target);
    else if (event->kind == DARN_EVENT_JOIN)
        slow_join(&pair->slow, event->thread, (uint32_t)event->target);
    else if (event->kind == DARN_EVENT_ALLOC || event->kind == DARN_EVENT_FREE)
        slow_forget(&pair->slow, event->target, event->extra);
    darn_held_event(pair->held, event);
    darn_transactions_after(pair->transactions, event);
}

/* A cycle of the graph: each two steps are of one thread, in the order of the run, or conflict. */
static void check_steps(const struct pair *pair, const struct darn_prediction *found,
                        const struct darn_event *events)
{
    const struct slow_serial *slow = &pair->slow;
    uint32_t first = found->steps[0].event.stack - 1;
    uint32_t last = found->steps[found->step_count - 1].event.stack - 1;

    assert_in_range(found->step_count, 3, DARN_PREDICTION_STEPS);
    assert_int_equal(slow->node_of[first], slow->node_of[last]);
    for (uint32_t i = 0; i + 1 < found->step_count; i++) {
        const struct darn_event *one = &events[found->steps[i].event.stack - 1];
        const struct darn_event *next = &events[found->steps[i + 1].event.stack - 1];
        bool overlap =
            one->target < next->target + next->size && next->target < one->target + one->size;

        assert_int_equal(one->thread, found->steps[i].event.thread);
        if (one->thread == next->thread)
            assert_true(slow->node_of[found->steps[i].event.stack - 1] <=
                        slow->node_of[found->steps[i + 1].event.stack - 1]);
        else
            assert_true(one < next && overlap &&
                        (darn_event_writes(one) || darn_event_writes(next)));
    }
}

/* Functions that begin and end, and not more events than fit. */
static uint32_t with_functions(struct random_trace *trace, struct darn_event *events)
{
    uint32_t count = 0, depth[TRACE_THREADS] = {0};

    for (size_t i = 0; i < trace->count && count + 3 < SLOW_NODES - 2 * TRACE_THREADS; i++) {
        uint32_t thread = trace->events[i].thread;

        if (!draw(trace, 5) && depth[thread] < 3)
            events[count++] = (struct darn_event){
                .kind = DARN_EVENT_BEGIN, .thread = thread, .target = 100 + depth[thread]++};
        if (depth[thread] && !draw(trace, 5))
            events[count++] = (struct darn_event){
                .kind = DARN_EVENT_END, .thread = thread, .target = 100 + --depth[thread]};
        events[count] = trace->events[i];
        events[count].stack = count + 1;
        count++;
    }
    return count;
}

/* All of it, and its beginnings: what has not ended then, ends. */
static bool compare_with_slow(const struct darn_event *events, uint32_t count, uint64_t *collected)
{
    static struct pair pair;
    struct darn_transactions_calls calls = {&pair.slow, begin_slow, end_slow};
    bool has_forks = false;

    memset(&pair, 0, sizeof(pair));
    pair.trial = start(&darn_engine_serial, &in_order);
    pair.sets = darn_locksets_create();
    pair.held = darn_held_create(pair.sets);
    pair.transactions = darn_transactions_create(&in_order, pair.held, &calls);
    for (uint32_t i = 0; i < count; i++) {
        has_forks |= events[i].kind == DARN_EVENT_FORK || events[i].kind == DARN_EVENT_JOIN;
        give(&pair.trial, events[i]);
        give_slow(&pair, &events[i], i);
    }
    darn_transactions_finish(pair.transactions);
    finish(&pair.trial);
    if (pair.slow.has_cycle != (pair.trial.count > 0))
        fail_msg("%u events: %zu told, the graph has %s cycle", count, pair.trial.count,
                 pair.slow.has_cycle ? "a" : "no");
    for (size_t i = 0; !has_forks && i < pair.trial.count; i++)
        check_steps(&pair, &pair.trial.predictions[i], events);
    *collected += pair.slow.collected;
    stop(&pair.trial);
    darn_transactions_destroy(pair.transactions);
    darn_held_destroy(pair.held);
    darn_locksets_destroy(pair.sets);
    return pair.slow.has_cycle;
}

static void random_traces_have_the_violations_that_the_graph_has(void **state)
{
    static struct random_trace trace;
    static struct darn_event events[SLOW_NODES];
    uint64_t violated = 0, runs = 0, collected = 0;

    (void)state;
    for (uint64_t seed = 0; seed < 3000; seed++) {
        uint32_t count;

        make_trace(&trace, seed);
        count = with_functions(&trace, events);
        for (uint32_t length = count; length > 4; length = length * 3 / 4) {
            violated += compare_with_slow(events, length, &collected);
            runs++;
        }
    }
    assert_true(violated > runs / 40);
    assert_true(collected > runs);
}

/* Nothing but accesses and transactions, much of both. */
static uint32_t make_dense(struct random_trace *trace, struct darn_event *events, uint64_t seed)
{
    uint32_t threads, bytes, ends, count = 0;
    bool is_open[SLOW_THREADS] = {false};

    make_trace(trace, seed);
    threads = 2 + draw(trace, 5);
    bytes = 2 + draw(trace, SLOW_BYTES - 4);
    ends = 2 + draw(trace, 6);
    while (count < 20 + seed % 100) {
        uint32_t thread = draw(trace, threads), size = 1 + draw(trace, 4);
        struct darn_event *event = &events[count++];

        *event = (struct darn_event){.thread = thread, .target = 7, .stack = count, .site = count};
        if (!draw(trace, ends)) {
            event->kind = is_open[thread] ? DARN_EVENT_END : DARN_EVENT_BEGIN;
            is_open[thread] = !is_open[thread];
            continue;
        }
        event->kind = draw(trace, 3) ? DARN_EVENT_READ : DARN_EVENT_WRITE;
        event->target = SLOW_START + draw(trace, bytes);
        event->size = size;
    }
    return count;
}

static void dense_random_traces_have_the_violations_that_the_graph_has(void **state)
{
    static struct random_trace trace;
    static struct darn_event events[SLOW_NODES];
    uint64_t violated = 0, runs = 0, collected = 0;

    (void)state;
    for (uint64_t seed = 0; seed < 3000; seed++) {
        for (uint32_t length = make_dense(&trace, events, seed); length > 6;
             length -= 1 + length / 5) {
            violated += compare_with_slow(events, length, &collected);
            runs++;
        }
    }
    assert_true(violated > runs / 4 && violated < runs * 3 / 4);
    assert_true(collected > runs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_serial_order_of_three_transactions_is_no_violation),
        cmocka_unit_test(two_transactions_that_saw_each_other_are_a_violation),
        cmocka_unit_test(a_violation_is_seen_at_the_end_of_a_transaction),
        cmocka_unit_test(a_violation_through_a_transaction_that_has_ended_is_seen),
        cmocka_unit_test(
            two_sections_of_one_transaction_with_a_foreign_one_between_are_a_violation),
        cmocka_unit_test(a_lock_in_common_and_nothing_else_is_no_violation),
        cmocka_unit_test(an_access_outside_of_transactions_can_come_between),
        cmocka_unit_test(a_violation_is_told_once_with_a_count),
        cmocka_unit_test(an_order_that_only_the_file_has_makes_no_edge),
        cmocka_unit_test(memory_that_was_freed_is_another_variable),
        cmocka_unit_test(memory_does_not_grow_with_the_trace),
        cmocka_unit_test(a_long_chain_of_overlapping_transactions_is_made_short),
        cmocka_unit_test(random_traces_have_the_violations_that_the_graph_has),
        cmocka_unit_test(dense_random_traces_have_the_violations_that_the_graph_has),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
