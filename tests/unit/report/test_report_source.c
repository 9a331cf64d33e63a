/* Lines of source: found, shown with the caret where it belongs, never in the way. */
#include "report_fixture.h"

#include "report/text/source.h"

static void expect_line(const char *dir, const char *file, unsigned line, const char *expected)
{
    char *text = darn_source_line(dir, file, line);

    if (expected)
        assert_string_equal(text, expected);
    else
        assert_null(text);
    free(text);
}

static void lines_are_found_by_directory_and_file(void **state)
{
    write_file(*state, "a.c", "first\nsecond\r\n\nlast");
    expect_line(*state, "a.c", 1, "first");
    expect_line(*state, "a.c", 2, "second");
    expect_line(*state, "a.c", 3, "");
    expect_line(*state, "a.c", 4, "last");
    expect_line(NULL, path_in(*state, "a.c"), 2, "second");
    /* A directory does not matter to an absolute name. */
    expect_line("/nowhere", path_in(*state, "a.c"), 2, "second");
}

static void what_is_not_there_is_not_shown(void **state)
{
    write_file(*state, "a.c", "first\n");
    expect_line(*state, "a.c", 0, NULL);
    expect_line(*state, "a.c", 2, NULL);
    expect_line(*state, "a.c", 4000000000u, NULL);
    expect_line(*state, "b.c", 1, NULL);
    expect_line(*state, NULL, 1, NULL);
    expect_line("/nowhere", "a.c", 1, NULL);
    expect_line("/", "tmp", 1, NULL);
    expect_line("/dev", "zero", 1, NULL);
}

/* What is shown of a file with one line. */
static void expect_shown(const char *dir, const char *content, unsigned column,
                         const char *expected)
{
    char *text = NULL;
    size_t length;
    struct darn_ink ink = {open_memstream(&text, &length), false};

    write_file(dir, "shown.c", content);
    darn_source_show(&ink, dir, "shown.c", 1, column);
    fclose(ink.out);
    assert_string_equal(text, expected);
    free(text);
}

static void the_caret_stands_under_its_column(void **state)
{
    expect_shown(*state, "a += b;\n", 3, "    1 | a += b;\n      |   ^\n");
    expect_shown(*state, "a += b;\n", 1, "    1 | a += b;\n      | ^\n");
    expect_shown(*state, "a += b;\n", 8, "    1 | a += b;\n      |        ^\n");
    expect_shown(*state, "a += b;\n", 0, "    1 | a += b;\n");
    expect_shown(*state, "a += b;\n", 9, "    1 | a += b;\n");
    expect_shown(*state, "a += b;\n", 4000000000u, "    1 | a += b;\n");
    expect_shown(*state, "\n", 1, "    1 | \n      | ^\n");
}

static void tabs_and_characters_of_several_bytes_keep_it_there(void **state)
{
    expect_shown(*state, "\ta;\n", 2, "    1 |         a;\n      |         ^\n");
    expect_shown(*state, "ab\tc;\n", 4, "    1 | ab      c;\n      |         ^\n");
    expect_shown(*state, "s = \"\xc3\xa4\"; b;\n", 11,
                 "    1 | s = \"\xc3\xa4\"; b;\n      |          ^\n");
}

static void nothing_in_a_line_commands_the_terminal(void **state)
{
    expect_shown(*state, "a\033[31m;\x9b \xe2\x80\xae b;\n", 1,
                 "    1 | a?[31m;? ? b;\n      | ^\n");
}

static void of_a_long_line_the_surroundings_are_shown(void **state)
{
    char line[1002], *text = NULL;
    size_t length;
    struct darn_ink ink = {open_memstream(&text, &length), false};

    memset(line, 'x', 1000);
    line[500] = 'Y';
    strcpy(line + 1000, "\n");
    write_file(*state, "long.c", line);
    darn_source_show(&ink, *state, "long.c", 1, 501);
    fclose(ink.out);
    assert_true(length < 300);
    expect_part(text, "    1 | ...xxx");
    expect_part(text, "xxx...\n");
    /* The caret is as far from the left as the character. */
    assert_int_equal(strchr(text, 'Y') - text, strchr(text, '^') - strchr(text, '\n') - 1);
    free(text);
}

#define WITH_DIR(test) cmocka_unit_test_setup_teardown(test, make_dir, remove_dir)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_DIR(lines_are_found_by_directory_and_file),
        WITH_DIR(what_is_not_there_is_not_shown),
        WITH_DIR(the_caret_stands_under_its_column),
        WITH_DIR(tabs_and_characters_of_several_bytes_keep_it_there),
        WITH_DIR(nothing_in_a_line_commands_the_terminal),
        WITH_DIR(of_a_long_line_the_surroundings_are_shown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
