/* The bytes that guards look at: which follow attention, and which are set because their code is
 * cold. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/watch/attention.h"
#include "runtime/watch/looks.h"
#include "site/armed.h"

enum { SITES = 40, CHUNKS = (SITES + DARN_ARMED_TOGETHER - 1) / DARN_ARMED_TOGETHER, OFTEN = 1000 };

/* In one struct: armed bytes are named by their distance. */
static struct module {
    struct darn_site sites[SITES];
    _Alignas(DARN_ARMED_CHUNK) uint8_t bytes[CHUNKS][DARN_ARMED_CHUNK];
} module, other;

/* What the linker does. */
static void link_module(struct module *made)
{
    memset(made, 0, sizeof(*made));
    for (int i = 0; i < SITES; i++) {
        struct darn_site *site = &made->sites[i];
        uint8_t *armed = &made->bytes[i / DARN_ARMED_TOGETHER][i % DARN_ARMED_TOGETHER];

        site->version = DARN_SITE_VERSION;
        site->kind = DARN_SITE_WRITE;
        site->armed = (int32_t)((uintptr_t)armed - (uintptr_t)&site->armed);
    }
}

static void load(struct module *made)
{
    link_module(made);
    darn_looks_add(made->sites, made->sites + SITES);
}

static void unload(struct module *gone)
{
    darn_looks_remove(gone->sites, gone->sites + SITES);
}

static int look(int number)
{
    return *darn_site_look(&module.sites[number]);
}

static void raise_attention(void)
{
    darn_attention_sample(true);
}

static void lower_attention(void)
{
    darn_attention_sample(false);
}

/* Runs first: as long as there is one thread, nothing is cold. */
static void bytes_follow_attention_while_nothing_is_cold(void **state)
{
    (void)state;
    load(&module);
    assert_int_equal(look(0), 0);
    raise_attention();
    for (int i = 0; i < SITES; i++)
        assert_int_equal(look(i), 1);
    lower_attention();
    for (int i = 0; i < SITES; i++)
        assert_int_equal(look(i), 0);
    unload(&module);
}

static void a_module_that_comes_while_attention_is_raised_is_told(void **state)
{
    (void)state;
    raise_attention();
    load(&module);
    assert_int_equal(look(SITES - 1), 1);
    lower_attention();
    assert_int_equal(look(SITES - 1), 0);
    unload(&module);
}

/* From here on sites are cold. */
static void what_has_seldom_run_looks_whatever_attention_is(void **state)
{
    (void)state;
    load(&module);
    darn_looks_begin();
    for (int i = 0; i < SITES; i++)
        assert_int_equal(look(i), 1);
    raise_attention();
    lower_attention();
    assert_int_equal(look(3), 1);
    assert_true(darn_armed(&module.sites[3]) & DARN_ARMED_COLD);
    unload(&module);
}

static void run_often(int number)
{
    for (int i = 0; i < OFTEN; i++) {
        assert_true(darn_armed(&module.sites[number]) & DARN_ARMED_COLD);
        darn_looks_count(&module.sites[number], true);
    }
    assert_false(darn_armed(&module.sites[number]) & DARN_ARMED_COLD);
}

static void what_has_run_often_follows_attention_and_its_neighbours_do_not(void **state)
{
    (void)state;
    load(&module);
    run_often(17);
    assert_int_equal(look(17), 0);
    assert_int_equal(look(16), 1);
    assert_int_equal(look(0), 1);
    raise_attention();
    assert_int_equal(look(17), 1);
    lower_attention();
    assert_int_equal(look(17), 0);
    assert_int_equal(look(18), 1);
    unload(&module);
}

static void what_becomes_hot_while_attention_is_raised_looks_until_it_is_lowered(void **state)
{
    (void)state;
    load(&module);
    raise_attention();
    run_often(39);
    assert_int_equal(look(39), 1);
    lower_attention();
    assert_int_equal(look(39), 0);
    unload(&module);
}

static void marks_and_what_others_stand_for_are_never_cold(void **state)
{
    (void)state;
    link_module(&module);
    module.sites[1].kind = DARN_SITE_LEAVE;
    module.sites[2].flags = DARN_SITE_EXTRA;
    module.sites[3].flags = DARN_SITE_SPIN;
    darn_looks_add(module.sites, module.sites + SITES);
    for (int i = 1; i <= 3; i++)
        assert_int_equal(darn_armed(&module.sites[i]), 0);
    unload(&module);
}

static void a_module_that_is_gone_is_not_written_to(void **state)
{
    static uint8_t before[sizeof(other)];

    (void)state;
    load(&module);
    load(&other);
    unload(&other);
    memset(&other, 0x5a, sizeof(other)); /* something else lies there */
    memcpy(before, &other, sizeof(other));
    raise_attention();
    lower_attention();
    assert_memory_equal(before, &other, sizeof(other));
    run_often(5);
    assert_int_equal(look(5), 0);
    unload(&module);
}

static void times_count_for_more_where_the_budget_is_used_up(void **state)
{
    (void)state;
    load(&module);
    for (int i = 0; i < OFTEN / 50; i++) {
        assert_int_equal(look(20), 1);
        darn_looks_count(&module.sites[20], false);
    }
    assert_int_equal(look(20), 0);
    unload(&module);
}

/* Runs last. */
static void nothing_looks_when_the_program_is_over(void **state)
{
    (void)state;
    load(&module);
    darn_attention_off();
    for (int i = 0; i < SITES; i++)
        assert_int_equal(look(i), 0);
    unload(&module);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_follow_attention_while_nothing_is_cold),
        cmocka_unit_test(a_module_that_comes_while_attention_is_raised_is_told),
        cmocka_unit_test(what_has_seldom_run_looks_whatever_attention_is),
        cmocka_unit_test(what_has_run_often_follows_attention_and_its_neighbours_do_not),
        cmocka_unit_test(what_becomes_hot_while_attention_is_raised_looks_until_it_is_lowered),
        cmocka_unit_test(marks_and_what_others_stand_for_are_never_cold),
        cmocka_unit_test(a_module_that_is_gone_is_not_written_to),
        cmocka_unit_test(times_count_for_more_where_the_budget_is_used_up),
        cmocka_unit_test(nothing_looks_when_the_program_is_over),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
