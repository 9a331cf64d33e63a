/* Atomicity by blocks: the examples of Wang & Stoller, section 6, with the paper's answers. */
#include "atomicity_fixture.h"

#include "engine/atomicity/vblocks.h"

static const char *blocks(const char *text)
{
    return said_of(&darn_engine_blocks, text, NULL);
}

#define T_OF_1                                                                                     \
    "t|begin(t)|10\nt|acq(l1)|11\nt|r(v)|12\nt|acq(l2)|13\nt|w(v)|14\nt|r(v)|15\n"                 \
    "t|rel(l2)|16\nt|rel(l1)|17\nt|end(t)|18\n"

/* How many distinct blocks the transactions have. */
static uint64_t block_count(const char *text)
{
    char error[256] = "";
    struct darn_trace *trace =
        darn_trace_open_memory("test.std", text, strlen(text), false, error, sizeof(error));
    struct trial trial = start(&darn_engine_blocks, NULL);
    struct darn_engine_fact facts[DARN_ENGINE_FACTS];
    struct darn_event event;
    uint64_t blocks = 0;

    assert_non_null(trace);
    while (darn_trace_next(trace, &event) > 0)
        give(&trial, event);
    finish(&trial);
    for (size_t i = darn_engine_blocks.facts(trial.state, facts); i > 0; i--)
        if (strcmp(facts[i - 1].text, "distinct blocks, at most at one time") == 0)
            blocks = facts[i - 1].value;
    stop(&trial);
    darn_trace_close(trace);
    return blocks;
}

/* (2): b1 and b2. What is in them: test_vopen.c. */
static void transaction_1_has_two_blocks(void **state)
{
    (void)state;
    assert_int_equal(block_count(T_OF_1), 2);
}

/* A place in the source is a part of our blocks, for the report: the reads are those of a loop. */
#define T_OF_4 "t|begin(t)|10\nt|w(v)|11\nt|r(v)|12\nt|r(v)|12\nt|r(v)|12\nt|end(t)|15\n"

static void transaction_4_has_one_block(void **state)
{
    (void)state;
    assert_int_equal(block_count(T_OF_4), 1);
    assert_string_equal(blocks(T_OF_4 "u|begin(u)|20\nu|w(v)|21\nu|end(u)|22\n"), "w11 w21 r12");
}

#define T_OF_5 "t|begin(t)|10\nt|r(x)|11\nt|w(y)|12\nt|w(x)|13\nt|w(y)|14\nt|r(x)|15\nt|end(t)|16\n"

/* 1v: R1 W3 and W3 R5 of x, W2 W4 of y; 2v: R1(x) W4(y) and W3(x) W4(y). W2(y) and R5(x) are in
 * none of two variables, so that nothing with four accesses names line 12 or 15. */
static void transaction_5_has_two_blocks_of_two_variables(void **state)
{
    (void)state;
    assert_int_equal(block_count(T_OF_5), 5);
    assert_string_equal(blocks(T_OF_5 "u|begin(u)|20\nu|r(y)|21\nu|r(x)|22\nu|end(u)|23\n"),
                        "w12 r21 w14; w13 r21 r22 w14");
    assert_string_equal(
        blocks(T_OF_5 "u|begin(u)|20\nu|acq(l)|20\nu|w(x)|21\nu|w(y)|22\nu|rel(l)|23\nu|end(u)|"
                      "23\n"),
        "r11 w21 w13; r11 w21 w22 w14; w13 w21 r15; w13 w21 w22 w14");
}

/* b' is not atomic with b1, nor with b2. */
static void a_write_without_locks_breaks_transaction_1(void **state)
{
    (void)state;
    assert_string_equal(blocks(T_OF_1 "u|begin(u)|20\nu|w(v)|21\nu|end(u)|22\n"),
                        "r12 w21 w14; w14 w21 r15");
}

/* b'' is atomic with both. */
static void a_read_without_locks_does_not(void **state)
{
    (void)state;
    assert_string_equal(blocks(T_OF_1 "u|begin(u)|20\nu|r(v)|21\nu|end(u)|22\n"), "");
}

static void a_write_under_the_outer_lock_does_not(void **state)
{
    (void)state;
    assert_string_equal(
        blocks(T_OF_1 "u|begin(u)|20\nu|acq(l1)|21\nu|w(v)|22\nu|rel(l1)|23\nu|end(u)|24\n"), "");
}

/* Under l2 it still comes between R(v) and W(v), which hold l1 from one to the other. */
static void a_write_under_the_inner_lock_does(void **state)
{
    (void)state;
    assert_string_equal(
        blocks(T_OF_1 "u|begin(u)|20\nu|acq(l2)|21\nu|w(v)|22\nu|rel(l2)|23\nu|end(u)|24\n"),
        "r12 w22 w14");
}

/* (3): there is potential for deadlock, and this is said. What the test of section 6.1 says besides
 * is wrong, as the paper explains. */
static void transactions_3_have_a_deadlock(void **state)
{
    const char *said = blocks("t|begin(t)|10\nt|acq(l1)|11\nt|acq(l2)|12\nt|rel(l2)|13\nt|w(x)|14\n"
                              "t|rel(l1)|15\nt|end(t)|16\n"
                              "u|begin(u)|20\nu|acq(l2)|21\nu|acq(l1)|22\nu|rel(l1)|23\nu|r(x)|24\n"
                              "u|r(x)|25\nu|rel(l2)|26\nu|end(u)|27\n");

    (void)state;
    assert_string_equal(said, "deadlock; r24 w14 r25");
}

/* (6), and no two of the three transactions are in it alone. */
static void the_cycle_of_6_is_found(void **state)
{
    static const char *const parts[] = {
        "t1|begin(a)|10\nt1|w(x)|11\nt1|w(y)|12\nt1|end(a)|13\n",
        "t2|begin(b)|20\nt2|r(x)|21\nt2|w(z)|22\nt2|end(b)|23\n",
        "t3|begin(c)|30\nt3|r(z)|31\nt3|r(y)|32\nt3|end(c)|33\n",
    };
    char text[1024];

    (void)state;
    snprintf(text, sizeof(text), "%s%s%s", parts[0], parts[1], parts[2]);
    assert_string_equal(blocks(text), "w11 r21 w22 r31 r32 w12");
    for (int i = 0; i < 3; i++) {
        snprintf(text, sizeof(text), "%s%s", parts[i], parts[(i + 1) % 3]);
        assert_string_equal(blocks(text), "");
    }
}

/* A transaction with one access can be in a cycle, too: it hands a variable on from reader to
 * reader. */
static void a_cycle_over_a_single_write_is_found(void **state)
{
    (void)state;
    assert_string_equal(blocks("a|begin|10\na|r(x)|11\na|w(y)|12\na|end|13\n"
                               "b|begin|20\nb|w(y)|21\nb|r(x)|22\nb|end|23\n"
                               "c|w(x)|31\n"),
                        "r11 w31 w21 r22 w12");
}

/* Four transactions, one of them a single write, wherever it is. Five are too many: a write that is
 * the fourth is not followed any further. */
static void a_cycle_has_four_transactions_at_most(void **state)
{
    (void)state;
    assert_string_equal(blocks("a|begin|10\na|w(x)|11\na|w(y)|12\na|end|13\n"
                               "b|begin|20\nb|r(x)|21\nb|r(v)|22\nb|end|23\n"
                               "c|w(v)|31\n"
                               "d|begin|40\nd|r(v)|41\nd|r(y)|42\nd|end|43\n"),
                        "w11 r21 r22 w31 r41 r42 w12");
    assert_string_equal(blocks("a|begin|10\na|w(x)|11\na|r(y)|12\na|end|13\n"
                               "b|begin|20\nb|r(x)|21\nb|w(z)|22\nb|end|23\n"
                               "c|begin|30\nc|r(z)|31\nc|r(y)|32\nc|end|33\n"
                               "d|w(y)|41\n"),
                        "w11 r21 w22 r31 r32 w41 r12");
    assert_string_equal(blocks("a|begin|10\na|w(x)|11\na|w(y)|12\na|end|13\n"
                               "b|begin|20\nb|r(x)|21\nb|w(z)|22\nb|end|23\n"
                               "c|begin|30\nc|r(z)|31\nc|r(v)|32\nc|end|33\n"
                               "d|w(v)|41\n"
                               "e|begin|50\ne|r(v)|51\ne|r(y)|52\ne|end|53\n"),
                        "");
}

/* The same with a lock that t1 holds all the time and another one needs. */
static void a_lock_takes_the_cycle_away(void **state)
{
    (void)state;
    assert_string_equal(
        blocks(
            "t1|begin(a)|10\nt1|acq(l)|10\nt1|w(x)|11\nt1|w(y)|12\nt1|rel(l)|13\nt1|end(a)|13\n"
            "t2|begin(b)|20\nt2|acq(l)|20\nt2|r(x)|21\nt2|w(z)|22\nt2|rel(l)|23\nt2|end(b)|23\n"
            "t3|begin(c)|30\nt3|acq(l)|30\nt3|r(z)|31\nt3|r(y)|32\nt3|rel(l)|33\nt3|end(c)|33\n"),
        "");
}

/* Figure 4 with t2, t3 and t4: reduction has false alarms (test_engine_reduction.c). */
static void figure_4_is_atomic(void **state)
{
    (void)state;
    assert_string_equal(blocks("t3|begin(t3)|30\nt3|acq(o1)|31\nt3|r(x)|32\nt3|rel(o1)|33\n"
                               "t3|end(t3)|34\n"
                               "t2|begin(t2)|20\nt2|acq(o2)|21\nt2|r(x)|22\nt2|rel(o2)|23\n"
                               "t2|end(t2)|24\n"
                               "t4|begin(t4)|40\nt4|r(x)|41\nt4|acq(o1)|42\nt4|acq(o2)|43\n"
                               "t4|w(x)|44\nt4|rel(o2)|45\nt4|rel(o1)|46\nt4|end(t4)|47\n"),
                        "");
}

static void the_four_patterns_on_one_variable(void **state)
{
    (void)state;
    assert_string_equal(blocks("a|begin|10\na|w(x)|11\na|w(x)|12\na|end|13\nb|r(x)|21\n"),
                        "w11 r21 w12");
    assert_string_equal(blocks("a|begin|10\na|r(x)|11\na|r(x)|12\na|end|13\nb|w(x)|21\n"),
                        "r11 w21 r12");
    assert_string_equal(blocks("a|begin|10\na|w(x)|11\na|r(x)|12\na|end|13\nb|w(x)|21\n"),
                        "w11 w21 r12");
    assert_string_equal(blocks("a|begin|10\na|r(x)|11\na|w(x)|12\na|end|13\nb|w(x)|21\n"),
                        "r11 w21 w12");
}

/* A write that is not final between a read and a write is none of them. */
static void a_write_that_is_not_final_is_passed_over(void **state)
{
    (void)state;
    assert_string_equal(blocks("a|begin|10\na|acq(l)|10\na|r(x)|11\na|w(x)|12\na|rel(l)|13\n"
                               "a|end|13\n"
                               "b|begin|20\nb|w(x)|21\nb|acq(l)|22\nb|w(x)|23\nb|rel(l)|24\n"
                               "b|end|25\n"),
                        "w21 r11 w23");
}

/* The table of section 6.2. */
static void the_cases_with_two_variables(void **state)
{
    (void)state;
    assert_string_equal(blocks("a|begin|10\na|w(x)|11\na|w(y)|12\na|end|13\n"
                               "b|begin|20\nb|w(x)|21\nb|w(y)|22\nb|end|23\n"),
                        "w11 w21 w22 w12");
    assert_string_equal(blocks("a|begin|10\na|r(x)|11\na|w(y)|12\na|end|13\n"
                               "b|begin|20\nb|w(x)|21\nb|w(y)|22\nb|end|23\n"),
                        "r11 w21 w22 w12");
    assert_string_equal(blocks("a|begin|10\na|r(x)|11\na|r(y)|12\na|end|13\n"
                               "b|begin|20\nb|w(x)|21\nb|w(y)|22\nb|end|23\n"),
                        "r11 w21 w22 r12");
    /* One conflict is none. */
    assert_string_equal(blocks("a|begin|10\na|r(x)|11\na|r(y)|12\na|end|13\n"
                               "b|begin|20\nb|r(x)|21\nb|w(y)|22\nb|end|23\n"),
                        "");
}

/* A lock that is taken between the two accesses, and held by the other from one to the other. */
static void heldmid_keeps_a_pair_from_coming_between(void **state)
{
    (void)state;
    assert_string_equal(blocks("a|begin|10\na|acq(l)|10\na|r(x)|11\na|r(y)|12\na|rel(l)|13\n"
                               "a|end|13\n"
                               "b|begin|20\nb|w(x)|21\nb|acq(l)|22\nb|rel(l)|23\nb|w(y)|24\n"
                               "b|end|25\n"),
                        "w21 r11 r12 w24");
    assert_string_equal(blocks("a|begin|10\na|acq(l)|10\na|r(x)|11\na|r(y)|12\na|rel(l)|13\n"
                               "a|end|13\n"
                               "b|begin|20\nb|acq(m)|20\nb|w(x)|21\nb|acq(l)|22\nb|rel(l)|23\n"
                               "b|w(y)|24\nb|rel(m)|25\nb|end|25\n"
                               "c|begin|30\nc|acq(l)|31\nc|rel(l)|32\nc|end|33\n"),
                        "w21 r11 r12 w24");
}

/* Figure 1 and figure 7, with the lines of Vector.java. */
static void the_vector_of_figure_1_is_reported_as_in_figure_7(void **state)
{
    (void)state;
    assert_string_equal(
        blocks(
            "m|w(elementCount)|1\nm|w(elementData)|2\nm|fork(t1)|3\nm|fork(t2)|4\n"
            "t1|begin(Vector)|100\nt1|begin(size)|265\nt1|acq(v1)|266\nt1|r(elementCount)|267\n"
            "t1|rel(v1)|268\nt1|end(size)|268\nt1|w(v2.elementCount)|101\n"
            "t1|begin(toArray)|688\nt1|acq(v1)|689\nt1|r(elementCount)|690\n"
            "t1|r(elementData)|691\nt1|r(elementCount)|692\nt1|rel(v1)|693\nt1|end(toArray)|694\n"
            "t1|end(Vector)|102\n"
            "t2|begin(removeAllElements)|628\nt2|acq(v1)|629\nt2|w(elementData)|630\n"
            "t2|w(elementCount)|631\nt2|rel(v1)|632\nt2|end(removeAllElements)|633\n"),
        "r267 w630 w631 r691; r267 w631 r690");
}

/* modCount of section 8.2: m1 reads and writes it, m2 reads it without the lock. */
static void a_count_of_changes_that_is_only_read_elsewhere_is_atomic(void **state)
{
    (void)state;
    assert_string_equal(blocks("a|begin|10\na|acq(l)|10\na|r(m)|11\na|w(m)|12\na|rel(l)|13\n"
                               "a|end|13\nb|begin|20\nb|r(m)|21\nb|end|22\n"),
                        "");
}

static void what_is_ordered_by_fork_and_join_is_atomic(void **state)
{
    (void)state;
    assert_string_equal(blocks("m|w(x)|1\nm|fork(a)|2\na|begin|10\na|r(x)|11\na|w(x)|12\na|end|13\n"
                               "m|join(a)|3\nm|begin|4\nm|w(x)|5\nm|end|6\n"),
                        "");
    assert_string_equal(blocks("m|w(x)|1\nm|fork(a)|2\na|begin|10\na|r(x)|11\na|w(x)|12\na|end|13\n"
                               "m|begin|4\nm|w(x)|5\nm|end|6\nm|join(a)|3\n"),
                        "r11 w5 w12");
}

/* What table 3 of the paper compares with: without order, and without escape. */
static void order_and_escape_can_be_left_out(void **state)
{
    static const char text[] = "m|w(x)|1\nm|fork(a)|2\na|begin|10\na|r(x)|11\na|w(x)|12\na|end|13\n"
                               "m|join(a)|3\nm|begin|4\nm|w(x)|5\nm|end|6\n";
    struct darn_engine_config no_order = {.ignore_order = true};
    struct darn_engine_config no_escape = {.ignore_escape = true};

    (void)state;
    assert_string_equal(said_of(&darn_engine_blocks, text, &no_order), "r11 w1 w12; r11 w5 w12");
    assert_string_equal(said_of(&darn_engine_blocks, text, &no_escape), "");
    for (int escaped = 0; escaped < 2; escaped++) {
        struct trial trial = start(&darn_engine_blocks, escaped ? &no_escape : NULL);

        give(&trial, EVENT(0, ALLOC, 0x1000, .extra = 64));
        give(&trial, EVENT(0, BEGIN, 0));
        give(&trial, ACCESS(0, READ, 0x1000));
        give(&trial, ACCESS(0, WRITE, 0x1000));
        give(&trial, EVENT(0, END, 0));
        give(&trial, ACCESS(1, WRITE, 0x1000));
        finish(&trial);
        assert_int_equal(trial.count, escaped);
        stop(&trial);
    }
}

/* The same places in two functions are two findings: each of them is not atomic. */
static void each_function_with_the_same_accesses_is_told(void **state)
{
    (void)state;
    assert_string_equal(blocks("a|begin(f)|10\na|r(x)|1\na|w(x)|2\na|end(f)|11\n"
                               "a|begin(g)|20\na|r(x)|1\na|w(x)|2\na|end(g)|21\nb|w(x)|3\n"),
                        "r1 w3 w2; r1 w3 w2");
}

/* The run that is recorded need not show it: here both halves are far apart. */
static void a_lost_update_is_found_in_a_lucky_run(void **state)
{
    const char *part = "%c|begin(add)|10\n%c|acq(l)|11\n%c|r(sum)|12\n%c|rel(l)|13\n%c|acq(l)|14\n"
                       "%c|w(sum)|15\n%c|rel(l)|16\n%c|end(add)|17\n";
    char text[1024];
    int length = snprintf(text, sizeof(text), part, 'a', 'a', 'a', 'a', 'a', 'a', 'a', 'a');

    (void)state;
    snprintf(text + length, sizeof(text) - (size_t)length, part, 'b', 'b', 'b', 'b', 'b', 'b', 'b',
             'b');
    assert_string_equal(blocks(text), "r12 w15 w15");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(transaction_1_has_two_blocks),
        cmocka_unit_test(transaction_4_has_one_block),
        cmocka_unit_test(transaction_5_has_two_blocks_of_two_variables),
        cmocka_unit_test(a_write_without_locks_breaks_transaction_1),
        cmocka_unit_test(a_read_without_locks_does_not),
        cmocka_unit_test(a_write_under_the_outer_lock_does_not),
        cmocka_unit_test(a_write_under_the_inner_lock_does),
        cmocka_unit_test(transactions_3_have_a_deadlock),
        cmocka_unit_test(the_cycle_of_6_is_found),
        cmocka_unit_test(a_cycle_over_a_single_write_is_found),
        cmocka_unit_test(a_cycle_has_four_transactions_at_most),
        cmocka_unit_test(a_lock_takes_the_cycle_away),
        cmocka_unit_test(figure_4_is_atomic),
        cmocka_unit_test(the_four_patterns_on_one_variable),
        cmocka_unit_test(a_write_that_is_not_final_is_passed_over),
        cmocka_unit_test(the_cases_with_two_variables),
        cmocka_unit_test(heldmid_keeps_a_pair_from_coming_between),
        cmocka_unit_test(the_vector_of_figure_1_is_reported_as_in_figure_7),
        cmocka_unit_test(a_count_of_changes_that_is_only_read_elsewhere_is_atomic),
        cmocka_unit_test(what_is_ordered_by_fork_and_join_is_atomic),
        cmocka_unit_test(order_and_escape_can_be_left_out),
        cmocka_unit_test(each_function_with_the_same_accesses_is_told),
        cmocka_unit_test(a_lost_update_is_found_in_a_lucky_run),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
