/* Violations of sections, from the three accesses to the raw finding: what is in it, and which of
 * them are the same. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>
#include <jansson.h>

#include "runtime/heal/heal.h"
#include "runtime/os/helper.h"
#include "runtime/report/found.h"
#include "runtime/state.h"
#include "site/site_section.h"
#include "said_stage.h"
#include "sites_fixture.h"

/* How `darn report` ends. */
enum { REPORTED = 0, SUPPRESSED = 3, BROKEN = 70 };

/* Of sides_of(): test_report_violation.c has the same. */
#define ID "180c450f07792671"

static struct sites_fixture table;
static struct darn_site *read_site, *write_site, *other_site;
static int answer;     /* of `darn report` */
static int asked;      /* how often it was started */
static json_t *record; /* the last that it got */

int __wrap_darn_helper_run(const char *flag, const char *input, size_t length)
{
    assert_null(flag);
    asked++;
    json_decref(record);
    record = json_loadb(input, length, 0, NULL);
    assert_non_null(record);
    return answer;
}

static struct {
    struct darn_side entry, remote, end;
} sides;

static struct darn_side side_at(const struct darn_site *site, uint8_t op, uint32_t thread)
{
    return (struct darn_side){
        .touch = {.address = 0x1000, .size = 8, .site = site, .op = op},
        .thread = thread,
        .tid = 100 + (int)thread,
        .name = "bank",
    };
}

/* T1 reads bank.c:4 and writes bank.c:6; T2 writes bank.c:6 in between. */
static struct darn_violation violation_of(void)
{
    sides.entry = side_at(read_site, DARN_OP_READ, 1);
    sides.remote = side_at(write_site, DARN_OP_WRITE, 2);
    sides.end = side_at(write_site, DARN_OP_WRITE, 1);
    return (struct darn_violation){
        .entry = &sides.entry,
        .remote = &sides.remote,
        .end = &sides.end,
        .kind = "load-and-store",
        .function = "deposit",
        .repository = "dir/bank.sections",
        .line = 12,
        .allow = DARN_ALLOW_READ,
        .has_values = true,
        .before = 100,
        .after = 110,
    };
}

static const char *text_at(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    return text ? text : "(missing)";
}

static uint64_t count_of(const char *id)
{
    uint64_t number = strtoull(id, NULL, 16), count = 0;
    uint32_t findings;
    const struct darn_known_finding *list = darn_findings_lock(&findings);

    assert_non_null(list);
    for (uint32_t i = 0; i < findings; i++)
        if (list[i].id == number)
            count = list[i].count;
    darn_findings_unlock();
    return count;
}

static void the_record_tells_all(void **state)
{
    struct darn_violation violation = violation_of();
    const json_t *accesses, *section;

    (void)state;
    asked = 0;
    darn_finding_violation(&violation);
    assert_int_equal(asked, 1);
    assert_string_equal(text_at(record, "id"), ID);
    assert_string_equal(text_at(record, "kind"), "atomicity-violation");
    assert_string_equal(text_at(record, "certainty"), "observed");
    assert_string_equal(text_at(record, "engine"), "atomrace");
    assert_string_equal(text_at(record, "variable"), "balance");
    assert_string_equal(text_at(record, "before"), "0x64");
    assert_string_equal(text_at(record, "after"), "0x6e");
    accesses = json_object_get(record, "accesses");
    assert_int_equal(json_array_size(accesses), 3);
    assert_string_equal(text_at(json_array_get(accesses, 0), "op"), "read");
    assert_string_equal(text_at(json_array_get(accesses, 0), "thread"), "T1");
    assert_string_equal(text_at(json_array_get(accesses, 1), "thread"), "T2");
    assert_string_equal(text_at(json_array_get(accesses, 2), "op"), "write");
    assert_string_equal(text_at(json_array_get(accesses, 2), "thread"), "T1");
    section = json_object_get(record, "section");
    assert_string_equal(text_at(section, "kind"), "load-and-store");
    assert_string_equal(text_at(section, "function"), "deposit");
    assert_string_equal(text_at(section, "at"), "dir/bank.sections:12");
    assert_string_equal(text_at(section, "allow"), "read");
    assert_int_equal(json_array_size(json_object_get(record, "threads")), 2);
}

static void the_same_is_counted_and_not_reported_again(void **state)
{
    struct darn_violation violation = violation_of();
    uint64_t before = count_of(ID);

    (void)state;
    asked = 0;
    sides.entry.thread = sides.end.thread = 7;
    sides.entry.touch.address = 0x2000;
    violation.repository = "other.sections";
    darn_finding_violation(&violation);
    assert_int_equal(asked, 0);
    assert_int_equal(count_of(ID), before + 1);
    /* The remote side is another one, or does something else there. */
    sides.remote = side_at(other_site, DARN_OP_WRITE, 2);
    darn_finding_violation(&violation);
    assert_int_equal(asked, 1);
    sides.remote = side_at(write_site, DARN_OP_UPDATE, 2);
    darn_finding_violation(&violation);
    assert_int_equal(asked, 2);
    assert_int_equal(count_of(ID), before + 1);
}

static void what_is_not_known_is_not_in_the_record(void **state)
{
    struct darn_violation violation = violation_of();
    const json_t *section;

    (void)state;
    sides.remote = side_at(NULL, DARN_OP_FREE, 2);
    violation.kind = violation.function = violation.repository = NULL;
    violation.has_values = false;
    violation.allow = 0;
    darn_finding_violation(&violation);
    assert_string_equal(text_at(json_array_get(json_object_get(record, "accesses"), 1), "op"),
                        "free");
    assert_null(json_object_get(record, "before"));
    section = json_object_get(record, "section");
    assert_int_equal(json_object_size(section), 1);
    assert_string_equal(text_at(section, "allow"), "none");
}

/* Another violation each time: those before are known. */
static struct darn_violation new_violation(uint32_t line)
{
    struct darn_violation violation = violation_of();

    sides.end.touch.site =
        fixture_add(&table, DARN_SITE_WRITE, line, fixture_text(&table, "bank.c"),
                    fixture_text(&table, "deposit"), fixture_text(&table, "balance"));
    return violation;
}

static void what_is_suppressed_is_no_finding(void **state)
{
    struct darn_violation violation = new_violation(70);
    uint32_t before = darn_findings_reported();

    (void)state;
    answer = SUPPRESSED;
    darn_finding_violation(&violation);
    answer = REPORTED;
    assert_int_equal(darn_findings_reported(), before);
    violation = new_violation(71);
    darn_finding_violation(&violation);
    assert_int_equal(darn_findings_reported(), before + 1);
}

static void without_darn_report_the_sites_speak(void **state)
{
    struct darn_violation violation = new_violation(80);

    (void)state;
    said[0] = '\0';
    answer = BROKEN;
    darn_finding_violation(&violation);
    answer = REPORTED;
    assert_string_equal(said, "bank.c:4:5: warning: atomicity violation on 'balance' "
                              "[atomicity-violation]: read by thread T1\n"
                              "bank.c:6:5: note: meanwhile write by thread T2\n"
                              "bank.c:80:5: note: then write by thread T1\n");
}

static int status_after(const struct darn_violation *violation)
{
    int status = 0;
    pid_t child = fork();

    if (child == 0) {
        darn_finding_violation(violation);
        _exit(1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void halt_on_error_ends_the_program_unless_it_is_suppressed(void **state)
{
    struct darn_violation violation = new_violation(90);

    (void)state;
    darn_state.options.halt_on_error = true;
    darn_state.options.exitcode = 66;
    assert_int_equal(status_after(&violation), 66);
    answer = SUPPRESSED;
    assert_int_equal(status_after(&violation), 1);
    answer = REPORTED;
    darn_state.options.halt_on_error = false;
    assert_int_equal(status_after(&violation), 1);
}

/* A race of the two, at a place of its own. */
static void race(struct darn_side *one, const struct darn_site *site, uintptr_t address)
{
    struct darn_side other = side_at(site, DARN_OP_WRITE, 2);

    one->touch.address = other.touch.address = address;
    darn_finding_race(&(struct darn_race){.first = one, .second = &other});
}

/* `count` sites, each in a function and with a variable of its own. */
static const struct darn_site *apart(uint32_t count)
{
    const struct darn_site *first = &table.sites[table.count];
    const char *file = fixture_text(&table, "copy.c");
    char name[32];

    for (uint32_t i = 0; i < count; i++) {
        snprintf(name, sizeof(name), "name_%u", (unsigned)table.count);
        fixture_add(&table, DARN_SITE_WRITE, table.count, file, fixture_text(&table, name),
                    fixture_text(&table, name));
    }
    return first;
}

static void of_many_variants_some_are_told_and_all_are_counted(void **state)
{
    const struct darn_site *sites = apart(32);
    struct darn_side copy = side_at(&sites[0], DARN_OP_WRITE, 1);
    uint32_t before = darn_findings_reported();

    (void)state;
    answer = REPORTED;
    darn_state.options.report_spins = true; /* nothing is put off */
    asked = 0;
    for (uint32_t i = 1; i <= 10; i++)
        race(&copy, &sites[i], 0x3000 + 8 * i);
    assert_int_equal(asked, 1 + 5);
    assert_int_equal(darn_findings_reported(), before + 10);
    /* Who keeps them gets all. */
    strcpy(darn_state.options.json, "all.jsonl");
    race(&copy, &sites[11], 0x3100);
    assert_int_equal(asked, 1 + 5 + 1);
    assert_string_not_equal(text_at(record, "variant_of"), "(missing)");
    darn_state.options.json[0] = '\0';
}

/* Each access to a block that was freed meets the same call. */
static void a_call_without_a_site_is_a_side_in_common(void **state)
{
    const struct darn_site *sites = apart(2);
    struct darn_side call = side_at(NULL, DARN_OP_FREE, 1);

    (void)state;
    call.stack.depth = 1;
    call.stack.pcs[0] = 0x401234;
    race(&call, &sites[0], 0x4000);
    assert_string_equal(text_at(record, "variant_of"), "(missing)");
    race(&call, &sites[1], 0x4008);
    assert_string_not_equal(text_at(record, "variant_of"), "(missing)");
}

static int make_sites(void **state)
{
    const char *file = fixture_text(&table, "bank.c"), *function = fixture_text(&table, "deposit");
    const char *variable = fixture_text(&table, "balance");

    (void)state;
    read_site = fixture_add(&table, DARN_SITE_READ, 4, file, function, variable);
    write_site = fixture_add(&table, DARN_SITE_WRITE, 6, file, function, variable);
    other_site = fixture_add(&table, DARN_SITE_WRITE, 9, file, function, variable);
    return 0;
}

static int drop_record(void **state)
{
    (void)state;
    json_decref(record);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_record_tells_all),
        cmocka_unit_test(the_same_is_counted_and_not_reported_again),
        cmocka_unit_test(what_is_not_known_is_not_in_the_record),
        cmocka_unit_test(what_is_suppressed_is_no_finding),
        cmocka_unit_test(without_darn_report_the_sites_speak),
        cmocka_unit_test(halt_on_error_ends_the_program_unless_it_is_suppressed),
        cmocka_unit_test(of_many_variants_some_are_told_and_all_are_counted),
        cmocka_unit_test(a_call_without_a_site_is_a_side_in_common),
    };

    return cmocka_run_group_tests(tests, make_sites, drop_record);
}
