/* Whose lock is given back in the middle of a section, and whose is not. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "runtime/heal/elision.h"
#include "runtime/heal/heal_closed.h"
#include "runtime/heal/hold.h"
#include "runtime/state.h"
#include "runtime/thread/own.h"

static struct darn_thread self = {.number = 1};
static struct darn_cure cure;
static struct darn_rule rule = {.kind = DARN_SECTION_TEST_USE, .cure = &cure};
static pthread_mutex_t lock;
static long variable;
static uint32_t forbidden;

void __wrap_darn_elision_forbid(const struct darn_rule *which)
{
    assert_ptr_equal(which, &rule);
    forbidden++;
}

/* The thread has the lock, and has gone into a section under it. */
static struct darn_hold *go_in(enum darn_hold_state state)
{
    struct darn_hold *hold = darn_hold_new(darn_healer_of(&self));
    struct darn_clash clash;

    assert_non_null(hold);
    hold->stay.rule = &rule;
    hold->stay.address = (uintptr_t)&variable;
    hold->stay.size = sizeof(variable);
    hold->ops = DARN_ALLOW_READ;
    hold->allow = DARN_ALLOW_READ;
    hold->cure = &cure;
    hold->soft = true; /* it closes nothing */
    hold->locks = 1;
    assert_true(darn_hold_try(hold, &clash));
    hold->state = (uint8_t)state;
    if (state == DARN_HOLD_LINGERS) {
        self.healer->ending |= 1u << (hold - self.healer->holds);
        self.lingers = true;
    }
    return hold;
}

static void who_is_inside_has_its_section_torn_apart(void **state)
{
    struct darn_hold *hold = go_in(DARN_HOLD_INSIDE);

    (void)state;
    darn_closed_give(&self, &lock);
    assert_int_equal(forbidden, 1);
    assert_int_equal(hold->locks, 0);
    darn_hold_drop(hold);
}

/* No hook stands behind its last access: that the lock is given back says that it was made. */
static void what_has_ended_was_whole(void **state)
{
    (void)state;
    go_in(DARN_HOLD_LINGERS);
    darn_closed_give(&self, &lock);
    assert_int_equal(forbidden, 0);
    assert_int_equal(self.healer->used, 0);
    assert_false(self.lingers);
}

static void nor_does_a_wait_tear_apart_what_has_ended(void **state)
{
    struct darn_hold *hold;

    (void)state;
    go_in(DARN_HOLD_LINGERS);
    darn_closed_tear(&self);
    assert_int_equal(forbidden, 0);
    hold = go_in(DARN_HOLD_INSIDE);
    darn_closed_tear(&self);
    assert_int_equal(forbidden, 1);
    darn_hold_drop(hold);
}

static int start(void **state)
{
    (void)state;
    darn_state = (struct darn_state){.ready = true, .mode = DARN_MODE_HEAL};
    forbidden = 0;
    assert_int_equal(darn_holds_open(), 0);
    darn_own_begin(&self);
    darn_own_add(&lock, false, false);
    return 0;
}

static int end(void **state)
{
    (void)state;
    darn_own_remove(&lock);
    return 0;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(who_is_inside_has_its_section_torn_apart),
        TEST(what_has_ended_was_whole),
        TEST(nor_does_a_wait_tear_apart_what_has_ended),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
