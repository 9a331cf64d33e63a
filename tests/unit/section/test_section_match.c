/* Which sections of a program a repository means: one rule, for the compiler and the runtime. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "section/match.h"

#define MOST 24

/* ---- a stage ---- */

static struct {
    struct darn_section_point points[2 * MOST][DARN_SECTION_POINTS];
    struct darn_match_wanted wanted[MOST], *list[MOST];
    struct darn_match_found found[MOST];
    uint32_t wanted_count, found_count;
    bool means[MOST][MOST];
} stage;

static struct darn_section section; /* the one that is changed from test to test */

static struct darn_point *add_point(uint8_t role, uint8_t kind, const char *function, uint32_t line)
{
    struct darn_point *point = &section.points[section.count++];

    *point = (struct darn_point){.file = section.file,
                                 .function = function,
                                 .line = line,
                                 .column = 5,
                                 .at = line,
                                 .role = role,
                                 .kind = kind,
                                 .allow = DARN_ALLOW_READ};
    return point;
}

/* Reads and writes back: from this line to the next but one. */
static void deposit_at(uint32_t line)
{
    section = (struct darn_section){.variable = "acct->balance",
                                    .type = "",
                                    .file = "bank.c",
                                    .function = "deposit",
                                    .kind = DARN_SECTION_LOAD_STORE};
    add_point(DARN_ROLE_ENTRY, DARN_SITE_READ, "deposit", line);
    add_point(DARN_ROLE_END, DARN_SITE_WRITE, "deposit", line + 2);
}

static void want(void)
{
    uint32_t i = stage.wanted_count++;

    stage.wanted[i].section = darn_match_of_wanted(&section, stage.points[i]);
    stage.list[i] = &stage.wanted[i];
}

static void find(void)
{
    uint32_t i = stage.found_count++;

    stage.found[i].section = darn_match_of_section(&section, stage.points[MOST + i]);
}

static void note(void *unused, struct darn_match_wanted *wanted,
                 const struct darn_match_found *found)
{
    (void)unused;
    stage.means[wanted - stage.wanted][found - stage.found] = true;
}

static void match(void)
{
    struct darn_match all = {.wanted = stage.list,
                             .wanted_count = stage.wanted_count,
                             .found = stage.found,
                             .found_count = stage.found_count,
                             .meant = note};

    darn_match_module(&all);
}

static int clear(void **state)
{
    (void)state;
    memset(&stage, 0, sizeof(stage));
    return 0;
}

static void expect(uint32_t wanted, enum darn_match_how how)
{
    assert_int_equal(stage.wanted[wanted].how, how);
}

/* The section of the stage, wanted and found after a change, and what comes of it. */
#define FOUND_AS(change, expected)                                                                 \
    do {                                                                                           \
        clear(NULL);                                                                               \
        deposit_at(10);                                                                            \
        want();                                                                                    \
        change;                                                                                    \
        find();                                                                                    \
        match();                                                                                   \
        expect(0, expected);                                                                       \
    } while (0)

/* ---- for certain ---- */

static void entry_and_ends_at_their_places_are_for_certain(void **state)
{
    (void)state;
    FOUND_AS((void)0, DARN_MATCH_EXACT);
    FOUND_AS(add_point(DARN_ROLE_END, DARN_SITE_READ, "deposit", 14), DARN_MATCH_EXACT);
    FOUND_AS(section.kind = DARN_SECTION_TEST_USE, DARN_MATCH_EXACT);
    FOUND_AS(section.type = "account", DARN_MATCH_EXACT);
    FOUND_AS(section.variable = "the_account.balance", DARN_MATCH_EXACT);
    FOUND_AS(section.variable = "*p", DARN_MATCH_EXACT);
    FOUND_AS(section.variable = "acct->limit", DARN_MATCH_NONE);
    FOUND_AS(section.function = "withdraw", DARN_MATCH_NONE);
}

static void an_end_that_is_not_there_makes_it_another_section(void **state)
{
    (void)state;
    deposit_at(10);
    find();
    add_point(DARN_ROLE_END, DARN_SITE_READ, "deposit", 14);
    want();
    match();
    expect(0, DARN_MATCH_NONE);
}

static void inlined_at(uint32_t first, uint32_t last)
{
    section = (struct darn_section){.variable = "x",
                                    .type = "",
                                    .file = "bank.c",
                                    .function = "twice",
                                    .kind = DARN_SECTION_LOAD_STORE};
    add_point(DARN_ROLE_ENTRY, DARN_SITE_READ, "get", 3)->at = first;
    add_point(DARN_ROLE_END, DARN_SITE_WRITE, "put", 4)->at = last;
}

static void calls_of_inlined_functions_are_told_apart_by_their_lines(void **state)
{
    (void)state;
    inlined_at(7, 9);
    want(), find();
    inlined_at(11, 13);
    want(), find();
    match();
    for (uint32_t i = 0; i < 2; i++) {
        expect(i, DARN_MATCH_EXACT);
        assert_true(stage.means[i][i]);
        assert_false(stage.means[i][1 - i]);
    }
}

static void calls_that_have_moved_are_taken_in_their_order(void **state)
{
    (void)state;
    inlined_at(7, 9), want();
    inlined_at(11, 13), want();
    inlined_at(27, 29), find();
    inlined_at(21, 23), find();
    match();
    for (uint32_t i = 0; i < 2; i++) {
        expect(i, DARN_MATCH_MOVED);
        assert_true(stage.means[i][1 - i]);
        assert_false(stage.means[i][i]);
    }
}

static void a_call_whose_line_nobody_has_said_may_be_in_any(void **state)
{
    (void)state;
    inlined_at(3, 4), want();
    inlined_at(7, 9), find();
    match();
    expect(0, DARN_MATCH_EXACT);
}

/* ---- by its shape ---- */

static void a_shape_stays_when_lines_move(void **state)
{
    (void)state;
    FOUND_AS(deposit_at(20), DARN_MATCH_MOVED);
    FOUND_AS((deposit_at(20), section.file = "/elsewhere/bank.c"), DARN_MATCH_MOVED);
    FOUND_AS((deposit_at(20), section.file = "tank.c"), DARN_MATCH_NONE);
    FOUND_AS((deposit_at(20), section.variable = "*p"), DARN_MATCH_NONE);
    FOUND_AS((deposit_at(20), section.kind = DARN_SECTION_TEST_USE), DARN_MATCH_NONE);
    FOUND_AS((deposit_at(20), add_point(DARN_ROLE_END, DARN_SITE_READ, "deposit", 24)),
             DARN_MATCH_NONE);
}

static void people_do_not_say_how_the_compiler_sees_it(void **state)
{
    (void)state;
    deposit_at(10);
    section.kind = DARN_SECTION_HAND;
    want();
    deposit_at(20);
    find();
    match();
    expect(0, DARN_MATCH_MOVED);
}

static void shapes_of_different_structs_are_different(void **state)
{
    (void)state;
    deposit_at(10);
    section.type = "account";
    want();
    deposit_at(20);
    section.type = "customer";
    find();
    match();
    expect(0, DARN_MATCH_NONE);
}

static void of_more_than_are_looked_for_none_is_meant(void **state)
{
    (void)state;
    deposit_at(10), want();
    deposit_at(20), find();
    deposit_at(30), find();
    match();
    expect(0, DARN_MATCH_NONE);
    assert_non_null(stage.wanted[0].why);
}

static void copies_of_an_inline_function_count_once(void **state)
{
    (void)state;
    deposit_at(10), want();
    deposit_at(14), want();
    for (int file = 0; file < 2; file++) {
        deposit_at(20), find();
        deposit_at(24), find();
    }
    match();
    for (uint32_t i = 0; i < 2; i++) {
        expect(i, DARN_MATCH_MOVED);
        for (uint32_t j = 0; j < 4; j++)
            assert_int_equal(stage.means[i][j], i == j % 2);
    }
}

/* ---- what an end allows ---- */

static void the_repository_says_what_an_end_allows(void **state)
{
    struct darn_section_point own = {.key = 1, .role = DARN_ROLE_END, .line = 12, .allow = 0};
    struct darn_section_point end = {
        .key = 1, .role = DARN_ROLE_END, .line = 12, .allow = DARN_ALLOW_READ};
    struct darn_match_section found = {.points = &end, .count = 1};
    struct darn_match_wanted points = {.section = {.points = &own, .count = 1}};
    struct darn_match_wanted lines = {.section = {.first = 10, .last = 20}};

    (void)state;
    assert_int_equal(darn_match_allow(&points, &found, &end), 0);
    own.key = 2; /* it knows of no such end */
    assert_int_equal(darn_match_allow(&points, &found, &end), DARN_ALLOW_READ);
    assert_int_equal(darn_match_allow(&lines, &found, &end), DARN_ALLOW_READ);
    lines.section.has_allow = true;
    assert_int_equal(darn_match_allow(&lines, &found, &end), 0);
    end.line = 21;
    assert_int_equal(darn_match_allow(&lines, &found, &end), DARN_ALLOW_ALL);
}

/* The second end moves to where the first one was, or the first to where the second was. */
static void what_has_moved_allows_what_the_repository_says(void **state)
{
    (void)state;
    for (int lines = -2; lines <= 2; lines += 4) {
        const struct darn_match_section *found = &stage.found[0].section;

        clear(NULL);
        deposit_at(10);
        section.points[1].allow = 0;
        add_point(DARN_ROLE_END, DARN_SITE_WRITE, "deposit", 14)->allow = DARN_ALLOW_ALL;
        want();
        deposit_at((uint32_t)(10 + lines));
        add_point(DARN_ROLE_END, DARN_SITE_WRITE, "deposit", (uint32_t)(14 + lines));
        find();
        match();
        expect(0, DARN_MATCH_MOVED);
        assert_int_equal(darn_match_allow(&stage.wanted[0], found, &found->points[1]), 0);
        assert_int_equal(darn_match_allow(&stage.wanted[0], found, &found->points[2]),
                         DARN_ALLOW_ALL);
        assert_int_equal(darn_match_end(&stage.wanted[0], found, &found->points[1]), 0);
        assert_int_equal(darn_match_end(&stage.wanted[0], found, &found->points[2]), 1);
    }
}

/* ---- what the compiler may leave out ---- */

static uint64_t below(uint64_t *random, uint64_t limit)
{
    *random = *random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (*random >> 33) % limit;
}

static const char *one_of(uint64_t *random, const char *const *texts, uint32_t count)
{
    return texts[below(random, count)];
}

#define ONE_OF(random, ...)                                                                        \
    one_of(random, (const char *const[]){__VA_ARGS__},                                             \
           sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))

static void draw_point(uint64_t *random, uint8_t role)
{
    struct darn_point *point = add_point(role, (uint8_t)below(random, 2), section.function,
                                         1 + (uint32_t)below(random, 4));

    if (below(random, 8) == 0) {
        point->function = "get";
        point->at = (uint32_t)below(random, 2) ? point->line : point->line + 10;
    }
}

static void draw_section(uint64_t *random, bool is_wanted)
{
    section = (struct darn_section){
        .variable = ONE_OF(random, "x", "x", "x", "x", "p->x", "*p", "y"),
        .type = ONE_OF(random, "", "", "", "a", "b"),
        .file = ONE_OF(random, "a.c", "a.c", "d/a.c", "b.c"),
        .function = ONE_OF(random, "f", "f", "f", "g"),
        .kind = (uint8_t)below(random, is_wanted ? DARN_SECTION_RACE : DARN_SECTION_LEARNED)};
    if (is_wanted && below(random, 8) == 0) {
        section.function = "";
        section.first = 1 + (uint32_t)below(random, 3);
        section.last = section.first + 2;
        return;
    }
    draw_point(random, DARN_ROLE_ENTRY);
    for (uint64_t ends = 1 + below(random, 2); ends; ends--)
        draw_point(random, DARN_ROLE_END);
}

static bool is_concerned(uint32_t found)
{
    for (uint32_t i = 0; i < stage.wanted_count; i++)
        if (darn_match_concerns(&stage.wanted[i].section, &stage.found[found].section))
            return true;
    return false;
}

/* The program without some of the sections that concern nobody: `from` says which are left. */
static void leave_out(uint64_t *random, uint32_t *from)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < stage.found_count; i++) {
        if (!is_concerned(i) && below(random, 4))
            continue;
        stage.found[kept] = (struct darn_match_found){.section = stage.found[i].section};
        from[kept++] = i;
    }
    stage.found_count = kept;
}

static void without_those_that_concern_nobody_the_answers_are_the_same(void **state)
{
    uint64_t random = 16;
    uint32_t moved = 0, exact = 0, unclear = 0;

    (void)state;
    for (int round = 0; round < 3000; round++) {
        bool means[MOST][MOST];
        struct darn_match_wanted before[MOST];
        uint32_t from[MOST];

        clear(NULL);
        for (uint64_t i = 1 + below(&random, 4); i; i--)
            draw_section(&random, true), want();
        for (uint64_t i = below(&random, MOST); i; i--)
            draw_section(&random, false), find();
        match();
        memcpy(means, stage.means, sizeof(means));
        memcpy(before, stage.wanted, sizeof(before));
        leave_out(&random, from);
        memset(stage.means, 0, sizeof(stage.means));
        for (uint32_t i = 0; i < stage.wanted_count; i++) {
            stage.wanted[i].how = DARN_MATCH_NONE;
            stage.wanted[i].why = NULL;
        }
        match();
        for (uint32_t i = 0; i < stage.wanted_count; i++) {
            assert_int_equal(stage.wanted[i].how, before[i].how);
            assert_ptr_equal(stage.wanted[i].why, before[i].why);
            for (uint32_t j = 0; j < stage.found_count; j++)
                assert_int_equal(stage.means[i][j], means[i][from[j]]);
            moved += before[i].how == DARN_MATCH_MOVED;
            exact += before[i].how == DARN_MATCH_EXACT;
            unclear += before[i].why != NULL;
        }
    }
    assert_true(moved > 100 && exact > 100 && unclear > 100); /* it is about something */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(entry_and_ends_at_their_places_are_for_certain, clear),
        cmocka_unit_test_setup(an_end_that_is_not_there_makes_it_another_section, clear),
        cmocka_unit_test_setup(calls_of_inlined_functions_are_told_apart_by_their_lines, clear),
        cmocka_unit_test_setup(calls_that_have_moved_are_taken_in_their_order, clear),
        cmocka_unit_test_setup(a_call_whose_line_nobody_has_said_may_be_in_any, clear),
        cmocka_unit_test_setup(a_shape_stays_when_lines_move, clear),
        cmocka_unit_test_setup(people_do_not_say_how_the_compiler_sees_it, clear),
        cmocka_unit_test_setup(shapes_of_different_structs_are_different, clear),
        cmocka_unit_test_setup(of_more_than_are_looked_for_none_is_meant, clear),
        cmocka_unit_test_setup(copies_of_an_inline_function_count_once, clear),
        cmocka_unit_test_setup(the_repository_says_what_an_end_allows, clear),
        cmocka_unit_test_setup(what_has_moved_allows_what_the_repository_says, clear),
        cmocka_unit_test_setup(without_those_that_concern_nobody_the_answers_are_the_same, clear),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
