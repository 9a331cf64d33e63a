/* A stage for tests of waits: another thread is in a section, and we want to go into one. */
#ifndef DARN_TESTS_HEAL_WAIT_STAGE_H
#define DARN_TESTS_HEAL_WAIT_STAGE_H

#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <cmocka.h>

#include "runtime/control/turn_sync.h"
#include "runtime/control/vtime.h"
#include "runtime/heal/heal.h"
#include "runtime/heal/hold.h"
#include "runtime/os/os.h"
#include "runtime/state.h"
#include "runtime/thread/waits.h"

#define MS UINT64_C(1000000)

/* A wait that lasts so long has not ended by itself; and one that does, ends well before. */
#define SHORT (10 * MS)
#define LONG  (10000 * MS)

/* No thread has it. */
#define NO_TID 0x3fffffff

static struct darn_thread self, other, third;
static struct darn_cure cure;
static _Alignas(64) char memory[64];
static struct darn_hold *theirs, *mine;
static uint32_t shown;

/* Of controlled runs. */
static struct darn_slot slot;
static bool gets_turn;
static uint64_t asked_deadline, virtual_now;

/* ---- stand-ins ---- */

struct darn_thread *__wrap_darn_threads_next(uint32_t *place)
{
    struct darn_thread *threads[] = {&self, &other, &third};

    return *place < 3 ? threads[(*place)++] : NULL;
}

void __wrap_darn_heal_show(struct darn_thread *thread)
{
    (void)thread;
    shown++;
}

bool __wrap_darn_turn_call(struct darn_slot *unused, const volatile void *object,
                           bool (*ready)(void *), void *argument, uint64_t deadline,
                           const void *frame)
{
    (void)unused;
    (void)object;
    (void)ready;
    (void)argument;
    (void)frame;
    asked_deadline = deadline;
    if (gets_turn)
        darn_hold_drop(theirs);
    else
        virtual_now = deadline;
    return gets_turn;
}

uint64_t __wrap_darn_vtime_now(void)
{
    return virtual_now;
}

/* ---- the stage ---- */

static struct darn_hold *hold_of(struct darn_thread *thread, uint8_t ops, uint8_t allow)
{
    struct darn_hold *hold = darn_hold_new(darn_healer_of(thread));

    assert_non_null(hold);
    hold->stay.address = (uintptr_t)memory;
    hold->stay.size = 8;
    hold->ops = ops;
    hold->allow = allow;
    hold->cure = &cure;
    hold->state = DARN_HOLD_INSIDE;
    return hold;
}

/* The other thread is in a section that allows nothing, and we want to go into one. */
static int start(void **state)
{
    struct darn_healer *kept[] = {self.healer, other.healer, third.healer};
    struct darn_clash clash;

    (void)state;
    self = (struct darn_thread){.number = 3, .tid = darn_os_thread_id(), .healer = kept[0]};
    other = (struct darn_thread){.number = 2, .tid = NO_TID, .healer = kept[1]};
    third = (struct darn_thread){.number = 1, .tid = NO_TID - 1, .healer = kept[2]};
    self.is_alive = other.is_alive = third.is_alive = true;
    darn_state = (struct darn_state){.ready = true, .mode = DARN_MODE_HEAL};
    darn_state.options.heal_bound = LONG / MS;
    darn_turns = gets_turn = false;
    virtual_now = asked_deadline = 0;
    shown = 0;
    cure = (struct darn_cure){.bound = LONG};
    assert_int_equal(darn_holds_open(), 0);
    theirs = hold_of(&other, DARN_ALLOW_ALL, 0);
    mine = hold_of(&self, DARN_ALLOW_ALL, 0);
    assert_true(darn_hold_try(theirs, &clash));
    return 0;
}

static int end(void **state)
{
    (void)state;
    darn_hold_drop(theirs);
    darn_hold_drop(mine);
    return 0;
}

/* Takes hold; how long that took. */
static uint64_t time_to_take(bool *taken)
{
    uint64_t began = darn_os_now();

    *taken = darn_hold_take(mine, __builtin_frame_address(0));
    return darn_os_now() - began;
}

static void expect_counts(uint64_t healed, uint64_t expired, uint64_t cycles)
{
    assert_int_equal(cure.healed, healed);
    assert_int_equal(cure.expired, expired);
    assert_int_equal(cure.cycles, cycles);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start, end)

#endif
