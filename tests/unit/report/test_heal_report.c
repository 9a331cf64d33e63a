/* What is said about a healed run: the account. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "report/heal/heal_report.h"

static char path[64];

static void write_file(const char *text)
{
    int fd;

    strcpy(path, "/tmp/darn-test-XXXXXX");
    fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
}

#define HEADER "{\"heal\":1,\"with\":\"block\",\"bound_ms\":100,\"pid\":1,\"wait_us\":5}\n"
#define RULE(line, match, entered, healed, cycles, expired, given_up)                              \
    "{\"rule\":{\"line\":" #line ",\"variable\":\"x\",\"function\":\"f\",\"file\":\"a.c\","        \
    "\"kind\":\"load-and-store\",\"inside\":[\"synchronization\"],\"entry\":\"12:5 read\","        \
    "\"match\":\"" match "\",\"with\":\"block\",\"entered\":" #entered ",\"healed\":" #healed      \
    ",\"waited_us\":1500,\"longest_us\":900,\"cycles\":" #cycles ",\"expired\":" #expired          \
    ",\"given_up\":" #given_up "}}\n"

static char *text_of(struct darn_healed *healed)
{
    static const struct darn_style plain;
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);

    darn_healed_print(out, healed, "p.sections", "./p", &plain);
    fclose(out);
    return text;
}

static void expect_account(const char *account, const char *expected)
{
    struct darn_healed healed = {.with = NULL};
    char *text;

    write_file(account);
    assert_int_equal(darn_healed_read(&healed, path), 0);
    unlink(path);
    text = text_of(&healed);
    assert_string_equal(text, expected);
    free(text);
    darn_healed_free(&healed);
}

static void what_happened_is_told_and_the_rest_is_counted(void **state)
{
    (void)state;
    expect_account(HEADER RULE(3, "exact", 10, 2, 0, 0, false) RULE(5, "exact", 7, 0, 0, 0, false)
                       RULE(7, "moved", 1, 0, 0, 0, false),
                   "darn heal: ./p, healed by block, waits of at most 100 ms\n"
                   "  'x' in f (a.c:12, load-and-store)\n"
                   "    inside 10 times; waited 2 times: 1.5 ms in all, 900 us at most\n"
                   "  2 other sections: threads were inside 8 times, and nobody had to wait; of 1 "
                   "the lines have moved\n");
}

static void what_was_skipped_is_told_with_its_reason(void **state)
{
    (void)state;
    expect_account(HEADER RULE(3, "exact", 10, 0, 1, 2, true) RULE(4, "none", 0, 0, 0, 0, false),
                   "darn heal: ./p, healed by block, waits of at most 100 ms\n"
                   "  'x' in f (a.c:12, load-and-store)\n"
                   "    inside 10 times; waited 0 times: 1.5 ms in all, 900 us at most\n"
                   "    skipped: 1 wait that would have closed a circle with locks of the program\n"
                   "    skipped: 2 waits that took longer than 100 ms\n"
                   "    given up: waiting for it ended by the bound again and again\n"
                   "  'x' in f (a.c:12, load-and-store): not healed: the program has no such "
                   "section\n");
}

static void a_gate_is_told(void **state)
{
    (void)state;
    expect_account(HEADER "{\"gate\":{\"line\":4,\"match\":\"exact\",\"passed\":9,\"avoided\":2,"
                          "\"false\":3,\"waited_us\":10,\"longest_us\":7,\"expired\":0,"
                          "\"dropped\":true}}\n",
                   "darn heal: ./p, healed by block, waits of at most 100 ms\n"
                   "  deadlock (p.sections:4): threads came by 9 times; waited 2 times: 10 us in "
                   "all, 7 us at most\n"
                   "    3 waits only slowed down: no circle was near\n"
                   "    dropped: it slowed down more than it avoided\n");
}

static void accounts_of_several_processes_are_added(void **state)
{
    struct darn_healed healed = {.with = NULL};

    (void)state;
    for (int i = 0; i < 2; i++) {
        write_file(HEADER RULE(3, "exact", 10, 2, 0, 0, false) RULE(5, "exact", 1, 0, 0, 0, false));
        assert_int_equal(darn_healed_read(&healed, path), 0);
        unlink(path);
    }
    assert_int_equal(healed.processes, 2);
    assert_int_equal(healed.rule_count, 2);
    assert_int_equal(healed.rules[0].entered, 20);
    assert_int_equal(healed.rules[0].waits.healed, 4);
    assert_int_equal(healed.rules[0].waits.longest_us, 900);
    assert_int_equal(healed.rules[1].entered, 2);
    darn_healed_free(&healed);
}

static void what_is_no_account_is_refused_and_a_cut_line_is_passed_over(void **state)
{
    struct darn_healed healed = {.with = NULL};

    (void)state;
    write_file("hello\n");
    assert_true(darn_healed_read(&healed, path) < 0);
    unlink(path);
    write_file(HEADER "{\"rule\":{\"line\":3,\"vari");
    assert_int_equal(darn_healed_read(&healed, path), 0);
    unlink(path);
    assert_int_equal(healed.rule_count, 0);
    darn_healed_free(&healed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_happened_is_told_and_the_rest_is_counted),
        cmocka_unit_test(what_was_skipped_is_told_with_its_reason),
        cmocka_unit_test(a_gate_is_told),
        cmocka_unit_test(accounts_of_several_processes_are_added),
        cmocka_unit_test(what_is_no_account_is_refused_and_a_cut_line_is_passed_over),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
