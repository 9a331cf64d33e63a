/* Raw findings: read completely, and never trusted. */
#include "report_fixture.h"

#include "report/summary.h"
#include "report/symbol/resolve.h"

static void every_field_is_read(void **state)
{
    struct darn_finding *finding = read_finding(RAW_FINDING);
    struct darn_finding_access *write = &finding->accesses[0], *read = &finding->accesses[1];

    (void)state;
    assert_int_equal(finding->pid, 4711);
    assert_string_equal(finding->program, "/nowhere/bank");
    assert_string_equal(finding->id, "8f3c0a1b2c3d4e5f");
    assert_string_equal(finding->kind, "data-race");
    assert_string_equal(finding->certainty, "observed");
    assert_string_equal(finding->engine, "atomrace");
    assert_string_equal(finding->variable, "acct->balance");
    assert_int_equal(finding->count, 1);
    assert_int_equal(finding->address, 0x55550008);
    assert_int_equal(finding->size, 8);
    assert_true(finding->before.known && finding->before.bits == 0x64);
    assert_true(finding->after.known && finding->after.bits == 0x6e);
    assert_false(finding->same_value || finding->unknown_origin || finding->assertion);
    assert_int_equal(finding->access_count, 2);
    assert_int_equal(write->op, DARN_OP_WRITE);
    assert_true(write->has_site && write->value.known && write->value.bits == 0x78);
    assert_string_equal(write->thread_name, "teller");
    assert_string_equal(write->dir, "/nowhere");
    assert_int_equal(write->line, 4);
    assert_int_equal(write->column, 19);
    assert_int_equal(write->stack.count, 2);
    assert_int_equal(write->stack.frames[1].offset, 0x1300);
    assert_int_equal(read->op, DARN_OP_READ);
    assert_false(read->value.known);
    assert_int_equal(read->lock_count, 1);
    assert_int_equal(read->locks[0].address, 0x404040);
    assert_int_equal(finding->location.kind, DARN_LOCATION_HEAP);
    assert_int_equal(finding->location.size, 32);
    assert_int_equal(finding->thread_count, 2);
    assert_string_equal(darn_finding_thread(finding, "T2")->name, "audit");
    assert_null(darn_finding_thread(finding, "T3"));
    darn_finding_free(finding);
}

static void expect_refused(const char *json, const char *message)
{
    char error[512] = "";

    assert_null(darn_finding_read(json, strlen(json), error, sizeof(error)));
    expect_part(error, message);
    assert_null(strchr(error, '\n'));
}

static void what_is_no_finding_is_refused_in_one_line(void **state)
{
    (void)state;
    expect_refused("", "empty");
    expect_refused("hello", "not JSON");
    expect_refused("{\"raw\":1", "not JSON");
    expect_refused("[1,2]", "\"raw\":1");
    expect_refused("{}", "\"raw\":1");
    expect_refused("{\"raw\":2,\"kind\":\"data-race\"}", "\"raw\":1");
    expect_refused("{\"raw\":1}", "no kind");
    expect_refused("{\"raw\":1,\"kind\":\"data-race\"}", "no id");
    expect_refused("{\"raw\":1,\"kind\":\"data-race\",\"id\":\"1\"}", "no accesses");
    expect_refused("{\"raw\":1,\"kind\":\"data-race\",\"id\":\"1\",\"accesses\":[]}",
                   "no accesses");
    expect_refused(
        "{\"raw\":1,\"kind\":\"data-race\",\"id\":\"1\",\"accesses\":[{\"op\":\"eat\"}]}",
        "op is not");
}

/* Reads, resolves and prints: whatever is in it, nothing crashes (the point under ASan). */
static bool survives(const char *json, size_t length)
{
    char error[512] = "";
    struct darn_finding *finding = darn_finding_read(json, length, error, sizeof(error));

    if (!finding) {
        assert_true(error[0]);
        return false;
    }
    darn_resolve(finding);
    free(print_finding("text", finding, NULL));
    free(print_finding("json", finding, NULL));
    darn_finding_free(finding);
    return true;
}

static void every_truncation_is_refused(void **state)
{
    size_t length = strlen(RAW_FINDING);

    (void)state;
    for (size_t i = 0; i < length; i++)
        assert_false(survives(RAW_FINDING, i));
    assert_true(survives(RAW_FINDING, length));
}

/* Each value in turn becomes something else. */
static void values_of_the_wrong_type_count_as_missing(void **state)
{
    static const char *const others[] = {
        "null",           "[]",   "{}",    "-1",     "1e300",
        "true",           "\"\"", "[[1]]", "\"0x\"", "99999999999999",
        "{\"stack\":[0]}"};
    const char *raw = RAW_FINDING;
    char *changed = malloc(2 * strlen(raw));
    size_t survived = 0;

    (void)state;
    for (const char *colon = strchr(raw, ':'); colon; colon = strchr(colon + 1, ':')) {
        size_t head = (size_t)(colon + 1 - raw);
        size_t value = colon[1] == '"'   ? strcspn(colon + 2, "\"") + 2
                       : colon[1] == '[' ? 0
                       : colon[1] == '{' ? 0
                                         : strcspn(colon + 1, ",}]");

        if (!value)
            continue;
        for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
            sprintf(changed, "%.*s%s%s", (int)head, raw, others[i], raw + head + value);
            survived += survives(changed, strlen(changed));
        }
    }
    assert_true(survived > 200);
    free(changed);
}

static void lists_of_the_wrong_type_count_as_empty(void **state)
{
    static const char *const odd[] = {
        "\"stack\":7",
        "\"stack\":[null,1,\"x\",[],{}]",
        "\"stack\":[{\"pc\":-1,\"module\":\"/dev/zero\",\"offset\":\"0x0\"}]",
        "\"stack\":[{\"module\":\"/tmp\",\"offset\":\"0xffffffffffffffff\"}]",
        "\"stack\":[{\"module\":\"[vdso]\"},{\"module\":\"\",\"offset\":\"0x10\"}]",
        "\"locks\":[null,{},{\"kind\":5,\"module\":\"/proc/self/exe\",\"offset\":\"0xfffffff\"}]",
        "\"locks\":{\"a\":1}",
    };
    char json[1024];

    (void)state;
    for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
        snprintf(
            json, sizeof(json),
            "{\"raw\":1,\"id\":\"1\",\"kind\":\"data-race\",\"place\":[],\"threads\":{\"a\":0},"
            "\"accesses\":[{\"op\":\"free\",%s}]}",
            odd[i]);
        assert_true(survives(json, strlen(json)));
    }
}

static void a_name_that_is_no_utf8_does_not_cost_the_finding(void **state)
{
    struct darn_finding *finding =
        read_finding("{\"raw\":1,\"id\":\"1\",\"kind\":\"data-race\",\"accesses\":[{\"op\":"
                     "\"read\",\"thread_name\":\"K\xf6ln \xc3\xa4 \xed\xa0\x80\"}]}");

    (void)state;
    assert_string_equal(finding->accesses[0].thread_name, "K?ln \xc3\xa4 ???");
    darn_finding_free(finding);
}

static void summaries_are_read_or_refused(void **state)
{
    char error[512];
    const char *good = "{\"raw\":1,\"pid\":4711,\"findings\":[{\"id\":\"1\",\"kind\":\"data-race\","
                       "\"count\":12},{\"id\":5},null],\"suppressed\":2}";
    struct darn_summary *summary = darn_summary_read(good, strlen(good), error, sizeof(error));

    (void)state;
    assert_non_null(summary);
    assert_int_equal(summary->pid, 4711);
    assert_int_equal(summary->suppressed, 2);
    assert_int_equal(summary->item_count, 1);
    assert_int_equal(summary->items[0].count, 12);
    darn_summary_free(summary);
    for (size_t i = 0; i < strlen(good); i++)
        assert_null(darn_summary_read(good, i, error, sizeof(error)));
    assert_null(darn_summary_read("{\"raw\":1}", 9, error, sizeof(error)));
    expect_part(error, "no findings");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_field_is_read),
        cmocka_unit_test(what_is_no_finding_is_refused_in_one_line),
        cmocka_unit_test(every_truncation_is_refused),
        cmocka_unit_test(values_of_the_wrong_type_count_as_missing),
        cmocka_unit_test(lists_of_the_wrong_type_count_as_empty),
        cmocka_unit_test(a_name_that_is_no_utf8_does_not_cost_the_finding),
        cmocka_unit_test(summaries_are_read_or_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
