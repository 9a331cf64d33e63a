/* What several engines or several traces tell of is one finding. */
#include "report_fixture.h"

#include "driver/analysis/verdicts.h"

static void add(struct darn_verdicts *verdicts, const char *id, const char *engine, uint64_t count,
                uint32_t trace)
{
    struct darn_finding *finding = bank_finding("/nowhere");

    finding->from_text_trace = true; /* nothing is to be looked up */
    finding->id = id;
    finding->engine = engine;
    finding->count = count;
    darn_verdicts_add(verdicts, finding, trace, NULL);
}

static void engines_join_and_traces_add_up(void **state)
{
    struct darn_verdicts verdicts = {0};

    (void)state;
    add(&verdicts, "a", "hb", 3, 1);
    add(&verdicts, "b", "hb", 1, 1);
    add(&verdicts, "a", "hybrid", 5, 1);
    assert_int_equal(verdicts.count, 2);
    assert_string_equal(verdicts.items[0].finding->engine, "hb, hybrid");
    assert_int_equal(verdicts.items[0].finding->count, 5);
    add(&verdicts, "a", "hb", 2, 2);
    add(&verdicts, "a", "hybrid", 4, 2);
    add(&verdicts, "a", "hb", 1, 3);
    assert_string_equal(verdicts.items[0].finding->engine, "hb, hybrid");
    assert_int_equal(verdicts.items[0].finding->count, 10);
    assert_string_equal(verdicts.items[1].finding->id, "b");
    for (int i = 0; i < 200; i++) {
        static char ids[200][8];

        snprintf(ids[i], sizeof(ids[i]), "x%d", i);
        add(&verdicts, ids[i], "eraser+", 1, 3);
    }
    assert_int_equal(verdicts.count, 202);
    darn_verdicts_free(&verdicts);
}

/* `eraser` is not in `eraser+`. */
static void names_of_engines_are_whole_words(void **state)
{
    struct darn_verdicts verdicts = {0};

    (void)state;
    add(&verdicts, "a", "eraser+", 1, 1);
    add(&verdicts, "a", "eraser", 1, 1);
    assert_string_equal(verdicts.items[0].finding->engine, "eraser+, eraser");
    darn_verdicts_free(&verdicts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(engines_join_and_traces_add_up),
        cmocka_unit_test(names_of_engines_are_whole_words),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
