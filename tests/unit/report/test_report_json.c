/* JSON Lines: what tools read, and the counts that are set when the run ends. */
#include "report_fixture.h"

#include <jansson.h>

#include "report/counts.h"
#include "report/sink.h"

static const char *text_at(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    return text ? text : "(missing)";
}

static json_int_t number_at(const json_t *object, const char *key)
{
    return json_integer_value(json_object_get(object, key));
}

static json_t *print_and_load(const struct darn_finding *finding)
{
    char *line = print_finding("json", finding, NULL);
    json_t *object = json_loads(line, 0, NULL);

    assert_non_null(object);
    /* One line, whatever is in it. */
    assert_ptr_equal(strchr(line, '\n'), line + strlen(line) - 1);
    free(line);
    return object;
}

static void the_fixed_fields_are_there(void **state)
{
    struct darn_finding *finding = bank_finding("/nowhere");
    json_t *object = print_and_load(finding);
    const json_t *write = json_array_get(json_object_get(object, "accesses"), 0);
    const json_t *read = json_array_get(json_object_get(object, "accesses"), 1);
    const json_t *frame = json_array_get(json_object_get(write, "stack"), 1);
    const json_t *lock = json_array_get(json_object_get(read, "locks"), 0);

    (void)state;
    assert_string_equal(text_at(object, "id"), "8f3c0a1b2c3d4e5f");
    assert_string_equal(text_at(object, "kind"), "data-race");
    assert_string_equal(text_at(object, "certainty"), "observed");
    assert_string_equal(text_at(object, "variable"), "acct->balance");
    assert_string_equal(text_at(object, "engine"), "atomrace");
    assert_int_equal(number_at(object, "count"), 1);
    assert_string_equal(text_at(write, "op"), "write");
    assert_string_equal(text_at(write, "thread"), "T1");
    assert_string_equal(text_at(write, "file"), "bank.c");
    assert_string_equal(text_at(write, "function"), "deposit");
    assert_int_equal(number_at(write, "line"), 4);
    assert_int_equal(number_at(write, "column"), 19);
    assert_int_equal(json_array_size(json_object_get(write, "locks")), 0);
    assert_true(json_is_array(json_object_get(write, "locks")));
    assert_string_equal(text_at(frame, "function"), "teller_thread");
    assert_string_equal(text_at(frame, "file"), "bank.c");
    assert_string_equal(text_at(frame, "module"), "/nowhere/bank");
    assert_string_equal(text_at(frame, "offset"), "0x1300");
    assert_int_equal(number_at(frame, "line"), 31);
    assert_int_equal(number_at(frame, "column"), 9);
    assert_string_equal(text_at(lock, "name"), "audit_lock");
    assert_string_equal(text_at(lock, "kind"), "mutex");
    json_decref(object);
    darn_finding_free(finding);
}

static void the_added_fields_are_there(void **state)
{
    struct darn_finding *finding = bank_finding("/nowhere");
    json_t *object = print_and_load(finding);
    const json_t *write = json_array_get(json_object_get(object, "accesses"), 0);

    (void)state;
    assert_int_equal(number_at(object, "size"), 8);
    assert_string_equal(text_at(object, "before"), "0x64");
    assert_string_equal(text_at(object, "after"), "0x6e");
    assert_true(json_is_false(json_object_get(object, "same_value")));
    assert_string_equal(text_at(json_object_get(object, "place"), "kind"), "heap");
    assert_string_equal(text_at(object, "suppression"), "race:deposit");
    assert_string_equal(text_at(write, "value"), "0x78");
    assert_string_equal(text_at(write, "thread_name"), "teller");
    assert_int_equal(json_array_size(json_object_get(object, "threads")), 2);
    json_decref(object);
    darn_finding_free(finding);
}

static void odd_names_survive_the_way(void **state)
{
    struct darn_finding *finding = bank_finding("/nowhere");
    json_t *object;

    (void)state;
    finding->variable = "a\"count\":7\n\033\\";
    object = print_and_load(finding);
    assert_string_equal(text_at(object, "variable"), "a\"count\":7\n\033\\");
    assert_int_equal(number_at(object, "count"), 1);
    json_decref(object);
    darn_finding_free(finding);
}

static void append_finding(const char *path, int64_t pid, const char *id)
{
    struct darn_finding *finding = bank_finding("/nowhere");
    char *line;

    finding->pid = pid;
    finding->id = id;
    line = print_finding("json", finding, NULL);
    assert_int_equal(darn_sink_append(path, line, strlen(line)), 0);
    free(line);
    darn_finding_free(finding);
}

/* The counts of the lines of a file, as "3 1 7". */
static const char *counts_of(const char *path)
{
    static char counts[256];
    char *content = read_file(path);
    size_t used = 0;

    for (char *line = strtok(content, "\n"); line; line = strtok(NULL, "\n")) {
        json_t *object = json_loads(line, 0, NULL);

        assert_non_null(object);
        used += (size_t)snprintf(counts + used, sizeof(counts) - used, "%s%lld", used ? " " : "",
                                 (long long)number_at(object, "count"));
        json_decref(object);
    }
    free(content);
    return counts;
}

static void counts_are_set_for_the_findings_of_this_run_only(void **state)
{
    struct darn_summary_item items[] = {{.id = "a", .kind = "data-race", .count = 12},
                                        {.id = "b", .kind = "data-race", .count = 4000000000}};
    struct darn_summary summary = {.pid = 4711, .items = items, .item_count = 2};
    char path[512];

    snprintf(path, sizeof(path), "%s/findings.jsonl", (char *)*state);
    append_finding(path, 4711, "a");
    append_finding(path, 4712, "a");
    append_finding(path, 4711, "c");
    append_finding(path, 4711, "b");
    assert_int_equal(darn_counts_update(path, &summary), 0);
    assert_string_equal(counts_of(path), "12 1 1 4000000000");
    /* A second time: a smaller number leaves no digits behind. */
    items[1].count = 7;
    append_finding(path, 4711, "d");
    assert_int_equal(darn_counts_update(path, &summary), 0);
    assert_string_equal(counts_of(path), "12 1 1 7 1");
}

static void a_count_without_room_leaves_the_line_alone(void **state)
{
    struct darn_summary_item items[] = {{.id = "a", .kind = "data-race", .count = 12}};
    struct darn_summary summary = {.pid = 4711, .items = items, .item_count = 1};
    const char *line = "{\"id\":\"a\",\"count\":1,\"pid\":4711}\nnot JSON\n{\"id\":\"a\"";
    const char *path = write_file(*state, "edited.jsonl", line);
    char *content;

    assert_int_equal(darn_counts_update(path, &summary), 0);
    content = read_file(path);
    assert_string_equal(content, line);
    free(content);
    assert_true(darn_counts_update("/nowhere/at/all", &summary) < 0);
}

static void appending_creates_and_keeps(void **state)
{
    const char *path = path_in(*state, "new.jsonl");
    char *content;

    assert_int_equal(darn_sink_append(path, "a\n", 2), 0);
    assert_int_equal(darn_sink_append(path, "b\n", 2), 0);
    content = read_file(path);
    assert_string_equal(content, "a\nb\n");
    free(content);
    assert_true(darn_sink_append("/nowhere/at/all", "a", 1) < 0);
}

#define WITH_DIR(test) cmocka_unit_test_setup_teardown(test, make_dir, remove_dir)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_fixed_fields_are_there),
        cmocka_unit_test(the_added_fields_are_there),
        cmocka_unit_test(odd_names_survive_the_way),
        WITH_DIR(counts_are_set_for_the_findings_of_this_run_only),
        WITH_DIR(a_count_without_room_leaves_the_line_alone),
        WITH_DIR(appending_creates_and_keeps),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
