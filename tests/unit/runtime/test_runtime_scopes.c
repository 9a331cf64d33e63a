/* Sections that people have written: over lines in the repository, and in the program itself. */
#include "section_stage.h"

void darn_atomic_begin(const volatile void *address, size_t size, const char *variable,
                       const char *function);
void darn_atomic_end(const volatile void *address);
__attribute__((preserve_most)) void darn_hook_atomic_begin(const struct darn_site *site);
__attribute__((preserve_most)) void darn_hook_atomic_end(const struct darn_site *site);

static union {
    struct darn_section_record record;
    struct {
        char head[sizeof(struct darn_section_record)];
        struct darn_section_point points[3];
        char text[64];
    };
} inferred;

static void lines_mean_what_the_compiler_has_inferred(void **state)
{
    (void)state;
    obey("  \"bank.c:9-13 x\"");
    inferred.record = (struct darn_section_record){
        .size = sizeof(inferred.head) + sizeof(inferred.points),
        .version = DARN_SECTION_VERSION,
        .kind = DARN_SECTION_PAIR,
        .count = 3,
    };
    strcpy(inferred.text, "bank.c");
    strcpy(inferred.text + 16, "f");
    strcpy(inferred.text + 32, "p->x");
    inferred.record.file = (int32_t)(inferred.text - (char *)&inferred.record.file);
    inferred.record.function = (int32_t)(inferred.text + 16 - (char *)&inferred.record.function);
    inferred.record.variable = (int32_t)(inferred.text + 32 - (char *)&inferred.record.variable);
    for (int i = 0; i < 3; i++) {
        const int numbers[] = {READ, WRITE, READ2};
        const struct darn_site *site = &module.sites[numbers[i]];

        inferred.points[i] = (struct darn_section_point){.key = darn_site_key(site),
                                                         .line = site->line,
                                                         .role = i ? DARN_ROLE_END : 0,
                                                         .kind = site->kind,
                                                         .allow = DARN_ALLOW_READ};
    }
    darn_rules_module(module.sites, module.sites + SITES, &inferred, inferred.text);
    go(&one, READ);
    go(&other, REMOTE_WRITE);
    go(&one, WRITE);
    assert_int_equal(violations, 1);
    assert_string_equal(found_kind, "by-hand");
    assert_int_equal(found_line, 3);
    go(&one, READ);
    go(&other, REMOTE_WRITE);
    go(&one, READ2); /* outside of the lines */
    assert_int_equal(violations, 1);
    darn_sections_finish();
    assert_string_equal(said, "");
}

static void a_block_makes_pairs_of_its_accesses(void **state)
{
    (void)state;
    obey("");
    darn_thread_record = &one;
    darn_atomic_begin(&x, sizeof(x), "x", "f");
    go(&other, REMOTE_WRITE); /* before the first access */
    go(&one, READ);
    go(&one, READ2);
    assert_int_equal(violations, 0);
    go(&other, REMOTE_WRITE);
    go_in(&one, READ, &x, 3);
    assert_int_equal(violations, 1);
    go(&one, WRITE);
    assert_int_equal(violations, 1);
    go(&other, REMOTE_READ);
    go(&one, WRITE2);
    assert_int_equal(violations, 2);
    go_in(&other, REMOTE_WRITE, &y, 0);
    darn_thread_record = &one;
    darn_atomic_end(&x);
    nobody_is_inside();
    go(&other, REMOTE_WRITE);
    go(&one, READ);
    assert_int_equal(violations, 2);
}

static void a_function_is_one_section_for_each_variable(void **state)
{
    long own = 0;

    (void)state;
    obey("");
    one.stack_start = (uintptr_t)&own;
    one.stack_end = (uintptr_t)(&own + 1);
    darn_thread_record = &one;
    darn_hook_atomic_begin(&module.sites[CALL]);
    assert_true(darn_sections_want_all());
    go(&one, READ);
    go_in(&one, READ, &y, 1);
    go_in(&one, READ, &own, 1);
    go_in(&other, REMOTE_WRITE, &own, 0); /* nobody looks at the thread's own stack */
    go_in(&one, READ, &own, 1);
    assert_int_equal(violations, 0);
    go_in(&other, REMOTE_WRITE, &y, 0);
    darn_thread_record = &one;
    darn_hook_atomic_begin(&module.sites[CALL]); /* a call inside belongs to it */
    go(&one, READ2);
    assert_int_equal(violations, 0);
    go_in(&one, READ2, &y, 2);
    assert_int_equal(violations, 1);
    darn_hook_atomic_end(&module.sites[CALL]);
    go(&other, REMOTE_WRITE);
    darn_thread_record = &one;
    go(&one, READ);
    assert_int_equal(violations, 2);
    darn_hook_atomic_end(&module.sites[CALL]);
    nobody_is_inside();
    assert_false(darn_sections_want_all());
}

static void who_throws_out_of_a_function_is_out_of_it(void **state)
{
    (void)state;
    obey("");
    darn_thread_record = &one;
    darn_hook_atomic_begin(&module.sites[CALL]);
    go(&one, READ);
    darn_sections_abandon(&one);
    nobody_is_inside();
    assert_false(darn_sections_want_all());
    assert_int_equal(one.scope_depth, 0);
}

static void free_memory(struct darn_thread *thread, long *memory)
{
    struct darn_touch freed = {
        .address = (uintptr_t)memory, .size = sizeof(*memory), .op = DARN_OP_FREE};
    const void *hook = &frames[0];

    darn_sections_access(thread, &freed, &hook);
    darn_sections_meet(thread, &freed, &hook);
}

/* The next one at that address may be anybody's. */
static void memory_that_a_function_frees_is_its_variable_no_more(void **state)
{
    (void)state;
    obey("");
    darn_thread_record = &one;
    darn_hook_atomic_begin(&module.sites[CALL]);
    go(&one, READ);
    free_memory(&one, &x);
    go(&other, REMOTE_WRITE);
    free_memory(&other, &x);
    go(&one, READ2);
    assert_int_equal(violations, 0);
    darn_thread_record = &one;
    darn_hook_atomic_end(&module.sites[CALL]);
    nobody_is_inside();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(lines_mean_what_the_compiler_has_inferred),
        TEST(a_block_makes_pairs_of_its_accesses),
        TEST(a_function_is_one_section_for_each_variable),
        TEST(who_throws_out_of_a_function_is_out_of_it),
        TEST(memory_that_a_function_frees_is_its_variable_no_more),
    };

    return play(tests, sizeof(tests) / sizeof(tests[0]));
}
