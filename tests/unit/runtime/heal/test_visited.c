/* Where sections have been. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "runtime/heal/visited.h"

/* More than a table of the size of a page or two could keep. */
#define MANY 50000

static uintptr_t address_of(uint32_t i)
{
    return 0x7f0000001000 + (uintptr_t)i * 48;
}

static void no_place_is_forgotten_however_many_there_are(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < MANY; i++)
        darn_visited_add(address_of(i));
    for (uint32_t i = 0; i < MANY; i++)
        assert_true(darn_visited_has(address_of(i)));
}

static void few_others_are_taken_for_one(void **state)
{
    uint32_t known = 0;

    (void)state;
    for (uint32_t i = 0; i < MANY; i++)
        known += darn_visited_has(address_of(i) + ((uintptr_t)1 << 36));
    assert_in_range(known, 0, MANY / 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_place_is_forgotten_however_many_there_are),
        cmocka_unit_test(few_others_are_taken_for_one),
    };

    if (darn_visited_open())
        return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
