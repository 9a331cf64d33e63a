/* Findings that controlled runs have confirmed: how they read, and what tools get. */
#include "report_fixture.h"

#include <jansson.h>

#include "report/identity.h"
#include "report/summary.h"
#include "report/text/text_summary.h"

/* RAW_FINDING with other beginnings. */
static struct darn_finding *confirmed(const char *fields)
{
    char *json = malloc(strlen(RAW_FINDING) + strlen(fields) + 1);
    struct darn_finding *finding;
    char *end;

    assert_non_null(json);
    end = stpcpy(json, "{\"raw\":1,");
    end = stpcpy(end, fields);
    strcpy(end, strstr(RAW_FINDING, "\"pid\""));
    finding = read_finding(json);
    finding->certainty = "confirmed";
    finding->engine = "racefuzzer";
    free(json);
    return finding;
}

static void expect_text(struct darn_finding *finding, const char *part)
{
    char *text = print_finding("text", finding, NULL);

    expect_part(text, part);
    free(text);
    darn_finding_free(finding);
}

static void a_confirmed_race_says_what_came_of_it(void **state)
{
    (void)state;
    expect_text(confirmed(""), "bank.c:4:19: warning: data race on 'acct->balance' [data-race, "
                               "confirmed]\n");
    expect_text(confirmed(""), "  proof: it happened in a controlled run\n");
    expect_text(confirmed("\"trials\":1,\"hits\":1,\"schedule\":\"s\","),
                "  proof: it happened in 1 of 1 controlled run and replays; it made no "
                "difference\n");
    expect_text(confirmed("\"trials\":100,\"hits\":37,\"schedule\":\"out/1/schedule\","
                          "\"outcomes\":[\"crash\"],"),
                "  proof: it happened in 37 of 100 controlled runs and replays; it led to a crash\n");
    expect_text(confirmed("\"outcomes\":[\"crash\",\"hang\",\"exit\"],"),
                "; it led to a crash, a hang and a bad exit status\n");
}

static void what_was_not_confirmed_needs_no_proof(void **state)
{
    struct darn_finding *finding = confirmed("\"outcomes\":[\"crash\"],");
    char *text;

    (void)state;
    finding->certainty = "observed";
    text = print_finding("text", finding, NULL);
    expect_no_part(text, "proof:");
    expect_no_part(text, "confirmed");
    free(text);
    darn_finding_free(finding);
}

static void a_schedule_is_how_to_see_it_again(void **state)
{
    (void)state;
    expect_text(confirmed("\"schedule\":\"out/1/schedule\","), "  again: darn replay out/1\n");
    expect_text(confirmed("\"schedule\":\"schedule\","), "  again: darn replay schedule\n");
    expect_text(confirmed("\"schedule\":\"a b/schedule\","), "  again: darn replay 'a b'\n");
    expect_text(confirmed(""), "  again: darn run --noise=");
}

static void a_failure_is_told_by_its_outcome(void **state)
{
    static const struct {
        const char *word, *detail, *title;
    } cases[] = {
        {"crash", "SIGSEGV", ": warning: T1 crashes with SIGSEGV [failure, confirmed]\n"},
        {"abort", "SIGABRT", ": warning: T1 aborts [failure, confirmed]\n"},
        {"assertion", "SIGABRT", ": warning: T1 fails an assertion [failure, confirmed]\n"},
        {"sanitizer", "double-free",
         ": warning: T1 runs into an error that a sanitizer reports: double-free ["},
        {"hang", "the same state comes again", ": warning: the program hangs: the same state"},
        {"exit", "status 3", ": warning: the program fails: it exits with status 3 ["},
        {"output", NULL, ": warning: the program prints something else than in other runs ["},
        {"deadlock", NULL, ": warning: the program comes to a standstill ["},
        {"oracle", NULL, ": warning: the program is judged to have failed ["},
        {"melted", NULL, ": warning: the program ends badly: melted ["},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct darn_finding *finding = confirmed("");

        finding->kind = "failure";
        finding->reason = cases[i].word;
        finding->detail = cases[i].detail;
        expect_text(finding, cases[i].title);
    }
}

static void the_next_step_after_a_failure_is_the_debugger(void **state)
{
    struct darn_finding *finding = confirmed("\"schedule\":\"out/1/schedule\","
                                             "\"outcomes\":[\"crash\"],\"trials\":5,\"hits\":2,");
    char *text;

    (void)state;
    finding->kind = "failure";
    finding->reason = "crash";
    finding->accesses[0].op = DARN_OP_STOP;
    finding->access_count = 1;
    text = print_finding("text", finding, NULL);
    expect_part(text, "  thread T1 'teller' was here when the run ended, holding no lock\n");
    expect_part(text, "  proof: it happened in 2 of 5 controlled runs and replays\n");
    expect_part(text, "  next: look at the threads where it fails: darn replay --gdb out/1\n");
    free(text);
    finding->schedule = NULL;
    finding->engine = "scheduler";
    text = print_finding("text", finding, NULL);
    expect_part(text, "  next: find out which order of the threads leads to it\n");
    expect_part(text, "  again: darn explore -o DIR -- ");
    expect_part(text, ", then darn replay DIR/1\n");
    assert_null(strstr(text, "--noise"));
    free(text);
    darn_finding_free(finding);
}

/* Nobody knows what would have come. */
static void a_race_in_runs_that_were_cut_off_has_not_made_no_difference(void **state)
{
    (void)state;
    expect_text(confirmed("\"trials\":5,\"hits\":2,\"outcomes\":[],"),
                "2 of 5 controlled runs; it made no difference\n");
    expect_text(confirmed("\"trials\":5,\"hits\":2,\"outcomes\":[],\"cut_off\":true,"),
                "2 of 5 controlled runs; what it leads to is not known: runs were cut off\n");
}

static json_t *json_of(struct darn_finding *finding)
{
    char *text = print_finding("json", finding, NULL);
    json_t *object = json_loads(text, 0, NULL);

    assert_non_null(object);
    free(text);
    darn_finding_free(finding);
    return object;
}

static void tools_get_schedule_outcomes_and_numbers(void **state)
{
    json_t *object = json_of(confirmed("\"schedule\":\"out/1/schedule\",\"trials\":20,\"hits\":0,"
                                       "\"outcomes\":[\"crash\",\"\xff\"],\"detail\":\"SIGBUS\","));
    json_t *outcomes = json_object_get(object, "outcomes");

    (void)state;
    assert_string_equal(json_string_value(json_object_get(object, "certainty")), "confirmed");
    assert_string_equal(json_string_value(json_object_get(object, "schedule")), "out/1/schedule");
    assert_string_equal(json_string_value(json_object_get(object, "detail")), "SIGBUS");
    assert_int_equal(json_array_size(outcomes), 2);
    assert_string_equal(json_string_value(json_array_get(outcomes, 0)), "crash");
    assert_string_equal(json_string_value(json_array_get(outcomes, 1)), "?");
    assert_int_equal(json_integer_value(json_object_get(object, "trials")), 20);
    assert_true(json_is_integer(json_object_get(object, "hits"))); /* 0 is worth telling */
    json_decref(object);
    /* With what is confirmed come outcomes, with nothing else. */
    object = json_of(confirmed(""));
    assert_true(json_is_array(json_object_get(object, "outcomes")));
    assert_null(json_object_get(object, "trials"));
    assert_null(json_object_get(object, "schedule"));
    json_decref(object);
    object = json_of(read_finding(RAW_FINDING));
    assert_null(json_object_get(object, "outcomes"));
    json_decref(object);
}

static void the_summary_counts_what_is_confirmed_apart(void **state)
{
    static struct darn_summary_item items[] = {
        {.id = "1", .kind = "data-race", .certainty = "confirmed", .count = 1},
        {.id = "2", .kind = "data-race", .certainty = "confirmed", .count = 1},
        {.id = "3", .kind = "data-race", .certainty = "observed", .count = 1},
        {.id = "4", .kind = "deadlock", .certainty = "predicted", .count = 1},
        {.id = "5", .kind = "failure", .certainty = "confirmed", .count = 1},
    };
    struct darn_summary summary = {.items = items, .item_count = 5};
    struct darn_style plain = {NULL, false};
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);

    (void)state;
    assert_non_null(out);
    darn_text_summary(out, &summary, &plain);
    fclose(out);
    expect_part(text, "SUMMARY: darn: 2 confirmed data races, 1 data race, 1 possible deadlock, "
                      "1 confirmed failure (");
    free(text);
}

/* What the other threads did when a run failed is chance. */
static void the_id_of_a_failure_depends_on_its_first_thread_alone(void **state)
{
    struct darn_finding *one = confirmed(""), *other = confirmed("");
    struct darn_finding *both[] = {one, other};

    (void)state;
    for (int i = 0; i < 2; i++) {
        both[i]->kind = "failure";
        both[i]->reason = "hang";
        both[i]->id = NULL;
    }
    other->accesses[1].line += 5;
    darn_identify(one);
    darn_identify(other);
    assert_string_equal(one->id, other->id);
    other->id = NULL;
    other->accesses[0].line += 5;
    darn_identify(other);
    assert_string_not_equal(one->id, other->id);
    darn_finding_free(one);
    darn_finding_free(other);
}

/* A program may end with a status whatever its schedule is, and with another one by a bug. */
static void the_id_of_a_failing_status_has_the_status(void **state)
{
    struct darn_finding *one = confirmed(""), *other = confirmed("");
    struct darn_finding *both[] = {one, other};

    (void)state;
    for (int i = 0; i < 2; i++) {
        both[i]->kind = "failure";
        both[i]->reason = "exit";
        both[i]->detail = "status 3";
        both[i]->id = NULL;
    }
    darn_identify(one);
    darn_identify(other);
    assert_string_equal(one->id, other->id);
    other->id = NULL;
    other->detail = "status 4";
    darn_identify(other);
    assert_string_not_equal(one->id, other->id);
    darn_finding_free(one);
    darn_finding_free(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_confirmed_race_says_what_came_of_it),
        cmocka_unit_test(what_was_not_confirmed_needs_no_proof),
        cmocka_unit_test(a_schedule_is_how_to_see_it_again),
        cmocka_unit_test(a_failure_is_told_by_its_outcome),
        cmocka_unit_test(the_next_step_after_a_failure_is_the_debugger),
        cmocka_unit_test(a_race_in_runs_that_were_cut_off_has_not_made_no_difference),
        cmocka_unit_test(tools_get_schedule_outcomes_and_numbers),
        cmocka_unit_test(the_summary_counts_what_is_confirmed_apart),
        cmocka_unit_test(the_id_of_a_failure_depends_on_its_first_thread_alone),
        cmocka_unit_test(the_id_of_a_failing_status_has_the_status),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
