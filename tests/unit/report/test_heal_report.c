/* What is said about a healed run: the account, and the sketch of a patch. */
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
#include "report/heal/heal_fix.h"
#include "report/heal/heal_source.h"

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

/* ---- sketches ---- */

static struct darn_lock mutex_a = {.kind = "mutex", .address = 16, .symbol = {.name = "a"}};

/* The patch, without its first three lines: those name the file. */
static void expect_sketch(const char *source, const struct darn_finding *finding, unsigned first,
                          unsigned last, const char *expected)
{
    struct darn_fix_range range = {.file = path, .first = first, .last = last, .merges = true};
    struct darn_fix fix = {finding, "s->count", &range, 1};
    char *text = NULL, *body;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);

    write_file(source);
    rename(path, strcat(strcpy(text = malloc(80), path), ".c"));
    strcpy(path, text);
    free(text);
    text = NULL;
    darn_fix_sketch(out, &fix);
    fclose(out);
    unlink(path);
    body = text;
    for (int i = 0; i < 3 && body && *body; i++)
        body = strchr(body, '\n') + 1;
    assert_string_equal(body ? body : "", expected);
    free(text);
}

static void lines_are_put_under_a_new_lock(void **state)
{
    (void)state;
    expect_sketch("int x;\n"
                  "\n"
                  "void f(struct s *s)\n"
                  "{\n"
                  "    if (s->count)\n"
                  "        s->count--; /* } */\n"
                  "}\n",
                  NULL, 5, 6,
                  "@@ -1,7 +1,11 @@\n"
                  " int x;\n"
                  " \n"
                  "+static pthread_mutex_t count_lock = PTHREAD_MUTEX_INITIALIZER;\n"
                  "+\n"
                  " void f(struct s *s)\n"
                  " {\n"
                  "+    pthread_mutex_lock(&count_lock);\n"
                  "     if (s->count)\n"
                  "         s->count--; /* } */\n"
                  "+    pthread_mutex_unlock(&count_lock);\n"
                  " }\n");
}

/* The entry is in a block that ends before the last access; the statements have several lines. */
static void whole_statements_of_one_block_are_taken(void **state)
{
    struct darn_finding_access accesses[2] = {
        {.op = DARN_OP_READ}, {.op = DARN_OP_WRITE, .locks = &mutex_a, .lock_count = 1}};
    struct darn_finding finding = {
        .kind = "data-race", .variable = "s->count", .accesses = accesses, .access_count = 2};

    (void)state;
    expect_sketch("void f(void)\n"
                  "{\n"
                  "    go();\n"
                  "    while (more(1,\n"
                  "                2)) {\n"
                  "        n = s->count;\n"
                  "    }\n"
                  "    s->count =\n"
                  "        n;\n"
                  "    stop();\n"
                  "}\n",
                  &finding, 6, 8,
                  "@@ -1,11 +1,13 @@\n"
                  " void f(void)\n"
                  " {\n"
                  "     go();\n"
                  "+    pthread_mutex_lock(&a);\n"
                  "     while (more(1,\n"
                  "                 2)) {\n"
                  "         n = s->count;\n"
                  "     }\n"
                  "     s->count =\n"
                  "         n;\n"
                  "+    pthread_mutex_unlock(&a);\n"
                  "     stop();\n"
                  " }\n");
}

static void a_lock_that_is_given_back_in_between_is_kept(void **state)
{
    struct darn_finding_access accesses[3] = {
        {.op = DARN_OP_READ, .locks = &mutex_a, .lock_count = 1},
        {.op = DARN_OP_WRITE, .locks = &mutex_a, .lock_count = 1},
        {.op = DARN_OP_READ, .locks = &mutex_a, .lock_count = 1},
    };
    struct darn_finding finding = {.kind = "atomicity-violation",
                                   .variable = "s->count",
                                   .accesses = accesses,
                                   .access_count = 3};

    (void)state;
    expect_sketch("int f(void)\n"
                  "{\n"
                  "    lock(&a);\n"
                  "    n = s->count;\n"
                  "    unlock(&a);\n"
                  "    if (!n)\n"
                  "        return 0;\n"
                  "    lock(&a);\n"
                  "    s->count--;\n"
                  "    unlock(&a);\n"
                  "}\n",
                  &finding, 4, 9,
                  "@@ -2,10 +2,11 @@\n"
                  " {\n"
                  "     lock(&a);\n"
                  "     n = s->count;\n"
                  "-    unlock(&a);\n"
                  "     if (!n)\n"
                  "-        return 0;\n"
                  "+    {\n"
                  "+        pthread_mutex_unlock(&a);\n"
                  "+        return 0;\n"
                  "+    }\n"
                  "-    lock(&a);\n"
                  "     s->count--;\n"
                  "     unlock(&a);\n"
                  " }\n");
}

static void lines_that_are_no_statements_of_a_function_give_no_sketch(void **state)
{
    (void)state;
    expect_sketch("int x;\nint y;\n", NULL, 1, 2, "");
    expect_sketch("int x;\n", NULL, 7, 9, "");
}

static void a_file_that_cannot_be_read_gives_no_sketch(void **state)
{
    struct darn_fix_range range = {.file = "/nonexistent/a.c", .first = 1, .last = 2, .access = -1};
    struct darn_fix fix = {NULL, "x", &range, 1};

    (void)state;
    assert_false(darn_fix_sketch(stderr, &fix));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_happened_is_told_and_the_rest_is_counted),
        cmocka_unit_test(what_was_skipped_is_told_with_its_reason),
        cmocka_unit_test(a_gate_is_told),
        cmocka_unit_test(accounts_of_several_processes_are_added),
        cmocka_unit_test(what_is_no_account_is_refused_and_a_cut_line_is_passed_over),
        cmocka_unit_test(lines_are_put_under_a_new_lock),
        cmocka_unit_test(whole_statements_of_one_block_are_taken),
        cmocka_unit_test(a_lock_that_is_given_back_in_between_is_kept),
        cmocka_unit_test(lines_that_are_no_statements_of_a_function_give_no_sketch),
        cmocka_unit_test(a_file_that_cannot_be_read_gives_no_sketch),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
