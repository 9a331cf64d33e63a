/* Atomicity violations: the pattern in words, where the section comes from, what to do. */
#include "report_fixture.h"

#include <jansson.h>

#include "base/fingerprint.h"
#include "report/identity.h"
#include "report/symbol/resolve.h"

#define SECTION                                                                                    \
    "\"section\":{\"kind\":\"load-and-store\",\"function\":\"deposit\","                           \
    "\"at\":\"bank.sections:12\",\"allow\":\"read\"}"

#define SIDE(op, thread, line, more)                                                               \
    "{\"op\":\"" op "\",\"size\":8,\"thread\":\"" thread "\",\"file\":\"bank.c\","                 \
    "\"dir\":\"/nowhere\",\"line\":" line ",\"column\":5,\"function\":\"deposit\"" more "}"

#define VIOLATION(sides, more)                                                                     \
    "{\"raw\":1,\"pid\":4711,\"program\":\"/nowhere/bank\",\"id\":\"8f3c0a1b2c3d4e5f\","           \
    "\"kind\":\"atomicity-violation\",\"certainty\":\"observed\",\"engine\":\"atomrace\","         \
    "\"count\":1,\"variable\":\"balance\",\"address\":\"0x55550008\",\"size\":8,"                  \
    "\"accesses\":[" sides "]" more "}"

/* T1 reads line 4 and writes line 6; T2 writes line 6 in between. */
#define SIDES                                                                                      \
    SIDE("read", "T1", "4", "")                                                                    \
    "," SIDE("write", "T2", "6", "") "," SIDE("write", "T1", "6", "")

/* The runtime's id of SIDES (test_runtime_finding.c has the same). */
#define ID "180c450f07792671"

/* Prints the finding and frees it. The text is valid until the next call. */
static const char *print(struct darn_finding *finding)
{
    static char *text;

    free(text);
    text = print_finding("text", finding, NULL);
    darn_finding_free(finding);
    return text;
}

static const char *print_raw(const char *json)
{
    return print(read_finding(json));
}

static void a_violation_shows_what_came_in_between(void **state)
{
    struct darn_finding *finding = read_finding(VIOLATION(
        SIDE("read", "T1", "4", "") "," SIDE("write", "T2", "6", ",\"value\":\"0x6e\"") "," SIDE(
            "write", "T1", "6", ",\"value\":\"0x78\""),
        ",\"before\":\"0x64\",\"after\":\"0x6e\"," SECTION));
    char *text;

    write_file(*state, "bank.c",
               "static long balance;\nstatic void deposit(long amount)\n{\n"
               "    long now = balance;\n    work();\n    balance = now + amount;\n}\n");
    for (size_t i = 0; i < 3; i++)
        finding->accesses[i].dir = *state;
    darn_resolve(finding);
    text = print_finding("text", finding, NULL);
    assert_string_equal(
        text,
        "bank.c:4:5: warning: atomicity violation on 'balance' [atomicity-violation]\n"
        "    4 |     long now = balance;\n"
        "      |     ^\n"
        "  thread T1 reads 8 bytes, holding no lock\n"
        "    #0 deposit  bank.c:4:5\n"
        "bank.c:6:5: note: meanwhile thread T2 writes the same 8 bytes, holding no lock\n"
        "    6 |     balance = now + amount;\n"
        "      |     ^\n"
        "    #0 deposit  bank.c:6:5\n"
        "bank.c:6:5: note: then thread T1 writes the same 8 bytes, holding no lock\n"
        "    6 |     balance = now + amount;\n"
        "      |     ^\n"
        "    #0 deposit  bank.c:6:5\n"
        "  pattern: the value of 'balance' that was read at line 4 was stale when it was written "
        "back at line 6: what T2 wrote is lost\n"
        "  section: load-and-store in deposit, from bank.sections:12; inferred by the compiler\n"
        "  value: 100 at line 4; T2 writes 110 at line 6; 110 when T1 writes 120 at line 6\n"
        "  next: hold one lock at bank.c:4 up to line 6 without giving it back, and the same at "
        "bank.c:6\n"
        "  again: darn run --sections=bank.sections --noise=section:1000/200 -- /nowhere/bank\n"
        "  harmless: allow=read,write at bank.sections:12\n"
        "  suppress: atomicity:deposit\n");
    free(text);
    darn_finding_free(finding);
}

static void expect_pattern(const char *entry, const char *remote, const char *end, const char *kind,
                           const char *values, const char *pattern)
{
    static const char side[] = "{\"op\":\"%s\",\"thread\":\"%s\",\"file\":\"a.c\",\"line\":%d}";
    char json[2048], sides[3][256], line[512];

    snprintf(sides[0], sizeof(sides[0]), side, entry, "T1", 40);
    snprintf(sides[1], sizeof(sides[1]), side, remote, "T2", 50);
    snprintf(sides[2], sizeof(sides[2]), side, end, "T1", 43);
    snprintf(json, sizeof(json),
             "{\"raw\":1,\"id\":\"1\",\"kind\":\"atomicity-violation\",\"variable\":\"x\",%s"
             "\"accesses\":[%s,%s,%s],\"section\":{\"kind\":\"%s\"}}",
             values, sides[0], sides[1], sides[2], kind);
    snprintf(line, sizeof(line), "  pattern: %s\n", pattern);
    expect_part(print_raw(json), line);
}

#define CHANGED "\"before\":1,\"after\":2,"
#define SAME    "\"before\":1,\"after\":1,"

static void each_order_has_its_words(void **state)
{
    (void)state;
    expect_pattern("read", "write", "write", "pair", CHANGED,
                   "'x' was read at line 40, and had changed when it was written at line 43");
    expect_pattern("read", "update", "write", "test-and-use", "",
                   "what was tested at line 40 had changed when it was used at line 43");
    expect_pattern("read", "write", "read", "test-and-use", CHANGED,
                   "what was tested at line 40 had changed when it was used at line 43");
    expect_pattern("read", "write", "read", "learned", CHANGED,
                   "two reads of 'x' that belong together, at line 40 and at line 43, saw "
                   "different values");
    expect_pattern("write", "write", "read", "pair", "",
                   "'x' was written at line 40, and what was read at line 43 is the value of T2");
    expect_pattern("update", "write", "update", "pair", "",
                   "'x' was written at line 40, and what was read at line 43 is the value of T2");
    expect_pattern("write", "read", "write", "by-hand", "",
                   "T2 saw an intermediate value of 'x', which was written at line 40 and again at "
                   "line 43");
}

/* Two reads of one value are not said to differ, and what no table knows is told as it was. */
static void nothing_is_claimed_that_was_not_seen(void **state)
{
    static const char order[] = "T2 wrote 'x' between two accesses that belong together, at line "
                                "40 and at line 43";

    (void)state;
    expect_pattern("read", "write", "read", "pair", "", order);
    expect_pattern("read", "write", "read", "pair", SAME, order);
    expect_pattern("read", "write", "write", "load-and-store", SAME, order);
    expect_pattern("read", "write", "read", "test-and-use", SAME, order);
    expect_pattern("write", "write", "write", "by-hand", "", order);
    expect_pattern("read", "read", "read", "by-hand", "",
                   "T2 read 'x' between two accesses that belong together, at line 40 and at line "
                   "43");
    expect_pattern("read", "free", "read", "test-and-use", "",
                   "T2 freed the block that holds 'x' between two accesses that belong together, "
                   "at line 40 and at line 43");
}

static void places_are_named_as_far_as_they_are_known(void **state)
{
    const char *text;

    (void)state;
    expect_part(print_raw(VIOLATION(SIDE("read", "T1", "4", "") "," SIDE(
                                        "write", "T2", "4", "") "," SIDE("write", "T1", "4", ""),
                                    "," SECTION)),
                "that was read at line 4 was stale when it was written back in the same line");
    text = print_raw(VIOLATION(
        SIDE("read", "T1", "4", "") "," SIDE(
            "write", "T2", "6", "") ","
                                    "{\"op\":\"write\",\"file\":\"/far/other.c\",\"line\":9}",
        "," SECTION));
    expect_part(text, "when it was written back at /far/other.c:9");
    expect_part(text, "  next: hold one lock at bank.c:4 up to /far/other.c:9 without giving it "
                      "back, and the same at bank.c:6\n");
}

static void without_symbols_and_names_it_is_still_told(void **state)
{
    const char *text;

    (void)state;
    text =
        print_raw("{\"raw\":1,\"id\":\"1\",\"kind\":\"atomicity-violation\",\"address\":\"0x10\","
                  "\"size\":4,\"program\":\"/nowhere/bank\",\"accesses\":[{\"op\":\"read\","
                  "\"stack\":[{\"pc\":\"0x99\",\"module\":\"/nowhere/lib\",\"offset\":\"0x1f\"}"
                  "]},{\"op\":\"write\"},{\"op\":\"write\"}],\"section\":{\"kind\":17,"
                  "\"allow\":[],\"new\":true}}");
    assert_string_equal(
        text, "/nowhere/bank: warning: atomicity violation on 4 bytes at 0x10 "
              "[atomicity-violation]\n"
              "  a thread reads it, holding no lock\n"
              "    #0 ??  (/nowhere/lib+0x1f)\n"
              "/nowhere/bank: note: meanwhile a thread writes it, holding no lock\n"
              "/nowhere/bank: note: then a thread writes it, holding no lock\n"
              "  pattern: 4 bytes at 0x10 was read at first, and had changed when it was written "
              "later\n"
              "  next: hold one lock at the access of a thread without giving it back, and the "
              "same at the access of a thread\n"
              "  suppress: atomicity:/nowhere/lib\n");
}

static void what_is_no_triple_has_no_pattern(void **state)
{
    const char *text;

    (void)state;
    text = print_raw(VIOLATION(SIDE("write", "T2", "6", "") "," SIDE("write", "T1", "6", ""), ""));
    expect_no_part(text, "pattern:");
    expect_no_part(text, "section:");
    expect_no_part(text, "harmless:");
    expect_part(text, "  next: hold one lock from the first access of a thread to its last one");
    text = print_raw(VIOLATION(SIDE("read", "T1", "4", "") "," SIDE("wait", "T2", "6", "") "," SIDE(
                                   "write", "T1", "6", ""),
                               ""));
    expect_no_part(text, "pattern:");
}

static void expect_section(const char *section, const char *line)
{
    char json[2048];

    snprintf(json, sizeof(json), VIOLATION(SIDES, ",\"section\":%s"), section);
    expect_part(print_raw(json), line);
}

static void each_section_has_its_origin(void **state)
{
    (void)state;
    expect_section("{\"kind\":\"test-and-use\",\"function\":\"f\",\"at\":\"dir/p.sections:3\"}",
                   "  section: test-and-use in f, from dir/p.sections:3; inferred by the "
                   "compiler\n");
    expect_section("{\"kind\":\"learned\",\"function\":\"f\",\"at\":\"p.sections:3\"}",
                   "  section: pair of accesses in f, from p.sections:3; learned from runs\n");
    expect_section("{\"kind\":\"by-hand\",\"at\":\"p.sections:3\"}",
                   "  section: accesses, from p.sections:3; written by hand\n");
    expect_section("{\"kind\":\"by-hand\",\"function\":\"f\",\"allow\":\"read\"}",
                   "  section: accesses in f; annotated in the source (darn.h)\n");
    expect_section("{\"kind\":\"of the future\",\"at\":\"p.sections:3\"}",
                   "  section: of the future, from p.sections:3\n");
}

static void names_of_cxx_are_demangled(void **state)
{
    struct darn_finding *finding = read_finding(
        VIOLATION(SIDES, ",\"section\":{\"kind\":\"pair\",\"function\":\"_ZN4bank7depositEi\"}"));

    (void)state;
    darn_resolve(finding);
    expect_part(print(finding), "  section: pair of accesses in bank::deposit(int); inferred");
}

/* An annotation cannot be changed in a file, and a free is never harmless. */
static void what_may_be_allowed_is_said_with_its_place(void **state)
{
    const char *text;

    (void)state;
    expect_section("{\"kind\":\"pair\",\"at\":\"p.sections:3\",\"allow\":\"none\"}",
                   "  harmless: allow=write at p.sections:3\n");
    expect_section("{\"kind\":\"pair\",\"at\":\"p.sections:3\"}",
                   "  harmless: allow=write at p.sections:3\n");
    text = print_raw(VIOLATION(SIDES, ",\"section\":{\"kind\":\"by-hand\",\"allow\":\"read\"}"));
    expect_no_part(text, "harmless:");
    expect_part(text, "  again: darn run --noise=section:1000/200 -- /nowhere/bank\n");
    text = print_raw(VIOLATION(SIDES, "")); /* a replay knows of no section */
    expect_no_part(text, "again:");
    text = print_raw(VIOLATION(
        SIDE("read", "T1", "4", "") "," SIDE("free", "T2", "6", "") "," SIDE("read", "T1", "6", ""),
        "," SECTION));
    expect_no_part(text, "harmless:");
    expect_part(text, "  next: free the block when no other thread can reach it any more");
    text = print_raw(VIOLATION(SIDE("write", "T1", "4", "") "," SIDE(
                                   "read", "T2", "6", "") "," SIDE("write", "T1", "6", ""),
                               ",\"section\":{\"kind\":\"pair\",\"at\":\"my sections:3\","
                               "\"allow\":\"write\"}"));
    expect_part(text, "  harmless: allow=read,write at my sections:3\n");
    expect_part(text, "--sections='my sections' ");
}

#define LOCKS(address, kind) ",\"locks\":[{\"address\":\"" address "\",\"kind\":\"" kind "\"}]"

static void expect_advice(const char *entry, const char *remote, const char *end,
                          const char *advice)
{
    char json[2048];

    snprintf(json, sizeof(json),
             VIOLATION(SIDE("read", "T1", "4", "%s") "," SIDE("write", "T2", "6", "%s") "," SIDE(
                           "write", "T1", "7", "%s"),
                       ""),
             entry, remote, end);
    expect_part(print_raw(json), advice);
}

static void advice_fits_the_locks(void **state)
{
    (void)state;
    expect_advice(LOCKS("0x10", "mutex"), LOCKS("0x10", "mutex"), LOCKS("0x10", "mutex"),
                  "  next: mutex 0x10 is held at both accesses, but given back in between: hold it "
                  "at bank.c:4 up to line 7 without giving it back\n");
    expect_advice(LOCKS("0x10", "read"), LOCKS("0x10", "write"), LOCKS("0x10", "read"),
                  "  next: read lock 0x10 is held at both accesses, but given back in between");
    expect_advice(LOCKS("0x10", "read"), LOCKS("0x10", "read"), LOCKS("0x10", "read"),
                  "  next: a read lock does not keep other readers away: hold read lock 0x10 for "
                  "writing at bank.c:6\n");
    expect_advice(LOCKS("0x10", "mutex"), "", LOCKS("0x10", "mutex"),
                  "  next: hold mutex 0x10 at bank.c:6, too, and do not give it back between the "
                  "two accesses\n");
    expect_advice(
        "", LOCKS("0x10", "mutex"), "",
        "  next: hold mutex 0x10, which T2 holds, at bank.c:4 up to line 7 without giving "
        "it back\n");
    expect_advice(LOCKS("0x20", "mutex"), LOCKS("0x10", "mutex"), "",
                  "  next: hold mutex 0x10, which T2 holds, at bank.c:4 up to line 7");
    expect_advice(LOCKS("0x20", "mutex"), "", "",
                  "  next: hold one lock at bank.c:4 up to line 7 without giving it back, and the "
                  "same at bank.c:6\n");
}

#define LOCK(address) "{\"address\":\"" address "\",\"kind\":\"mutex\"}"
#define TWO_LOCKS     ",\"locks\":[" LOCK("0x10") "," LOCK("0x20") "]"

/* Both are held by all: the inner one is meant, unless others hold the outer one more often. */
static void advice_names_the_lock_that_guards_it_elsewhere(void **state)
{
    struct darn_lock outer = {.kind = "mutex", .address = 0x10, .uses = 2};
    struct darn_finding *finding;
    char *text;

    (void)state;
    expect_advice(TWO_LOCKS, TWO_LOCKS, TWO_LOCKS, "  next: mutex 0x20 is held at both accesses");
    expect_advice(TWO_LOCKS, "", TWO_LOCKS, "  next: hold mutex 0x20 at bank.c:6, too");
    expect_advice("", TWO_LOCKS, "", "  next: hold mutex 0x20, which T2 holds, at bank.c:4");
    finding = read_finding(
        VIOLATION(SIDE("read", "T1", "4", TWO_LOCKS) "," SIDE(
                      "write", "T2", "6", TWO_LOCKS) "," SIDE("write", "T1", "7", TWO_LOCKS),
                  ""));
    finding->guards = &outer;
    finding->guard_count = 1;
    text = print_finding("text", finding, NULL);
    expect_part(text, "  next: mutex 0x10 is held at both accesses");
    free(text);
    darn_finding_free(finding);
}

static void tools_read_the_section_and_the_pattern(void **state)
{
    struct darn_finding *finding = read_finding(VIOLATION(SIDES, "," SECTION));
    char *line = print_finding("json", finding, NULL);
    json_t *object = json_loads(line, 0, NULL);
    const json_t *section = json_object_get(object, "section");

    (void)state;
    assert_string_equal(json_string_value(json_object_get(section, "kind")), "load-and-store");
    assert_string_equal(json_string_value(json_object_get(section, "function")), "deposit");
    assert_string_equal(json_string_value(json_object_get(section, "at")), "bank.sections:12");
    assert_string_equal(json_string_value(json_object_get(section, "allow")), "read");
    assert_string_equal(json_string_value(json_object_get(object, "pattern")),
                        "the value of 'balance' that was read at line 4 was stale when it was "
                        "written back at line 6: what T2 wrote is lost");
    json_decref(object);
    free(line);
    darn_finding_free(finding);
    finding = read_finding(VIOLATION(SIDES, ",\"section\":[]"));
    line = print_finding("json", finding, NULL);
    expect_no_part(line, "\"section\"");
    expect_part(line, "\"pattern\":\"'balance' was read at line 4, and had changed");
    free(line);
    darn_finding_free(finding);
    finding = read_finding(RAW_FINDING);
    line = print_finding("json", finding, NULL);
    expect_no_part(line, "\"pattern\"");
    free(line);
    darn_finding_free(finding);
}

static void names_cannot_command_the_terminal(void **state)
{
    const char *text;

    (void)state;
    text =
        print_raw(VIOLATION(SIDES, ",\"section\":{\"kind\":\"\\u001b[31m\",\"function\":\"a\\nb\","
                                   "\"at\":\"\\u0007:1\"}"));
    expect_part(text, "  section: ?[31m in a?b, from ?:1\n");
    expect_part(text, "  harmless: allow=write at ?:1\n");
    expect_no_part(text, "\033");
}

static void the_id_is_that_of_the_runtime(void **state)
{
    struct darn_finding *finding = read_finding(VIOLATION(SIDES, ""));

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        struct darn_finding_access *access = &finding->accesses[i];

        access->site_hash = darn_fingerprint_site(finding->kind, access->file, access->function,
                                                  access->line, access->column);
    }
    assert_string_equal(darn_identity_places(finding), ID);
    darn_finding_free(finding);
}

#define WITH_DIR(test) cmocka_unit_test_setup_teardown(test, make_dir, remove_dir)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_DIR(a_violation_shows_what_came_in_between),
        cmocka_unit_test(each_order_has_its_words),
        cmocka_unit_test(nothing_is_claimed_that_was_not_seen),
        cmocka_unit_test(places_are_named_as_far_as_they_are_known),
        cmocka_unit_test(without_symbols_and_names_it_is_still_told),
        cmocka_unit_test(what_is_no_triple_has_no_pattern),
        cmocka_unit_test(each_section_has_its_origin),
        cmocka_unit_test(names_of_cxx_are_demangled),
        cmocka_unit_test(what_may_be_allowed_is_said_with_its_place),
        cmocka_unit_test(advice_fits_the_locks),
        cmocka_unit_test(advice_names_the_lock_that_guards_it_elsewhere),
        cmocka_unit_test(tools_read_the_section_and_the_pattern),
        cmocka_unit_test(names_cannot_command_the_terminal),
        cmocka_unit_test(the_id_is_that_of_the_runtime),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
