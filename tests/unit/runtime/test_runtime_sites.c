/* The numbers of sites over all modules, also while modules come and go. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>
#include <time.h>

#include "runtime/report/counters.h"
#include "runtime/watch/sites.h"
#include "sites_fixture.h"

#define MODULES 4096 /* that have room */

/* A module of its own memory, as a shared object has it. */
static struct sites_fixture *new_module(uint32_t sites)
{
    struct sites_fixture *module = mmap(NULL, sizeof(*module), PROT_READ | PROT_WRITE,
                                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    assert_ptr_not_equal(module, MAP_FAILED);
    if (sites)
        fixture_fill(module, sites);
    return module;
}

static void announce(const struct sites_fixture *module)
{
    darn_sites_add(module->sites, module->sites + module->count);
}

static void unload(struct sites_fixture *module)
{
    munmap(module, sizeof(*module));
}

static void sites_of_all_modules_have_dense_numbers(void **state)
{
    struct sites_fixture *a = new_module(10), *b = new_module(1), *c = new_module(5);
    uint32_t first = darn_sites_count();

    (void)state;
    announce(a);
    announce(b);
    announce(c);
    assert_int_equal(darn_sites_count(), first + 16);
    for (uint32_t i = 0; i < 10; i++)
        assert_int_equal(darn_site_number(&a->sites[i]), first + i);
    assert_int_equal(darn_site_number(&b->sites[0]), first + 10);
    for (uint32_t i = 0; i < 5; i++)
        assert_int_equal(darn_site_number(&c->sites[i]), first + 11 + i);
    for (uint32_t i = first; i < first + 16; i++)
        assert_int_equal(darn_site_number(darn_site_at(i)), i);
}

static void what_nobody_has_announced_is_not_known(void **state)
{
    struct sites_fixture *module = new_module(10);

    (void)state;
    assert_int_equal(darn_site_number(&module->sites[0]), DARN_SITE_UNKNOWN);
    assert_null(darn_site_find(&module->sites[0]).mark);
    darn_sites_add(module->sites + 2, module->sites + 8);
    assert_int_equal(darn_site_number(&module->sites[1]), DARN_SITE_UNKNOWN);
    assert_int_equal(darn_site_number(&module->sites[8]), DARN_SITE_UNKNOWN);
    assert_int_not_equal(darn_site_number(&module->sites[7]), DARN_SITE_UNKNOWN);
    assert_int_equal(darn_site_number(NULL), DARN_SITE_UNKNOWN);
    assert_null(darn_site_at(darn_sites_count()));
    assert_null(darn_site_at(DARN_SITE_UNKNOWN));
    assert_int_equal(darn_site_key_at(DARN_SITE_UNKNOWN), 0);
    assert_false(darn_site_is_marked(DARN_SITE_UNKNOWN));
    assert_false(darn_site_mark(DARN_SITE_UNKNOWN));
}

static void a_module_without_sites_takes_no_numbers(void **state)
{
    struct sites_fixture *module = new_module(1);
    uint32_t count = darn_sites_count();

    (void)state;
    darn_sites_add(module->sites, module->sites);
    darn_sites_add(NULL, NULL);
    assert_int_equal(darn_sites_count(), count);
}

static void keys_are_those_of_the_sites(void **state)
{
    struct sites_fixture *module = new_module(200);
    struct darn_site_keys keys = {0};

    (void)state;
    announce(module);
    for (uint32_t i = 0; i < 200; i++) {
        const struct darn_site *site = &module->sites[i];

        assert_true(darn_site_key_at(darn_site_number(site)) == darn_site_key(site));
        assert_true(darn_site_next_key(&keys, site) == darn_site_key(site));
    }
}

static void a_mark_stays_with_its_site(void **state)
{
    struct sites_fixture *module = new_module(3);
    uint32_t number;

    (void)state;
    announce(module);
    number = darn_site_number(&module->sites[1]);
    assert_false(darn_site_is_marked(number));
    assert_true(darn_site_mark(number));
    assert_false(darn_site_mark(number));
    assert_true(darn_site_is_marked(number));
    assert_int_equal(atomic_load(darn_site_find(&module->sites[1]).mark), 1);
    assert_false(darn_site_is_marked(number - 1));
    assert_false(darn_site_is_marked(number + 1));
}

static void a_module_that_comes_back_to_its_place_has_its_numbers_again(void **state)
{
    struct sites_fixture *module = new_module(10);
    uint32_t number, count;

    (void)state;
    announce(module);
    number = darn_site_number(module->sites);
    count = darn_sites_count();
    darn_site_mark(number);
    announce(module);
    assert_int_equal(darn_sites_count(), count);
    assert_int_equal(darn_site_number(module->sites), number);
    assert_true(darn_site_is_marked(number));
}

static void another_module_in_its_place_has_numbers_of_its_own(void **state)
{
    struct sites_fixture *module = new_module(10);
    uint64_t key = darn_site_key(module->sites);
    uint32_t number;

    (void)state;
    announce(module);
    number = darn_site_number(module->sites);
    darn_site_mark(number);
    for (uint32_t i = 0; i < 10; i++)
        module->sites[i].line += 1000;
    darn_sites_add(module->sites + 1, module->sites + 10);
    assert_int_equal(darn_site_number(module->sites), DARN_SITE_UNKNOWN);
    assert_int_equal(darn_site_number(module->sites + 1), number + 10);
    assert_null(darn_site_at(number));
    assert_true(darn_site_key_at(number) == key); /* what was learned is not lost */
    assert_true(darn_site_is_marked(number));
    assert_false(darn_site_is_marked(number + 10));
}

static void a_record_is_copied_with_its_names(void **state)
{
    struct sites_fixture *module = new_module(0);
    struct darn_site_copy copy;
    const struct darn_site *site;

    (void)state;
    fixture_add(module, DARN_SITE_WRITE, 12, fixture_text(module, "bank.c"),
                fixture_text(module, "teller"), fixture_text(module, "acct->balance"));
    announce(module);
    site = &copy.site;
    assert_true(darn_site_copy(&copy, darn_site_number(module->sites)));
    assert_string_equal(copy.file, "bank.c");
    assert_string_equal(copy.function, "teller");
    assert_string_equal(copy.variable, "acct->balance");
    assert_int_equal(site->line, 12);
    assert_int_equal(site->kind, DARN_SITE_WRITE);
}

static void the_record_of_an_unloaded_module_is_not_there(void **state)
{
    struct sites_fixture *module = new_module(10);
    struct darn_site_copy copy;
    uint32_t number;
    void *other;

    (void)state;
    announce(module);
    number = darn_site_number(module->sites);
    unload(module);
    assert_false(darn_site_copy(&copy, number));
    assert_int_not_equal(darn_site_key_at(number), 0);
    /* Something else lies there, and must not be taken for it. */
    other = mmap(module, sizeof(*module), PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    assert_ptr_equal(other, module);
    assert_false(darn_site_copy(&copy, number));
    memset(other, 0x41, sizeof(*module));
    assert_false(darn_site_copy(&copy, number));
    munmap(other, sizeof(*module));
}

static void records_of_another_version_are_not_looked_into(void **state)
{
    struct sites_fixture *module = new_module(3);

    (void)state;
    module->sites[1].version = DARN_SITE_VERSION - 1;
    module->sites[1].place = module->sites[1].scope = INT32_MAX; /* would be far outside */
    announce(module);
    assert_int_not_equal(darn_site_key_at(darn_site_number(&module->sites[0])), 0);
    assert_int_equal(darn_site_key_at(darn_site_number(&module->sites[1])), 0);
    assert_int_not_equal(darn_site_key_at(darn_site_number(&module->sites[2])), 0);
}

#define LOADERS 4
#define LOADS   60

static _Atomic uint32_t faults;

/* Loads modules, and looks for its own sites meanwhile. */
static void *load_modules(void *unused)
{
    struct sites_fixture *modules[LOADS];
    uint32_t numbers[LOADS];

    (void)unused;
    for (uint32_t i = 0; i < LOADS; i++) {
        modules[i] = new_module(20);
        announce(modules[i]);
        numbers[i] = darn_site_number(modules[i]->sites);
        for (uint32_t j = 0; j <= i; j++) {
            if (darn_site_number(&modules[j]->sites[19]) != numbers[j] + 19 ||
                darn_site_at(numbers[j] + 7) != &modules[j]->sites[7] ||
                !darn_site_mark(numbers[j] + i % 20) != (i - j >= 20))
                faults++;
        }
    }
    return NULL;
}

static void modules_are_loaded_by_many_threads_at_once(void **state)
{
    pthread_t threads[LOADERS];
    uint32_t count = darn_sites_count();

    (void)state;
    for (int i = 0; i < LOADERS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, load_modules, NULL), 0);
    for (int i = 0; i < LOADERS; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(faults, 0);
    assert_int_equal(darn_sites_count(), count + LOADERS * LOADS * 20);
}

static double milliseconds(void)
{
    struct timespec time;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

static void a_large_module_is_announced_quickly(void **state)
{
    struct sites_fixture *module = new_module(50000);
    double start = milliseconds(), took;
    uint64_t sum = 0;

    (void)state;
    announce(module);
    took = milliseconds() - start;
    start = milliseconds();
    for (uint32_t i = 0; i < 50000; i++)
        sum += darn_site_number(&module->sites[i]);
    printf("50000 sites announced in %.2f ms, looked up in %.1f ns each\n", took,
           (milliseconds() - start) * 1e6 / 50000);
    assert_int_not_equal(sum, 0);
    assert_true(took < 500);
}

/* The last one: nothing can be announced after it. */
static void too_many_modules_are_not_known_and_counted(void **state)
{
    struct sites_fixture *module = new_module(MODULES + 10);

    (void)state;
    darn_counters_clear();
    for (uint32_t i = 0; i < MODULES + 10; i++)
        darn_sites_add(module->sites + i, module->sites + i + 1);
    assert_int_equal(darn_site_number(&module->sites[MODULES + 9]), DARN_SITE_UNKNOWN);
    assert_int_not_equal(darn_site_number(&module->sites[0]), DARN_SITE_UNKNOWN);
    assert_in_range(darn_counter_value(DARN_COUNT_SITES_UNKNOWN), 10, MODULES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sites_of_all_modules_have_dense_numbers),
        cmocka_unit_test(what_nobody_has_announced_is_not_known),
        cmocka_unit_test(a_module_without_sites_takes_no_numbers),
        cmocka_unit_test(keys_are_those_of_the_sites),
        cmocka_unit_test(a_mark_stays_with_its_site),
        cmocka_unit_test(a_module_that_comes_back_to_its_place_has_its_numbers_again),
        cmocka_unit_test(another_module_in_its_place_has_numbers_of_its_own),
        cmocka_unit_test(a_record_is_copied_with_its_names),
        cmocka_unit_test(the_record_of_an_unloaded_module_is_not_there),
        cmocka_unit_test(records_of_another_version_are_not_looked_into),
        cmocka_unit_test(modules_are_loaded_by_many_threads_at_once),
        cmocka_unit_test(a_large_module_is_announced_quickly),
        cmocka_unit_test(too_many_modules_are_not_known_and_counted),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
