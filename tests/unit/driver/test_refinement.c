/* What one run after the other makes of the sections (AtomRace 4.3). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "driver/section/refinement.h"
#include "site/site_section.h"

/* Two sections with points, one over lines, one with points by hand: in lines 2 to 5 of the file
 * for the runs. */
struct snapshot {
    struct darn_sections sections;
    struct darn_refinement refinement;
    struct darn_refinement_counts counts;
    char told[512];
};

static struct darn_point point(uint8_t role, uint32_t line, uint8_t kind, uint8_t allow)
{
    return (struct darn_point){.file = "bank.c",
                               .function = "deposit",
                               .line = line,
                               .column = 5,
                               .at = line,
                               .role = role,
                               .kind = kind,
                               .allow = allow};
}

static void add(struct snapshot *snapshot, const char *variable, uint8_t kind, uint32_t ends)
{
    static struct darn_section section;

    section = (struct darn_section){
        .variable = variable, .file = "bank.c", .function = "deposit", .kind = kind};
    section.points[section.count++] = point(DARN_ROLE_ENTRY, 10, DARN_SITE_READ, 0);
    for (uint32_t i = 0; i < ends; i++)
        section.points[section.count++] =
            point(DARN_ROLE_END, 11 + i, DARN_SITE_WRITE, DARN_ALLOW_READ);
    section.points[section.count++] = point(DARN_ROLE_LEAVE, 30, DARN_SITE_LEAVE, 0);
    darn_sections_add(&snapshot->sections, &section);
}

static void add_lines(struct snapshot *snapshot)
{
    static const struct darn_section section = {.variable = "total",
                                                .file = "bank.c",
                                                .function = "",
                                                .kind = DARN_SECTION_HAND,
                                                .first = 40,
                                                .last = 50};

    darn_sections_add(&snapshot->sections, &section);
}

static int set_up(void **state)
{
    struct snapshot *snapshot = calloc(1, sizeof(*snapshot));

    add(snapshot, "balance", DARN_SECTION_LOAD_STORE, 1);
    add(snapshot, "flag", DARN_SECTION_TEST_USE, 2);
    add_lines(snapshot);
    add(snapshot, "limit", DARN_SECTION_HAND, 1);
    darn_refinement_open(&snapshot->refinement, &snapshot->sections);
    *state = snapshot;
    return 0;
}

static int tear_down(void **state)
{
    struct snapshot *snapshot = *state;

    darn_refinement_close(&snapshot->refinement);
    darn_refinement_counts_free(&snapshot->counts);
    darn_sections_free(&snapshot->sections);
    free(snapshot);
    return 0;
}

static void tell(void *to, enum darn_refinement_news news, const struct darn_section *section,
                 const struct darn_point *end)
{
    static const char *const words[] = {"allowed", "dropped", "suspect"};
    struct snapshot *snapshot = to;
    size_t length = strlen(snapshot->told);

    snprintf(snapshot->told + length, sizeof(snapshot->told) - length, "%s%s %s",
             length ? "; " : "", words[news], section->variable);
    length = strlen(snapshot->told);
    if (end)
        snprintf(snapshot->told + length, sizeof(snapshot->told) - length, " %u", end->line);
}

/* The number of changes that the run makes. */
static uint32_t run(struct snapshot *snapshot, uint64_t number, bool correct, const char *text)
{
    snapshot->told[0] = '\0';
    darn_refinement_counts_read(&snapshot->counts, text);
    return darn_refinement_apply(&snapshot->refinement, &snapshot->counts, correct, number, tell,
                                 snapshot);
}

static const struct darn_section *section(const struct snapshot *snapshot, size_t number)
{
    return snapshot->sections.list[number];
}

static void counts_are_read_up_to_the_first_cut_line(void **state)
{
    struct snapshot *snapshot = *state;

    darn_refinement_counts_read(&snapshot->counts, "hello world\n"
                                                   "end 2 0 17 3 and more\n"
                                                   "end 3 1\n"
                                                   "end x 1 2 3\n"
                                                   "end 4 1 20 0\n"
                                                   "done\n");
    assert_true(snapshot->counts.done);
    assert_int_equal(snapshot->counts.count, 2);
    assert_int_equal(snapshot->counts.list[0].line, 2);
    assert_int_equal(snapshot->counts.list[0].seen, 17);
    assert_int_equal(snapshot->counts.list[0].violated, 3);
    assert_int_equal(snapshot->counts.list[1].index, 1);
    darn_refinement_counts_read(&snapshot->counts, "end 2 0 17 3\nend 2 0 1");
    assert_false(snapshot->counts.done);
    assert_int_equal(snapshot->counts.count, 1);
    darn_refinement_counts_read(&snapshot->counts, "");
    assert_false(snapshot->counts.done);
    assert_int_equal(snapshot->counts.count, 0);
    /* A process of the program may end before another one. */
    darn_refinement_counts_read(&snapshot->counts, "end 2 0 1 0\ndone\nend 2 0 1 0\n");
    assert_false(snapshot->counts.done);
}

static void what_a_correct_run_does_not_violate_stays(void **state)
{
    struct snapshot *snapshot = *state;

    assert_int_equal(run(snapshot, 1, true, "end 2 0 100 0\nend 3 0 5 0\ndone\n"), 0);
    assert_string_equal(snapshot->told, "");
    assert_int_equal(section(snapshot, 0)->points[1].seen, 100);
    assert_int_equal(section(snapshot, 0)->points[1].allow, DARN_ALLOW_READ);
    assert_null(section(snapshot, 0)->why);
}

static void a_section_that_a_correct_run_violates_goes_and_says_why(void **state)
{
    struct snapshot *snapshot = *state;

    assert_int_equal(run(snapshot, 12, true, "end 2 0 100 3\ndone\n"), 1);
    assert_string_equal(snapshot->told, "dropped balance");
    assert_string_equal(section(snapshot, 0)->why, "violated in a correct run (run 12)");
    assert_int_equal(section(snapshot, 0)->points[1].allow, DARN_ALLOW_ALL);
    assert_int_equal(section(snapshot, 0)->points[1].violated, 3);
    /* A run that began before knows it still. */
    assert_int_equal(run(snapshot, 13, true, "end 2 0 100 3\ndone\n"), 0);
    assert_string_equal(section(snapshot, 0)->why, "violated in a correct run (run 12)");
}

static void of_two_ends_only_the_violated_one_is_allowed(void **state)
{
    struct snapshot *snapshot = *state;

    assert_int_equal(run(snapshot, 1, true, "end 3 1 10 1\ndone\n"), 1);
    assert_string_equal(snapshot->told, "allowed flag 12");
    assert_null(section(snapshot, 1)->why);
    assert_int_equal(section(snapshot, 1)->points[1].allow, DARN_ALLOW_READ);
    assert_int_equal(section(snapshot, 1)->points[2].allow, DARN_ALLOW_ALL);
    assert_int_equal(run(snapshot, 2, true, "end 3 0 10 0\nend 3 1 10 5\ndone\n"), 0);
    assert_int_equal(run(snapshot, 3, true, "end 3 0 10 2\ndone\n"), 1);
    assert_string_equal(snapshot->told, "dropped flag");
    assert_string_equal(section(snapshot, 1)->why, "violated in a correct run (run 3)");
}

static void what_a_failing_run_violates_is_kept_as_a_suspect(void **state)
{
    struct snapshot *snapshot = *state;

    assert_int_equal(run(snapshot, 1, false, "end 2 0 10 2\nend 4 7 3 1\n"), 0);
    assert_string_equal(snapshot->told, "suspect balance 11; suspect total");
    assert_int_equal(run(snapshot, 2, false, "end 2 0 10 1\nend 4 6 3 1\ndone\n"), 0);
    assert_string_equal(snapshot->told, "");
    assert_null(section(snapshot, 0)->why);
    assert_int_equal(darn_refinement_suspicion(&snapshot->refinement, 0), 3);
    assert_int_equal(darn_refinement_suspicion(&snapshot->refinement, 1), 0);
    assert_int_equal(darn_refinement_suspicion(&snapshot->refinement, 2), 2);
    /* A correct run clears it. */
    assert_int_equal(run(snapshot, 3, true, "end 2 0 10 1\nend 4 6 3 1\ndone\n"), 2);
    assert_int_equal(darn_refinement_suspicion(&snapshot->refinement, 0), 0);
    assert_int_equal(darn_refinement_suspicion(&snapshot->refinement, 2), 0);
}

static void a_section_over_lines_is_one_whatever_its_ends(void **state)
{
    struct snapshot *snapshot = *state;

    assert_int_equal(run(snapshot, 4, true, "end 4 0 1 0\nend 4 9 3 1\nend 4 12 3 1\ndone\n"), 1);
    assert_string_equal(snapshot->told, "dropped total");
    assert_string_equal(section(snapshot, 2)->why, "violated in a correct run (run 4)");
}

static void lines_and_ends_that_are_not_there_are_passed_over(void **state)
{
    struct snapshot *snapshot = *state;

    assert_int_equal(run(snapshot, 1, true,
                         "end 0 0 1 1\nend 1 0 1 1\nend 6 0 1 1\nend 2 1 1 1\nend 3 2 1 1\n"
                         "end 4000000000 0 1 1\ndone\n"),
                     0);
    for (size_t i = 0; i < snapshot->sections.count; i++)
        assert_null(section(snapshot, i)->why);
}

static void in_the_end_what_was_never_seen_goes_but_not_what_is_by_hand(void **state)
{
    struct snapshot *snapshot = *state;

    run(snapshot, 1, true, "end 2 0 10 0\nend 4 0 1 0\ndone\n");
    assert_int_equal(darn_refinement_finish(&snapshot->refinement, 62), 1);
    assert_null(section(snapshot, 0)->why);
    assert_string_equal(section(snapshot, 1)->why, "never seen in 62 runs");
    assert_null(section(snapshot, 2)->why);
    assert_null(section(snapshot, 3)->why);
    assert_int_equal(section(snapshot, 3)->points[1].allow, DARN_ALLOW_READ);
}

static void in_the_end_an_end_that_was_never_seen_is_allowed(void **state)
{
    struct snapshot *snapshot = *state;

    run(snapshot, 1, true, "end 2 0 10 0\nend 3 0 10 0\ndone\n");
    assert_int_equal(darn_refinement_finish(&snapshot->refinement, 10), 0);
    assert_int_equal(section(snapshot, 1)->points[1].allow, DARN_ALLOW_READ);
    assert_int_equal(section(snapshot, 1)->points[2].allow, DARN_ALLOW_ALL);
}

static void what_is_violated_where_it_was_seen_and_not_seen_elsewhere_goes(void **state)
{
    struct snapshot *snapshot = *state;

    run(snapshot, 1, true, "end 2 0 10 0\nend 3 0 10 1\ndone\n");
    assert_int_equal(darn_refinement_finish(&snapshot->refinement, 10), 1);
    assert_string_equal(section(snapshot, 1)->why,
                        "violated in correct runs where it was seen at all, in 10 runs");
}

/* What was read back from a file for the runs. */
struct read_back {
    uint32_t lines[8];
    char variables[8][16];
    size_t count;
};

static bool take(void *context, const struct darn_section *section)
{
    struct read_back *back = context;

    back->lines[back->count] = section->position;
    snprintf(back->variables[back->count++], 16, "%s", section->variable);
    return true;
}

static struct read_back read_back(const struct snapshot *snapshot)
{
    static char room[65536];
    static struct darn_section section;
    struct read_back back = {.count = 0};
    struct darn_repository_reader reader = {
        .section = take, .context = &back, .room = room, .room_size = sizeof(room)};
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);

    assert_int_equal(darn_refinement_write(&snapshot->refinement, to), 0);
    fclose(to);
    assert_int_equal(darn_repository_read(text, size, &section, &reader), 0);
    free(text);
    return back;
}

static void sections_stay_in_their_lines_when_others_go(void **state)
{
    struct snapshot *snapshot = *state;
    struct read_back back = read_back(snapshot);

    assert_int_equal(back.count, 4);
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(back.lines[i], i + 2);
    run(snapshot, 1, true, "end 2 0 1 1\nend 5 0 1 1\ndone\n");
    back = read_back(snapshot);
    assert_int_equal(back.count, 2);
    assert_int_equal(back.lines[0], 3);
    assert_string_equal(back.variables[0], "flag");
    assert_int_equal(back.lines[1], 4);
    assert_string_equal(back.variables[1], "total");
    run(snapshot, 1, true, "end 3 0 1 1\nend 3 1 1 1\nend 4 0 1 1\ndone\n");
    back = read_back(snapshot);
    assert_int_equal(back.count, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(counts_are_read_up_to_the_first_cut_line),
        TEST(what_a_correct_run_does_not_violate_stays),
        TEST(a_section_that_a_correct_run_violates_goes_and_says_why),
        TEST(of_two_ends_only_the_violated_one_is_allowed),
        TEST(what_a_failing_run_violates_is_kept_as_a_suspect),
        TEST(a_section_over_lines_is_one_whatever_its_ends),
        TEST(lines_and_ends_that_are_not_there_are_passed_over),
        TEST(in_the_end_what_was_never_seen_goes_but_not_what_is_by_hand),
        TEST(in_the_end_an_end_that_was_never_seen_is_allowed),
        TEST(what_is_violated_where_it_was_seen_and_not_seen_elsewhere_goes),
        TEST(sections_stay_in_their_lines_when_others_go),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
