/* What counts as a transaction (src/engine/atomicity/transactions.h). */
#include "engine_fixture.h"

#include "engine/atomicity/transactions.h"

static char log_text[512];
static bool open_of_0;

static void on_begin(void *to, uint32_t thread, uint32_t site)
{
    (void)to;
    sprintf(log_text + strlen(log_text), "%u+%u ", thread, site);
    open_of_0 |= thread == 0;
}

static void on_end(void *to, uint32_t thread)
{
    (void)to;
    sprintf(log_text + strlen(log_text), "%u- ", thread);
    open_of_0 &= thread != 0;
}

/* Functions at odd sites are static; those from 100 on were named by somebody. */
static enum darn_unit unit_at(const void *context, uint32_t site)
{
    (void)context;
    if (site >= 100)
        return DARN_UNIT_NAMED;
    return site % 2 == 0 ? DARN_UNIT_YES : DARN_UNIT_NO;
}

static struct darn_event on(uint8_t kind, uint32_t site, uint64_t target)
{
    return (struct darn_event){.kind = kind, .site = site, .target = target, .size = 4};
}

#define BEGIN(site)  on(DARN_EVENT_BEGIN, site, 0)
#define END(site)    on(DARN_EVENT_END, site, 0)
#define READ(site)   on(DARN_EVENT_READ, site, 0x10)
#define ACQ(site, l) on(DARN_EVENT_ACQUIRE, site, l)
#define REL(l)       on(DARN_EVENT_RELEASE, 0, l)
#define STEP(kind)   on(DARN_EVENT_##kind, 0, 0x77)
#define LOG_OF(...)                                                                                \
    log_of((const struct darn_event[]){__VA_ARGS__},                                               \
           sizeof((const struct darn_event[]){__VA_ARGS__}) / sizeof(struct darn_event))

static const char *log_of(const struct darn_event *events, size_t count)
{
    struct darn_engine_config config = {.is_unit = unit_at};
    struct darn_transactions_calls calls = {NULL, on_begin, on_end};
    struct darn_locksets *sets = darn_locksets_create();
    struct darn_held *held = darn_held_create(sets);
    struct darn_transactions *transactions = darn_transactions_create(&config, held, &calls);

    log_text[0] = '\0';
    open_of_0 = false;
    for (size_t i = 0; i < count; i++) {
        darn_transactions_before(transactions, &events[i]);
        if (darn_event_is_access(&events[i]))
            strcat(log_text, open_of_0 ? "r " : "(r) ");
        darn_held_event(held, &events[i]);
        darn_transactions_after(transactions, &events[i]);
    }
    darn_transactions_finish(transactions);
    darn_transactions_destroy(transactions);
    darn_held_destroy(held);
    darn_locksets_destroy(sets);
    return log_text;
}

static void an_external_function_is_one_and_nested_ones_are_not(void **state)
{
    (void)state;
    assert_string_equal(LOG_OF(BEGIN(10), READ(1), BEGIN(12), READ(1), END(12), END(10), READ(1)),
                        "0+10 r r 0- (r) ");
}

static void a_function_without_events_is_none(void **state)
{
    (void)state;
    assert_string_equal(LOG_OF(BEGIN(10), END(10)), "");
}

static void a_static_function_is_none_but_what_it_calls_is(void **state)
{
    (void)state;
    assert_string_equal(LOG_OF(BEGIN(11), READ(1), BEGIN(12), READ(1), END(12), READ(1), END(11)),
                        "(r) 0+12 r 0- (r) ");
}

static void the_outermost_critical_section_of_a_static_function_is_one(void **state)
{
    (void)state;
    assert_string_equal(LOG_OF(BEGIN(11), ACQ(21, 1), READ(1), ACQ(22, 2), REL(2), READ(1), REL(1),
                               READ(1), END(11)),
                        "0+21 r r 0- (r) ");
}

static void critical_sections_inside_of_a_transaction_are_none(void **state)
{
    (void)state;
    assert_string_equal(
        LOG_OF(BEGIN(10), ACQ(21, 1), READ(1), REL(1), ACQ(22, 1), READ(1), REL(1), END(10)),
        "0+10 r r 0- ");
}

static void a_function_inside_of_a_critical_section_is_none(void **state)
{
    (void)state;
    assert_string_equal(
        LOG_OF(BEGIN(11), ACQ(21, 1), BEGIN(12), READ(1), END(12), READ(1), REL(1), END(11)),
        "0+21 r r 0- ");
}

static void the_first_function_of_a_thread_is_none(void **state)
{
    (void)state;
    assert_string_equal(LOG_OF(STEP(START), BEGIN(10), READ(1), BEGIN(12), READ(1), END(12),
                               END(10), BEGIN(14), READ(1), END(14)),
                        "(r) 0+12 r 0- 0+14 r 0- ");
}

static void unless_it_was_named(void **state)
{
    (void)state;
    assert_string_equal(
        LOG_OF(STEP(START), BEGIN(101), READ(1), END(101), BEGIN(12), READ(1), END(12)),
        "0+101 r 0- 0+12 r 0- ");
}

/* DARN_ATOMIC_BEGIN and DARN_ATOMIC_END: the variable tells which ends. */
static void an_annotated_block_ends_where_its_variable_says(void **state)
{
    (void)state;
    assert_string_equal(LOG_OF(STEP(START), BEGIN(11), READ(1), on(DARN_EVENT_BEGIN, 102, 0x50),
                               READ(1), BEGIN(12), READ(1), on(DARN_EVENT_END, 104, 0x50), READ(1),
                               END(11), READ(1)),
                        "(r) 0+102 r r 0- (r) (r) ");
}

static struct darn_event block(uint32_t site, uint32_t stack)
{
    struct darn_event event = on(DARN_EVENT_BEGIN, site, 0x50);

    event.stack = stack;
    return event;
}

/* An exception has left it without an end; recursion has another stack. */
static void what_begins_again_at_the_same_stack_was_left(void **state)
{
    (void)state;
    assert_string_equal(LOG_OF(block(102, 7), READ(1), block(102, 7), READ(1),
                               on(DARN_EVENT_END, 104, 0x50), READ(1)),
                        "0+102 r 0- 0+102 r 0- (r) ");
    assert_string_equal(LOG_OF(block(102, 7), READ(1), block(102, 8), READ(1),
                               on(DARN_EVENT_END, 104, 0x50), READ(1),
                               on(DARN_EVENT_END, 104, 0x50), READ(1)),
                        "0+102 r r r 0- (r) ");
    assert_string_equal(
        LOG_OF(block(12, 7), READ(1), block(12, 7), READ(1), on(DARN_EVENT_END, 12, 0x50), READ(1)),
        "0+12 r r r 0- ");
}

static void waiting_for_others_ends_one_and_begins_the_next(void **state)
{
    (void)state;
    assert_string_equal(LOG_OF(BEGIN(10), READ(1), STEP(FORK), READ(1), STEP(JOIN), READ(1),
                               STEP(ARRIVE), STEP(DEPART), READ(1), END(10)),
                        "0+10 r 0- 0+10 r 0- 0+10 r 0- 0+10 r 0- ");
    assert_string_equal(LOG_OF(BEGIN(10), ACQ(21, 1), READ(1), STEP(WAIT), REL(1), ACQ(21, 1),
                               STEP(WAKE), READ(1), REL(1), END(10)),
                        "0+10 r 0- 0+10 r 0- ");
}

/* my_lock(); read; my_unlock(); */
static void wrappers_of_lock_leave_a_critical_section(void **state)
{
    (void)state;
    assert_string_equal(LOG_OF(BEGIN(10), ACQ(21, 1), END(10), READ(1), READ(1), BEGIN(12), REL(1),
                               END(12), READ(1)),
                        "0+10 0- 0+21 r r 0- (r) ");
}

static void functions_that_a_longjmp_left_are_left(void **state)
{
    (void)state;
    assert_string_equal(LOG_OF(BEGIN(11), BEGIN(12), READ(1), BEGIN(14), END(11), READ(1)),
                        "0+12 r 0- (r) ");
}

static void rules_override_the_defaults_both_ways(void **state)
{
    struct darn_unit_rules none = {NULL, NULL};
    struct darn_unit_rules rules = {"work, list_* main", "list_private debug"};

    (void)state;
    assert_int_equal(darn_unit_rules_say(&none, "f", DARN_UNIT_YES), DARN_UNIT_YES);
    assert_int_equal(darn_unit_rules_say(&none, "f", DARN_UNIT_NO), DARN_UNIT_NO);
    assert_int_equal(darn_unit_rules_say(&none, "main", DARN_UNIT_YES), DARN_UNIT_NO);
    assert_int_equal(darn_unit_rules_say(&rules, "main", DARN_UNIT_YES), DARN_UNIT_NAMED);
    assert_int_equal(darn_unit_rules_say(&rules, "work", DARN_UNIT_NO), DARN_UNIT_NAMED);
    assert_int_equal(darn_unit_rules_say(&rules, "list_add", DARN_UNIT_NO), DARN_UNIT_YES);
    assert_int_equal(darn_unit_rules_say(&rules, "list", DARN_UNIT_NO), DARN_UNIT_NO);
    assert_int_equal(darn_unit_rules_say(&rules, "list_private", DARN_UNIT_YES), DARN_UNIT_NO);
    assert_int_equal(darn_unit_rules_say(&rules, "debug", DARN_UNIT_YES), DARN_UNIT_NO);
    assert_int_equal(darn_unit_rules_say(&rules, "debugger", DARN_UNIT_YES), DARN_UNIT_YES);
}

static void rules_override_annotations_and_names_patterns(void **state)
{
    struct darn_unit_rules none = {NULL, NULL};
    struct darn_unit_rules rules = {"add main*", "* both"};
    struct darn_unit_rules both = {"both x*", "both x*"};

    (void)state;
    assert_int_equal(darn_unit_rules_say(&none, "f", DARN_UNIT_NAMED), DARN_UNIT_NAMED);
    assert_int_equal(darn_unit_rules_say(&none, "main", DARN_UNIT_NAMED), DARN_UNIT_NAMED);
    assert_int_equal(darn_unit_rules_say(&rules, "f", DARN_UNIT_NAMED), DARN_UNIT_NO);
    assert_int_equal(darn_unit_rules_say(&rules, "add", DARN_UNIT_NO), DARN_UNIT_NAMED);
    assert_int_equal(darn_unit_rules_say(&rules, "main_loop", DARN_UNIT_NO), DARN_UNIT_NO);
    assert_int_equal(darn_unit_rules_say(&both, "both", DARN_UNIT_YES), DARN_UNIT_NO);
    assert_int_equal(darn_unit_rules_say(&both, "xy", DARN_UNIT_YES), DARN_UNIT_NO);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_external_function_is_one_and_nested_ones_are_not),
        cmocka_unit_test(a_function_without_events_is_none),
        cmocka_unit_test(a_static_function_is_none_but_what_it_calls_is),
        cmocka_unit_test(the_outermost_critical_section_of_a_static_function_is_one),
        cmocka_unit_test(critical_sections_inside_of_a_transaction_are_none),
        cmocka_unit_test(a_function_inside_of_a_critical_section_is_none),
        cmocka_unit_test(the_first_function_of_a_thread_is_none),
        cmocka_unit_test(unless_it_was_named),
        cmocka_unit_test(an_annotated_block_ends_where_its_variable_says),
        cmocka_unit_test(what_begins_again_at_the_same_stack_was_left),
        cmocka_unit_test(waiting_for_others_ends_one_and_begins_the_next),
        cmocka_unit_test(wrappers_of_lock_leave_a_critical_section),
        cmocka_unit_test(functions_that_a_longjmp_left_are_left),
        cmocka_unit_test(rules_override_the_defaults_both_ways),
        cmocka_unit_test(rules_override_annotations_and_names_patterns),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
