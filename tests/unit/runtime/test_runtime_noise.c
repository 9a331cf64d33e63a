/* Which accesses and calls the user's noise holds: specifications against site records. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "runtime/heal/heal.h"
#include "runtime/os/os.h"
#include "runtime/section/sections.h"
#include "runtime/state.h"
#include "runtime/watch/noise_inject.h"

#define SITES 4097 /* one more than are remembered: the last shares its place with the first */

static struct darn_thread thread;
static uint32_t alive;
static uint64_t now, slept, yields;

/* In one struct with the records, so that the strings are near enough: named by their distance from
 * the head's field, which is 0. */
static struct {
    struct darn_site head;
    struct darn_site sites[SITES];
    struct darn_scope scopes[SITES];
    char text[1 << 14];
    size_t used;
} table;

uint32_t __wrap_darn_threads_alive(void)
{
    return alive;
}

uint64_t __wrap_darn_os_now(void)
{
    return now += 100; /* time passes when one looks at it */
}

void __wrap_darn_os_sleep(uint64_t nanoseconds)
{
    slept += nanoseconds;
}

void __wrap_darn_os_yield(void)
{
    yields++;
}

static uint32_t held_inside;

void __wrap_darn_sections_at_call(struct darn_thread *who)
{
    assert_ptr_equal(who, &thread);
    held_inside++;
}

void __wrap_darn_heal_done(struct darn_thread *who, const void *frame)
{
    assert_null(frame);
    assert_ptr_equal(who, &thread);
    who->lingers = false;
}

/* The next test needs other sites: which specification fits one is remembered by its address. */
static size_t next_site;

static int start(void **state)
{
    (void)state;
    darn_state.options.noise_count = 0;
    darn_state.options.noise_kind = DARN_NOISE_SLEEP;
    thread = (struct darn_thread){.random = 12345};
    alive = 2;
    now = slept = yields = 0;
    return 0;
}

static void specify(const char *text)
{
    struct darn_options *options = &darn_state.options;

    assert_int_equal(darn_noise_parse(&options->noise[options->noise_count++], text, strlen(text)),
                     0);
}

static uint32_t place_of(const void *of)
{
    return (uint32_t)((const char *)of - (const char *)&table.head.texts);
}

static uint32_t name(const char *text)
{
    char *to = table.text + table.used;

    assert_true(table.used + strlen(text) < sizeof(table.text));
    strcpy(to, text);
    table.used += strlen(text) + 1;
    return place_of(to);
}

static struct darn_site *site_at(size_t index, const char *file, uint32_t line,
                                 const char *variable)
{
    struct darn_site *site = &table.sites[index];

    table.scopes[index].file = name(file);
    *site = (struct darn_site){.place = (uint32_t)index + 1,
                               .scope = place_of(&table.scopes[index]),
                               .variable = name(variable),
                               .line = line};
    return site;
}

static uint64_t noise_at(const char *file, uint32_t line, const char *variable)
{
    return darn_noise_at_site(&thread, site_at(next_site++, file, line, variable));
}

static void variable_is_held(const char *variable)
{
    if (noise_at("bank.c", 1, variable) == 0)
        fail_msg("'%s' is not held", variable);
}

static void variable_is_let_go(const char *variable)
{
    if (noise_at("bank.c", 1, variable) != 0)
        fail_msg("'%s' is held", variable);
}

static void without_noise_nothing_is_held(void **state)
{
    (void)state;
    variable_is_let_go("balance");
    darn_noise_at_call(&thread);
    assert_int_equal(slept, 0);
}

static void random_noise_holds_any_access(void **state)
{
    (void)state;
    specify("random:1000/50");
    variable_is_held("balance");
    variable_is_held("");
}

/* Around it: threads that always wait equally long could fall into step. */
static void the_strength_is_a_mean_in_microseconds(void **state)
{
    struct darn_site *site = site_at(next_site++, "bank.c", 1, "x");
    uint64_t sum = 0, least = UINT64_MAX, most = 0;

    (void)state;
    specify("random:1000/50");
    for (int i = 0; i < 1000; i++) {
        uint64_t noise = darn_noise_at_site(&thread, site);

        sum += noise;
        least = noise < least ? noise : least;
        most = noise > most ? noise : most;
    }
    assert_in_range(sum / 1000, 48000, 52000);
    assert_in_range(least, 25000, 27000);
    assert_in_range(most, 73000, 75000);
}

static void a_variable_is_meant_by_its_whole_name(void **state)
{
    (void)state;
    specify("var:acct->balance:1000/1");
    variable_is_held("acct->balance");
    variable_is_held("*acct->balance");
    variable_is_let_go("other->balance");
    variable_is_let_go("balance");
    variable_is_let_go("acct->balance2");
    variable_is_let_go("acct");
    variable_is_let_go("");
}

static void a_variable_is_meant_by_the_last_part_of_its_name(void **state)
{
    (void)state;
    specify("var:balance:1000/1");
    variable_is_held("balance");
    variable_is_held("acct->balance");
    variable_is_held("acct.balance");
    variable_is_held("tab[].balance");
    variable_is_held("*balance");
    variable_is_let_go("imbalance");
    variable_is_let_go("balance.low");
    variable_is_let_go("balance_2");
}

static void elements_of_arrays_are_meant_as_the_site_names_them(void **state)
{
    (void)state;
    specify("var:tab[].next:1000/1");
    specify("var:row[3]:1000/1");
    variable_is_held("tab[].next");
    variable_is_held("p->tab[].next");
    variable_is_held("row[3]");
    variable_is_let_go("tab[3].next");
    variable_is_let_go("arrow[3]");
    variable_is_let_go("row[]");
}

static void a_site_is_meant_by_line_and_end_of_path(void **state)
{
    (void)state;
    specify("site:bank.c:12:1000/1");
    assert_int_not_equal(noise_at("bank.c", 12, "x"), 0);
    assert_int_not_equal(noise_at("../src/bank.c", 12, "x"), 0);
    assert_int_equal(noise_at("bank.c", 13, "x"), 0);
    assert_int_equal(noise_at("mybank.c", 12, "x"), 0);
    assert_int_equal(noise_at("bank.cc", 12, "x"), 0);
    assert_int_equal(noise_at("", 12, "x"), 0);
}

static void a_path_means_only_the_files_that_end_with_it(void **state)
{
    (void)state;
    specify("site:src/bank.c:12:1000/1");
    assert_int_not_equal(noise_at("src/bank.c", 12, "x"), 0);
    assert_int_not_equal(noise_at("/home/me/src/bank.c", 12, "x"), 0);
    assert_int_equal(noise_at("bank.c", 12, "x"), 0);
    assert_int_equal(noise_at("test/bank.c", 12, "x"), 0);
}

static void what_is_aimed_comes_before_what_is_random(void **state)
{
    (void)state;
    specify("random:1000/1");
    specify("var:balance:1000/70");
    specify("random:1000/2");
    assert_in_range(noise_at("bank.c", 1, "balance"), 35000, 105000);
    assert_in_range(noise_at("bank.c", 1, "other"), 500, 3000);
}

static void a_thread_that_is_alone_is_not_held(void **state)
{
    (void)state;
    specify("random:1000/50");
    alive = 1;
    variable_is_let_go("balance");
}

static uint32_t held_of_10000(const char *specification)
{
    struct darn_site *site = site_at(next_site++, "bank.c", 1, "x");
    uint32_t count = 0;

    darn_state.options.noise_count = 0;
    specify(specification);
    for (int i = 0; i < 10000; i++)
        count += darn_noise_at_site(&thread, site) != 0;
    return count;
}

static void the_frequency_is_per_mille(void **state)
{
    (void)state;
    assert_int_equal(held_of_10000("random:0/50"), 0);
    assert_in_range(held_of_10000("random:10/50"), 60, 140);
    assert_in_range(held_of_10000("random:500/50"), 4800, 5200);
    assert_int_equal(held_of_10000("random:1000/50"), 10000);
}

static void the_same_seed_makes_the_same_choices(void **state)
{
    struct darn_site *site = site_at(next_site++, "bank.c", 1, "x");
    uint64_t held[200];

    (void)state;
    specify("random:300/5");
    for (int i = 0; i < 200; i++)
        held[i] = darn_noise_at_site(&thread, site);
    thread.random = 12345;
    for (int i = 0; i < 200; i++)
        assert_int_equal(darn_noise_at_site(&thread, site), held[i]);
}

static void sites_that_share_a_place_in_the_memory_are_not_mixed_up(void **state)
{
    struct darn_site *first = site_at(0, "a.c", 1, "held");
    struct darn_site *last = site_at(SITES - 1, "a.c", 1, "free");

    (void)state;
    specify("var:held:1000/9");
    for (int i = 0; i < 3; i++) {
        assert_int_equal(darn_noise_at_site(&thread, last), 0);
        assert_int_not_equal(darn_noise_at_site(&thread, first), 0);
        assert_int_not_equal(darn_noise_at_site(&thread, first), 0);
    }
}

static void only_random_noise_delays_calls(void **state)
{
    (void)state;
    specify("var:x:1000/5");
    specify("site:a.c:1:1000/5");
    darn_noise_at_call(&thread);
    assert_int_equal(slept + yields + now, 0);
    specify("random:1000/5");
    darn_noise_at_call(NULL); /* a thread that is not known */
    assert_int_equal(slept, 0);
    darn_noise_at_call(&thread);
    assert_in_range(slept, 2500, 7500);
}

static void calls_are_delayed_in_the_way_that_was_asked_for(void **state)
{
    uint64_t begin;

    (void)state;
    specify("random:1000/20");
    darn_state.options.noise_kind = DARN_NOISE_YIELD;
    darn_noise_at_call(&thread);
    assert_int_equal(yields, 1);
    assert_int_equal(slept, 0);
    darn_state.options.noise_kind = DARN_NOISE_BUSY;
    begin = now;
    darn_noise_at_call(&thread);
    assert_in_range(now - begin, 10000, 30400);
    assert_int_equal(yields, 1);
    assert_int_equal(slept, 0);
}

static void noise_for_sections_holds_no_access_but_threads_inside(void **state)
{
    (void)state;
    specify("section:1000/50");
    variable_is_let_go("balance");
    assert_false(darn_noise_is_at_sites());
    assert_in_range(darn_noise_in_section(&thread), 25000, 75000);
    held_inside = 0;
    darn_noise_at_call(&thread);
    assert_int_equal(held_inside, 0);
    thread.inside = 1;
    darn_noise_at_call(&thread);
    assert_int_equal(held_inside, 1);
    assert_int_equal(slept, 0);
    specify("var:balance:1000/50");
    assert_true(darn_noise_is_at_sites());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        /* first: it needs the places of the first and last site untouched */
        cmocka_unit_test_setup(sites_that_share_a_place_in_the_memory_are_not_mixed_up, start),
        cmocka_unit_test_setup(without_noise_nothing_is_held, start),
        cmocka_unit_test_setup(random_noise_holds_any_access, start),
        cmocka_unit_test_setup(the_strength_is_a_mean_in_microseconds, start),
        cmocka_unit_test_setup(a_variable_is_meant_by_its_whole_name, start),
        cmocka_unit_test_setup(a_variable_is_meant_by_the_last_part_of_its_name, start),
        cmocka_unit_test_setup(elements_of_arrays_are_meant_as_the_site_names_them, start),
        cmocka_unit_test_setup(a_site_is_meant_by_line_and_end_of_path, start),
        cmocka_unit_test_setup(a_path_means_only_the_files_that_end_with_it, start),
        cmocka_unit_test_setup(what_is_aimed_comes_before_what_is_random, start),
        cmocka_unit_test_setup(a_thread_that_is_alone_is_not_held, start),
        cmocka_unit_test_setup(the_frequency_is_per_mille, start),
        cmocka_unit_test_setup(the_same_seed_makes_the_same_choices, start),
        cmocka_unit_test_setup(only_random_noise_delays_calls, start),
        cmocka_unit_test_setup(calls_are_delayed_in_the_way_that_was_asked_for, start),
        cmocka_unit_test_setup(noise_for_sections_holds_no_access_but_threads_inside, start),
    };

    next_site = 1; /* 0 and the last belong to the first test */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
