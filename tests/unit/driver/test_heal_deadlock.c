/* What signatures are made of: findings of deadlocks. */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "driver/heal/heal_deadlock.h"
#include "report/raw.h"

static struct darn_words signatures;
static struct darn_heal_why why;
static const char *names = "a, b"; /* of the locks */

/* A thread of the circle: what it waits for, and what it holds. */
#define ACCESS(op, target, locks)                                                                  \
    "{\"op\":\"" op "\",\"stack\":[],\"target\":{\"address\":\"" target "\"},\"locks\":[" locks "]}"
#define LOCK(address, frames) "{\"address\":\"" address "\",\"stack\":[" frames "]}"

/* `%s` is the path of this very program. */
#define FRAME(offset) "{\"function\":\"f\",\"module\":\"%1$s\",\"offset\":\"" offset "\"}"

static int make(const char *accesses)
{
    char self[PATH_MAX] = "", text[8192], whole[9000];
    json_t *object;
    struct darn_finding *finding;
    int result;

    assert_true(readlink("/proc/self/exe", self, sizeof(self) - 1) > 0);
    snprintf(text, sizeof(text), accesses, self);
    snprintf(whole, sizeof(whole),
             "{\"kind\":\"deadlock\",\"variable\":\"%s\",\"accesses\":[%s]}", names, text);
    object = json_loads(whole, 0, NULL);
    finding = darn_finding_reported(object);
    json_decref(object);
    why.text[0] = '\0';
    result = darn_heal_deadlocks_from(finding, &signatures, &why);
    darn_finding_free(finding);
    return result;
}

static int start(void **state)
{
    (void)state;
    darn_words_free(&signatures);
    signatures = (struct darn_words){0};
    return 0;
}

static void the_held_lock_that_another_wants_counts(void **state)
{
    (void)state;
    assert_int_equal(make(ACCESS("acquire", "0x2",
                                 LOCK("0x9", FRAME("0x1")) "," LOCK(
                                     "0x1", FRAME("0x2"))) "," ACCESS("acquire", "0x1",
                                                                      LOCK("0x2", FRAME("0x3")))),
                     1);
    assert_int_equal(signatures.count, 1);
    assert_non_null(strstr(signatures.items[0], "test_heal_deadlock+0x2\""));
    assert_non_null(strstr(signatures.items[0], "test_heal_deadlock+0x3\""));
    assert_null(strstr(signatures.items[0], "test_heal_deadlock+0x1\""));
}

static void frames_of_one_address_are_one_place(void **state)
{
    (void)state;
    assert_int_equal(make(ACCESS("acquire", "0x2",
                                 LOCK("0x1", FRAME("0x2") "," FRAME("0x2") "," FRAME(
                                                 "0x5"))) "," ACCESS("acquire", "0x1",
                                                                     LOCK("0x2", FRAME("0x3")))),
                     1);
    assert_non_null(strstr(signatures.items[0], "+0x2\", \"function\": \"f\"},\n      "
                                                "{\"function\": \"f\"},"));
    assert_non_null(strstr(signatures.items[0], "+0x5\""));
}

#define PAIR                                                                                       \
    ACCESS("acquire", "0x2", LOCK("0x1", FRAME("0x2")))                                            \
    "," ACCESS("acquire", "0x1", LOCK("0x2", FRAME("0x3")))

static void the_same_signature_is_kept_once(void **state)
{
    (void)state;
    assert_int_equal(make(PAIR), 1);
    assert_int_equal(make(PAIR), 0);
    assert_int_equal(signatures.count, 1);
}

/* Two findings may call the same thing by two names. */
static void names_make_no_other_signature(void **state)
{
    (void)state;
    assert_int_equal(make(PAIR), 1);
    names = "p->a, \\\"q\\\"";
    assert_int_equal(make(PAIR), 0);
    names = "a, b";
    assert_int_equal(signatures.count, 1);
}

static void other_findings_are_none(void **state)
{
    struct darn_finding race = {.kind = "data-race"};

    (void)state;
    assert_int_equal(darn_heal_deadlocks_from(&race, &signatures, &why), 0);
    assert_int_equal(signatures.count, 0);
}

static void expect_refused(const char *accesses, const char *text)
{
    assert_int_equal(make(accesses), -1);
    if (!strstr(why.text, text))
        fail_msg("'%s' instead of '%s'", why.text, text);
    assert_int_equal(signatures.count, 0);
}

static void what_no_gate_can_prevent_is_refused(void **state)
{
    (void)state;
    expect_refused(ACCESS("acquire", "0x1", LOCK("0x1", FRAME("0x2"))), "waits for itself");
    expect_refused(ACCESS("join", "", LOCK("0x1", FRAME("0x2"))) "," ACCESS("acquire", "0x1", ""),
                   "nothing else");
    expect_refused(
        ACCESS("acquire", "0x2", LOCK("0x1", "")) "," ACCESS("acquire", "0x1", LOCK("0x2", "")),
        "where the locks were taken");
    expect_refused(
        ACCESS("acquire", "0x2",
               LOCK("0x1",
                    "{\"module\":\"/no/such\",\"offset\":\"0x1\"}")) "," ACCESS("acquire", "0x1",
                                                                                LOCK("0x2",
                                                                                     FRAME("0x3"))),
        "/no/such cannot be read");
}

static void the_list_ends_the_repository(void **state)
{
    char text[1 << 14] = "";
    FILE *file = fmemopen(text, sizeof(text), "w");

    (void)state;
    darn_heal_deadlocks_write(file, &signatures);
    fflush(file);
    assert_string_equal(text, "");
    assert_int_equal(make(PAIR), 1);
    darn_heal_deadlocks_write(file, &signatures);
    fclose(file);
    assert_int_equal(strncmp(text, ",\n \"deadlocks\": [\n  {", 21), 0);
    assert_string_equal(text + strlen(text) - 4, "}\n ]");
}

static int ender_of(uint32_t well, uint32_t badly, enum darn_op first, enum darn_op second)
{
    static char kind[] = "data-race";
    struct darn_finding_access accesses[2] = {{.op = first}, {.op = second}};
    struct darn_finding race = {.kind = kind, .accesses = accesses, .access_count = 2};

    race.well[1] = well;
    race.badly[0] = DARN_HEAL_CLEAR;
    race.badly[1] = badly;
    return darn_heal_ender(&race, NULL, 0);
}

static void what_fails_whoever_comes_first_ends_with_the_write(void **state)
{
    (void)state;
    assert_int_equal(ender_of(0, DARN_HEAL_CLEAR, DARN_OP_WRITE, DARN_OP_READ), 0);
    assert_int_equal(ender_of(0, DARN_HEAL_CLEAR, DARN_OP_READ, DARN_OP_UPDATE), 1);
    assert_int_equal(ender_of(1, DARN_HEAL_CLEAR, DARN_OP_READ, DARN_OP_WRITE), -1);
    assert_int_equal(ender_of(0, DARN_HEAL_CLEAR - 1, DARN_OP_READ, DARN_OP_WRITE), -1);
    assert_int_equal(ender_of(0, DARN_HEAL_CLEAR, DARN_OP_WRITE, DARN_OP_WRITE), -1);
}

#define TEST(name) cmocka_unit_test_setup(name, start)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_held_lock_that_another_wants_counts),
        TEST(frames_of_one_address_are_one_place),
        TEST(the_same_signature_is_kept_once),
        TEST(other_findings_are_none),
        TEST(what_no_gate_can_prevent_is_refused),
        TEST(the_list_ends_the_repository),
        TEST(names_make_no_other_signature),
        TEST(what_fails_whoever_comes_first_ends_with_the_write),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
