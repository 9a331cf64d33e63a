/* The JSON writer: what it writes is JSON, whatever the values, and never more than fits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include <jansson.h>

#include "base/json_file.h"

static char text[1024];
static struct darn_json json;

static int start(void **state)
{
    (void)state;
    memset(text, 'x', sizeof(text));
    darn_json_start(&json, text, sizeof(text));
    return 0;
}

static void a_text_that_was_only_started_is_empty(void **state)
{
    (void)state;
    assert_string_equal(text, "");
    assert_false(json.text.cut);
}

static void commas_come_by_themselves(void **state)
{
    (void)state;
    darn_json_open(&json, NULL, '{');
    darn_json_number(&json, "a", 1);
    darn_json_open(&json, "b", '[');
    darn_json_close(&json, ']');
    darn_json_open(&json, "c", '[');
    darn_json_string(&json, NULL, "x");
    darn_json_open(&json, NULL, '{');
    darn_json_bool(&json, "d", true);
    darn_json_bool(&json, "e", false);
    darn_json_close(&json, '}');
    darn_json_number(&json, NULL, 2);
    darn_json_close(&json, ']');
    darn_json_hex(&json, "f", 255);
    darn_json_close(&json, '}');
    assert_string_equal(
        text, "{\"a\":1,\"b\":[],\"c\":[\"x\",{\"d\":true,\"e\":false},2],\"f\":\"0xff\"}");
    assert_int_equal(json.text.used, strlen(text));
}

static void numbers_keep_their_value_to_the_ends_of_the_range(void **state)
{
    (void)state;
    darn_json_open(&json, NULL, '[');
    darn_json_number(&json, NULL, 0);
    darn_json_number(&json, NULL, -1);
    darn_json_number(&json, NULL, INT64_MAX);
    darn_json_number(&json, NULL, INT64_MIN);
    darn_json_close(&json, ']');
    assert_string_equal(text, "[0,-1,9223372036854775807,-9223372036854775808]");
}

static void addresses_are_written_without_leading_zeros(void **state)
{
    (void)state;
    darn_json_open(&json, NULL, '[');
    darn_json_hex(&json, NULL, 0);
    darn_json_hex(&json, NULL, 0x10);
    darn_json_hex(&json, NULL, UINT64_C(0x8000000000000001));
    darn_json_hex(&json, NULL, UINT64_MAX);
    darn_json_close(&json, ']');
    assert_string_equal(text, "[\"0x0\",\"0x10\",\"0x8000000000000001\",\"0xffffffffffffffff\"]");
}

static void quotes_backslashes_and_control_characters_are_escaped(void **state)
{
    (void)state;
    darn_json_string(&json, "a\"b", "\\ \" / \n \t \x1f \x7f");
    assert_string_equal(text, "\"a\\\"b\":\"\\\\ \\\" / \\n \\t \\u001F \x7f\"");
}

static void letters_beyond_ascii_are_left_as_they_are(void **state)
{
    (void)state;
    darn_json_string(&json, NULL, "Konto-\xc3\xbc \xe2\x82\xac");
    assert_string_equal(text, "\"Konto-\xc3\xbc \xe2\x82\xac\"");
}

/* The reader on the other side gets back each byte that was written. */
static void bytes_that_are_no_letters_are_taken_for_latin_1(void **state)
{
    (void)state;
    darn_json_open(&json, NULL, '[');
    darn_json_string(&json, NULL, "b\xe4r.c");     /* not followed by what a sequence needs */
    darn_json_string(&json, NULL, "\xc3");         /* cut at the end */
    darn_json_string(&json, NULL, "\xc0\xaf");     /* a slash, written too long */
    darn_json_string(&json, NULL, "\xed\xa0\x80"); /* half of a pair */
    darn_json_close(&json, ']');
    assert_string_equal(text, "[\"b\\u00E4r.c\",\"\\u00C3\",\"\\u00C0\\u00AF\","
                              "\"\\u00ED\\u00A0\\u0080\"]");
}

static void what_people_read_has_marks_and_what_is_a_name_stays(void **state)
{
    (void)state;
    json.bytes = DARN_JSON_MARK;
    darn_json_open(&json, NULL, '[');
    darn_json_string(&json, NULL, "b\xe4r\xc3\xbc.c");
    json.bytes = DARN_JSON_KEEP;
    darn_json_string(&json, NULL, "b\xe4r\xc3\xbc.c");
    darn_json_close(&json, ']');
    assert_string_equal(text, "[\"b?r\xc3\xbc.c\",\"b\xe4r\xc3\xbc.c\"]");
}

static void a_string_of_parts_is_the_same_as_one_of_one(void **state)
{
    static const char value[] = "\"a\\\n\x01 \xe4 \xc3\xbc";
    char whole[128];
    size_t start;

    (void)state;
    for (int bytes = DARN_JSON_LATIN1; bytes <= DARN_JSON_KEEP; bytes++) {
        darn_json_start(&json, whole, sizeof(whole));
        json.bytes = (enum darn_json_bytes)bytes;
        darn_json_string(&json, "k", value);
        for (size_t size = strlen(whole); size <= strlen(whole) + 1; size++) {
            darn_json_start(&json, text, size);
            json.bytes = (enum darn_json_bytes)bytes;
            start = darn_json_string_open(&json, "k");
            darn_text_part(&json.text, value, 3);
            darn_text_add(&json.text, value + 3);
            darn_json_string_close(&json, start);
            assert_int_equal(json.text.cut, size <= strlen(whole));
        }
        assert_string_equal(text, whole);
    }
}

static void lines_and_blanks_are_where_they_are_wanted(void **state)
{
    (void)state;
    json.spaced = true;
    darn_json_open(&json, NULL, '{');
    darn_json_number(&json, "a", 1);
    darn_json_break(&json, 1);
    darn_json_open(&json, "b", '[');
    darn_json_break(&json, 2);
    darn_json_literal(&json, NULL, "null");
    darn_json_number(&json, NULL, 2);
    darn_json_break(&json, 1);
    darn_json_close(&json, ']');
    darn_json_close(&json, '}');
    darn_json_end_line(&json);
    darn_json_number(&json, NULL, 3);
    assert_string_equal(text, "{\"a\": 1,\n \"b\": [\n  null, 2\n ]}\n3");
}

static void in_a_tool_the_text_grows(void **state)
{
    struct darn_json growing;
    json_t *root;

    (void)state;
    darn_json_start_growing(&growing);
    darn_json_open(&growing, NULL, '[');
    for (int i = 0; i < 10000; i++) {
        size_t start = darn_json_string_open(&growing, NULL);

        darn_text_add(&growing.text, "\n\n\n");
        darn_json_string_close(&growing, start);
    }
    darn_json_close(&growing, ']');
    assert_false(growing.text.cut);
    root = json_loads(growing.text.to, 0, NULL);
    assert_int_equal(json_array_size(root), 10000);
    assert_string_equal(json_string_value(json_array_get(root, 9999)), "\n\n\n");
    json_decref(root);
    darn_json_release(&growing);
}

static void real_numbers_stay_real(void **state)
{
    (void)state;
    darn_json_open(&json, NULL, '[');
    darn_json_real(&json, NULL, 2, 6);
    darn_json_real(&json, NULL, 0.1, 6);
    darn_json_real(&json, NULL, 1e30, 6);
    darn_json_close(&json, ']');
    assert_string_equal(text, "[2.0,0.1,1e+30]");
}

static void another_reader_reads_what_was_written(void **state)
{
    char all[128];
    json_t *root;

    (void)state;
    for (int i = 0; i < 127; i++)
        all[i] = (char)(i + 1);
    all[127] = '\0';
    darn_json_open(&json, NULL, '{');
    darn_json_string(&json, all, all);
    darn_json_number(&json, "least", INT64_MIN);
    darn_json_close(&json, '}');
    root = json_loads(text, 0, NULL);
    assert_non_null(root);
    assert_string_equal(json_string_value(json_object_get(root, all)), all);
    assert_true(json_integer_value(json_object_get(root, "least")) == INT64_MIN);
    json_decref(root);
}

static void write_some(struct darn_json *to)
{
    darn_json_open(to, NULL, '{');
    darn_json_string(to, "name", "a\"\n");
    darn_json_hex(to, "at", UINT64_MAX);
    darn_json_number(to, "n", -12);
    darn_json_close(to, '}');
}

static void a_text_that_does_not_fit_is_cut_and_marked(void **state)
{
    char whole[128], small[128];
    size_t length;

    (void)state;
    darn_json_start(&json, whole, sizeof(whole));
    write_some(&json);
    length = strlen(whole);
    assert_false(json.text.cut);
    for (size_t size = 1; size <= length + 1; size++) {
        memset(small, 'x', sizeof(small));
        darn_json_start(&json, small, size);
        write_some(&json);
        assert_int_equal(json.text.cut, size <= length);
        assert_int_equal(strlen(small), size - 1);
        assert_memory_equal(small, whole, size - 1);
        assert_int_equal(small[size], 'x'); /* nothing behind the end */
    }
}

static void no_room_at_all_is_left_alone(void **state)
{
    char nothing = 'x';

    (void)state;
    darn_json_start(&json, &nothing, 0);
    write_some(&json);
    assert_int_equal(nothing, 'x');
    assert_true(json.text.cut);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_text_that_was_only_started_is_empty, start),
        cmocka_unit_test_setup(commas_come_by_themselves, start),
        cmocka_unit_test_setup(numbers_keep_their_value_to_the_ends_of_the_range, start),
        cmocka_unit_test_setup(addresses_are_written_without_leading_zeros, start),
        cmocka_unit_test_setup(quotes_backslashes_and_control_characters_are_escaped, start),
        cmocka_unit_test_setup(letters_beyond_ascii_are_left_as_they_are, start),
        cmocka_unit_test_setup(bytes_that_are_no_letters_are_taken_for_latin_1, start),
        cmocka_unit_test_setup(what_people_read_has_marks_and_what_is_a_name_stays, start),
        cmocka_unit_test_setup(a_string_of_parts_is_the_same_as_one_of_one, start),
        cmocka_unit_test_setup(lines_and_blanks_are_where_they_are_wanted, start),
        cmocka_unit_test_setup(in_a_tool_the_text_grows, start),
        cmocka_unit_test_setup(real_numbers_stay_real, start),
        cmocka_unit_test_setup(another_reader_reads_what_was_written, start),
        cmocka_unit_test_setup(a_text_that_does_not_fit_is_cut_and_marked, start),
        cmocka_unit_test_setup(no_room_at_all_is_left_alone, start),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
