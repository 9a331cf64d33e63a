/* Profiles: every fact is read, and a line that is none is told. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "trace/profile.h"

static size_t at;
static struct darn_fact fact;

static int next(const char *text)
{
    return darn_profile_next(text, strlen(text), &at, &fact);
}

static int restart(void **state)
{
    (void)state;
    at = 0;
    return 0;
}

static void every_kind_of_fact_is_read(void **state)
{
    const char *text = "darn profile 1\n"
                       "shared 8f3c0123456789ab bank.c:12:9 write balance\n"
                       "spin 0123456789abcdef 8f3c0123456789ab\n"
                       "suspect 1 ffffffffffffffff";

    (void)state;
    assert_int_equal(next(text), 1);
    assert_int_equal(fact.kind, DARN_FACT_SHARED);
    assert_true(fact.site == UINT64_C(0x8f3c0123456789ab));
    assert_int_equal(next(text), 1);
    assert_int_equal(fact.kind, DARN_FACT_SPIN);
    assert_true(fact.site == UINT64_C(0x0123456789abcdef));
    assert_true(fact.writer == UINT64_C(0x8f3c0123456789ab));
    assert_int_equal(next(text), 1);
    assert_int_equal(fact.kind, DARN_FACT_SUSPECT);
    assert_true(fact.site == 1 && fact.writer == UINT64_MAX);
    assert_int_equal(next(text), 0);
    assert_int_equal(at, strlen(text));
    assert_int_equal(next(text), 0);
}

static void empty_lines_comments_and_a_second_first_line_are_skipped(void **state)
{
    const char *text = "\n  \n# shared rubbish\r\n\tdarn\n";

    (void)state;
    assert_int_equal(next("\n\r\n  # note\ndarn profile 1\r\n\ndarn profile 1\nshared 2\r\n"), 1);
    assert_true(fact.site == 2);
    at = 0;
    assert_int_equal(next(text), -1);
    assert_string_equal(text + at, "\tdarn\n");
}

static void what_is_no_fact_is_told_and_where_it_begins(void **state)
{
    static const char *const wrong[] = {
        "shared",
        "shared 0",
        "shared xyz",
        "shared 12345678901234567",
        "spin 1",
        "spin 1 0",
        "spin 1 2g",
        "sharedd 1",
        "share 1",
        "darn profile 2",
        "darn profile 1 and more",
        "SHARED 1",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        char text[128] = "shared 1\n";

        strcat(text, wrong[i]);
        strcat(text, "\nshared 2\n");
        at = 0;
        assert_int_equal(next(text), 1);
        assert_int_equal(next(text), -1);
        assert_int_equal(at, 9);
        assert_int_equal(next(text), -1);
        assert_int_equal(at, 9);
    }
}

static void a_profile_shows_by_its_first_line(void **state)
{
    (void)state;
    assert_true(darn_profile_is("darn profile 1\nshared 1\n", 24));
    assert_true(darn_profile_is("darn profile 1\r\n", 16));
    assert_true(darn_profile_is("darn profile 1", 14));
    assert_false(darn_profile_is("darn profile 1", 13));
    assert_false(darn_profile_is("darn profile 10\n", 16));
    assert_false(darn_profile_is("\ndarn profile 1", 15));
    assert_false(darn_profile_is("", 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(every_kind_of_fact_is_read, restart),
        cmocka_unit_test_setup(empty_lines_comments_and_a_second_first_line_are_skipped, restart),
        cmocka_unit_test_setup(what_is_no_fact_is_told_and_where_it_begins, restart),
        cmocka_unit_test_setup(a_profile_shows_by_its_first_line, restart),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
