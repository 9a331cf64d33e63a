/* Suppressions: TSan's files work unchanged, and hide what they name and nothing else. */
#include "report_fixture.h"

#include "report/pattern.h"
#include "report/suppress.h"

static void expect_match(const char *pattern, const char *text, bool expected)
{
    if (darn_pattern_matches(pattern, text) != expected)
        fail_msg("'%s' %s '%s'", pattern, expected ? "must match" : "must not match", text);
}

static void pattern_matches_anywhere(void **state)
{
    (void)state;
    expect_match("deposit", "deposit", true);
    expect_match("pos", "deposit", true);
    expect_match("deposit", "withdraw", false);
    expect_match("deposits", "deposit", false);
    expect_match("", "deposit", true);
    expect_match("deposit", "", false);
    expect_match("deposit", NULL, false);
    expect_match("aab", "aaab", true);
}

static void anchors_bind_the_ends(void **state)
{
    (void)state;
    expect_match("^dep", "deposit", true);
    expect_match("^pos", "deposit", false);
    expect_match("sit$", "deposit", true);
    expect_match("dep$", "deposit", false);
    expect_match("^deposit$", "deposit", true);
    expect_match("^deposit$", "deposits", false);
    expect_match("na$", "banana", true);
    expect_match("^$", "x", false);
}

static void stars_stand_for_anything(void **state)
{
    (void)state;
    expect_match("d*t", "deposit", true);
    expect_match("^d*z*t$", "deposit", false);
    expect_match("*", "deposit", true);
    expect_match("^*$", "deposit", true);
    expect_match("^get_*_fast$", "get_item_fast", true);
    expect_match("^get_*_fast$", "get_fast", false);
    expect_match("^get_*_fast$", "get_item_fast_fast", true);
    expect_match("foo*", "foo", true);
    expect_match("foo(int*)", "void foo(int*)", true);
    expect_match("a*b*c", "a-c-b", false);
    expect_match("**deposit**", "deposit", true);
}

/* The line that suppresses the finding when the file has this content; NULL for none. */
static const char *match(const char *dir, const char *content, const struct darn_finding *finding)
{
    static char line[256];
    char error[1024] = "";
    struct darn_suppressions *suppressions = darn_suppressions_read(
        write_file(dir, "suppressions", content), NULL, error, sizeof(error));
    const char *found;

    if (!suppressions)
        fail_msg("%s", error);
    found = darn_suppressions_match(suppressions, finding);
    if (found)
        snprintf(line, sizeof(line), "%s", found);
    darn_suppressions_free(suppressions);
    return found ? line : NULL;
}

static void race_matches_every_frame_of_the_accesses_and_creations(void **state)
{
    struct darn_finding *finding = bank_finding("/home/me/src");

    assert_string_equal(match(*state, "race:deposit\n", finding), "race:deposit");
    assert_string_equal(match(*state, "race:teller_thread", finding), "race:teller_thread");
    assert_string_equal(match(*state, "race:^audit$", finding), "race:^audit$");
    assert_string_equal(match(*state, "race:bank.c", finding), "race:bank.c");
    assert_string_equal(match(*state, "race:/nowhere/bank", finding), "race:/nowhere/bank");
    assert_string_equal(match(*state, "race:^main$", finding), "race:^main$");
    assert_null(match(*state, "race:withdraw", finding));
    /* As in TSan, where the block was allocated says nothing about the race. */
    assert_null(match(*state, "race:open_account", finding));
    darn_finding_free(finding);
}

static void race_matches_a_file_with_its_directory(void **state)
{
    struct darn_finding *finding = bank_finding("/home/me/src");

    finding->accesses[0].stack.frames[0].dir = "/home/me/src";
    assert_non_null(match(*state, "race:me/src/bank.c", finding));
    assert_null(match(*state, "race:you/src/bank.c", finding));
    darn_finding_free(finding);
}

static void race_matches_a_global_by_name(void **state)
{
    struct darn_finding *finding = bank_finding("/nowhere");

    finding->location = (struct darn_location){
        .kind = DARN_LOCATION_GLOBAL,
        .symbol = {.name = "accounts", .module = "/nowhere/libbank.so"},
    };
    assert_non_null(match(*state, "race:^accounts$", finding));
    assert_non_null(match(*state, "race:libbank.so", finding));
    /* The variable of a heap block is no global. */
    finding->location.kind = DARN_LOCATION_HEAP;
    assert_null(match(*state, "race:^accounts$", finding));
    darn_finding_free(finding);
}

static void race_top_matches_first_frames_only(void **state)
{
    struct darn_finding *finding = bank_finding("/nowhere");

    assert_non_null(match(*state, "race_top:deposit", finding));
    assert_non_null(match(*state, "race_top:audit", finding));
    assert_null(match(*state, "race_top:teller_thread", finding));
    assert_null(match(*state, "race_top:^main$", finding));
    darn_finding_free(finding);
}

static void called_from_lib_matches_accesses_without_a_site(void **state)
{
    struct darn_finding *finding = bank_finding("/nowhere");

    assert_null(match(*state, "called_from_lib:bank", finding));
    finding->accesses[0].has_site = false;
    assert_non_null(match(*state, "called_from_lib:bank", finding));
    assert_null(match(*state, "called_from_lib:libz", finding));
    darn_finding_free(finding);
}

static void kinds_concern_their_findings_only(void **state)
{
    struct darn_finding *finding = bank_finding("/nowhere");

    assert_null(match(*state,
                      "deadlock:deposit\nmutex:deposit\nthread:deposit\nsignal:deposit\n"
                      "atomicity:deposit\nnotification:deposit\n",
                      finding));
    finding->kind = "deadlock";
    assert_null(match(*state, "race:deposit\nrace_top:deposit\n", finding));
    assert_non_null(match(*state, "deadlock:deposit", finding));
    finding->kind = "atomicity-violation";
    assert_non_null(match(*state, "atomicity:deposit", finding));
    finding->kind = "notification";
    assert_non_null(match(*state, "notification:deposit", finding));
    finding->kind = "failure";
    assert_null(match(*state, "race:*\ndeadlock:*\natomicity:*\nnotification:*\n", finding));
    assert_non_null(match(*state, "failure:deposit", finding));
    finding->kind = "something-else";
    assert_null(match(*state, "race:*\ndeadlock:*\nfailure:*\n", finding));
    darn_finding_free(finding);
}

static void comments_blanks_and_margins_are_ignored(void **state)
{
    struct darn_finding *finding = bank_finding("/nowhere");

    assert_string_equal(match(*state,
                              "# race:deposit is fine\n"
                              "\n"
                              "   \t\r\n"
                              "  # more\n"
                              "race:withdraw\n"
                              "\t race:deposit \t\r\n",
                              finding),
                        "race:deposit");
    assert_null(match(*state, "#race:deposit\n", finding));
    assert_null(match(*state, "", finding));
    darn_finding_free(finding);
}

static void expect_refused(const char *path, const char *program, const char *message)
{
    char error[1024] = "";

    assert_null(darn_suppressions_read(path, program, error, sizeof(error)));
    expect_part(error, message);
    assert_null(strchr(error, '\n'));
}

static void wrong_files_are_refused_with_their_line(void **state)
{
    expect_refused(write_file(*state, "bad", "race:a\n\n# b\nrace deposit\n"), NULL, "/bad:4: ");
    expect_refused(write_file(*state, "bad", "races:a\n"), NULL, "/bad:1: ");
    expect_refused(write_file(*state, "bad", "race:a\nrace :b\n"), NULL, "/bad:2: ");
    expect_refused(write_file(*state, "bad", "leak:a"), NULL, "race: race_top: deadlock:");
    expect_refused(path_in(*state, "absent"), NULL, "/absent: ");
    expect_refused(path_in(*state, "absent"), NULL, "No such file");
    expect_refused(*state, NULL, "Is a directory");
}

static void a_file_is_also_found_beside_the_program(void **state)
{
    char program[512], error[1024];
    struct darn_suppressions *suppressions;

    write_file(*state, "beside.supp", "race:a\n");
    snprintf(program, sizeof(program), "%s/program", (char *)*state);
    suppressions = darn_suppressions_read("beside.supp", program, error, sizeof(error));
    assert_non_null(suppressions);
    darn_suppressions_free(suppressions);
    expect_refused("other.supp", program, "No such file");
    expect_refused("beside.supp", NULL, "No such file");
}

/* The promise of the last line of a report. */
static void the_suggested_line_suppresses_its_finding(void **state)
{
    static const char *const functions[] = {"deposit", "bank::deposit(int*, long)",
                                            "main::$_0::operator()() const", "operator*", NULL};
    struct darn_finding *finding = bank_finding("/nowhere");

    for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
        const char *line;

        finding->accesses[0].stack.frames[0].function = functions[i];
        line = darn_suppression_for(finding, &finding->pool);
        assert_non_null(line);
        assert_string_equal(match(*state, line, finding), line);
    }
    assert_string_equal(darn_suppression_for(finding, &finding->pool), "race:bank.c");
    finding->kind = "something-else";
    assert_null(darn_suppression_for(finding, &finding->pool));
    /* A failure is where the program called the C library, not in there. */
    finding->kind = "failure";
    finding->accesses[0].stack.frames[0].module = "/lib/libc.so.6";
    finding->accesses[0].stack.frames[0].function = "abort";
    assert_string_equal(darn_suppression_for(finding, &finding->pool), "failure:teller_thread");
    darn_finding_free(finding);
}

#define WITH_DIR(test) cmocka_unit_test_setup_teardown(test, make_dir, remove_dir)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pattern_matches_anywhere),
        cmocka_unit_test(anchors_bind_the_ends),
        cmocka_unit_test(stars_stand_for_anything),
        WITH_DIR(race_matches_every_frame_of_the_accesses_and_creations),
        WITH_DIR(race_matches_a_file_with_its_directory),
        WITH_DIR(race_matches_a_global_by_name),
        WITH_DIR(race_top_matches_first_frames_only),
        WITH_DIR(called_from_lib_matches_accesses_without_a_site),
        WITH_DIR(kinds_concern_their_findings_only),
        WITH_DIR(comments_blanks_and_margins_are_ignored),
        WITH_DIR(wrong_files_are_refused_with_their_line),
        WITH_DIR(a_file_is_also_found_beside_the_program),
        WITH_DIR(the_suggested_line_suppresses_its_finding),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
