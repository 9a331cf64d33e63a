/* The index of a hunt: the worst first, each finding once, and what is written is read again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/say.h"
#include "driver/play/index.h"

static char directory[64];
static struct darn_index hunt;

static int open_index(void **state)
{
    (void)state;
    snprintf(directory, sizeof(directory), "/tmp/test-index-XXXXXX");
    assert_non_null(mkdtemp(directory));
    assert_int_equal(darn_index_open(&hunt, NULL, directory), 0);
    return 0;
}

static int close_index(void **state)
{
    char command[128];

    (void)state;
    darn_index_close(&hunt);
    snprintf(command, sizeof(command), "rm -rf %s", directory);
    return system(command);
}

static json_t *prediction(const char *id)
{
    return json_pack("{s:s, s:s, s:s, s:s, s:[{s:s, s:i}, {s:s, s:i}], s:i}", "id", id, "kind",
                     "data-race", "certainty", "predicted", "variable", "x", "accesses", "file",
                     "a.c", "line", 3, "file", "b.c", "line", 4, "trials", 20);
}

/* `outcome` may be NULL. */
static json_t *proof(const char *id, const char *number, const char *outcome)
{
    json_t *entry = prediction(id);

    json_object_set_new(entry, "certainty", json_string("confirmed"));
    json_object_set_new(entry, "count", json_integer(1));
    json_object_set_new(entry, "directory", json_string(number));
    json_object_set_new(entry, "outcomes", json_array());
    if (outcome)
        json_array_append_new(json_object_get(entry, "outcomes"), json_string(outcome));
    return entry;
}

static void expect_order(const char *ids)
{
    char found[64] = "";
    size_t i;
    json_t *entry;

    json_array_foreach(hunt.entries, i, entry)
    {
        strcat(found, json_string_value(json_object_get(entry, "id")));
    }
    assert_string_equal(found, ids);
}

static void the_worst_comes_first_and_predictions_last(void **state)
{
    (void)state;
    darn_index_put(&hunt, prediction("p"));
    darn_index_put(&hunt, proof("n", "1", NULL));
    darn_index_put(&hunt, proof("o", "2", "output"));
    darn_index_put(&hunt, proof("c", "3", "crash"));
    darn_index_put(&hunt, proof("e", "4", "exit"));
    expect_order("ceonp");
    assert_int_equal(darn_index_proofs(&hunt), 4);
}

static void a_finding_is_there_once_and_moves_when_it_is_proved(void **state)
{
    (void)state;
    darn_index_put(&hunt, prediction("a"));
    darn_index_put(&hunt, prediction("b"));
    darn_index_put(&hunt, proof("b", "1", "abort"));
    expect_order("ba");
    assert_true(darn_index_is_proof(darn_index_find(&hunt, "b")));
    assert_false(darn_index_is_proof(darn_index_find(&hunt, "a")));
    assert_null(darn_index_find(&hunt, "c"));
    darn_index_drop(&hunt, "b");
    darn_index_drop(&hunt, "b");
    expect_order("a");
}

static void what_is_written_is_read_again(void **state)
{
    struct darn_index again;

    (void)state;
    darn_index_put(&hunt, proof("a", "1", "abort"));
    darn_index_put(&hunt, prediction("b"));
    json_object_set_new(hunt.state, "runs", json_integer(7));
    assert_int_equal(darn_index_write(&hunt), 0);
    assert_int_equal(darn_index_open(&again, NULL, directory), 0);
    assert_true(json_equal(again.state, hunt.state));
    assert_true(json_equal(again.entries, hunt.entries));
    darn_index_close(&again);
}

static void a_damaged_index_is_refused(void **state)
{
    struct darn_index again;
    char path[128];
    FILE *file;

    (void)state;
    darn_index_put(&hunt, prediction("a"));
    assert_int_equal(darn_index_write(&hunt), 0);
    snprintf(path, sizeof(path), "%s/index.jsonl", directory);
    file = fopen(path, "a");
    assert_non_null(file);
    fputs("{\"id\":3}\n", file);
    fclose(file);
    assert_int_equal(darn_index_open(&again, NULL, directory), DARN_REFUSED);
}

static void predictions_take_a_line_each(void **state)
{
    static const struct darn_style plain;
    struct darn_index_wanted wanted = {.name = "out"};
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);

    (void)state;
    darn_index_put(&hunt, prediction("a"));
    darn_index_put(&hunt, prediction("b"));
    json_object_set_new(darn_index_find(&hunt, "b"), "trials", json_integer(0));
    json_object_set_new(hunt.state, "runs", json_integer(1));
    darn_index_print(&hunt, &wanted, out, &plain);
    fclose(out);
    assert_string_equal(
        text, "a.c:3: possible data race on 'x' with b.c:4: predicted, not confirmed in 20 trials\n"
              "a.c:3: possible data race on 'x' with b.c:4: predicted, not tried\n"
              "\n"
              "SUMMARY: darn: nothing found in 1 controlled run\n");
    free(text);
}

static void what_has_the_same_cause_is_told_once(void **state)
{
    static const struct darn_style plain;
    struct darn_index_wanted wanted = {.name = "out"};
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);

    (void)state;
    darn_index_put(&hunt, prediction("a"));
    darn_index_put(&hunt, prediction("b"));
    json_object_set_new(hunt.state, "runs", json_integer(1));
    darn_index_group(&hunt);
    assert_null(json_object_get(darn_index_find(&hunt, "a"), "variant_of"));
    assert_string_equal(
        json_string_value(json_object_get(darn_index_find(&hunt, "b"), "variant_of")), "a");
    darn_index_print(&hunt, &wanted, out, &plain);
    fclose(out);
    assert_string_equal(
        text, "a.c:3: possible data race on 'x' with b.c:4: predicted, not confirmed in 20 trials\n"
              "and 1 variant of these: --all shows it\n"
              "\n"
              "SUMMARY: darn: nothing found in 1 controlled run\n");
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_worst_comes_first_and_predictions_last, open_index,
                                        close_index),
        cmocka_unit_test_setup_teardown(a_finding_is_there_once_and_moves_when_it_is_proved,
                                        open_index, close_index),
        cmocka_unit_test_setup_teardown(what_is_written_is_read_again, open_index, close_index),
        cmocka_unit_test_setup_teardown(a_damaged_index_is_refused, open_index, close_index),
        cmocka_unit_test_setup_teardown(predictions_take_a_line_each, open_index, close_index),
        cmocka_unit_test_setup_teardown(what_has_the_same_cause_is_told_once, open_index,
                                        close_index),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
