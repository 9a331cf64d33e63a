/* Which findings are one bug. */
#include "report_fixture.h"

#include "report/cause.h"
#include "report/raw.h"
#include "report/text/style.h"

#define LOCK(name) "{\"kind\":\"mutex\",\"address\":\"0x40\",\"name\":\"" name "\"}"
#define TAKES(line, name)                                                                          \
    "{\"op\":\"acquire\",\"thread\":\"T1\",\"file\":\"m.c\",\"line\":" #line                       \
    ",\"column\":5,\"function\":\"f\",\"stack\":[],\"locks\":[],\"target\":" LOCK(name) "}"
#define DEADLOCK(id, one, other)                                                                   \
    "{\"id\":\"" id "\",\"kind\":\"deadlock\",\"count\":1,\"accesses\":[" one "," other "]}"

#define SIDE(op, line)                                                                             \
    "{\"op\":\"" op "\",\"thread\":\"T1\",\"file\":\"m.c\",\"line\":" #line                        \
    ",\"column\":5,\"function\":\"f\",\"stack\":[],\"locks\":[]}"
#define RACE(id, variable, one, other)                                                             \
    "{\"id\":\"" id "\",\"kind\":\"data-race\",\"variable\":\"" variable                           \
    "\",\"count\":1,\"accesses\":[" one "," other "]}"

static struct darn_finding *finding(const char *text)
{
    json_t *object = json_loads(text, 0, NULL);
    struct darn_finding *read;

    assert_non_null(object);
    read = darn_finding_reported(object);
    assert_non_null(read);
    json_decref(object);
    return read;
}

static bool is_same(const char *one, const char *other)
{
    struct darn_finding *a = finding(one), *b = finding(other);
    bool same = darn_cause_is_same(a, b);

    assert_int_equal(same, darn_cause_is_same(b, a));
    darn_finding_free(a);
    darn_finding_free(b);
    return same;
}

static void a_side_or_a_variable_in_common_is_a_cause(void **state)
{
    (void)state;
    assert_true(is_same(RACE("a", "x", SIDE("write", 1), SIDE("read", 2)),
                        RACE("b", "y", SIDE("write", 1), SIDE("read", 3))));
    assert_true(is_same(RACE("a", "x", SIDE("write", 1), SIDE("read", 2)),
                        RACE("b", "x", SIDE("write", 3), SIDE("read", 4))));
    assert_false(is_same(RACE("a", "x", SIDE("write", 1), SIDE("read", 2)),
                         RACE("b", "y", SIDE("write", 3), SIDE("read", 4))));
    /* The same line, but once it reads and once it writes. */
    assert_false(is_same(RACE("a", "x", SIDE("write", 1), SIDE("read", 2)),
                         RACE("b", "y", SIDE("read", 1), SIDE("write", 2))));
}

#define AT(address, id, variable, line)                                                            \
    "{\"id\":\"" id "\",\"kind\":\"data-race\",\"variable\":\"" variable                           \
    "\",\"address\":\"" address "\",\"count\":1,\"accesses\":[" SIDE("write", line) "]}"

/* Two functions may each have an `n` of their own. */
static void a_name_that_tells_little_needs_the_same_address(void **state)
{
    (void)state;
    assert_false(is_same(AT("0x10", "a", "n", 1), AT("0x20", "b", "n", 2)));
    assert_true(is_same(AT("0x10", "a", "n", 1), AT("0x10", "b", "n", 2)));
    assert_false(is_same(AT("0x10", "a", "*p", 1), AT("0x20", "b", "*p", 2)));
    assert_false(is_same(AT("0x10", "a", "this->count", 1), AT("0x20", "b", "this->count", 2)));
    assert_true(is_same(AT("0x10", "a", "acct->balance", 1), AT("0x20", "b", "acct->balance", 2)));
    assert_true(is_same(AT("0x10", "a", "tab[].next", 1), AT("0x20", "b", "tab[].next", 2)));
}

#define IN(function, line)                                                                         \
    "{\"op\":\"write\",\"thread\":\"T1\",\"file\":\"m.c\",\"line\":" #line                         \
    ",\"column\":5,\"function\":\"" function "\",\"stack\":[],\"locks\":[]}"
#define OF_BLOCK(block, variable, one, other)                                                      \
    "{\"id\":\"" variable "\",\"kind\":\"data-race\",\"variable\":\"" variable                     \
    "\",\"count\":1,\"accesses\":[" one "," other                                                  \
    "],\"place\":{\"kind\":\"heap\",\"address\":\"" block "\",\"size\":64}}"

/* A struct that nobody guards races at each of its members. */
static void two_functions_that_access_one_object_are_a_cause(void **state)
{
    const char *first = OF_BLOCK("0x100", "n->a", IN("put", 1), IN("get", 2));

    (void)state;
    assert_true(is_same(first, OF_BLOCK("0x100", "n->b", IN("put", 3), IN("get", 4))));
    assert_true(is_same(first, OF_BLOCK("0x100", "n->b", IN("get", 3), IN("put", 4))));
    assert_false(is_same(first, OF_BLOCK("0x200", "n->b", IN("put", 3), IN("get", 4))));
    assert_false(is_same(first, OF_BLOCK("0x100", "n->b", IN("put", 3), IN("sum", 4))));
}

#define BY(thread, op, function, line, more)                                                       \
    "{\"op\":\"" op "\",\"thread\":\"" thread "\",\"file\":\"m.c\",\"line\":" #line                \
    ",\"column\":5,\"function\":\"" function "\",\"stack\":[],\"locks\":[]" more "}"
#define MADE_IN(function, one, other)                                                              \
    "{\"id\":\"b\",\"kind\":\"data-race\",\"variable\":\"n->a\",\"count\":1,\"accesses\":[" one    \
    "," other                                                                                      \
    "],\"place\":{\"kind\":\"heap\",\"address\":\"0x100\",\"size\":64,\"thread\":\"T1\","          \
    "\"stack\":[{\"function\":\"" function "\",\"file\":\"m.c\",\"line\":1}]}}"

/* The pointer was set before the block was filled. */
static void a_pointer_and_the_block_that_it_publishes_are_a_cause(void **state)
{
    const char *pointer = RACE("a", "current", BY("T1", "write", "make", 2, ",\"pointer\":true"),
                               BY("T2", "read", "use", 8, ""));

    (void)state;
    assert_true(is_same(pointer, MADE_IN("make", BY("T1", "write", "fill", 5, ""),
                                         BY("T2", "read", "use", 9, ""))));
    /* Made elsewhere, used elsewhere, or by somebody else. */
    assert_false(is_same(pointer, MADE_IN("other", BY("T1", "write", "fill", 5, ""),
                                          BY("T2", "read", "use", 9, ""))));
    assert_false(is_same(pointer, MADE_IN("make", BY("T1", "write", "fill", 5, ""),
                                          BY("T2", "read", "other", 9, ""))));
    assert_false(is_same(pointer, MADE_IN("make", BY("T1", "write", "fill", 5, ""),
                                          BY("T3", "read", "use", 9, ""))));
}

static void nothing_in_common_is_no_cause(void **state)
{
    (void)state;
    /* Variables that nobody knows are not the same. */
    assert_false(is_same(
        "{\"id\":\"a\",\"kind\":\"data-race\",\"count\":1,\"accesses\":[" SIDE("write", 1) "]}",
        "{\"id\":\"b\",\"kind\":\"data-race\",\"count\":1,\"accesses\":[" SIDE("write", 2) "]}"));
    assert_false(is_same(RACE("a", "x", SIDE("write", 1), SIDE("read", 2)),
                         DEADLOCK("b", TAKES(1, "l"), TAKES(2, "m"))));
}

static void deadlocks_need_two_locks_in_common(void **state)
{
    (void)state;
    assert_true(is_same(DEADLOCK("a", TAKES(1, "l"), TAKES(2, "m")),
                        DEADLOCK("b", TAKES(3, "m"), TAKES(4, "l"))));
    assert_false(is_same(DEADLOCK("a", TAKES(1, "l"), TAKES(2, "m")),
                         DEADLOCK("b", TAKES(3, "m"), TAKES(4, "n"))));
    assert_false(is_same(DEADLOCK("a", TAKES(1, "l"), TAKES(2, "l")),
                         DEADLOCK("b", TAKES(3, "l"), TAKES(4, "l"))));
}

static void a_crash_at_a_side_belongs_to_the_race(void **state)
{
    (void)state;
    assert_true(is_same(
        "{\"id\":\"a\",\"kind\":\"failure\",\"count\":1,\"accesses\":[" SIDE("stop", 2) "]}",
        RACE("b", "x", SIDE("write", 1), SIDE("read", 2))));
    assert_false(is_same(
        "{\"id\":\"a\",\"kind\":\"failure\",\"count\":1,\"accesses\":[" SIDE("stop", 3) "]}",
        RACE("b", "x", SIDE("write", 1), SIDE("read", 2))));
}

/* A crash has the column of its instruction, an access its own. */
static void a_crash_in_the_line_of_a_side_belongs_to_the_race(void **state)
{
    (void)state;
    assert_true(
        is_same("{\"id\":\"a\",\"kind\":\"failure\",\"count\":1,\"accesses\":[{\"op\":\"stop\","
                "\"thread\":\"T1\",\"file\":\"m.c\",\"line\":2,\"column\":22,"
                "\"function\":\"f\",\"stack\":[],\"locks\":[]}]}",
                RACE("b", "x", SIDE("write", 1), SIDE("read", 2))));
}

static void variants_are_counted_and_listed(void **state)
{
    struct darn_finding *findings[] = {
        finding(RACE("a", "x", SIDE("write", 1), SIDE("read", 2))),
        finding(RACE("b", "z", SIDE("write", 8), SIDE("read", 9))),
        finding(RACE("c", "x", SIDE("write", 3), SIDE("read", 4))),
        finding(RACE("d", "y", SIDE("write", 3), SIDE("read", 5))),
    };
    static const size_t leaders[] = {0, 1, 0, 0};
    static const struct darn_style plain;
    struct darn_causes causes = {.count = 0};
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);

    (void)state;
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(darn_causes_add(&causes, findings[i]), leaders[i]);
    assert_int_equal(darn_causes_variants(&causes, 0), 2);
    assert_int_equal(darn_causes_variants(&causes, 1), 0);
    darn_causes_print(&causes, 0, out, &plain);
    darn_causes_print(&causes, 1, out, &plain);
    fclose(out);
    assert_string_equal(text,
                        "  variants: the same cause shows in 2 more ways, which --all prints at "
                        "length\n"
                        "    m.c:3 (write), m.c:4 (read) 'x'\n"
                        "    m.c:3 (write), m.c:5 (read) 'y'\n");
    free(text);
    darn_causes_free(&causes);
    for (size_t i = 0; i < 4; i++)
        darn_finding_free(findings[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_side_or_a_variable_in_common_is_a_cause),
        cmocka_unit_test(a_name_that_tells_little_needs_the_same_address),
        cmocka_unit_test(two_functions_that_access_one_object_are_a_cause),
        cmocka_unit_test(a_pointer_and_the_block_that_it_publishes_are_a_cause),
        cmocka_unit_test(nothing_in_common_is_no_cause),
        cmocka_unit_test(deadlocks_need_two_locks_in_common),
        cmocka_unit_test(a_crash_at_a_side_belongs_to_the_race),
        cmocka_unit_test(a_crash_in_the_line_of_a_side_belongs_to_the_race),
        cmocka_unit_test(variants_are_counted_and_listed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
