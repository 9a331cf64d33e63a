/* The list of engines, and what must hold for each of them. */
#include "engine_fixture.h"

static void every_engine_is_found_by_its_name(void **state)
{
    (void)state;
    assert_int_equal(darn_engine_count(), 15);
    for (size_t i = 0; i < darn_engine_count(); i++) {
        const struct darn_engine *engine = darn_engine_at(i);

        assert_ptr_equal(darn_engine_find(engine->name), engine);
        assert_true(strlen(engine->help) > 0);
        assert_null(strchr(engine->help, '\n'));
    }
    assert_null(darn_engine_find("hbb"));
    assert_null(darn_engine_find(""));
}

static void a_trace_without_events_has_no_predictions(void **state)
{
    (void)state;
    for (size_t i = 0; i < darn_engine_count(); i++) {
        struct trial trial = start(darn_engine_at(i), NULL);

        finish(&trial);
        assert_int_equal(trial.count, 0);
        assert_int_equal(trial.engine->dynamic(trial.state), 0);
        assert_int_equal(trial.engine->cost(trial.state).dropped, 0);
        assert_true(trial.engine->cost(trial.state).peak >= trial.engine->cost(trial.state).memory);
        stop(&trial);
    }
}

static uint64_t seed;

static uint32_t draw(uint32_t below)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (uint32_t)((seed >> 20) % below);
}

/* Anything at all: locks that are released by others, threads that join themselves, kinds that do
 * not exist. Targets are few, so that they meet. */
static struct darn_event any_event(void)
{
    static const uint64_t targets[] = {0, 1, 2, 3, 0x1000, 0x1004, 0x1008, 0x2000, UINT64_MAX - 2};
    struct darn_event event = {
        .kind = (uint8_t)draw(DARN_EVENT_KINDS + 2),
        .thread = draw(64) ? draw(6) : UINT32_MAX - draw(2),
        .target = targets[draw(sizeof(targets) / sizeof(targets[0]))],
        .extra = draw(2) ? draw(64) : seed,
        .flags = (uint16_t)(draw(2) ? 0 : draw(1 << 16)),
        .lock = (uint8_t)draw(5),
        .site = draw(8),
        .stack = draw(4),
    };

    event.size = draw(8) ? 1u << draw(4) : draw(5000);
    return event;
}

static void an_engine_takes_any_event(void **state)
{
    (void)state;
    for (size_t i = 0; i < darn_engine_count(); i++) {
        for (uint64_t round = 1; round <= 40; round++) {
            struct trial trial = start(darn_engine_at(i), NULL);
            uint64_t count = 0;

            seed = round * UINT64_C(0x9e3779b97f4a7c15);
            for (int event = 0; event < 1000; event++)
                give(&trial, any_event());
            finish(&trial);
            for (size_t p = 0; p < trial.count; p++) {
                assert_in_range(trial.predictions[p].step_count, 1, DARN_PREDICTION_STEPS);
                count += trial.predictions[p].count;
            }
            assert_int_equal(count, trial.engine->dynamic(trial.state));
            stop(&trial);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_engine_is_found_by_its_name),
        cmocka_unit_test(a_trace_without_events_has_no_predictions),
        cmocka_unit_test(an_engine_takes_any_event),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
