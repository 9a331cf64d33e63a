/* A command line by the tables of its command: what is taken, what is refused, what is left. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/line.h"

struct inner {
    uint32_t number;
};

struct wanted {
    bool flag, on, json, number_given;
    uint64_t wide, jobs;
    uint32_t choice, ms;
    const char *text, *word, *output, *file;
    int own;
    struct inner inner;
    struct darn_options options;
};

#define AT(field) offsetof(struct wanted, field)

static int set_own(void *to, const char *value, char *error, size_t size)
{
    *(int *)to = (int)strlen(value);
    snprintf(error, size, "--own: not %s", value);
    return strcmp(value, "wrong") == 0 ? -EINVAL : 0;
}

static const struct darn_option table[] = {
    {.name = "flag", .type = DARN_OPTION_FLAG, .offset = AT(flag)},
    {.name = "on", .type = DARN_OPTION_BOOL, .offset = AT(on), .initial = "yes", .value = "yes|no"},
    {.name = "wide",
     .type = DARN_OPTION_WIDE,
     .offset = AT(wide),
     .initial = "7",
     .min = 1,
     .max = 12,
     .value = "N"},
    {.name = "jobs",
     .type = DARN_OPTION_JOBS,
     .offset = AT(jobs),
     .min = 1,
     .max = 9,
     .value = "N"},
    {.name = "choice", .type = DARN_OPTION_CHOICE, .offset = AT(choice), .value = "a|bb|c"},
    {.name = "word", .type = DARN_OPTION_WORD, .offset = AT(word), .value = "WORD", .words = "x|y"},
    {.name = "seconds",
     .type = DARN_OPTION_SECONDS,
     .offset = AT(ms),
     .initial = "60",
     .value = "S"},
    {.name = "the-text", .type = DARN_OPTION_STRING, .offset = AT(text), .value = "TEXT"},
    {.name = "o", .type = DARN_OPTION_STRING, .offset = AT(output), .value = "DIR"},
    {.name = "json",
     .type = DARN_OPTION_MAYBE,
     .offset = AT(file),
     .given = AT(json),
     .value = "FILE"},
    {.name = "own", .type = DARN_OPTION_OWN, .offset = AT(own), .set = set_own, .value = "V"},
    {.name = "late", .type = DARN_OPTION_FLAG, .offset = AT(flag), .needs = "json"},
    DARN_ROW_HELP,
    {.name = NULL},
};

static const struct darn_option inner[] = {
    {.name = "number",
     .type = DARN_OPTION_NUMBER,
     .offset = offsetof(struct inner, number),
     .max = UINT32_MAX,
     .value = "N"},
    {.name = NULL},
};

static const struct darn_option_group groups[] = {
    {.options = table},
    {.options = inner, .base = AT(inner)},
    {.options = darn_run_options, .base = AT(options), .only = "window_us|noise"},
    {.options = NULL},
};

static struct darn_command command = {
    .name = "test", .usage = "test", .about = "", .groups = groups};

static struct wanted got;
static struct darn_command_line line;
static char said[1024];

/* What goes to stderr, or to stdout, is in `said`. The words end with NULL. */
static int read_from(int fd, char **words)
{
    FILE *file = tmpfile();
    int saved = dup(fd), count = 0, status = -1;
    size_t length;

    while (words[count])
        count++;
    got = (struct wanted){.own = 0};
    line = (struct darn_command_line){.command = &command, .to = &got};
    fflush(NULL);
    dup2(fileno(file), fd);
    if (darn_line_read(&line, count, words, &status))
        assert_int_equal(status, 0);
    fflush(NULL);
    dup2(saved, fd);
    close(saved);
    rewind(file);
    length = fread(said, 1, sizeof(said) - 1, file);
    said[length] = '\0';
    fclose(file);
    return status;
}

#define LINE(...) ((char *[]){"test", __VA_ARGS__, NULL})

#define TAKE(...) assert_int_equal(read_from(STDERR_FILENO, LINE(__VA_ARGS__)), 0)

#define REFUSE(text, ...)                                                                          \
    do {                                                                                           \
        assert_int_equal(read_from(STDERR_FILENO, LINE(__VA_ARGS__)), 2);                          \
        assert_string_equal(said, "darn test: " text "\n");                                        \
    } while (0)

static void options_have_their_defaults(void **state)
{
    (void)state;
    TAKE("x");
    assert_true(got.on && !got.flag && !got.json);
    assert_int_equal(got.wide, 7);
    assert_int_equal(got.ms, 60000);
    assert_true(got.jobs >= 1);
    assert_int_equal(got.options.window_us, 50);
    assert_int_equal(got.options.budget, 0); /* of which this command knows nothing */
    assert_null(got.text);
}

static void values_come_after_a_sign_or_as_words(void **state)
{
    (void)state;
    TAKE("--the-text=a", "--wide", "0xa", "-o", "d", "--flag", "--choice", "bb", "--word=y",
         "--own=four", "--seconds=1.5", "x", "--frob");
    assert_string_equal(got.text, "a");
    assert_string_equal(got.output, "d");
    assert_string_equal(got.word, "y");
    assert_int_equal(got.wide, 10);
    assert_int_equal(got.choice, 1);
    assert_int_equal(got.own, 4);
    assert_int_equal(got.ms, 1500);
    assert_true(got.flag);
    assert_int_equal(line.count, 2);
    assert_string_equal(line.words[0], "x");
    assert_string_equal(line.words[1], "--frob");
    assert_null(line.words[2]);
}

static void an_optional_value_comes_after_a_sign_only(void **state)
{
    (void)state;
    TAKE("--json", "f", "--on=no");
    assert_true(got.json && got.on);
    assert_null(got.file);
    assert_string_equal(line.words[0], "f");
    TAKE("--json=f", "--on=no", "--on", "no");
    assert_string_equal(got.file, "f");
    assert_true(got.on);
    assert_string_equal(line.words[0], "no");
    TAKE("--on=0");
    assert_false(got.on);
}

static void a_group_fills_a_struct_inside(void **state)
{
    (void)state;
    TAKE("--number=3", "--window-us=9", "--noise", "random:1/2", "--noise=random:3/4");
    assert_int_equal(got.inner.number, 3);
    assert_int_equal(got.options.window_us, 9);
    assert_int_equal(got.options.noise_count, 2);
}

static void underscores_are_dashes(void **state)
{
    (void)state;
    TAKE("--the_text=a", "--window_us=3");
    assert_string_equal(got.text, "a");
    assert_int_equal(got.options.window_us, 3);
}

static void two_dashes_end_the_options(void **state)
{
    (void)state;
    TAKE("--flag", "--", "--wide", "--");
    assert_int_equal(line.count, 2);
    assert_string_equal(line.words[0], "--wide");
    assert_string_equal(line.words[1], "--");
    TAKE("-"); /* a file name */
    assert_int_equal(line.count, 1);
}

static void options_stand_anywhere_if_they_may(void **state)
{
    (void)state;
    command.anywhere = true;
    TAKE("a", "--flag", "b", "--wide", "3", "-", "--", "--flag", "c");
    command.anywhere = false;
    assert_int_equal(line.count, 5);
    assert_string_equal(line.words[0], "a");
    assert_string_equal(line.words[1], "b");
    assert_string_equal(line.words[2], "-");
    assert_string_equal(line.words[3], "--flag");
    assert_string_equal(line.words[4], "c");
    assert_int_equal(got.wide, 3);
}

static void what_is_no_option_is_refused(void **state)
{
    (void)state;
    REFUSE("there is no option --fla; 'darn test --help' lists them", "--fla");
    REFUSE("there is no option --flags; 'darn test --help' lists them", "--flags");
    REFUSE("there is no option --flags=1; 'darn test --help' lists them", "--flags=1");
    REFUSE("there is no option --o; 'darn test --help' lists them", "--o", "x");
    REFUSE("there is no option -flag; 'darn test --help' lists them", "-flag");
    REFUSE("there is no option -q; 'darn test --help' lists them", "-q");
    REFUSE("there is no option --=; 'darn test --help' lists them", "--=");
    REFUSE("there is no option -=; 'darn test --help' lists them", "-=");
    REFUSE("there is no option --budget=5; 'darn test --help' lists them", "--budget=5");
}

static void values_that_lack_or_are_too_much_are_refused(void **state)
{
    (void)state;
    REFUSE("--flag takes no value", "--flag=1");
    REFUSE("--help takes no value", "--help=1");
    REFUSE("--wide needs a value: --wide=N", "--wide");
    REFUSE("-o needs a value: -o DIR", "-o");
    REFUSE("-o needs a value: -o DIR", "-o", "");
    REFUSE("--json needs a value: --json[=FILE]", "--json=");
    REFUSE("--window-us needs a value: --window-us=N", "--window-us");
}

static void wrong_values_are_refused_in_one_form(void **state)
{
    (void)state;
    REFUSE("--wide=13: a number from 1 to 12 is needed", "--wide=13");
    REFUSE("--wide=0: a number from 1 to 12 is needed", "--wide", "0");
    REFUSE("--wide=-1: a number from 1 to 12 is needed", "--wide=-1");
    REFUSE("--wide=: a number from 1 to 12 is needed", "--wide=");
    REFUSE("--wide=1x: a number from 1 to 12 is needed", "--wide=1x");
    REFUSE("--number=4294967296: a number from 0 to 4294967295 is needed", "--number=4294967296");
    REFUSE("--window-us=0: a number from 1 to 1000000 is needed", "--window_us=0");
    REFUSE("--choice=b: a, bb or c is needed", "--choice=b");
    REFUSE("--word=z: x or y is needed", "--word=z");
    REFUSE("--on=perhaps: 0, 1, false, true, no or yes is needed", "--on=perhaps");
    REFUSE("--own: not wrong", "--own=wrong");
    for (const char *const *wrong = (const char *const[]){"0", "-1", "1e9", "soon", "", NULL};
         *wrong; wrong++) {
        char word[64], expected[256];

        snprintf(word, sizeof(word), "--seconds=%s", *wrong);
        snprintf(expected, sizeof(expected),
                 "darn test: %s: a number of seconds is needed, such as 60 or 0.5\n", word);
        assert_int_equal(read_from(STDERR_FILENO, LINE(word)), 2);
        assert_string_equal(said, expected);
    }
}

static void an_option_may_need_another(void **state)
{
    (void)state;
    TAKE("--late", "--json");
    REFUSE("--late is for --json, which is not given", "--late");
}

static void words_that_are_too_much_are_refused(void **state)
{
    (void)state;
    command.most = 1;
    TAKE("a");
    REFUSE("'b' is too much; 'darn test --help' says what is wanted", "a", "b");
    command.most = 0;
}

static void help_is_printed_instead(void **state)
{
    (void)state;
    assert_int_equal(read_from(STDOUT_FILENO, LINE("--late", "--help", "x")), 0);
    assert_non_null(strstr(said, "usage: darn test\n"));
    assert_true(line.help);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options_have_their_defaults),
        cmocka_unit_test(values_come_after_a_sign_or_as_words),
        cmocka_unit_test(an_optional_value_comes_after_a_sign_only),
        cmocka_unit_test(a_group_fills_a_struct_inside),
        cmocka_unit_test(underscores_are_dashes),
        cmocka_unit_test(two_dashes_end_the_options),
        cmocka_unit_test(options_stand_anywhere_if_they_may),
        cmocka_unit_test(what_is_no_option_is_refused),
        cmocka_unit_test(values_that_lack_or_are_too_much_are_refused),
        cmocka_unit_test(wrong_values_are_refused_in_one_form),
        cmocka_unit_test(an_option_may_need_another),
        cmocka_unit_test(words_that_are_too_much_are_refused),
        cmocka_unit_test(help_is_printed_instead),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
