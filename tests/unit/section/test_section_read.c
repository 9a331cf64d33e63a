/* The repository of sections: everything that it can say is read, and what is wrong is told with
 * its place, and only that is left out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "section/section.h"

#define MOST 8

#define BALANCE                                                                                    \
    "{\"variable\": \"acct->balance\", \"function\": \"deposit\", \"file\": \"bank.c\",\n"         \
    "   \"kind\": \"load-and-store\", \"entry\": \"12:5 read\",\n"                                 \
    "   \"ends\": [\"14:13 write allow=read\"],\n"                                                 \
    "   \"leaves\": [\"16:3\"], \"inside\": [\"calls\"]}"

#define START "{\"darn-sections\": 1,\n \"sections\": [\n  "

/* What the reader has told. Strings live in the room of one section only: sections are kept as they
 * are written. */
static struct told {
    size_t count, errors, stop_after;
    struct darn_section last;
    char texts[MOST][4096];
    char error[MOST][300];
} told;

static char room[64 * 1024];

static bool take(void *context, const struct darn_section *section)
{
    static char text[sizeof(told.texts[0])];
    struct darn_json json;

    assert_ptr_equal(context, &told);
    if (told.count < MOST) {
        darn_json_start(&json, text, sizeof(text));
        darn_repository_style(&json);
        darn_section_write(&json, section);
        assert_false(json.text.cut);
        strcpy(told.texts[told.count], text + 1); /* it begins a line */
    }
    told.last = *section;
    told.count++;
    return told.count != told.stop_after;
}

static void take_error(void *context, const struct darn_repository_error *error)
{
    assert_ptr_equal(context, &told);
    assert_null(strchr(error->text, '\n'));
    assert_true(*error->text);
    if (told.errors < MOST)
        snprintf(told.error[told.errors], sizeof(told.error[0]), "%u:%u: %s", error->line,
                 error->column, error->text);
    told.errors++;
}

static void read_part(const char *text, size_t size, bool with_dropped)
{
    static struct darn_section section;
    struct darn_repository_reader reader = {take,  take_error, with_dropped,
                                            &told, room,       sizeof(room)};
    size_t stop_after = told.stop_after;

    memset(&told, 0, sizeof(told));
    told.stop_after = stop_after;
    memset(&section, 0xa5, sizeof(section));
    assert_int_equal(darn_repository_read(text, size, &section, &reader), told.errors);
}

static void read_text(const char *text)
{
    read_part(text, strlen(text), true);
}

static void expect_fine(const char *text, size_t count)
{
    read_text(text);
    if (told.errors)
        fail_msg("%s", told.error[0]);
    assert_int_equal(told.count, count);
}

/* Exactly this one error, and so many sections. */
static void expect_error(const char *text, const char *error, size_t count)
{
    read_text(text);
    if (told.errors != 1 || strcmp(told.error[0], error) != 0)
        fail_msg("%zu errors, '%s' instead of '%s' in: %s", told.errors, told.error[0], error,
                 text);
    assert_int_equal(told.count, count);
}

static void every_field_is_read(void **state)
{
    const struct darn_point *points = told.last.points;

    (void)state;
    expect_fine(START BALANCE "]}", 1);
    assert_string_equal(told.last.variable, "acct->balance");
    assert_string_equal(told.last.function, "deposit");
    assert_string_equal(told.last.file, "bank.c");
    assert_null(told.last.why);
    assert_int_equal(told.last.kind, DARN_SECTION_LOAD_STORE);
    assert_int_equal(told.last.inside, DARN_SECTION_CALLS);
    assert_int_equal(told.last.first, 0);
    assert_int_equal(told.last.position, 3);
    assert_int_equal(told.last.column, 3);
    assert_int_equal(told.last.count, 3);
    assert_int_equal(points[0].role, DARN_ROLE_ENTRY);
    assert_int_equal(points[0].kind, DARN_SITE_READ);
    assert_true(points[0].line == 12 && points[0].column == 5 && points[0].at == 12);
    assert_string_equal(points[0].file, "bank.c");
    assert_string_equal(points[0].function, "deposit");
    assert_int_equal(points[1].role, DARN_ROLE_END);
    assert_int_equal(points[1].kind, DARN_SITE_WRITE);
    assert_int_equal(points[1].allow, DARN_ALLOW_READ);
    assert_int_equal(points[2].role, DARN_ROLE_LEAVE);
    assert_int_equal(points[2].kind, DARN_SITE_LEAVE);
    assert_true(points[2].line == 16 && points[2].column == 3);
}

#define SECTION(entry, rest)                                                                       \
    START "{\"variable\": \"v\", \"function\": \"f\", \"file\": \"a.c\", \"entry\": \"" entry      \
          "\", \"ends\": [" rest "]}"

static void a_point_may_be_in_another_file_and_function(void **state)
{
    const struct darn_point *points = told.last.points;

    (void)state;
    expect_fine(SECTION("inc/x:y.h:3:4 write in ns::operator new(unsigned long, char) at 7",
                        "\"9:1 read allow=none seen=12 violated=18446744073709551615\", "
                        "\"b.c:8:0 update in g allow=read,write\", \"10:65535 write\"") "]}",
                1);
    assert_string_equal(points[0].file, "inc/x:y.h");
    assert_string_equal(points[0].function, "ns::operator new(unsigned long, char)");
    assert_true(points[0].line == 3 && points[0].column == 4 && points[0].at == 7);
    assert_true(points[1].seen == 12 && points[1].violated == UINT64_MAX && !points[1].allow);
    assert_string_equal(points[2].file, "b.c");
    assert_string_equal(points[2].function, "g");
    assert_int_equal(points[2].kind, DARN_SITE_UPDATE);
    assert_int_equal(points[2].allow, DARN_ALLOW_ALL);
    assert_int_equal(points[3].allow, DARN_ALLOW_WRITE); /* table 1: between two writes */
    assert_int_equal(told.last.kind, DARN_SECTION_HAND);
}

static void the_struct_of_a_member_is_read_and_written(void **state)
{
    static const char typed[] =
        "  {\"variable\": \"a.n\", \"type\": \"account\", \"function\": \"f\", \"file\": "
        "\"a.c\", \"kind\": \"pair\",\n   \"entry\": \"1:1 read\", \"ends\": [\"2:1 read "
        "allow=read\"]}";

    (void)state;
    expect_fine(START "{\"ends\": [\"2:1 read\"], \"type\": \"account\", \"file\": \"a.c\", "
                      "\"entry\": \"1:1 read\", \"kind\": \"pair\", \"function\": \"f\", "
                      "\"variable\": \"a.n\"}]}",
                1);
    assert_string_equal(told.last.type, "account");
    assert_string_equal(told.texts[0], typed);
    expect_fine(START BALANCE "]}", 1);
    assert_null(told.last.type);
    assert_null(strstr(told.texts[0], "type"));
    expect_fine(START "{\"type\": \"\", " /* as if it were not there */
                      "\"variable\": \"v\", \"function\": \"f\", \"file\": \"a.c\", \"entry\": "
                      "\"1:1 read\", \"ends\": [\"2:1 read\"]}]}",
                1);
    assert_null(strstr(told.texts[0], "type"));
}

/* Nothing may come between two accesses to different variables, if it could show. */
static void a_section_over_several_variables_allows_what_does_no_harm(void **state)
{
    static const struct {
        const char *entry, *end;
        uint8_t allow;
    } cases[] = {{"read", "read", DARN_ALLOW_READ},
                 {"write", "write", 0},
                 {"read", "write", 0},
                 {"update", "read", 0}};
    char text[512];

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        snprintf(text, sizeof(text),
                 START "{\"variable\": \"data, size\", \"function\": \"f\", \"file\": \"a.c\", "
                       "\"kind\": \"together\", \"entry\": \"1:1 %s\", \"ends\": [\"2:1 %s\"]}]}",
                 cases[i].entry, cases[i].end);
        expect_fine(text, 1);
        assert_int_equal(told.last.kind, DARN_SECTION_TOGETHER);
        assert_string_equal(told.last.variable, "data, size");
        assert_int_equal(told.last.points[1].allow, cases[i].allow);
    }
}

static void points_come_in_their_order_whatever_that_of_the_keys(void **state)
{
    static const uint8_t roles[] = {DARN_ROLE_ENTRY, DARN_ROLE_CALL, DARN_ROLE_END, DARN_ROLE_END,
                                    DARN_ROLE_LEAVE};

    (void)state;
    expect_fine(START "{\"leaves\": [\"16:3\"], \"ends\": [\"14:1 read\", \"15:1 write\"], "
                      "\"calls\": [\"13:2\"], \"entry\": \"12:5 read\", \"file\": \"a.c\", "
                      "\"function\": \"f\", \"variable\": \"v\", \"kind\": \"pair\"}]}",
                1);
    assert_int_equal(told.last.count, 5);
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(told.last.points[i].role, roles[i]);
    assert_int_equal(told.last.points[1].kind, DARN_SITE_CALL);
    assert_int_equal(told.last.points[2].line, 14);
    assert_string_equal(told.last.points[4].function, "f");
}

static void a_way_may_have_no_line(void **state)
{
    (void)state;
    expect_fine(START "{\"variable\": \"v\", \"function\": \"f\", \"file\": \"a.c\", \"entry\": "
                      "\"1:1 read\", \"ends\": [\"2:1 read\"], \"calls\": [\"0:0 at 3\"], "
                      "\"leaves\": [\"0:0\"]}]}",
                1);
    assert_true(told.last.points[1].line == 0 && told.last.points[1].at == 3);
    assert_true(told.last.points[3].line == 0 && told.last.points[3].at == 0);
}

static void a_section_over_lines_is_read(void **state)
{
    (void)state;
    expect_fine(START "\"src/a:b.c:120-131 acct->balance allow=read,write\", \"x.c:7 n\"]}", 2);
    assert_string_equal(told.texts[0], "  \"src/a:b.c:120-131 acct->balance allow=read,write\"");
    assert_string_equal(told.texts[1], "  \"x.c:7 n\"");
    assert_true(told.last.first == 7 && told.last.last == 7 && !told.last.has_allow);
    assert_string_equal(told.last.function, "");
}

static void dropped_ones_are_told_only_if_wanted(void **state)
{
    const char *text = START BALANCE "],\n \"dropped\": [{\"lines\": \"a.c:1-2 x\", \"why\": "
                                     "\"never seen\"}, \"a.c:3-4 y\"]}";

    (void)state;
    expect_fine(text, 3);
    assert_string_equal(told.texts[1], "  {\"lines\": \"a.c:1-2 x\", \"why\": \"never seen\"}");
    assert_string_equal(told.last.why, "");
    read_part(text, strlen(text), false);
    assert_true(told.count == 1 && told.errors == 0);
}

static void what_is_not_known_is_passed_over(void **state)
{
    (void)state;
    expect_fine("\xef\xbb\xbf {\"darn-sections\":1,\"made\":{\"by\":[1,-2.5e3,{}],\"t\":true},"
                "\"sections\":[{\"x\":[[],{\"a\":null}],\"variable\":\"\\u00e9\\ud83d\\ude00\\n\","
                "\"function\":\"\",\"file\":\"f\",\"entry\":\"1:1 read\",\"ends\":[\"1:1 write\"]}"
                "]}\r\n",
                1);
    assert_string_equal(told.last.variable, "\xc3\xa9\xf0\x9f\x98\x80\n");
    expect_fine("{\"darn-sections\": 1}", 0);
    expect_fine("{\"darn-sections\": 1, \"sections\": [], \"dropped\": []}\n", 0);
}

static void reading_stops_when_the_caller_wants_no_more(void **state)
{
    (void)state;
    told.stop_after = 1;
    read_text(START "\"a.c:1-2 x\", \"a.c:3-4 x\" rubbish");
    told.stop_after = 0;
    assert_true(told.count == 1 && told.errors == 0);
}

static void what_is_no_repository_is_one_error(void **state)
{
    static const char no[] =
        "1:1: this is no repository of sections: it has to begin with {\"darn-sections\": 1";

    (void)state;
    expect_error("", no, 0);
    expect_error("\n\n", no, 0);
    expect_error("[1]", no, 0);
    expect_error("\x7f"
                 "ELF",
                 no, 0);
    expect_error("{\"sections\": [\"a.c:1-2 x\"]}", no, 0);
    expect_error("{\n \"darn-sections\": 2, \"sections\": [\"a.c:1-2 x\"]}",
                 "2:2: the repository has another version of the format; this darn reads version "
                 "1: use the darn that wrote it, or a newer one",
                 0);
    expect_error("{\"darn-sections\": one}", "1:19: the number of the version expected, not 'one'",
                 0);
}

static void what_cannot_be_is_told_and_skips_one_section(void **state)
{
    static const struct {
        const char *entry, *end, *error;
    } wrong[] = {
        {"12:5 reads", "1:1 read", "3:68: 'reads' is no operation: read, write or update expected"},
        {"12:5", "1:1 read", "3:67: an operation expected here: read, write or update"},
        {"12", "1:1 read", "3:63: a place as 12:5 expected, not '12'"},
        {"", "1:1 read", "3:63: a place as 12:5 expected, not ''"},
        {"0:5 read", "1:1 read", "3:63: there is no line 0"},
        {"4294967296:5 read", "1:1 read", "3:63: there is no line as large as this"},
        {"1:65536 read", "1:1 read", "3:65: a column is at most 65535"},
        {":1:5 read", "1:1 read", "3:63: a name of a file expected before ':'"},
        {"1:5 read allow=read", "1:1 read", "3:72: 'allow=read' is for ends only"},
        {"1:5 read at", "1:1 read", "3:72: 'at' is not understood here"},
        {"1:5 read", "1:1 read allow=all",
         "3:99: 'all' is no set of operations: none, read, write or read,write expected"},
        {"1:5 read", "1:1 read seen=x", "3:93: a number expected after '=', not 'x'"},
        {"1:5 read", "", "3:84: a place as 12:5 expected, not ''"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        char text[1024];

        snprintf(text, sizeof(text), SECTION("%s", "\"%s\"") ", \"a.c:1-2 x\"]}", wrong[i].entry,
                 wrong[i].end);
        expect_error(text, wrong[i].error, 1);
    }
}

static void a_section_that_is_not_whole_is_told_where_it_begins(void **state)
{
    (void)state;
    expect_error(START "{}, \"a.c:1-2 x\"]}", "3:3: the section has no \"variable\"", 1);
    expect_error(SECTION("1:1 read", "") "]}", "3:3: the section has no end", 0);
    expect_error(START "{\"variable\": \"v\", \"function\": \"f\", \"file\": \"a.c\"}]}",
                 "3:3: the section has no \"entry\"", 0);
    expect_error(START "{\"lines\": \"a.c:1-2 x\", \"entry\": \"1:1 read\"}]}",
                 "3:3: \"lines\" and points exclude each other", 0);
    expect_error(
        START "{\"kind\": \"triple\"}, \"a.c:1-2 x\"]}",
        "3:13: 'triple' is no kind: load-and-store, test-and-use, pair, learned, by-hand, race, "
        "order or together expected",
        1);
    expect_error(START "{\"inside\": [\"locks\"]}, \"a.c:1-2 x\"]}",
                 "3:16: 'locks' is none of synchronization, calls, unknown-calls, loops and "
                 "across-calls",
                 1);
    expect_error(START "{\"kind\": \"pair\", \"kind\": \"pair\"}, \"a.c:1-2 x\"]}",
                 "3:20: \"kind\" stands here for the second time", 1);
    expect_error(START "{\"variable\": 5}, \"a.c:1-2 x\"]}",
                 "3:16: a text in quotes expected, not '5'", 1);
    expect_error(START "{\"type\": \"a\", \"type\": \"a\"}, \"a.c:1-2 x\"]}",
                 "3:17: \"type\" stands here for the second time", 1);
    expect_error(START "{\"type\": [\"a\"]}, \"a.c:1-2 x\"]}",
                 "3:12: a text in quotes expected, not '['", 1);
    expect_error(START "{\"type\": 5}, \"a.c:1-2 x\"]}", "3:12: a text in quotes expected, not '5'",
                 1);
    expect_error(START "{\"ends\": \"1:1 read\"}, \"a.c:1-2 x\"]}",
                 "3:12: a list in brackets [] expected, not \"1:1 read\"", 1);
    expect_error(START "17, \"a.c:1-2 x\"]}", "3:3: a section in braces {} expected, not '17'", 1);
}

#define ORDER(more)                                                                                \
    START "{\"variable\": \"v\", \"function\": \"f\", \"file\": \"a.c\", " more                      \
          "\"entry\": \"1:1 write\", \"ends\": [\"9:2 read in g\"]}"

static void an_order_says_until_when(void **state)
{
    (void)state;
    expect_fine(ORDER("\"kind\": \"order\", \"until\": \"gone\", ") "]}", 1);
    assert_int_equal(told.last.kind, DARN_SECTION_ORDER);
    assert_int_equal(told.last.until, DARN_UNTIL_GONE);
    assert_non_null(strstr(told.texts[0], "\"until\": \"gone\""));
    expect_error(ORDER("\"kind\": \"order\", ") ", \"a.c:1-2 x\"]}",
                 "3:3: an order has \"until\", and nothing else has", 1);
    expect_error(ORDER("\"kind\": \"pair\", \"until\": \"done\", ") ", \"a.c:1-2 x\"]}",
                 "3:3: an order has \"until\", and nothing else has", 1);
    expect_error(START "{\"until\": \"soon\"}, \"a.c:1-2 x\"]}",
                 "3:14: 'soon' is neither done nor gone", 1);
}

static void lines_that_cannot_be_are_told(void **state)
{
    (void)state;
    expect_error(START "\"a.c x\", \"a.c:1-2 x\"]}",
                 "3:4: lines and a variable as bank.c:120-131 balance expected, not 'a.c x'", 1);
    expect_error(START "\"a.c:9-2 x\", \"a.c:1-2 x\"]}",
                 "3:8: the last line comes before the first", 1);
    expect_error(START "\"a.c:0-2 x\", \"a.c:1-2 x\"]}", "3:8: there is no line 0", 1);
    expect_error(START "\"a.c:1-2\", \"a.c:1-2 x\"]}",
                 "3:11: the name of a variable expected behind the lines", 1);
    expect_error(START "\"a.c:1-2 x allow=any\", \"a.c:1-2 x\"]}",
                 "3:20: 'any' is no set of operations: none, read, write or read,write expected",
                 1);
}

static void after_wrong_syntax_the_next_section_is_read(void **state)
{
    (void)state;
    expect_error(START "{\"variable\": \"v,\n   \"file\": \"a.c\"},\n  \"a.c:1-2 x\"\n ],\n"
                       " \"dropped\": [\n  \"a.c:3-4 x\"\n ]}\n",
                 "3:16: the string that begins here has no second quote in its line", 2);
    expect_error(START "{\"variable\" \"v\"},\n  {\"lines\": \"a.c:1-2 x\"}\n ]}",
                 "3:15: ':' behind the key expected, not \"v\"", 1);
    expect_error(START "{\"variable\": \"\\q\"},\n  \"a.c:1-2 x\"\n ]}",
                 "3:17: this is no character: after \\ stands one of \"\\/bfnrt, or u and four "
                 "digits of a character that is not 0",
                 1);
    expect_error(START BALANCE "\n  \"a.c:1-2 x\"]}", "7:3: ',' or ']' expected, not \"a.c:1-2 x\"",
                 2);
    expect_error(START "\"a.c:1-2 x\",\n ]\n}", "4:2: a section in braces {} expected, not ']'", 1);
    expect_error(START "\"a.c:1-2 x\"]} more", "3:17: the end of the text expected, not 'more'", 1);
}

/* The list is left open, but the next one begins on a line of its own. */
static void a_broken_section_does_not_swallow_the_next_list(void **state)
{
    (void)state;
    expect_error(START "{\"variable\": }\n ],\n \"dropped\": [\n  \"a.c:3-4 x\"\n ]}\n",
                 "3:16: a text in quotes expected, not '}'", 1);
    assert_string_equal(told.last.why, "");
    expect_error(START "{\"variable\": \"v\"\n \"dropped\": [\n  \"a.c:3-4 x\"\n ]}\n",
                 "4:2: ',' or '}' expected, not \"dropped\"", 1);
}

static void a_text_that_ends_too_early_is_told_where_it_ends(void **state)
{
    (void)state;
    expect_error("{\"darn-sections\": 1,\n \"sections\": [\n  \"a.c:1-2 x\",\n\n",
                 "3:15: a section in braces {} expected, but the text ends here", 1);
    expect_error("{\"darn-sections\": 1\n", "1:20: ',' or '}' expected, but the text ends here", 0);
}

static void nothing_is_nested_too_deep_to_be_refused(void **state)
{
    char text[4096] = "{\"darn-sections\": 1, \"x\": ";

    (void)state;
    memset(text + strlen(text), '[', 2000);
    read_text(text);
    assert_int_equal(told.errors, 1);
    assert_non_null(strstr(told.error[0], "too many lists and objects in each other"));
}

static void what_does_not_fit_into_the_room_is_told(void **state)
{
    static struct darn_section section;
    struct darn_repository_reader reader = {take, take_error, true, &told, room, 16};
    const char *text = START "\"a.c:1-2 a_rather_long_name\",\n  \"a.c:3-4 x\"\n ]}";

    (void)state;
    memset(&told, 0, sizeof(told));
    assert_int_equal(darn_repository_read("{\"darn-sections\": 1}", 20, &section, &reader), 0);
    assert_int_equal(darn_repository_read(text, strlen(text), &section, &reader), 1);
    assert_int_equal(told.count, 1);
    assert_string_equal(told.error[0], "3:19: the text of this section is too long");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_field_is_read),
        cmocka_unit_test(a_point_may_be_in_another_file_and_function),
        cmocka_unit_test(the_struct_of_a_member_is_read_and_written),
        cmocka_unit_test(a_section_over_several_variables_allows_what_does_no_harm),
        cmocka_unit_test(points_come_in_their_order_whatever_that_of_the_keys),
        cmocka_unit_test(a_way_may_have_no_line),
        cmocka_unit_test(a_section_over_lines_is_read),
        cmocka_unit_test(dropped_ones_are_told_only_if_wanted),
        cmocka_unit_test(what_is_not_known_is_passed_over),
        cmocka_unit_test(reading_stops_when_the_caller_wants_no_more),
        cmocka_unit_test(what_is_no_repository_is_one_error),
        cmocka_unit_test(what_cannot_be_is_told_and_skips_one_section),
        cmocka_unit_test(a_section_that_is_not_whole_is_told_where_it_begins),
        cmocka_unit_test(lines_that_cannot_be_are_told),
        cmocka_unit_test(after_wrong_syntax_the_next_section_is_read),
        cmocka_unit_test(a_broken_section_does_not_swallow_the_next_list),
        cmocka_unit_test(a_text_that_ends_too_early_is_told_where_it_ends),
        cmocka_unit_test(nothing_is_nested_too_deep_to_be_refused),
        cmocka_unit_test(an_order_says_until_when),
        cmocka_unit_test(what_does_not_fit_into_the_room_is_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
