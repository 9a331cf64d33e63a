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
struct scene {
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

static void add(struct scene *scene, const char *variable, uint8_t kind, uint32_t ends)
{
    static struct darn_section section;

    section = (struct darn_section){
        .variable = variable, .file = "bank.c", .function = "deposit", .kind = kind};
    section.points[section.count++] = point(DARN_ROLE_ENTRY, 10, DARN_SITE_READ, 0);
    for (uint32_t i = 0; i < ends; i++)
        section.points[section.count++] =
            point(DARN_ROLE_END, 11 + i, DARN_SITE_WRITE, DARN_ALLOW_READ);
    section.points[section.count++] = point(DARN_ROLE_LEAVE, 30, DARN_SITE_LEAVE, 0);
    darn_sections_add(&scene->sections, &section);
}

static void add_lines(struct scene *scene)
{
    static const struct darn_section section = {.variable = "total",
                                                .file = "bank.c",
                                                .function = "",
                                                .kind = DARN_SECTION_HAND,
                                                .first = 40,
                                                .last = 50};

    darn_sections_add(&scene->sections, &section);
}

static int set_up(void **state)
{
    struct scene *scene = calloc(1, sizeof(*scene));

    add(scene, "balance", DARN_SECTION_LOAD_STORE, 1);
    add(scene, "flag", DARN_SECTION_TEST_USE, 2);
    add_lines(scene);
    add(scene, "limit", DARN_SECTION_HAND, 1);
    darn_refinement_open(&scene->refinement, &scene->sections);
    *state = scene;
    return 0;
}

static int tear_down(void **state)
{
    struct scene *scene = *state;

    darn_refinement_close(&scene->refinement);
    darn_refinement_counts_free(&scene->counts);
    darn_sections_free(&scene->sections);
    free(scene);
    return 0;
}

static void tell(void *to, enum darn_refinement_news news, const struct darn_section *section,
                 const struct darn_point *end)
{
    static const char *const words[] = {"allowed", "dropped", "suspect"};
    struct scene *scene = to;
    size_t length = strlen(scene->told);

    snprintf(scene->told + length, sizeof(scene->told) - length, "%s%s %s", length ? "; " : "",
             words[news], section->variable);
    length = strlen(scene->told);
    if (end)
        snprintf(scene->told + length, sizeof(scene->told) - length, " %u", end->line);
}

/* The number of changes that the run makes. */
static uint32_t run(struct scene *scene, uint64_t number, bool correct, const char *text)
{
    scene->told[0] = '\0';
    darn_refinement_counts_read(&scene->counts, text);
    return darn_refinement_apply(&scene->refinement, &scene->counts, correct, number, tell, scene);
}

static const struct darn_section *section(const struct scene *scene, size_t number)
{
    return scene->sections.list[number];
}

static void counts_are_read_up_to_the_first_cut_line(void **state)
{
    struct scene *scene = *state;

    darn_refinement_counts_read(&scene->counts, "hello world\n"
                                                "end 2 0 17 3 and more\n"
                                                "end 3 1\n"
                                                "end x 1 2 3\n"
                                                "end 4 1 20 0\n"
                                                "done\n");
    assert_true(scene->counts.done);
    assert_int_equal(scene->counts.count, 2);
    assert_int_equal(scene->counts.list[0].line, 2);
    assert_int_equal(scene->counts.list[0].seen, 17);
    assert_int_equal(scene->counts.list[0].violated, 3);
    assert_int_equal(scene->counts.list[1].index, 1);
    darn_refinement_counts_read(&scene->counts, "end 2 0 17 3\nend 2 0 1");
    assert_false(scene->counts.done);
    assert_int_equal(scene->counts.count, 1);
    darn_refinement_counts_read(&scene->counts, "");
    assert_false(scene->counts.done);
    assert_int_equal(scene->counts.count, 0);
    /* A process of the program may end before another one. */
    darn_refinement_counts_read(&scene->counts, "end 2 0 1 0\ndone\nend 2 0 1 0\n");
    assert_false(scene->counts.done);
}

static void what_a_correct_run_does_not_violate_stays(void **state)
{
    struct scene *scene = *state;

    assert_int_equal(run(scene, 1, true, "end 2 0 100 0\nend 3 0 5 0\ndone\n"), 0);
    assert_string_equal(scene->told, "");
    assert_int_equal(section(scene, 0)->points[1].seen, 100);
    assert_int_equal(section(scene, 0)->points[1].allow, DARN_ALLOW_READ);
    assert_null(section(scene, 0)->why);
}

static void a_section_that_a_correct_run_violates_goes_and_says_why(void **state)
{
    struct scene *scene = *state;

    assert_int_equal(run(scene, 12, true, "end 2 0 100 3\ndone\n"), 1);
    assert_string_equal(scene->told, "dropped balance");
    assert_string_equal(section(scene, 0)->why, "violated in a correct run (run 12)");
    assert_int_equal(section(scene, 0)->points[1].allow, DARN_ALLOW_ALL);
    assert_int_equal(section(scene, 0)->points[1].violated, 3);
    /* A run that began before knows it still. */
    assert_int_equal(run(scene, 13, true, "end 2 0 100 3\ndone\n"), 0);
    assert_string_equal(section(scene, 0)->why, "violated in a correct run (run 12)");
}

static void of_two_ends_only_the_violated_one_is_allowed(void **state)
{
    struct scene *scene = *state;

    assert_int_equal(run(scene, 1, true, "end 3 1 10 1\ndone\n"), 1);
    assert_string_equal(scene->told, "allowed flag 12");
    assert_null(section(scene, 1)->why);
    assert_int_equal(section(scene, 1)->points[1].allow, DARN_ALLOW_READ);
    assert_int_equal(section(scene, 1)->points[2].allow, DARN_ALLOW_ALL);
    assert_int_equal(run(scene, 2, true, "end 3 0 10 0\nend 3 1 10 5\ndone\n"), 0);
    assert_int_equal(run(scene, 3, true, "end 3 0 10 2\ndone\n"), 1);
    assert_string_equal(scene->told, "dropped flag");
    assert_string_equal(section(scene, 1)->why, "violated in a correct run (run 3)");
}

static void what_a_failing_run_violates_is_kept_as_a_suspect(void **state)
{
    struct scene *scene = *state;

    assert_int_equal(run(scene, 1, false, "end 2 0 10 2\nend 4 7 3 1\n"), 0);
    assert_string_equal(scene->told, "suspect balance 11; suspect total");
    assert_int_equal(run(scene, 2, false, "end 2 0 10 1\nend 4 6 3 1\ndone\n"), 0);
    assert_string_equal(scene->told, "");
    assert_null(section(scene, 0)->why);
    assert_int_equal(darn_refinement_suspicion(&scene->refinement, 0), 3);
    assert_int_equal(darn_refinement_suspicion(&scene->refinement, 1), 0);
    assert_int_equal(darn_refinement_suspicion(&scene->refinement, 2), 2);
    /* A correct run clears it. */
    assert_int_equal(run(scene, 3, true, "end 2 0 10 1\nend 4 6 3 1\ndone\n"), 2);
    assert_int_equal(darn_refinement_suspicion(&scene->refinement, 0), 0);
    assert_int_equal(darn_refinement_suspicion(&scene->refinement, 2), 0);
}

static void a_section_over_lines_is_one_whatever_its_ends(void **state)
{
    struct scene *scene = *state;

    assert_int_equal(run(scene, 4, true, "end 4 0 1 0\nend 4 9 3 1\nend 4 12 3 1\ndone\n"), 1);
    assert_string_equal(scene->told, "dropped total");
    assert_string_equal(section(scene, 2)->why, "violated in a correct run (run 4)");
}

static void lines_and_ends_that_are_not_there_are_passed_over(void **state)
{
    struct scene *scene = *state;

    assert_int_equal(run(scene, 1, true,
                         "end 0 0 1 1\nend 1 0 1 1\nend 6 0 1 1\nend 2 1 1 1\nend 3 2 1 1\n"
                         "end 4000000000 0 1 1\ndone\n"),
                     0);
    for (size_t i = 0; i < scene->sections.count; i++)
        assert_null(section(scene, i)->why);
}

static void in_the_end_what_was_never_seen_goes_but_not_what_is_by_hand(void **state)
{
    struct scene *scene = *state;

    run(scene, 1, true, "end 2 0 10 0\nend 4 0 1 0\ndone\n");
    assert_int_equal(darn_refinement_finish(&scene->refinement, 62), 1);
    assert_null(section(scene, 0)->why);
    assert_string_equal(section(scene, 1)->why, "never seen in 62 runs");
    assert_null(section(scene, 2)->why);
    assert_null(section(scene, 3)->why);
    assert_int_equal(section(scene, 3)->points[1].allow, DARN_ALLOW_READ);
}

static void in_the_end_an_end_that_was_never_seen_is_allowed(void **state)
{
    struct scene *scene = *state;

    run(scene, 1, true, "end 2 0 10 0\nend 3 0 10 0\ndone\n");
    assert_int_equal(darn_refinement_finish(&scene->refinement, 10), 0);
    assert_int_equal(section(scene, 1)->points[1].allow, DARN_ALLOW_READ);
    assert_int_equal(section(scene, 1)->points[2].allow, DARN_ALLOW_ALL);
}

static void what_is_violated_where_it_was_seen_and_not_seen_elsewhere_goes(void **state)
{
    struct scene *scene = *state;

    run(scene, 1, true, "end 2 0 10 0\nend 3 0 10 1\ndone\n");
    assert_int_equal(darn_refinement_finish(&scene->refinement, 10), 1);
    assert_string_equal(section(scene, 1)->why,
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

static struct read_back read_back(const struct scene *scene)
{
    static char room[65536];
    static struct darn_section section;
    struct read_back back = {.count = 0};
    struct darn_repository_reader reader = {
        .section = take, .context = &back, .room = room, .room_size = sizeof(room)};
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);

    assert_int_equal(darn_refinement_write(&scene->refinement, to), 0);
    fclose(to);
    assert_int_equal(darn_repository_read(text, size, &section, &reader), 0);
    free(text);
    return back;
}

static void sections_stay_in_their_lines_when_others_go(void **state)
{
    struct scene *scene = *state;
    struct read_back back = read_back(scene);

    assert_int_equal(back.count, 4);
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(back.lines[i], i + 2);
    run(scene, 1, true, "end 2 0 1 1\nend 5 0 1 1\ndone\n");
    back = read_back(scene);
    assert_int_equal(back.count, 2);
    assert_int_equal(back.lines[0], 3);
    assert_string_equal(back.variables[0], "flag");
    assert_int_equal(back.lines[1], 4);
    assert_string_equal(back.variables[1], "total");
    run(scene, 1, true, "end 3 0 1 1\nend 3 1 1 1\nend 4 0 1 1\ndone\n");
    back = read_back(scene);
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
