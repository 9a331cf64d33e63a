/* A command line by the table of its options: what is taken, what is refused, what is left. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "cli/line.h"

static const struct darn_cli_option table[] = {
    {"--flag", NULL, ""},        {"--value", "V", ""}, {"-o", "DIR", ""},
    {"--json[=FILE]", NULL, ""}, {NULL, NULL, NULL},
};

static char seen[256];

static int set(void *to, int option, const char *value)
{
    size_t used = strlen(seen);

    assert_ptr_equal(to, seen);
    snprintf(seen + used, sizeof(seen) - used, "%d=%s;", option, value ? value : "none");
    return value && strcmp(value, "wrong") == 0 ? 7 : 0;
}

/* The words end with NULL. */
static int read_line(char **words, int *rest)
{
    int count = 0;

    while (words[count])
        count++;
    *rest = -1;
    *seen = '\0';
    return darn_line_read("test", table, count, words, set, seen, rest);
}

#define LINE(...) ((char *[]){"test", __VA_ARGS__, NULL})

static void values_come_after_a_sign_or_as_words(void **state)
{
    int rest;

    (void)state;
    assert_int_equal(
        read_line(LINE("--value=a", "--value", "b", "-o", "d", "--flag", "x", "--flag"), &rest), 0);
    assert_string_equal(seen, "1=a;1=b;2=d;0=none;");
    assert_int_equal(rest, 7);
}

static void an_optional_value_comes_after_a_sign_only(void **state)
{
    int rest;

    (void)state;
    assert_int_equal(read_line(LINE("--json", "--json=f", "--json=", "x"), &rest), 0);
    assert_string_equal(seen, "3=none;3=f;3=;");
    assert_int_equal(rest, 4);
}

static void two_dashes_end_the_options(void **state)
{
    int rest;

    (void)state;
    assert_int_equal(read_line(LINE("--flag", "--", "--value"), &rest), 0);
    assert_string_equal(seen, "0=none;");
    assert_int_equal(rest, 3);
    assert_int_equal(read_line(LINE("-"), &rest), 0); /* a file name */
    assert_int_equal(rest, 1);
}

static void what_is_wrong_is_refused(void **state)
{
    int rest;

    (void)state;
    assert_int_equal(read_line(LINE("--fla"), &rest), 2);
    assert_int_equal(read_line(LINE("--flags"), &rest), 2);
    assert_int_equal(read_line(LINE("--flag=1"), &rest), 2);
    assert_int_equal(read_line(LINE("--value"), &rest), 2);
    assert_int_equal(read_line(LINE("--json[=FILE]"), &rest), 2);
    assert_int_equal(read_line(LINE("--value=wrong", "--flag"), &rest), 7);
    assert_string_equal(seen, "1=wrong;");
}

static void numbers_have_a_range(void **state)
{
    uint64_t number;

    (void)state;
    assert_int_equal(darn_line_number("t", "--n", "12", 1, 12, &number), 0);
    assert_int_equal(number, 12);
    assert_int_equal(darn_line_number("t", "--n", "13", 1, 12, &number), 2);
    assert_int_equal(darn_line_number("t", "--n", "0", 1, 12, &number), 2);
    assert_int_equal(darn_line_number("t", "--n", "-1", 0, UINT64_MAX, &number), 2);
    assert_int_equal(darn_line_number("t", "--n", "", 0, 12, &number), 2);
    assert_int_equal(darn_line_number("t", "--n", "1x", 0, 12, &number), 2);
    assert_int_equal(darn_line_number("t", "--n", "99999999999999999999", 0, UINT64_MAX, &number),
                     2);
}

static void seconds_may_have_a_fraction(void **state)
{
    uint32_t ms;

    (void)state;
    assert_int_equal(darn_line_seconds("t", "--s", "1.5", &ms), 0);
    assert_int_equal(ms, 1500);
    assert_int_equal(darn_line_seconds("t", "--s", "0", &ms), 2);
    assert_int_equal(darn_line_seconds("t", "--s", "-1", &ms), 2);
    assert_int_equal(darn_line_seconds("t", "--s", "1e9", &ms), 2);
    assert_int_equal(darn_line_seconds("t", "--s", "soon", &ms), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_come_after_a_sign_or_as_words),
        cmocka_unit_test(an_optional_value_comes_after_a_sign_only),
        cmocka_unit_test(two_dashes_end_the_options),
        cmocka_unit_test(what_is_wrong_is_refused),
        cmocka_unit_test(numbers_have_a_range),
        cmocka_unit_test(seconds_may_have_a_fraction),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
