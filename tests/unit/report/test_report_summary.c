/* The SUMMARY: line. */
#include "report_fixture.h"

static void expect_summary(const char *json, const char *expected)
{
    static const struct darn_style style = {.strip_path_prefix = "/home/me/"};
    char error[512] = "", *text = NULL;
    size_t length;
    struct darn_summary *summary = darn_summary_read(json, strlen(json), error, sizeof(error));
    FILE *out = open_memstream(&text, &length);

    if (!summary)
        fail_msg("%s", error);
    darn_format_find("text")->summary(out, summary, &style);
    fclose(out);
    assert_string_equal(text, expected);
    free(text);
    darn_summary_free(summary);
}

#define ITEM(id, count, line)                                                                      \
    "{\"id\":\"" id "\",\"kind\":\"data-race\",\"count\":" count ",\"file\":\"bank.c\","           \
    "\"line\":" line ",\"function\":\"deposit\",\"variable\":\"total\"}"

static void one_finding_is_named(void **state)
{
    (void)state;
    expect_summary("{\"raw\":1,\"findings\":[" ITEM("1", "1", "12") "],\"suppressed\":0}",
                   "SUMMARY: darn: 1 data race (bank.c:12 deposit 'total'), seen once\n");
}

static void several_are_counted(void **state)
{
    (void)state;
    expect_summary("{\"raw\":1,\"findings\":[" ITEM("1", "12", "12") "," ITEM(
                       "2", "2", "20") "],\"suppressed\":1}",
                   "SUMMARY: darn: 2 data races (bank.c:12 deposit 'total', bank.c:20 deposit "
                   "'total'), seen 14 times; 1 suppressed\n");
}

static void kinds_are_counted_each(void **state)
{
    (void)state;
    expect_summary("{\"raw\":1,\"findings\":[" ITEM(
                       "1", "2", "12") ",{\"id\":\"2\",\"kind\":\"atomicity-violation\","
                                       "\"count\":1,\"file\":\"bank.c\",\"line\":20}]}",
                   "SUMMARY: darn: 1 data race, 1 atomicity violation (bank.c:12 deposit 'total', "
                   "bank.c:20), seen 3 times\n");
}

static void many_stay_one_line(void **state)
{
    (void)state;
    expect_summary(
        "{\"raw\":1,\"findings\":[" ITEM("1", "1", "1") "," ITEM("2", "1", "2") "," ITEM(
            "3", "1", "3") "," ITEM("4", "1", "4") "," ITEM("5", "1", "5") "," ITEM("6", "1",
                                                                                    "6") "]}",
        "SUMMARY: darn: 6 data races (bank.c:1 deposit 'total', bank.c:2 deposit "
        "'total', bank.c:3 deposit 'total', bank.c:4 deposit 'total' and 2 more), seen "
        "6 times\n");
}

static void what_is_unknown_is_left_out(void **state)
{
    (void)state;
    expect_summary(
        "{\"raw\":1,\"findings\":[{\"id\":\"8f3c\",\"kind\":\"data-race\",\"count\":2}]}",
        "SUMMARY: darn: 1 data race (8f3c), seen 2 times\n");
    expect_summary("{\"raw\":1,\"findings\":[{\"id\":\"8f3c\",\"kind\":\"deadlock\",\"count\":2,"
                   "\"variable\":\"a\\nb\"}," ITEM("2", "1", "7") "]}",
                   "SUMMARY: darn: 1 deadlock, 1 data race ('a?b', bank.c:7 deposit 'total'), seen "
                   "3 times\n");
    expect_summary("{\"raw\":1,\"findings\":[],\"suppressed\":3}",
                   "SUMMARY: darn: nothing found; 3 suppressed\n");
}

static void names_are_those_of_people(void **state)
{
    (void)state;
    expect_summary(
        "{\"raw\":1,\"findings\":[{\"id\":\"1\",\"kind\":\"data-race\",\"count\":1,"
        "\"file\":\"/home/me/bank.cc\",\"line\":3,\"function\":\"_ZN4bank7depositEi\"}]}",
        "SUMMARY: darn: 1 data race (bank.cc:3 bank::deposit(int)), seen once\n");
}

#define PREDICTED(id, kind)                                                                        \
    "{\"id\":\"" id "\",\"kind\":\"" kind "\",\"certainty\":\"predicted\",\"count\":5,"            \
    "\"variable\":\"v\"}"

static void what_could_happen_is_counted_apart(void **state)
{
    (void)state;
    expect_summary("{\"raw\":1,\"findings\":[" PREDICTED("1", "data-race") "," PREDICTED(
                       "2", "data-race") "," PREDICTED("3", "deadlock") "]}",
                   "SUMMARY: darn: 2 possible data races, 1 possible deadlock ('v', 'v', 'v')\n");
    expect_summary("{\"raw\":1,\"findings\":[" ITEM("1", "3", "12") "," PREDICTED(
                       "2", "data-race") "," PREDICTED("3", "notification") "]}",
                   "SUMMARY: darn: 1 data race, 1 possible data race, 1 possible mishandled "
                   "notification (bank.c:12 deposit 'total', 'v', 'v'), seen 3 times\n");
}

static void a_deadlock_is_named_by_its_stack(void **state)
{
    (void)state;
    /* Without debug information there is no name, and the id stands for it. */
    expect_summary("{\"raw\":1,\"findings\":[{\"id\":\"aa\",\"kind\":\"deadlock\",\"count\":1,"
                   "\"stack\":[{\"pc\":\"0x10\",\"module\":\"/nowhere/bank\",\"offset\":\"0x10\"},"
                   "{\"pc\":\"0x11\"},7]}]}",
                   "SUMMARY: darn: 1 deadlock (aa), seen once\n");
}

static void nothing_found_says_where(void **state)
{
    static const struct darn_style style;
    struct darn_summary summary = {.scope = "12 events (hb)", .suppressed = 1};
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);

    (void)state;
    darn_format_find("text")->summary(out, &summary, &style);
    fclose(out);
    assert_string_equal(text, "SUMMARY: darn: nothing found in 12 events (hb); 1 suppressed\n");
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_finding_is_named),
        cmocka_unit_test(several_are_counted),
        cmocka_unit_test(kinds_are_counted_each),
        cmocka_unit_test(many_stay_one_line),
        cmocka_unit_test(what_is_unknown_is_left_out),
        cmocka_unit_test(names_are_those_of_people),
        cmocka_unit_test(what_could_happen_is_counted_apart),
        cmocka_unit_test(a_deadlock_is_named_by_its_stack),
        cmocka_unit_test(nothing_found_says_where),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
