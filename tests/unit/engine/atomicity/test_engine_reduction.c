/* Atomicity by reduction: the examples of Wang & Stoller, section 5, with the paper's answers. */
#include "atomicity_fixture.h"

#include "engine/atomicity/movers.h"
#include "engine/atomicity/mtree.h"

static const char *offline(const char *text)
{
    return said_of(&darn_engine_reduction, text, NULL);
}

static const char *online(const char *text)
{
    return said_of(&darn_engine_reduction_online, text, NULL);
}

/* The patterns of what is reported, `RBL`; '-' is what theorem 2 passes over. */
static const char *patterns(const char *text)
{
    static const char letters[] = {[DARN_MOVER_RIGHT] = 'R',
                                   [DARN_MOVER_LEFT] = 'L',
                                   [DARN_MOVER_BOTH] = 'B',
                                   [DARN_MOVER_NONE] = 'N',
                                   [DARN_MOVER_PASSED] = '-'};
    static char said[512];
    char error[256] = "";
    struct darn_trace *trace =
        darn_trace_open_memory("test.std", text, strlen(text), false, error, sizeof(error));
    struct trial trial = start(&darn_engine_reduction, NULL);
    struct darn_engine_mover movers[64];
    struct darn_event event;
    char *at = said;

    assert_non_null(trace);
    while (darn_trace_next(trace, &event) > 0)
        give(&trial, event);
    finish(&trial);
    for (size_t i = 0; i < trial.count; i++) {
        size_t count = trial.engine->movers(trial.state, i, movers, 64);

        assert_true(count > 0 && count < 64);
        if (i)
            *at++ = ' ';
        for (size_t j = 0; j < count; j++)
            *at++ = letters[movers[j].type];
    }
    *at = '\0';
    assert_int_equal(trial.engine->movers(trial.state, trial.count, movers, 64), 0);
    stop(&trial);
    darn_trace_close(trace);
    return said;
}

/* The threads of figure 4 as transactions; t3, t2, t4 is the order of the paper. */
#define FIGURE_4_STARTS "m|w(x)|1\nm|fork(t2)|2\nm|fork(t3)|3\nm|fork(t4)|4\nm|fork(t1)|5\n"
#define FIGURE_4_T1                                                                                \
    "t1|begin(t1)|10\nt1|acq(o1)|11\nt1|acq(o2)|12\nt1|w(x)|13\nt1|w(x)|14\nt1|rel(o2)|15\n"       \
    "t1|rel(o1)|16\nt1|end(t1)|17\n"
#define FIGURE_4_T2 "t2|begin(t2)|20\nt2|acq(o2)|21\nt2|r(x)|22\nt2|rel(o2)|23\nt2|end(t2)|24\n"
#define FIGURE_4_T3 "t3|begin(t3)|30\nt3|acq(o1)|31\nt3|r(x)|32\nt3|rel(o1)|33\nt3|end(t3)|34\n"
#define FIGURE_4_T4                                                                                \
    "t4|begin(t4)|40\nt4|r(x)|41\nt4|acq(o1)|42\nt4|acq(o2)|43\nt4|w(x)|44\nt4|rel(o2)|45\n"       \
    "t4|rel(o1)|46\nt4|end(t4)|47\n"

/* 5.4: with t1 instead of t4 there is no race, and all is reducible. */
static void figure_4_without_t4_is_atomic(void **state)
{
    (void)state;
    assert_string_equal(offline(FIGURE_4_STARTS FIGURE_4_T3 FIGURE_4_T2 FIGURE_4_T1), "");
}

/* 5.4 and 6.5: {t2, t3, t4} is reported, which is a false alarm. x is taken to race, so that the
 * patterns are RNL for t2 and t3 and NRRNLL for t4. Theorem 2 shows a set of transactions to be
 * atomic if each of them has its form: RNL has it (R N L), and NRRNLL has not, so that the alarm
 * about the three is raised at t4. It needs them all to be one: t4 alone, or t2 and t3 without it,
 * are atomic. */
static void figure_4_is_a_false_alarm(void **state)
{
    (void)state;
    assert_string_equal(offline(FIGURE_4_STARTS FIGURE_4_T3 FIGURE_4_T2 FIGURE_4_T4),
                        "not reducible: r41 a42");
    assert_string_equal(patterns(FIGURE_4_STARTS FIGURE_4_T3 FIGURE_4_T2 FIGURE_4_T4), "NRRNLL");
    assert_string_equal(offline(FIGURE_4_STARTS FIGURE_4_T4), "");
    assert_string_equal(offline(FIGURE_4_STARTS FIGURE_4_T3 FIGURE_4_T2), "");
}

/* The other two of them, each with one more access to x outside of its section: now they are not of
 * the form, and x is a non-mover for them, too. */
static void each_transaction_of_figure_4_has_the_race(void **state)
{
    (void)state;
    assert_string_equal(
        patterns(FIGURE_4_STARTS
                 "t3|begin(t3)|30\nt3|acq(o1)|31\nt3|r(x)|32\nt3|rel(o1)|33\nt3|r(x)|33\n"
                 "t3|end(t3)|34\n"
                 "t2|begin(t2)|20\nt2|acq(o2)|21\nt2|r(x)|22\nt2|rel(o2)|23\nt2|r(x)|23\n"
                 "t2|end(t2)|24\n" FIGURE_4_T4),
        "NRNL NRNL NRRNLL");
}

/* Figure 5: RBLRBBBL for new Vector(v1), RBBBL for removeAllElements. */
static void the_vector_of_figure_5_is_not_reducible(void **state)
{
    static const char text[] =
        "m|w(elementCount)|1\nm|w(elementData)|2\nm|fork(t1)|3\nm|fork(t2)|4\n"
        "t1|begin(Vector)|100\nt1|acq(v1)|266\nt1|r(elementCount)|267\nt1|rel(v1)|268\n"
        "t1|acq(v1)|689\nt1|r(elementCount)|690\nt1|r(elementData)|691\nt1|r(elementCount)|692\n"
        "t1|rel(v1)|693\nt1|end(Vector)|102\n"
        "t2|begin(removeAllElements)|628\nt2|acq(v1)|629\nt2|w(elementData)|630\n"
        "t2|r(elementCount)|631\nt2|w(elementCount)|632\nt2|rel(v1)|633\n"
        "t2|end(removeAllElements)|634\n";

    (void)state;
    assert_string_equal(offline(text), "not reducible: a266 a689");
    assert_string_equal(patterns(text), "RBLRBBBL");
}

static bool never(void *context, uint64_t what)
{
    (void)context;
    (void)what;
    return false;
}

static bool always(void *context, uint64_t what)
{
    (void)context;
    (void)what;
    return true;
}

static void put_letter(void *context, const struct darn_mstep *step, enum darn_mover type,
                       bool is_end)
{
    (void)step;
    assert_true(type != DARN_MOVER_LEFT || is_end);
    strncat(context, &"RLBN-"[type], 1);
}

/* `(o2 x )`: a lock is taken, a variable accessed, the lock given back. */
static const char *pattern_of(const char *text, bool races)
{
    static char said[64];
    const struct darn_mworld world = {NULL, races ? always : never, never, never};
    const struct darn_mstep *steps[2], nowhere = {.target = 0};
    struct darn_mtree tree = {.thread = 0};
    uint64_t locks[8];
    int depth = 0;

    darn_mtree_begin(&tree, 0, 1);
    for (; *text; text++) {
        if (*text == '(') {
            locks[depth++] = (uint64_t)(0x900 + text[1]);
            darn_mtree_enter(&tree, (uint64_t)(0x900 + *++text), &nowhere);
        } else if (*text == ')') {
            darn_mtree_leave(&tree, locks[--depth]);
        } else {
            darn_mtree_access(&tree, (uint64_t)*text, &nowhere);
        }
    }
    darn_mtree_end(&tree);
    said[0] = '\0';
    darn_mtree_pattern(&tree, &world, put_letter, said);
    strcat(said, darn_mtree_is_atomic(&tree, &world, steps) ? " atomic" : " not");
    darn_mtree_free(&tree);
    return said;
}

/* 5.6, steps 2 to 4; 1 and 2 are locks. The second of figure 5, and the three of figure 4. */
static void the_patterns_of_the_paper(void **state)
{
    (void)state;
    assert_string_equal(pattern_of("(1c)(1cdc)", false), "RBLRBBBL not");
    assert_string_equal(pattern_of("(1dcc)", false), "RBBBL atomic");
    assert_string_equal(pattern_of("(2x)", true), "RNL atomic");
    assert_string_equal(pattern_of("(1x)", true), "RNL atomic");
    assert_string_equal(pattern_of("x(1(2x))", true), "NRRNLL not");
    assert_string_equal(pattern_of("(1(2xx))", false), "RRBBLL atomic");
}

/* Theorem 1: R*N?L*. The lock is used by two threads, or it would be passed over. */
static void one_critical_section_is_reducible(void **state)
{
    (void)state;
    assert_string_equal(offline("m|fork(a)|1\nm|fork(b)|2\n"
                                "a|begin|10\na|acq(l)|11\na|r(x)|12\na|w(x)|13\na|rel(l)|14\n"
                                "a|end|15\n"
                                "b|begin|20\nb|acq(l)|21\nb|r(x)|22\nb|w(x)|23\nb|rel(l)|24\n"
                                "b|end|25\n"),
                        "");
}

static void nested_critical_sections_are_reducible(void **state)
{
    (void)state;
    assert_string_equal(
        offline("m|fork(a)|1\nm|fork(b)|2\n"
                "a|begin|10\na|acq(l)|11\na|acq(k)|11\na|w(x)|12\na|rel(k)|13\na|w(y)|13\na|rel(l)|"
                "14\na|end|15\n"
                "b|begin|20\nb|acq(l)|21\nb|w(y)|22\nb|rel(l)|24\nb|end|25\n"
                "b|begin|26\nb|acq(k)|27\nb|w(x)|28\nb|rel(k)|29\nb|end|30\n"),
        "");
}

/* Of non-movers one is allowed; varsMul has what is accessed more often. */
static void one_access_that_races_is_reducible_and_two_are_not(void **state)
{
    (void)state;
    assert_string_equal(offline("m|fork(a)|1\na|begin|10\na|w(x)|11\na|end|12\nm|w(x)|3\n"), "");
    assert_string_equal(
        offline("m|fork(a)|1\na|begin|10\na|r(x)|11\na|w(x)|12\na|end|13\nm|w(x)|3\n"),
        "not reducible: r11 r11");
    assert_string_equal(offline("m|fork(a)|1\na|begin|10\na|w(x)|11\na|w(y)|12\na|end|13\n"
                                "m|w(x)|3\nm|w(y)|4\n"),
                        "not reducible: w11 w12");
}

/* Theorem 2: a section around what only this thread uses, or nobody writes, is passed over. */
static void a_section_with_nothing_shared_is_passed_over(void **state)
{
    static const char text[] =
        "m|w(table)|1\nm|fork(a)|2\nm|fork(b)|3\n"
        "b|begin|30\nb|acq(l)|31\nb|w(x)|32\nb|r(table)|33\nb|rel(l)|34\nb|end|35\n"
        "a|begin|10\na|acq(l)|11\na|r(table)|12\na|rel(l)|13\n"
        "a|acq(l)|14\na|w(x)|15\na|rel(l)|16\na|acq(l)|17\na|r(table)|18\na|w(mine)|18\na|rel(l)|"
        "19\n"
        "a|end|20\n";

    (void)state;
    assert_string_equal(offline(text), "");
    /* Theorem 1, which the online version has, does not do so. */
    assert_string_equal(online(text), "not reducible: a11 a14");
}

/* 5.5: locks that are acquired again, used by one thread, or protected by another one. */
static void reentrant_locks_are_passed_over(void **state)
{
    (void)state;
    assert_string_equal(
        offline("m|fork(a)|1\nm|fork(b)|2\n"
                "a|begin|10\na|acq(l)|11\na|acq(l)|12\na|w(x)|13\na|rel(l)|14\na|acq(l)|15\n"
                "a|w(x)|16\na|rel(l)|17\na|rel(l)|18\na|end|19\n"
                "b|begin|20\nb|acq(l)|21\nb|w(x)|22\nb|rel(l)|23\nb|end|24\n"),
        "");
}

static void locks_of_one_thread_are_passed_over(void **state)
{
    (void)state;
    assert_string_equal(
        offline("m|fork(a)|1\nm|fork(b)|2\n"
                "a|begin|10\na|acq(k)|11\na|w(y)|12\na|rel(k)|13\na|acq(l)|15\n"
                "a|w(x)|16\na|rel(l)|17\na|acq(k)|18\na|w(y)|19\na|rel(k)|19\na|end|19\n"
                "b|begin|20\nb|acq(l)|21\nb|w(x)|22\nb|rel(l)|23\nb|end|24\n"),
        "");
}

/* The same where what is inside is shared, and the lock is not always protected. */
static void a_lock_of_one_thread_is_passed_over_whatever_is_inside(void **state)
{
    (void)state;
    assert_string_equal(
        offline("m|fork(a)|1\nm|fork(b)|2\n"
                "a|begin|10\na|acq(l)|11\na|acq(k)|12\na|w(x)|13\na|rel(k)|14\na|acq(k)|15\n"
                "a|w(x)|16\na|rel(k)|17\na|rel(l)|18\na|end|19\n"
                "a|acq(k)|30\na|w(y)|31\na|rel(k)|32\n"
                "b|begin|20\nb|acq(l)|21\nb|w(x)|22\nb|rel(l)|23\nb|end|24\n"),
        "");
}

static void lock(struct darn_movers *movers, struct darn_held *held, uint32_t thread, uint64_t what)
{
    darn_movers_acquire(movers, thread, what);
    darn_held_event(held, &EVENT(thread, ACQUIRE, what));
}

static void unlock(struct darn_movers *movers, struct darn_held *held, uint32_t thread,
                   uint64_t what)
{
    darn_movers_release(movers, thread, what);
    darn_held_event(held, &EVENT(thread, RELEASE, what));
}

static void a_lock_is_protected_only_if_the_other_is_held_to_the_end(void **state)
{
    struct darn_locksets *sets = darn_locksets_create();
    struct darn_held *held = darn_held_create(sets);
    struct darn_movers movers = {.sets = sets, .held = held};
    const uint64_t outer = 0x900, inner = 0x910;

    (void)state;
    assert_false(darn_movers_are_both(&movers, inner));
    for (uint32_t thread = 0; thread < 2; thread++) {
        lock(&movers, held, thread, outer);
        lock(&movers, held, thread, inner);
        unlock(&movers, held, thread, inner);
        unlock(&movers, held, thread, outer);
        assert_int_equal(darn_movers_are_both(&movers, outer), thread == 0);
    }
    assert_true(darn_movers_are_both(&movers, inner));
    lock(&movers, held, 0, outer);
    lock(&movers, held, 0, inner);
    unlock(&movers, held, 0, outer);
    unlock(&movers, held, 0, inner);
    assert_false(darn_movers_are_both(&movers, inner));
    darn_movers_free(&movers);
    darn_held_destroy(held);
    darn_locksets_destroy(sets);
}

#define PROTECTED                                                                                  \
    "m|fork(a)|1\nm|fork(b)|2\n"                                                                   \
    "a|begin|10\na|acq(l)|11\na|acq(k)|12\na|w(x)|13\na|rel(k)|14\na|acq(k)|15\na|w(x)|16\n"       \
    "a|rel(k)|17\na|rel(l)|18\na|end|19\n"                                                         \
    "b|begin|20\nb|acq(l)|21\nb|acq(k)|22\nb|w(x)|23\nb|rel(k)|24\nb|rel(l)|25\nb|end|26\n"

static void protected_locks_are_passed_over(void **state)
{
    (void)state;
    assert_string_equal(offline(PROTECTED), "");
    assert_string_equal(online(PROTECTED), "");
}

/* A lock that is protected for a while: online it is too late when this is seen. */
static void a_lock_that_is_unprotected_later_is_missed_online(void **state)
{
    static const char text[] = PROTECTED "b|begin|27\nb|acq(k)|28\nb|w(x)|29\nb|rel(k)|30\n"
                                         "b|end|31\n";

    (void)state;
    assert_string_equal(offline(text), "not reducible: a12 a15");
    assert_string_equal(online(text), "");
}

/* checksum1 of raytracer: the race is seen with the last access only. */
static void a_race_that_is_seen_late_is_missed_online(void **state)
{
    static const char text[] = "m|fork(a)|1\nm|fork(b)|2\n"
                               "a|begin(add)|10\na|r(sum)|11\na|w(sum)|12\na|end(add)|13\n"
                               "b|begin(add)|10\nb|r(sum)|11\nb|w(sum)|12\nb|end(add)|13\n";

    (void)state;
    assert_string_equal(offline(text), "not reducible: r11 r11");
    assert_string_equal(online(text), "");
}

static void the_third_change_of_threads_is_seen_online(void **state)
{
    static const char text[] = "m|w(x)|1\na|w(x)|2\n"
                               "b|begin|10\nb|r(x)|11\nb|w(x)|12\nb|w(x)|13\nb|end|14\n";

    (void)state;
    assert_string_equal(online(text), "not reducible: w12 w13");
}

/* Loops: of equal sections two are kept, and the answer is that of many. */
static void a_loop_of_sections_is_not_reducible(void **state)
{
    struct trial trial = start(&darn_engine_reduction, NULL);
    struct darn_engine_fact facts[DARN_ENGINE_FACTS];
    size_t memory = 0;

    (void)state;
    give(&trial, EVENT(0, FORK, 1));
    for (int round = 0; round < 2; round++) {
        give(&trial, EVENT(0, BEGIN, 0));
        for (uint32_t i = 0; i < 10000; i++) {
            give(&trial, EVENT(0, ACQUIRE, 0x900));
            give(&trial, ACCESS(0, WRITE, 0x10));
            give(&trial, EVENT(0, RELEASE, 0x900));
            if (i == 100 && !round)
                memory = trial.engine->cost(trial.state).memory;
        }
        give(&trial, EVENT(0, END, 0));
    }
    give(&trial, EVENT(1, ACQUIRE, 0x900));
    give(&trial, ACCESS(1, WRITE, 0x10));
    give(&trial, EVENT(1, RELEASE, 0x900));
    assert_true(trial.engine->cost(trial.state).memory < memory + 20000);
    finish(&trial);
    assert_int_equal(trial.count, 1);
    assert_int_equal(trial.predictions[0].count, 1);
    assert_int_equal(trial.predictions[0].step_count, 2);
    trial.engine->facts(trial.state, facts);
    assert_string_equal(facts[3].text, "distinct transaction trees");
    assert_int_equal(facts[3].value, 2);
    stop(&trial);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figure_4_without_t4_is_atomic),
        cmocka_unit_test(figure_4_is_a_false_alarm),
        cmocka_unit_test(each_transaction_of_figure_4_has_the_race),
        cmocka_unit_test(the_patterns_of_the_paper),
        cmocka_unit_test(the_vector_of_figure_5_is_not_reducible),
        cmocka_unit_test(one_critical_section_is_reducible),
        cmocka_unit_test(nested_critical_sections_are_reducible),
        cmocka_unit_test(one_access_that_races_is_reducible_and_two_are_not),
        cmocka_unit_test(a_section_with_nothing_shared_is_passed_over),
        cmocka_unit_test(reentrant_locks_are_passed_over),
        cmocka_unit_test(locks_of_one_thread_are_passed_over),
        cmocka_unit_test(a_lock_of_one_thread_is_passed_over_whatever_is_inside),
        cmocka_unit_test(a_lock_is_protected_only_if_the_other_is_held_to_the_end),
        cmocka_unit_test(protected_locks_are_passed_over),
        cmocka_unit_test(a_lock_that_is_unprotected_later_is_missed_online),
        cmocka_unit_test(a_race_that_is_seen_late_is_missed_online),
        cmocka_unit_test(the_third_change_of_threads_is_seen_online),
        cmocka_unit_test(a_loop_of_sections_is_not_reducible),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
