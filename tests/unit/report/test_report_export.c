/* SARIF and annotations: what the standard asks for is there, and hostile names stay text. */
#include "report_fixture.h"

#include <errno.h>
#include <jansson.h>
#include <sys/wait.h>

#include "report/export/annotate_change.h"
#include "report/export/sarif.h"

static const struct darn_root root = {.path = "/nowhere/"};

/* ---- SARIF 2.1.0, as the standard has it ---- */

static const json_t *need(const json_t *object, const char *key, json_type type)
{
    const json_t *value = json_object_get(object, key);

    if (!value || json_typeof(value) != type)
        fail_msg("'%s' is missing or of the wrong type", key);
    return value;
}

static void check_message(const json_t *message, size_t related)
{
    const char *text = json_string_value(need(message, "text", JSON_STRING)), *link = text;

    assert_true(*text);
    while ((link = strstr(link, "](")) != NULL) { /* each link has a target */
        bool escaped = link[-1] == '\\' && link[-2] != '\\';
        unsigned long id = strtoul(link += 2, NULL, 10);

        assert_true(escaped || (id >= 1 && id <= related));
    }
}

static void check_artifact(const json_t *artifact, const json_t *bases)
{
    const char *uri = json_string_value(need(artifact, "uri", JSON_STRING));
    const char *base = json_string_value(json_object_get(artifact, "uriBaseId"));

    assert_int_equal(strspn(uri, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._"
                                 "~/%:"),
                     strlen(uri));
    if (base) {
        assert_non_null(json_object_get(bases, base));
        assert_null(strchr(uri, ':'));
        assert_true(uri[0] != '/');
    } else {
        assert_int_equal(strncmp(uri, "file:///", 8), 0);
    }
}

static void check_location(const json_t *location, const json_t *bases)
{
    const json_t *physical = json_object_get(location, "physicalLocation"), *region;

    if (json_object_get(location, "message"))
        need(json_object_get(location, "message"), "text", JSON_STRING);
    if (!physical)
        return;
    check_artifact(need(physical, "artifactLocation", JSON_OBJECT), bases);
    region = json_object_get(physical, "region");
    if (region)
        assert_true(json_integer_value(need(region, "startLine", JSON_INTEGER)) >= 1);
    if (json_object_get(region, "startColumn"))
        assert_true(json_integer_value(need(region, "startColumn", JSON_INTEGER)) >= 1);
}

static void check_steps(const json_t *locations, const json_t *bases)
{
    size_t i, j;
    json_t *step, *frame;

    assert_true(json_array_size(locations) >= 1);
    json_array_foreach(locations, i, step)
    {
        const char *importance = json_string_value(need(step, "importance", JSON_STRING));
        const json_t *stack = json_object_get(step, "stack");

        check_location(need(step, "location", JSON_OBJECT), bases);
        assert_true(strcmp(importance, "essential") == 0 || strcmp(importance, "important") == 0);
        if (stack)
            json_array_foreach(need(stack, "frames", JSON_ARRAY), j, frame)
            {
                check_location(need(frame, "location", JSON_OBJECT), bases);
            }
    }
}

static void check_result(const json_t *result, const json_t *rules, const json_t *bases)
{
    const char *level = json_string_value(need(result, "level", JSON_STRING));
    const json_t *rule =
        json_array_get(rules, (size_t)json_integer_value(need(result, "ruleIndex", JSON_INTEGER)));
    const json_t *related = json_object_get(result, "relatedLocations");
    const json_t *flow = json_array_get(need(result, "codeFlows", JSON_ARRAY), 0);
    size_t i;
    json_t *each;

    assert_string_equal(json_string_value(json_object_get(rule, "id")),
                        json_string_value(need(result, "ruleId", JSON_STRING)));
    assert_true(strcmp(level, "error") == 0 || strcmp(level, "warning") == 0);
    check_message(need(result, "message", JSON_OBJECT), json_array_size(related));
    assert_true(json_array_size(need(result, "locations", JSON_ARRAY)) == 1);
    check_location(json_array_get(json_object_get(result, "locations"), 0), bases);
    json_array_foreach(related, i, each)
    {
        assert_int_equal(json_integer_value(need(each, "id", JSON_INTEGER)), i + 1);
        check_location(each, bases);
    }
    json_array_foreach(need(flow, "threadFlows", JSON_ARRAY), i, each)
    {
        check_steps(need(each, "locations", JSON_ARRAY), bases);
    }
    need(need(result, "partialFingerprints", JSON_OBJECT), "darn/v1", JSON_STRING);
}

/* The results of a document that has all that the standard wants. */
static const json_t *check_sarif(const json_t *sarif)
{
    const json_t *run = json_array_get(need(sarif, "runs", JSON_ARRAY), 0);
    const json_t *driver = need(need(run, "tool", JSON_OBJECT), "driver", JSON_OBJECT);
    const json_t *rules = need(driver, "rules", JSON_ARRAY);
    const json_t *bases = need(run, "originalUriBaseIds", JSON_OBJECT);
    const char *top =
        json_string_value(need(json_object_get(bases, DARN_SARIF_ROOT), "uri", JSON_STRING));
    size_t i;
    json_t *each;

    assert_string_equal(json_string_value(need(sarif, "version", JSON_STRING)), "2.1.0");
    assert_string_equal(json_string_value(need(driver, "name", JSON_STRING)), "darn");
    assert_true(top[strlen(top) - 1] == '/'); /* 3.14.14 */
    json_array_foreach(rules, i, each)
    {
        need(each, "id", JSON_STRING);
        need(need(each, "shortDescription", JSON_OBJECT), "text", JSON_STRING);
        need(need(each, "help", JSON_OBJECT), "text", JSON_STRING);
    }
    json_array_foreach(need(run, "results", JSON_ARRAY), i, each)
    {
        check_result(each, rules, bases);
    }
    return json_object_get(run, "results");
}

/* ---- the tests ---- */

static struct darn_collected item;

static struct darn_collection collection_of(struct darn_finding *finding)
{
    item = (struct darn_collected){.finding = finding, .count = 3, .files = 1};
    return (struct darn_collection){.items = &item, .count = 1};
}

static char *annotate(const char *form, struct darn_finding *finding)
{
    struct darn_collection collection = collection_of(finding);
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);

    darn_annotate(form, &collection, &root, out);
    fclose(out);
    return text;
}

static json_t *sarif_of(struct darn_finding *finding, bool has_baseline)
{
    struct darn_collection collection = collection_of(finding);
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    json_t *sarif;

    darn_sarif_print(&collection, has_baseline, &root, out);
    fclose(out);
    sarif = json_loads(text, 0, NULL);
    assert_non_null(sarif);
    free(text);
    return sarif;
}

static const char *level_of(const json_t *result)
{
    return json_string_value(json_object_get(result, "level"));
}

static void sarif_has_what_the_standard_asks_for(void **state)
{
    struct darn_finding *finding = bank_finding("/nowhere");
    json_t *sarif = sarif_of(finding, false);
    const json_t *result = json_array_get(check_sarif(sarif), 0);
    const json_t *flows =
        json_object_get(json_array_get(json_object_get(result, "codeFlows"), 0), "threadFlows");

    (void)state;
    assert_string_equal(level_of(result), "error");
    assert_int_equal(json_array_size(flows), 2); /* one for each thread */
    assert_string_equal(json_string_value(json_object_get(json_array_get(flows, 1), "id")), "T2");
    assert_int_equal(json_integer_value(json_object_get(result, "occurrenceCount")), 3);
    assert_null(json_object_get(result, "baselineState"));
    json_decref(sarif);
    darn_finding_free(finding);
}

static void what_is_predicted_is_a_warning_and_what_is_new_is_called_so(void **state)
{
    struct darn_finding *finding = bank_finding("/nowhere");
    json_t *sarif;
    const json_t *result;

    (void)state;
    finding->certainty = "predicted";
    sarif = sarif_of(finding, true);
    result = json_array_get(check_sarif(sarif), 0);
    assert_string_equal(level_of(result), "warning");
    assert_string_equal(json_string_value(json_object_get(result, "baselineState")), "new");
    json_decref(sarif);
    darn_finding_free(finding);
}

static const char *uri_of(const json_t *result)
{
    const json_t *location = json_array_get(json_object_get(result, "locations"), 0);

    return json_string_value(json_object_get(
        json_object_get(json_object_get(location, "physicalLocation"), "artifactLocation"), "uri"));
}

static void hostile_names_stay_text(void **state)
{
    struct darn_finding *finding = bank_finding("/nowhere/build");
    json_t *sarif;

    (void)state;
    finding->accesses[0].file = "../a b:%41\"\n.c";
    finding->variable = "x[0](http://evil)";
    finding->accesses[1].thread_name = "](9)\\[";
    sarif = sarif_of(finding, false);
    assert_string_equal(uri_of(json_array_get(check_sarif(sarif), 0)), "a%20b%3A%2541%22%0A.c");
    json_decref(sarif);
    darn_finding_free(finding);
}

static void a_finding_without_a_place_is_at_the_program(void **state)
{
    struct darn_finding *finding = bank_finding("/nowhere");
    json_t *sarif;

    (void)state;
    finding->accesses[0].file = finding->accesses[0].dir = NULL;
    finding->accesses[0].stack.count = 0;
    finding->accesses[0].line = 0;
    sarif = sarif_of(finding, false);
    assert_string_equal(uri_of(json_array_get(check_sarif(sarif), 0)), "bank");
    json_decref(sarif);
    darn_finding_free(finding);
}

static json_t *load_sarif(const char *path)
{
    json_t *sarif = json_load_file(path, 0, NULL);

    assert_non_null(sarif);
    return sarif;
}

static void a_file_is_whole_after_each_finding_that_is_put_into_it(void **state)
{
    const char *path = path_in(*state, "out.sarif");
    struct darn_finding *one = bank_finding("/nowhere"), *other = bank_finding("/nowhere");
    json_t *sarif;

    other->id = "0123456789abcdef";
    one->certainty = "predicted";
    assert_int_equal(darn_sarif_begin(path, NULL), 0);
    sarif = load_sarif(path);
    assert_int_equal(json_array_size(check_sarif(sarif)), 0);
    json_decref(sarif);
    assert_int_equal(darn_sarif_put(path, one, NULL), 0);
    assert_int_equal(darn_sarif_put(path, other, NULL), 0);
    one->certainty = "observed"; /* is met now */
    assert_int_equal(darn_sarif_put(path, one, NULL), 0);
    one->certainty = "predicted"; /* in another run: what has happened has happened */
    assert_int_equal(darn_sarif_put(path, one, NULL), 0);
    sarif = load_sarif(path);
    assert_int_equal(json_array_size(check_sarif(sarif)), 2);
    assert_string_equal(level_of(json_array_get(check_sarif(sarif), 0)), "error");
    json_decref(sarif);
    darn_finding_free(one);
    darn_finding_free(other);
}

#define WRITERS 8

static void processes_can_write_one_file_at_the_same_time(void **state)
{
    const char *path = path_in(*state, "shared.sarif");
    struct darn_finding *finding = bank_finding("/nowhere");
    int status;
    json_t *sarif;

    for (int i = 0; i < WRITERS; i++) {
        if (fork() == 0) {
            char id[17];

            snprintf(id, sizeof(id), "%016x", i);
            finding->id = id;
            _exit(darn_sarif_put(path, finding, NULL) ? 1 : 0);
        }
    }
    for (int i = 0; i < WRITERS; i++)
        assert_true(wait(&status) > 0 && status == 0);
    sarif = load_sarif(path);
    assert_int_equal(json_array_size(check_sarif(sarif)), WRITERS);
    json_decref(sarif);
    darn_finding_free(finding);
}

static void files_of_others_are_left_alone(void **state)
{
    char *text;

    write_file(*state, "other.sarif", "{\"version\":\"2.1.0\",\"runs\":[]}\n");
    assert_int_equal(darn_sarif_begin(path_in(*state, "other.sarif"), NULL), -EINVAL);
    text = read_file(path_in(*state, "other.sarif"));
    assert_string_equal(text, "{\"version\":\"2.1.0\",\"runs\":[]}\n");
    free(text);
    assert_int_equal(darn_sarif_begin("/dev/null", NULL), -EINVAL);
}

static void github_reads_one_line_for_each(void **state)
{
    struct darn_finding *finding = bank_finding("/nowhere");
    char *text;

    (void)state;
    finding->accesses[0].file = "a,b:c%.c";
    text = annotate("github", finding);
    expect_part(text, "::error file=a%2Cb%3Ac%25.c,line=4,col=19,title=data race on "
                      "'acct->balance'::thread T1 'teller' writes 8 bytes");
    expect_part(text, "%0Abank.c:9: thread T2 'audit' reads the same 8 bytes");
    assert_ptr_equal(strchr(text, '\n'), text + strlen(text) - 1);
    free(text);
    finding->certainty = "predicted";
    text = annotate("github", finding);
    assert_int_equal(strncmp(text, "::warning file=", 15), 0);
    free(text);
    darn_finding_free(finding);
}

static void gitlab_reads_an_array(void **state)
{
    struct darn_finding *finding = bank_finding("/nowhere/src");
    char *text = annotate("gitlab", finding);
    json_t *array = json_loads(text, 0, NULL);
    const json_t *object = json_array_get(array, 0);
    const json_t *location = need(object, "location", JSON_OBJECT);

    (void)state;
    assert_int_equal(json_array_size(array), 1);
    need(object, "description", JSON_STRING);
    assert_string_equal(json_string_value(need(object, "check_name", JSON_STRING)), "data-race");
    assert_string_equal(json_string_value(need(object, "fingerprint", JSON_STRING)), finding->id);
    assert_string_equal(json_string_value(need(object, "severity", JSON_STRING)), "critical");
    assert_string_equal(json_string_value(need(location, "path", JSON_STRING)), "src/bank.c");
    assert_int_equal(
        json_integer_value(need(need(location, "lines", JSON_OBJECT), "begin", JSON_INTEGER)), 4);
    json_decref(array);
    free(text);
    darn_finding_free(finding);
}

static const char *path_from(const char *top, const char *strip, const char *dir, const char *file)
{
    static struct darn_text_pool pool;
    struct darn_root here = {.strip = strip};

    snprintf(here.path, sizeof(here.path), "%s", top);
    return darn_export_path(&here, dir, file, &pool);
}

static void paths_begin_at_the_top(void **state)
{
    (void)state;
    assert_string_equal(path_from("/a/", NULL, "/a/b", "../c.c"), "c.c");
    assert_string_equal(path_from("/a/", NULL, "/a/b", "./d//e/./c.c"), "b/d/e/c.c");
    assert_string_equal(path_from("/a/", NULL, "/ab", "c.c"), "/ab/c.c");
    assert_string_equal(path_from("/a/", NULL, NULL, "c.c"), "c.c");
    assert_string_equal(path_from("/", NULL, "/a", "c.c"), "a/c.c");
    assert_string_equal(path_from("/a/", "/src", "/src/x", "c.c"), "x/c.c");
    assert_string_equal(path_from("/a/", NULL, "/a", "/../../b.c"), "/b.c");
}

#define WITH_DIR(test) cmocka_unit_test_setup_teardown(test, make_dir, remove_dir)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sarif_has_what_the_standard_asks_for),
        cmocka_unit_test(what_is_predicted_is_a_warning_and_what_is_new_is_called_so),
        cmocka_unit_test(hostile_names_stay_text),
        cmocka_unit_test(a_finding_without_a_place_is_at_the_program),
        WITH_DIR(a_file_is_whole_after_each_finding_that_is_put_into_it),
        WITH_DIR(processes_can_write_one_file_at_the_same_time),
        WITH_DIR(files_of_others_are_left_alone),
        cmocka_unit_test(github_reads_one_line_for_each),
        cmocka_unit_test(gitlab_reads_an_array),
        cmocka_unit_test(paths_begin_at_the_top),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
