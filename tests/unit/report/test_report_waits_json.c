/* Findings about threads that wait, as programs read them: JSON Lines, fingerprints, suppressions.
 */
#include "waits_fixture.h"

static json_t *print_and_load(const struct darn_finding *finding)
{
    char *line = print_finding("json", finding, NULL);
    json_t *object = json_loads(line, 0, NULL);

    assert_non_null(object);
    free(line);
    return object;
}

static const char *text_at(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    return text ? text : "(missing)";
}

static void tools_are_told_of_targets_and_where_locks_were_taken(void **state)
{
    struct darn_finding *finding = deadlock("/nowhere");
    json_t *object = print_and_load(finding);
    const json_t *access = json_array_get(json_object_get(object, "accesses"), 1);
    const json_t *lock = json_array_get(json_object_get(access, "locks"), 0);
    const json_t *taken = json_object_get(lock, "taken");

    (void)state;
    assert_string_equal(text_at(object, "kind"), "deadlock");
    assert_string_equal(text_at(object, "variable"), "a, b");
    assert_string_equal(text_at(object, "engine"), "wait-for");
    assert_string_equal(text_at(access, "op"), "acquire");
    assert_string_equal(text_at(json_object_get(access, "target"), "name"), "a");
    assert_string_equal(text_at(json_object_get(access, "target"), "kind"), "mutex");
    assert_string_equal(text_at(lock, "name"), "b");
    assert_string_equal(text_at(taken, "file"), "bank.c");
    assert_string_equal(text_at(taken, "function"), "audit");
    assert_int_equal(json_integer_value(json_object_get(taken, "line")), 8);
    assert_int_equal(json_array_size(json_object_get(lock, "stack")), 1);
    json_decref(object);
    darn_finding_free(finding);

    finding = notification(NOTIFICATION("predicted", "lost-signal", SIGNAL "," WAIT("T2")));
    object = print_and_load(finding);
    access = json_array_get(json_object_get(object, "accesses"), 1);
    assert_string_equal(text_at(object, "reason"), "lost-signal");
    assert_string_equal(text_at(object, "certainty"), "predicted");
    assert_string_equal(text_at(access, "predicate"), "queue->count");
    assert_string_equal(text_at(json_object_get(access, "mutex"), "name"), "m");
    json_decref(object);
    darn_finding_free(finding);
}

/* The id that the finding gets, with the threads and addresses of another run. */
static const char *id_of(const char *json, bool turned)
{
    static char id[64];
    struct darn_finding *finding = read_finding(json);

    if (turned) {
        struct darn_finding_access first = finding->accesses[0];

        finding->accesses[0] = finding->accesses[1];
        finding->accesses[1] = first;
        finding->accesses[0].thread = "T77";
        finding->accesses[0].target.address += 4096;
        for (size_t i = 0; i < 2; i++)
            for (size_t j = 0; j < finding->accesses[i].stack.count; j++)
                finding->accesses[i].stack.frames[j].pc += 4096;
    }
    darn_resolve(finding);
    snprintf(id, sizeof(id), "%s", finding->id);
    assert_string_equal(finding->run_id, "00000000000000aa");
    darn_finding_free(finding);
    return id;
}

static void the_fingerprint_is_the_same_in_every_run(void **state)
{
    char id[64];

    (void)state;
    snprintf(id, sizeof(id), "%s", id_of(RAW_DEADLOCK, false));
    assert_int_equal(strlen(id), 16);
    assert_string_equal(id_of(RAW_DEADLOCK, true), id);
}

static void counts_find_the_line_by_the_name_that_the_runtime_has(void **state)
{
    struct darn_summary_item items[] = {{.id = "00000000000000aa", .kind = "deadlock", .count = 3}};
    struct darn_summary summary = {.pid = 4711, .items = items, .item_count = 1};
    struct darn_finding *finding = read_finding(RAW_DEADLOCK);
    char *line, *content;
    const char *path;

    darn_resolve(finding);
    line = print_finding("json", finding, NULL);
    path = write_file(*state, "found.jsonl", line);
    assert_int_equal(darn_counts_update(path, &summary), 0);
    content = read_file(path);
    expect_part(content, "\"count\":3 ");
    free(content);
    free(line);
    darn_finding_free(finding);
}

static bool is_suppressed(const char *dir, const char *content, const struct darn_finding *finding)
{
    char error[1024] = "";
    struct darn_suppressions *suppressions = darn_suppressions_read(
        write_file(dir, "suppressions", content), NULL, error, sizeof(error));
    bool matches;

    assert_non_null(suppressions);
    matches = darn_suppressions_match(suppressions, finding) != NULL;
    darn_suppressions_free(suppressions);
    return matches;
}

static void suppressions_have_kinds(void **state)
{
    struct darn_finding *finding = deadlock("/nowhere");

    assert_true(is_suppressed(*state, "deadlock:^transfer$", finding));
    assert_true(is_suppressed(*state, "deadlock:^b$", finding));
    assert_false(is_suppressed(*state, "deadlock:^c$", finding));
    assert_false(is_suppressed(*state, "race:transfer\nnotification:transfer", finding));
    finding->accesses[0].locks[0].stack.frames[0].function = "only_here";
    assert_true(is_suppressed(*state, "deadlock:only_here", finding));
    darn_finding_free(finding);

    finding = notification(NOTIFICATION("predicted", "lost-signal", SIGNAL "," WAIT("T2")));
    assert_true(is_suppressed(*state, "notification:take", finding));
    assert_true(is_suppressed(*state, "notification:^ready$", finding));
    assert_false(is_suppressed(*state, "deadlock:take", finding));
    darn_finding_free(finding);

    finding = bank_finding("/nowhere");
    finding->certainty = "predicted";
    assert_true(is_suppressed(*state, "race:deposit", finding));
    darn_finding_free(finding);
}

/* Reads, resolves and prints: whatever is in it, nothing crashes (the point under ASan). */
static bool survives(const char *json)
{
    char error[512] = "";
    struct darn_finding *finding = darn_finding_read(json, strlen(json), error, sizeof(error));

    if (!finding)
        return false;
    darn_resolve(finding);
    free(print_finding("text", finding, NULL));
    free(print_finding("json", finding, NULL));
    darn_finding_free(finding);
    return true;
}

/* Each value in turn becomes something else. */
static size_t survive_changes(const char *raw)
{
    static const char *const others[] = {"null",
                                         "[]",
                                         "{}",
                                         "-1",
                                         "true",
                                         "\"\"",
                                         "\"wait\"",
                                         "\"join\"",
                                         "\"signal\"",
                                         "\"read\"",
                                         "\"deadlock\"",
                                         "\"notification\"",
                                         "\"predicted\"",
                                         "{\"thread\":\"T1\"}"};
    char *changed = malloc(2 * strlen(raw));
    size_t survived = 0;

    for (const char *colon = strchr(raw, ':'); colon; colon = strchr(colon + 1, ':')) {
        size_t head = (size_t)(colon + 1 - raw);
        size_t value = colon[1] == '"'
                           ? strcspn(colon + 2, "\"") + 2
                           : strcspn(colon + 1, colon[1] == '{' ? "}" : ",}]") + (colon[1] == '{');

        for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
            sprintf(changed, "%.*s%s%s", (int)head, raw, others[i], raw + head + value);
            survived += survives(changed);
        }
    }
    free(changed);
    return survived;
}

static void whatever_is_missing_or_wrong_is_survived(void **state)
{
    (void)state;
    assert_true(survive_changes(RAW_DEADLOCK) > 200);
    assert_true(survive_changes(NOTIFICATION("predicted", "lost-signal", SIGNAL "," WAIT("T2"))) >
                200);
    assert_true(survive_changes(NOTIFICATION("observed", "no-signaller", WAIT("T2"))) > 100);
}

#define WITH_DIR(test) cmocka_unit_test_setup_teardown(test, make_dir, remove_dir)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tools_are_told_of_targets_and_where_locks_were_taken),
        cmocka_unit_test(the_fingerprint_is_the_same_in_every_run),
        WITH_DIR(counts_find_the_line_by_the_name_that_the_runtime_has),
        WITH_DIR(suppressions_have_kinds),
        cmocka_unit_test(whatever_is_missing_or_wrong_is_survived),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
