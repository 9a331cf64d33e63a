/* The options of a run: what is accepted, what is refused and how, and the way back to text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/options.h"
#include "base/options_print.h"

static struct darn_options options;
static char error[DARN_OPTIONS_ERROR];

static int start(void **state)
{
    (void)state;
    memset(&options, 0xa5, sizeof(options)); /* nothing may be left to chance */
    darn_options_default(&options);
    error[0] = '\0';
    return 0;
}

static void accept(const char *text)
{
    if (darn_options_parse(&options, text, error, sizeof(error)))
        fail_msg("%s: %s", text, error);
}

static void refuse(const char *text, const char *message)
{
    assert_int_not_equal(darn_options_parse(&options, text, error, sizeof(error)), 0);
    assert_string_equal(error, message);
}

static void defaults_are_those_of_the_table(void **state)
{
    (void)state;
    assert_int_equal(options.budget, 10);
    assert_int_equal(options.window_us, 50);
    assert_int_equal(options.max_windows, 0);
    assert_int_equal(options.noise_count, 0);
    assert_int_equal(options.noise_kind, DARN_NOISE_SLEEP);
    assert_int_equal(options.seed, 0);
    assert_int_equal(options.exitcode, 66);
    assert_int_equal(options.verbosity, 0);
    assert_int_equal(options.color, DARN_COLOR_AUTO);
    assert_false(options.halt_on_error);
    assert_false(options.help);
    assert_true(options.report_volatile);
    assert_true(options.report_unknown_origin);
    assert_string_equal(options.json, "");
    assert_string_equal(options.log_path, "stderr");
    assert_string_equal(options.suppressions, "");
    assert_string_equal(options.strip_path_prefix, "");
}

static void every_separator_of_the_sanitizers_separates(void **state)
{
    (void)state;
    accept(" :budget=7%,seed=5 exitcode=1\tverbosity=2\nwindow_us=9\r:color=never:");
    assert_int_equal(options.budget, 7);
    assert_int_equal(options.seed, 5);
    assert_int_equal(options.exitcode, 1);
    assert_int_equal(options.verbosity, 2);
    assert_int_equal(options.window_us, 9);
    assert_int_equal(options.color, DARN_COLOR_NEVER);
}

static void an_empty_text_changes_nothing(void **state)
{
    (void)state;
    accept("");
    accept(" ::, ");
    defaults_are_those_of_the_table(state);
}

static void budget_is_a_percentage_or_max(void **state)
{
    (void)state;
    accept("budget=1");
    assert_int_equal(options.budget, 1);
    accept("budget=100%");
    assert_int_equal(options.budget, 100);
    accept("budget=max");
    assert_int_equal(options.budget, DARN_BUDGET_MAX);
    accept("budget=0");
    assert_int_equal(options.budget, 0);
    accept("budget=max");
    refuse("budget=101%", "budget: '101%' is not a percentage 0%..100% or the word max");
    refuse("budget=", "budget: '' is not a percentage 0%..100% or the word max");
    refuse("budget=%", "budget: '%' is not a percentage 0%..100% or the word max");
    refuse("budget=maximal", "budget: 'maximal' is not a percentage 0%..100% or the word max");
    refuse("budget=-5", "budget: '-5' is not a percentage 0%..100% or the word max");
    assert_int_equal(options.budget, DARN_BUDGET_MAX);
}

static void numbers_are_checked(void **state)
{
    (void)state;
    accept("window_us=1000000:exitcode=255:exitcode=0:verbosity=3");
    refuse("window_us=0", "window_us: '0' is not a number from 1 to 1000000");
    refuse("window_us=1000001", "window_us: '1000001' is not a number from 1 to 1000000");
    refuse("window_us=5us", "window_us: '5us' is not a number from 1 to 1000000");
    refuse("exitcode=256", "exitcode: '256' is not a number from 0 to 255");
    refuse("verbosity=4", "verbosity: '4' is not a number from 0 to 3");
    refuse("verbosity=18446744073709551616",
           "verbosity: '18446744073709551616' is not a number from 0 to 3");
    assert_int_equal(options.window_us, 1000000);
}

static void seed_takes_64_bits_in_both_bases(void **state)
{
    (void)state;
    accept("seed=18446744073709551615");
    assert_true(options.seed == UINT64_MAX);
    accept("seed=0xDeadBeef01234567");
    assert_true(options.seed == 0xdeadbeef01234567);
    refuse("seed=0x", "seed: '0x' is not a number from 0 to 18446744073709551615");
    refuse("seed=18446744073709551616",
           "seed: '18446744073709551616' is not a number from 0 to 18446744073709551615");
}

static void booleans_are_spelled_as_tsan_does(void **state)
{
    static const char *const yes[] = {"1", "true", "yes"};
    static const char *const no[] = {"0", "false", "no"};

    (void)state;
    for (int i = 0; i < 3; i++) {
        assert_int_equal(darn_options_set(&options, "halt_on_error", yes[i], error, sizeof(error)),
                         0);
        assert_true(options.halt_on_error);
        assert_int_equal(darn_options_set(&options, "halt_on_error", no[i], error, sizeof(error)),
                         0);
        assert_false(options.halt_on_error);
    }
    refuse("halt_on_error=maybe", "halt_on_error: 'maybe' is not 0, 1, false, true, no or yes");
}

static void a_choice_is_one_of_its_words(void **state)
{
    (void)state;
    accept("color=always:noise_kind=busy");
    assert_int_equal(options.color, DARN_COLOR_ALWAYS);
    assert_int_equal(options.noise_kind, DARN_NOISE_BUSY);
    accept("noise_kind=yield:color=never");
    assert_int_equal(options.color, DARN_COLOR_NEVER);
    assert_int_equal(options.noise_kind, DARN_NOISE_YIELD);
    refuse("color=alw", "color: 'alw' is not auto, always or never");
    refuse("color=auto|always", "color: 'auto|always' is not auto, always or never");
    refuse("color=", "color: '' is not auto, always or never");
}

static void quotes_keep_separators(void **state)
{
    (void)state;
    accept("json='/tmp/a b:c,d':log_path=\"it's\":budget='5%'");
    assert_string_equal(options.json, "/tmp/a b:c,d");
    assert_string_equal(options.log_path, "it's");
    assert_int_equal(options.budget, 5);
    refuse("json='/tmp/x", "json: the quote ' is not closed");
    refuse("json=\"x':seed=1", "json: the quote \" is not closed");
    refuse("json='x'y", "json: 'y' follows the closing quote; expected ':'");
}

static void unknown_names_and_missing_values_are_named(void **state)
{
    (void)state;
    refuse("budgt=5", "there is no option 'budgt'; help=1 lists them");
    refuse("budge=5", "there is no option 'budge'; help=1 lists them");
    refuse("budgets=5", "there is no option 'budgets'; help=1 lists them");
    refuse("=5", "there is no option ''; help=1 lists them");
    refuse("seed=3:verbose", "'verbose' has no value; options are name=value");
    refuse("halt_on_error:seed=1", "'halt_on_error' has no value; options are name=value");
    assert_int_equal(options.seed, 3);
}

static void a_path_that_is_too_long_is_refused_whole(void **state)
{
    char path[DARN_OPTIONS_PATH + 1];

    (void)state;
    memset(path, 'x', sizeof(path));
    path[DARN_OPTIONS_PATH] = '\0';
    assert_int_not_equal(darn_options_set(&options, "json", path, error, sizeof(error)), 0);
    assert_string_equal(error, "json: the value is longer than 4095 characters");
    assert_string_equal(options.json, "");
    path[DARN_OPTIONS_PATH - 1] = '\0';
    assert_int_equal(darn_options_set(&options, "json", path, error, sizeof(error)), 0);
    assert_string_equal(options.json, path);
}

static void an_error_fits_into_any_buffer(void **state)
{
    char small[8];

    (void)state;
    assert_int_not_equal(darn_options_parse(&options, "budget=many", small, sizeof(small)), 0);
    assert_string_equal(small, "budget:");
    assert_int_not_equal(darn_options_parse(&options, "budget=many", NULL, 0), 0);
}

static void expect_noise(uint32_t index, enum darn_noise_kind kind, const char *name, uint32_t line,
                         uint32_t frequency, uint32_t strength)
{
    const struct darn_noise *noise = &options.noise[index];

    assert_true(index < options.noise_count);
    assert_int_equal(noise->kind, kind);
    assert_string_equal(noise->name, name);
    assert_int_equal(noise->line, line);
    assert_int_equal(noise->frequency, frequency);
    assert_int_equal(noise->strength, strength);
}

static void noise_of_every_kind_is_read(void **state)
{
    (void)state;
    accept("noise='random:10/20,var:acct->balance:500/50, site:src/bank.c:12:1000/200'");
    assert_int_equal(options.noise_count, 3);
    expect_noise(0, DARN_NOISE_RANDOM, "", 0, 10, 20);
    expect_noise(1, DARN_NOISE_VAR, "acct->balance", 0, 500, 50);
    expect_noise(2, DARN_NOISE_SITE, "src/bank.c", 12, 1000, 200);
}

static void noise_names_are_read_from_the_right(void **state)
{
    (void)state;
    accept("noise='var:bank::total:1/2':noise='var:tab[].next:3/4':noise='site:C:/a/b.c:7:5/6'");
    accept("noise='var:std::map<int, long>::size:7/8,var:a/b:0/0'");
    assert_int_equal(options.noise_count, 5);
    expect_noise(0, DARN_NOISE_VAR, "bank::total", 0, 1, 2);
    expect_noise(1, DARN_NOISE_VAR, "tab[].next", 0, 3, 4);
    expect_noise(2, DARN_NOISE_SITE, "C:/a/b.c", 7, 5, 6);
    expect_noise(3, DARN_NOISE_VAR, "std::map<int, long>::size", 0, 7, 8);
    expect_noise(4, DARN_NOISE_VAR, "a/b", 0, 0, 0);
}

static void repeated_noise_adds_and_an_empty_one_drops(void **state)
{
    (void)state;
    accept("noise='random:1/1':noise='random:2/2,'");
    assert_int_equal(options.noise_count, 2);
    accept("noise=''");
    assert_int_equal(options.noise_count, 0);
    accept("noise='random:3/3'");
    expect_noise(0, DARN_NOISE_RANDOM, "", 0, 3, 3);
}

static void wrong_noise_is_refused_and_adds_nothing(void **state)
{
    static const char *const wrong[] = {
        "random",
        "random:",
        "random:5",
        "random:/5",
        "random:5/",
        "random:1001/5",
        "random:5/10000001",
        "random:a/5",
        "random:5/5/5",
        "var:5/5",
        "var::5/5",
        "var:x",
        "var:x:5",
        "site:f.c:5/5",
        "site:f.c:0:5/5",
        "site:f.c:x:5/5",
        "site::3:5/5",
        "site:f.c:99999999999:5/5",
        "everything:5/5",
        "random:1/1,hello",
        "Random:1/1",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        char expected[256];

        snprintf(expected, sizeof(expected),
                 "noise: '%s' is not " DARN_NOISE_SYNTAX DARN_NOISE_BOUNDS, wrong[i]);
        assert_int_not_equal(darn_options_set(&options, "noise", wrong[i], error, sizeof(error)),
                             0);
        if (strncmp(error, expected, strlen(expected)) != 0)
            fail_msg("%s", error);
        assert_int_equal(options.noise_count, 0);
    }
    assert_int_not_equal(
        darn_options_set(&options, "noise", "random:1/1,var:x:1", error, sizeof(error)), 0);
    assert_int_equal(options.noise_count, 0);
}

static void noise_without_quotes_gets_a_hint(void **state)
{
    (void)state;
    refuse("noise=var:x:5/5", "noise: 'var' is not " DARN_NOISE_SYNTAX DARN_NOISE_BOUNDS
                              "; in DARN_OPTIONS it stands in quotes");
}

static void noise_has_limits_that_are_said(void **state)
{
    char spec[DARN_NOISE_NAME + 32];

    (void)state;
    snprintf(spec, sizeof(spec), "var:%0*d:1/1", DARN_NOISE_NAME, 0);
    assert_int_not_equal(darn_options_set(&options, "noise", spec, error, sizeof(error)), 0);
    assert_string_equal(error, "noise: a name is longer than 255 characters");
    for (int i = 0; i < DARN_NOISE_SPECS; i++)
        accept("noise='random:1/1'");
    refuse("noise='random:1/1'", "noise: there are more than 64 specifications");
    assert_int_equal(options.noise_count, DARN_NOISE_SPECS);
}

static char text[DARN_OPTIONS_TEXT];

static void format(void)
{
    if (darn_options_format(&options, text, sizeof(text), error, sizeof(error)))
        fail_msg("%s", error);
}

static void defaults_are_not_written(void **state)
{
    (void)state;
    format();
    assert_string_equal(text, "");
}

static void what_is_written_is_read_back(void **state)
{
    static struct darn_options first;
    static char again[DARN_OPTIONS_TEXT];

    (void)state;
    accept(
        "budget=max:window_us=7:max_windows=3:noise_kind=yield:seed=0xffffffffffffffff:exitcode=0:"
        "halt_on_error=1:report_volatile=0:report_unknown_origin=0:verbosity=3:color=always:"
        "json=\"it's/a file\":log_path='say \"x\"':suppressions='a:b,c':strip_path_prefix=/src/:"
        "noise='random:1/2,site:it.c:3:4/5':noise=\"var:operator'':6/7\":help=1");
    first = options;
    format();
    memset(&options, 0x5a, sizeof(options));
    darn_options_default(&options);
    accept(text);
    strcpy(again, text);
    format();
    assert_string_equal(text, again);
    assert_true(options.seed == first.seed);
    assert_int_equal(options.budget, DARN_BUDGET_MAX);
    assert_string_equal(options.json, "it's/a file");
    assert_string_equal(options.log_path, "say \"x\"");
    assert_string_equal(options.suppressions, "a:b,c");
    assert_string_equal(options.strip_path_prefix, "/src/");
    assert_int_equal(options.noise_count, 3);
    for (int i = 0; i < 3; i++)
        assert_true(darn_noise_equal(&options.noise[i], &first.noise[i]));
    assert_true(options.help && options.halt_on_error);
    assert_false(options.report_volatile || options.report_unknown_origin);
}

/* One option after the other: each must come back from its own text. */
static void every_option_of_the_table_is_written(void **state)
{
    for (const struct darn_option *option = darn_run_options; option->name; option++) {
        static const char *const tries[] = {"random:5/5", "1",   "0",    "3",        "busy",
                                            "never",      "all", "lock", "observed", "x"};
        char expected[128];
        int set = 0;

        for (size_t t = 0; t < sizeof(tries) / sizeof(tries[0]) && !set; t++) {
            start(state);
            set = darn_options_set(&options, option->name, tries[t], error, sizeof(error)) == 0 &&
                  strcmp(tries[t], option->initial) != 0;
            snprintf(expected, sizeof(expected), "%s='%s%s'", option->name, tries[t],
                     option->type == DARN_OPTION_BUDGET ? "%" : "");
        }
        assert_true(set);
        format();
        assert_string_equal(text, expected);
    }
}

static void a_value_with_both_quotes_is_refused(void **state)
{
    (void)state;
    assert_int_equal(darn_options_set(&options, "json", "a'b\"c", error, sizeof(error)), 0);
    assert_int_not_equal(darn_options_format(&options, text, sizeof(text), error, sizeof(error)),
                         0);
    assert_string_equal(error, "json: a value cannot contain both ' and \"");
}

static void the_largest_options_fit(void **state)
{
    static const char *const paths[] = {"json", "log_path", "suppressions", "strip_path_prefix"};
    char path[DARN_OPTIONS_PATH], spec[DARN_NOISE_NAME + 64];

    (void)state;
    memset(path, 'x', sizeof(path));
    path[sizeof(path) - 1] = '\0';
    for (int i = 0; i < 4; i++)
        assert_int_equal(darn_options_set(&options, paths[i], path, error, sizeof(error)), 0);
    snprintf(spec, sizeof(spec), "site:%0*d:4294967295:1000/10000000", DARN_NOISE_NAME - 1, 0);
    for (int i = 0; i < DARN_NOISE_SPECS; i++)
        assert_int_equal(darn_options_set(&options, "noise", spec, error, sizeof(error)), 0);
    format();
    start(state);
    accept(text);
    assert_int_equal(options.noise_count, DARN_NOISE_SPECS);
    assert_int_not_equal(darn_options_format(&options, text, 100, error, sizeof(error)), 0);
}

#define TEST(name) cmocka_unit_test_setup(name, start)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(defaults_are_those_of_the_table),
        TEST(every_separator_of_the_sanitizers_separates),
        TEST(an_empty_text_changes_nothing),
        TEST(budget_is_a_percentage_or_max),
        TEST(numbers_are_checked),
        TEST(seed_takes_64_bits_in_both_bases),
        TEST(booleans_are_spelled_as_tsan_does),
        TEST(a_choice_is_one_of_its_words),
        TEST(quotes_keep_separators),
        TEST(unknown_names_and_missing_values_are_named),
        TEST(a_path_that_is_too_long_is_refused_whole),
        TEST(an_error_fits_into_any_buffer),
        TEST(noise_of_every_kind_is_read),
        TEST(noise_names_are_read_from_the_right),
        TEST(repeated_noise_adds_and_an_empty_one_drops),
        TEST(wrong_noise_is_refused_and_adds_nothing),
        TEST(noise_without_quotes_gets_a_hint),
        TEST(noise_has_limits_that_are_said),
        TEST(defaults_are_not_written),
        TEST(what_is_written_is_read_back),
        TEST(every_option_of_the_table_is_written),
        TEST(a_value_with_both_quotes_is_refused),
        TEST(the_largest_options_fit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
