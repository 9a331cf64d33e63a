/* Which functions are transactions, as the command line and a file say it
 * (src/driver/analysis/unit_names.h).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "driver/analysis/unit_names.h"

#define FILE_NAME "test_unit_names.list"

static void write_list(const char *text)
{
    FILE *file = fopen(FILE_NAME, "w");

    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

/* "INCLUDED|EXCLUDED", or the message. */
static const char *read_as(const char *transactions, const char *no_transactions)
{
    static char said[512];
    struct darn_unit_names names;
    char error[256] = "";

    if (darn_unit_names_read(&names, transactions, no_transactions, error, sizeof(error)))
        snprintf(said, sizeof(said), "%s", error);
    else
        snprintf(said, sizeof(said), "%s|%s", names.include, names.exclude);
    darn_unit_names_free(&names);
    return said;
}

static void names_are_separated_by_commas_or_blanks(void **state)
{
    (void)state;
    assert_string_equal(read_as(NULL, NULL), "|");
    assert_string_equal(read_as("add, list_*  main", ""), "add list_* main |");
    assert_string_equal(read_as(NULL, "debug,log"), "|debug log ");
}

static void a_mark_of_exclamation_turns_it_round(void **state)
{
    (void)state;
    assert_string_equal(read_as("add,!list_*", "log,!log_now"), "add log_now |list_* log ");
}

static void a_file_has_names_and_comments(void **state)
{
    (void)state;
    write_list("# of the library\nadd remove\n\n!*_locked   # the caller has the lock\r\nclear");
    assert_string_equal(read_as("@" FILE_NAME ",work", "main"),
                        "add remove clear work |*_locked main ");
    assert_string_equal(read_as(NULL, "@" FILE_NAME), "*_locked |add remove clear ");
    assert_string_equal(read_as("!@" FILE_NAME, NULL), "*_locked |add remove clear ");
    unlink(FILE_NAME);
}

static void what_is_no_name_is_refused(void **state)
{
#define NO_NAME "is no name of a function; it may have * for any letters, and ! before it"
    (void)state;
    assert_string_equal(read_as("add,!", NULL), "'' " NO_NAME);
    assert_string_equal(read_as("!!add", NULL), "'!add' " NO_NAME);
    assert_string_equal(read_as("@test_unit_names.none", NULL),
                        "test_unit_names.none: No such file or directory");
    write_list("add\n\n@more\n");
    assert_string_equal(read_as("@" FILE_NAME, NULL), FILE_NAME ":3: '@more' " NO_NAME);
    unlink(FILE_NAME);
}

static void the_rules_are_what_was_read(void **state)
{
    struct darn_unit_names names;
    struct darn_unit_rules rules;
    char error[256];

    (void)state;
    assert_int_equal(darn_unit_names_read(&names, "!*,add", NULL, error, sizeof(error)), 0);
    rules = darn_unit_names_rules(&names);
    assert_int_equal(darn_unit_rules_say(&rules, "add", DARN_UNIT_NO), DARN_UNIT_NAMED);
    assert_int_equal(darn_unit_rules_say(&rules, "remove", DARN_UNIT_YES), DARN_UNIT_NO);
    darn_unit_names_free(&names);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_separated_by_commas_or_blanks),
        cmocka_unit_test(a_mark_of_exclamation_turns_it_round),
        cmocka_unit_test(a_file_has_names_and_comments),
        cmocka_unit_test(what_is_no_name_is_refused),
        cmocka_unit_test(the_rules_are_what_was_read),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
