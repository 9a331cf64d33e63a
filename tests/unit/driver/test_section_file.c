/* Repositories as the tools have them: what overlaps is told, what is written is read again, and
 * lines mean what is recorded there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "driver/section/section_file.h"
#include "section/match.h"

static struct darn_sections sections;
static char path[64];
static char said[4096]; /* to the listener */

static void hear(struct darn_listener *listener, enum darn_news news, const char *line)
{
    size_t length = strlen(said);

    (void)listener;
    assert_int_equal(news, DARN_NEWS_FAULT);
    snprintf(said + length, sizeof(said) - length, "%s\n", line);
}

static struct darn_listener listener = {.say = hear};

static int start(void **state)
{
    int fd;

    (void)state;
    strcpy(path, "test_section_file.XXXXXX");
    fd = mkstemp(path);
    if (fd < 0)
        return -1;
    close(fd);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    unlink(path);
    darn_sections_free(&sections);
    return 0;
}

/* Loads the lists of a repository; what it says goes to `said`. */
static uint32_t load(const char *lists)
{
    FILE *file = fopen(path, "w");
    uint32_t errors = 0;

    assert_non_null(file);
    fprintf(file, "{\"darn-sections\": 1,\n \"sections\": [\n%s\n ]}\n", lists);
    fclose(file);
    said[0] = '\0';
    assert_int_equal(darn_section_file_load(&listener, path, &sections, &errors), 0);
    return errors;
}

static void expect_said(const char *text)
{
    char line[1024];

    snprintf(line, sizeof(line), "%s:%s\n", path, text);
    assert_string_equal(said, line);
}

#define HEAD "{\"variable\": \"x\", \"function\": \"f\", \"file\": \"a.c\", "
#define PAIR HEAD "\"kind\": \"pair\", "

static void the_second_section_with_the_same_entry_is_told(void **state)
{
    (void)state;
    assert_int_equal(load(PAIR "\"entry\": \"12:5 read\", \"ends\": [\"14:1 read\"]},\n" PAIR
                               "\"entry\": \"12:5 read\", \"ends\": [\"15:1 read\"]},\n" PAIR
                               "\"entry\": \"14:1 read\", \"ends\": [\"15:1 read\"]}"),
                     1);
    expect_said("4:1: error: two sections over 'x' begin at a.c:12:5 (the other at line 3); this "
                "one is not used");
    assert_int_equal(sections.count, 2);
    assert_int_equal(sections.list[1]->position, 5);
}

static void sections_of_different_kinds_may_share_an_entry(void **state)
{
    (void)state;
    assert_int_equal(
        load(PAIR "\"entry\": \"12:5 read\", \"ends\": [\"14:1 read\"]},\n" HEAD
                  "\"kind\": \"load-and-store\", \"entry\": \"12:5 read\", \"ends\": [\"14:1 "
                  "write\"]}"),
        0);
    assert_int_equal(sections.count, 2);
}

static void lines_may_meet_but_not_cut_each_other(void **state)
{
    (void)state;
    assert_int_equal(load("\"a.c:1-5 x\", \"a.c:5-9 x\", \"b.c:1-5 x\", \"a.c:1-5 y\""), 0);
    darn_sections_free(&sections);
    assert_int_equal(load("\"a.c:1-5 x\",\n\"a.c:4-9 x\""), 1);
    expect_said("4:1: error: two sections over 'x' share lines of a.c: 4-9, and 1-5 (at line 3); "
                "this one is not used");
    assert_int_equal(sections.count, 1);
    darn_sections_free(&sections);
    assert_int_equal(load("\"a.c:1-5 x\", \"a.c:1-5 x\", \"a.c:2-3 x\""), 2);
    assert_int_equal(sections.count, 1);
}

static void by_hand_one_must_not_begin_within_another(void **state)
{
    (void)state;
    assert_int_equal(load(HEAD "\"entry\": \"10:1 read\", \"ends\": [\"20:1 write\"]},\n" HEAD
                               "\"entry\": \"15:1 read\", \"ends\": [\"25:1 write\"]},\n" HEAD
                               "\"entry\": \"20:1 write\", \"ends\": [\"25:1 write\"]}"),
                     1);
    expect_said("4:1: error: two sections over 'x' overlap: one begins at a.c:15:1, within the "
                "other (at line 3); this one is not used");
    assert_int_equal(sections.count, 2);
}

static void what_is_written_is_read_again(void **state)
{
    struct darn_sections again = {.count = 0};
    uint32_t errors = 0;

    (void)state;
    load(PAIR "\"type\": \"_ZTSN7company7accountE\", "
              "\"entry\": \"h.h:1:5 read in g at 3\", \"calls\": [\"3:1\"], \"ends\": [\"14:1 "
              "read allow=none seen=4\"], \"leaves\": [\"9:1\"], \"inside\": [\"loops\"]},\n"
              "\"a.c:1-5 y allow=write\"\n ], \"dropped\": [{\"lines\": \"a.c:7 z\", \"why\": "
              "\"never seen\"}");
    assert_int_equal(sections.count, 3);
    assert_int_equal(darn_section_file_write(path, &sections), 0);
    assert_int_equal(darn_section_file_load(NULL, path, &again, &errors), 0);
    assert_int_equal(errors, 0);
    assert_int_equal(again.count, 3);
    for (size_t i = 0; i < 3; i++) {
        static char one[4096], other[4096];
        struct darn_json json;

        darn_json_start(&json, one, sizeof(one));
        darn_section_write(&json, sections.list[i]);
        darn_json_start(&json, other, sizeof(other));
        darn_section_write(&json, again.list[i]);
        assert_string_equal(one, other);
    }
    assert_string_equal(again.list[0]->type, "_ZTSN7company7accountE");
    assert_null(again.list[1]->type);
    assert_string_equal(again.list[2]->why, "never seen");
    darn_sections_free(&again);
}

static void a_file_that_cannot_be_replaced_stays(void **state)
{
    (void)state;
    assert_true(darn_section_file_write("no/such/directory/file", &sections) < 0);
}

/* Entry in line 12, ends in the lines 14 and 20. */
#define RECORDED                                                                                   \
    "{\"variable\": \"acct->balance\", \"function\": \"f\", \"file\": \"src/a.c\", \"kind\": "     \
    "\"pair\", \"entry\": \"12:5 read\", \"ends\": [\"14:1 write\", \"h.h:3:1 read at 20\"]}"

static bool means_by_lines(const struct darn_section *hand, const struct darn_section *recorded)
{
    struct darn_section_point points[DARN_SECTION_POINTS], own[DARN_SECTION_POINTS];
    struct darn_match_section wanted = darn_match_of_wanted(hand, own);
    struct darn_match_section found = darn_match_of_section(recorded, points);

    return darn_match_is_in_lines(&wanted, &found);
}

static void lines_mean_what_begins_and_ends_in_them(void **state)
{
    static const char *const means[] = {"\"a.c:12-14 balance\"", "\"src/a.c:1-99 acct->balance\"",
                                        "\"a.c:12-20 balance\""};
    static const char *const does_not[] = {"\"a.c:13-14 balance\"",     "\"a.c:12-13 balance\"",
                                           "\"b.c:1-99 balance\"",      "\"a.c:1-99 lance\"",
                                           "\"xsrc/a.c:1-99 balance\"", "\"a.c:3-12 balance\""};

    (void)state;
    for (size_t i = 0; i < 9; i++) {
        char text[1024];

        snprintf(text, sizeof(text), "%s,\n%s", RECORDED, i < 3 ? means[i] : does_not[i - 3]);
        assert_int_equal(load(text), 0);
        assert_int_equal(means_by_lines(sections.list[1], sections.list[0]), i < 3);
        darn_sections_free(&sections);
    }
}

/* `load` closes the list: what follows is behind it. */
#define BEHIND                                                                                     \
    "],\n \"deadlocks\": [\n  {\"locks\": \"a, \\\"]\"}],\n \"new\": {\"x\": [1, []]},\n "         \
    "\"dropped\": ["

static void other_keys_come_back_letter_by_letter(void **state)
{
    char rest[256];

    (void)state;
    assert_int_equal(load(RECORDED), 0);
    assert_null(sections.rest);
    darn_sections_free(&sections);
    assert_int_equal(load(RECORDED "\n " BEHIND), 0);
    assert_string_equal(sections.rest, ",\n \"deadlocks\": [\n  {\"locks\": \"a, \\\"]\"}]"
                                       ",\n \"new\": {\"x\": [1, []]}");
    snprintf(rest, sizeof(rest), "%s", sections.rest);
    assert_int_equal(darn_section_file_write(path, &sections), 0);
    darn_sections_free(&sections);
    assert_int_equal(darn_section_file_load(NULL, path, &sections, &(uint32_t){0}), 0);
    assert_string_equal(sections.rest, rest);
    assert_int_equal(sections.count, 1);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, start, stop)
    const struct CMUnitTest tests[] = {
        TEST(the_second_section_with_the_same_entry_is_told),
        TEST(sections_of_different_kinds_may_share_an_entry),
        TEST(lines_may_meet_but_not_cut_each_other),
        TEST(by_hand_one_must_not_begin_within_another),
        TEST(what_is_written_is_read_again),
        TEST(a_file_that_cannot_be_replaced_stays),
        TEST(other_keys_come_back_letter_by_letter),
        TEST(lines_mean_what_begins_and_ends_in_them),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
