/* Which code is known: what darn has compiled, the libraries of the system, and entries of the
 * linkage table that lead there. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "runtime/order/outside.h"
#include "site/site_guard.h"

/* What stands for code: the mark, a jump by way of a word, and the word. */
struct entry {
    uint64_t mark;
    unsigned char code[16];
    uintptr_t target;
};

static struct entry entry, marked = {.mark = DARN_INSIDE};

static void fill_jump(uintptr_t target, bool has_endbr)
{
    size_t at = has_endbr ? 4 : 0;
    int32_t distance = (int32_t)((char *)&entry.target - (char *)&entry.code[at + 6]);

    memset(&entry, 0, sizeof(entry));
    entry.target = target;
    if (has_endbr)
        memcpy(entry.code, "\xf3\x0f\x1e\xfa", 4);
    memcpy(entry.code + at, "\xff\x25", 2);
    memcpy(entry.code + at + 2, &distance, sizeof(distance));
}

static uintptr_t of_libc(void)
{
    return (uintptr_t)dlsym(RTLD_NEXT, "strtoul");
}

static uintptr_t of_unknown_library(void)
{
    return (uintptr_t)dlsym(RTLD_NEXT, "_cmocka_run_group_tests");
}

static bool is_known(const void *code, bool *for_good)
{
    return darn_outside_is_known((uintptr_t)code, for_good);
}

static void what_is_marked_is_known(void **state)
{
    bool for_good;

    (void)state;
    assert_true(darn_outside_is_marked((uintptr_t)marked.code));
    assert_true(is_known(marked.code, &for_good));
    assert_true(for_good);
    assert_false(darn_outside_is_marked((uintptr_t)marked.code + 1));
    assert_false(darn_outside_is_marked(0)); /* nothing can be read there */
    assert_false(darn_outside_is_marked(4096));
}

static void what_is_not_marked_is_not(void **state)
{
    bool for_good;

    (void)state;
    memset(&entry, 0, sizeof(entry));
    assert_false(is_known(entry.code, &for_good));
    assert_false(is_known((const void *)(uintptr_t)what_is_marked_is_known, &for_good));
    assert_false(is_known((const void *)16, &for_good));
}

static void libraries_of_the_system_are_known(void **state)
{
    bool for_good;

    (void)state;
    assert_true(darn_outside_is_known(of_libc(), &for_good));
    assert_true(for_good);
    assert_int_not_equal(of_unknown_library(), 0);
    assert_false(darn_outside_is_known(of_unknown_library(), &for_good));
}

static void the_linkage_table_is_looked_through(void **state)
{
    bool for_good;

    (void)state;
    for (int has_endbr = 0; has_endbr < 2; has_endbr++) {
        fill_jump(of_libc(), has_endbr);
        assert_true(is_known(entry.code, &for_good));
        assert_true(for_good);
        fill_jump(of_unknown_library(), has_endbr);
        assert_false(is_known(entry.code, &for_good));
        fill_jump(16, has_endbr);
        assert_false(is_known(entry.code, &for_good));
    }
}

/* An entry that is not bound yet leads to the same module, and will lead elsewhere. */
static void what_leads_to_its_own_module_may_change(void **state)
{
    bool for_good;

    (void)state;
    fill_jump((uintptr_t)marked.code, false);
    assert_true(is_known(entry.code, &for_good));
    assert_false(for_good);
}

static void ours_is_what_is_not_of_the_system(void **state)
{
    (void)state;
    assert_true(darn_outside_is_ours((uintptr_t)ours_is_what_is_not_of_the_system));
    assert_true(darn_outside_is_ours(of_unknown_library()));
    assert_false(darn_outside_is_ours(of_libc()));
    assert_false(darn_outside_is_ours(16));
}

static void each_module_that_asks_is_told(void **state)
{
    volatile uint8_t asks[2] = {1, 1}, unknown = 1;

    (void)state;
    for (int i = 0; i < 2; i++) {
        assert_int_equal(darn_outside_ask(of_libc(), &asks[i]), DARN_OUTSIDE_IS_KNOWN);
        assert_int_equal(asks[i], 0);
    }
    assert_int_equal(darn_outside_ask(of_libc(), NULL), DARN_OUTSIDE_IS_KNOWN);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(darn_outside_ask(of_unknown_library(), &unknown), DARN_OUTSIDE_IS_FOREIGN);
        assert_int_equal(unknown, 1);
    }
}

/* Other code may come to lie where a module was. */
static void what_is_foreign_is_found_out_once_until_a_module_goes(void **state)
{
    (void)state;
    fill_jump(of_unknown_library(), false);
    assert_int_equal(darn_outside_ask((uintptr_t)entry.code, NULL), DARN_OUTSIDE_IS_FOREIGN);
    fill_jump(of_libc(), false);
    assert_int_equal(darn_outside_ask((uintptr_t)entry.code, NULL), DARN_OUTSIDE_IS_FOREIGN);
    darn_outside_forget();
    assert_int_equal(darn_outside_ask((uintptr_t)entry.code, NULL), DARN_OUTSIDE_IS_KNOWN);
    darn_outside_forget();
}

/* An entry that is not bound yet is asked for again. */
static void what_may_change_is_not_kept(void **state)
{
    (void)state;
    fill_jump((uintptr_t)entry.code + 1, false);
    assert_int_equal(darn_outside_ask((uintptr_t)entry.code, NULL), DARN_OUTSIDE_IS_FOREIGN);
    fill_jump(of_libc(), false);
    assert_int_equal(darn_outside_ask((uintptr_t)entry.code, NULL), DARN_OUTSIDE_IS_KNOWN);
    darn_outside_forget();
}

/* A function whose name says nothing may tell others something: it is asked for each time. */
static void libc_is_not_known_where_it_may_tell_something(void **state)
{
    volatile uint8_t asks = DARN_ASKS_STRICTLY, silent = DARN_ASKS;

    (void)state;
    assert_int_equal(darn_outside_ask(of_libc(), &silent), DARN_OUTSIDE_IS_KNOWN);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(darn_outside_ask(of_libc(), &asks), DARN_OUTSIDE_IS_LIBC);
        assert_int_equal(asks, DARN_ASKS_STRICTLY);
    }
}

static void an_unknown_library_is_seen(void **state)
{
    (void)state;
    darn_outside = 0;
    darn_outside_look(); /* cmocka's */
    assert_true(darn_outside);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_marked_is_known),
        cmocka_unit_test(what_is_not_marked_is_not),
        cmocka_unit_test(libraries_of_the_system_are_known),
        cmocka_unit_test(the_linkage_table_is_looked_through),
        cmocka_unit_test(what_leads_to_its_own_module_may_change),
        cmocka_unit_test(ours_is_what_is_not_of_the_system),
        cmocka_unit_test(each_module_that_asks_is_told),
        cmocka_unit_test(what_is_foreign_is_found_out_once_until_a_module_goes),
        cmocka_unit_test(what_may_change_is_not_kept),
        cmocka_unit_test(libc_is_not_known_where_it_may_tell_something),
        cmocka_unit_test(an_unknown_library_is_seen),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
