/* Waiting for one who is in a section: it has its bound, no circle is begun, and all is counted. */
#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <cmocka.h>

#include "runtime/heal.h"
#include "runtime/hold.h"
#include "runtime/os.h"
#include "runtime/sampler.h"
#include "runtime/state.h"
#include "runtime/turn_sync.h"
#include "runtime/vtime.h"
#include "runtime/waits.h"

#define MS UINT64_C(1000000)

/* A wait that lasts so long has not ended by itself; and one that does, ends well before. */
#define SHORT (10 * MS)
#define LONG  (10000 * MS)

/* No thread has it. */
#define NO_TID 0x3fffffff

struct darn_state darn_state;
__thread struct darn_thread *darn_thread_record;
bool darn_turns;

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

struct darn_thread *darn_thread_attach(void)
{
    return NULL;
}

uint32_t darn_threads_list(struct darn_thread **list, uint32_t most)
{
    assert_true(most >= 3);
    list[0] = &self;
    list[1] = &other;
    list[2] = &third;
    return 3;
}

void darn_thread_block(struct darn_thread *thread)
{
    (void)thread;
}

void darn_thread_unblock(struct darn_thread *thread)
{
    (void)thread;
}

void darn_sampler_start(void)
{
}

void darn_closed_show(struct darn_thread *thread)
{
    (void)thread;
}

void darn_heal_show(struct darn_thread *thread)
{
    (void)thread;
    shown++;
}

struct darn_lock *darn_lock_find(struct darn_locks *locks, uintptr_t address)
{
    for (uint32_t i = 0; i < locks->count; i++) {
        if (locks->held[i].address == address)
            return &locks->held[i];
    }
    return NULL;
}

bool darn_turn_call(struct darn_slot *unused, const volatile void *object, bool (*ready)(void *),
                    void *argument, uint64_t deadline, const void *frame)
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

uint64_t darn_vtime_now(void)
{
    return virtual_now;
}

/* ---- the stage ---- */

static struct darn_hold *hold_of(struct darn_thread *thread, uint8_t ops, uint8_t allow)
{
    struct darn_hold *hold = darn_hold_new(darn_healer_of(thread));

    assert_non_null(hold);
    hold->address = (uintptr_t)memory;
    hold->size = 8;
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

/* ---- the bound ---- */

static void nobody_in_the_way_is_no_wait(void **state)
{
    bool taken;

    (void)state;
    darn_hold_drop(theirs);
    time_to_take(&taken);
    assert_true(taken);
    expect_counts(0, 0, 0);
    assert_int_equal(cure.waited, 0);
}

static void a_wait_lasts_no_longer_than_its_bound(void **state)
{
    struct darn_clash clash;
    uint64_t time;
    bool taken;

    (void)state;
    cure.bound = SHORT;
    assert_false(darn_hold_try(mine, &clash));
    assert_true(darn_hold_stands(&clash));
    time = time_to_take(&taken);
    assert_false(taken);
    assert_in_range(time, SHORT, LONG - 1);
    expect_counts(0, 1, 0);
    assert_in_range(cure.waited, SHORT, LONG);
    assert_int_equal(cure.longest, cure.waited);
    assert_int_equal(shown, 1); /* what was left to its own locks is shown before it waits */
    assert_int_equal(self.wait.kind, DARN_WAIT_NONE);
    /* Nobody waits for the same one again. */
    assert_false(darn_hold_stands(&clash));
    assert_true(darn_hold_take(mine, __builtin_frame_address(0)));
}

static void *leave_when_awaited(void *unused)
{
    (void)unused;
    while (__atomic_load_n(&self.wait.kind, __ATOMIC_ACQUIRE) != DARN_WAIT_HEAL)
        sched_yield();
    darn_hold_drop(theirs);
    return NULL;
}

/* The other thread leaves as soon as it is waited for. */
static bool take_from_one_who_leaves(void)
{
    pthread_t thread;
    bool taken;

    assert_int_equal(pthread_create(&thread, NULL, leave_when_awaited, NULL), 0);
    time_to_take(&taken);
    pthread_join(thread, NULL);
    return taken;
}

static void who_leaves_lets_the_other_in(void **state)
{
    (void)state;
    assert_true(take_from_one_who_leaves());
    expect_counts(1, 0, 0);
    assert_false(cure.given_up);
}

static void who_waits_for_anybody_inside_is_soon_left_alone(void **state)
{
    uint64_t time;
    bool taken;

    (void)state;
    other.wait.kind = DARN_WAIT_BARRIER; /* for those whom it keeps out, perhaps */
    time = time_to_take(&taken);
    assert_false(taken);
    assert_in_range(time, 0, LONG / 2);
    expect_counts(0, 1, 0);
}

static void a_limit_of_the_caller_ends_it_and_is_nobodys_fault(void **state)
{
    struct darn_clash clash;
    uint64_t time;
    bool taken;

    (void)state;
    assert_false(darn_hold_try(mine, &clash));
    mine->until = darn_os_now() + SHORT;
    time = time_to_take(&taken);
    assert_false(taken);
    assert_in_range(time, SHORT / 2, LONG - 1);
    expect_counts(0, 0, 0);
    assert_int_not_equal(cure.waited, 0);
    assert_true(darn_hold_stands(&clash));
    assert_int_equal(cure.bound, LONG);
}

static void two_accesses_without_a_section_do_not_wait(void **state)
{
    bool taken;

    (void)state;
    theirs->cure = mine->cure = NULL;
    time_to_take(&taken);
    assert_false(taken);
    assert_int_equal(shown, 0);
}

static void who_is_only_yielded_to_is_passed_in_the_end(void **state)
{
    bool taken;

    (void)state;
    mine->soft = true;
    time_to_take(&taken);
    assert_true(taken);
    expect_counts(0, 0, 0);
}

/* ---- cures that are not worth it ---- */

static void wait_in_vain(void)
{
    bool taken;

    darn_hold_drop(theirs);
    darn_hold_drop(mine);
    theirs = hold_of(&other, DARN_ALLOW_ALL, 0);
    mine = hold_of(&self, DARN_ALLOW_ALL, 0);
    darn_hold_force(theirs);
    time_to_take(&taken);
    assert_false(taken);
}

static void waits_in_vain_become_shorter_and_then_the_cure_is_given_up(void **state)
{
    uint64_t began;
    uint32_t times = 0;
    bool taken;

    (void)state;
    cure.bound = 4 * MS;
    wait_in_vain();
    assert_int_equal(cure.bound, 2 * MS);
    while (!cure.given_up && ++times < 100)
        wait_in_vain();
    assert_in_range(times, 5, 20);
    assert_int_equal(cure.bound, MS); /* not less */
    began = cure.waited;
    wait_in_vain(); /* which is none any more */
    time_to_take(&taken);
    assert_int_equal(cure.waited, began);
}

static void good_waits_make_up_for_it(void **state)
{
    (void)state;
    darn_state.options.heal_bound = 3;
    cure.bound = 2 * MS;
    wait_in_vain();
    assert_int_equal(cure.bound, MS);
    assert_int_equal(cure.in_vain, 4);
    theirs->expired = false;
    darn_hold_drop(theirs);
    theirs = hold_of(&other, DARN_ALLOW_ALL, 0);
    darn_hold_force(theirs);
    cure.bound = LONG; /* however busy the machine is */
    assert_true(take_from_one_who_leaves());
    assert_int_equal(cure.in_vain, 3);
    assert_int_equal(cure.healed, 1);
    assert_false(cure.given_up);
}

/* ---- circles ---- */

static void expect_circle(void)
{
    uint64_t time;
    bool taken;

    time = time_to_take(&taken);
    assert_false(taken);
    assert_in_range(time, 0, LONG / 2);
    expect_counts(0, 0, 1);
    assert_false(cure.given_up);
}

static void expect_no_circle(void)
{
    bool taken;

    cure.bound = SHORT;
    time_to_take(&taken);
    assert_false(taken);
    expect_counts(0, 1, 0);
}

static void two_who_wait_for_each_other_are_a_circle(void **state)
{
    (void)state;
    other.wait = (struct darn_wait){.kind = DARN_WAIT_HEAL, .target = (uintptr_t)&self};
    expect_circle();
}

/* One of them is enough: the one with the highest number. */
static void of_two_who_could_go_on_the_other_one_does(void **state)
{
    (void)state;
    self.number = 0;
    other.wait = (struct darn_wait){.kind = DARN_WAIT_HEAL, .target = (uintptr_t)&self};
    expect_no_circle();
}

static void who_wants_our_mutex_is_not_waited_for(void **state)
{
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

    (void)state;
    pthread_mutex_lock(&mutex);
    other.wait = (struct darn_wait){.kind = DARN_WAIT_MUTEX, .target = (uintptr_t)&mutex};
    self.number = 0; /* the other cannot go on: whoever has the lower number */
    expect_circle();
    pthread_mutex_unlock(&mutex);
}

static void nor_who_needs_it_behind_a_condition_or_wants_it_for_a_while(void **state)
{
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

    (void)state;
    pthread_mutex_lock(&mutex);
    other.wait = (struct darn_wait){.kind = DARN_WAIT_OTHER};
    other.waits_with = (uintptr_t)&mutex;
    expect_circle();
    pthread_mutex_unlock(&mutex);
}

static void who_wants_the_mutex_of_somebody_else_is_waited_for(void **state)
{
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

    (void)state;
    other.wait = (struct darn_wait){.kind = DARN_WAIT_MUTEX, .target = (uintptr_t)&mutex};
    expect_no_circle();
}

static void a_mutex_that_is_gone_is_nobodys(void **state)
{
    void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    (void)state;
    assert_ptr_not_equal(page, MAP_FAILED);
    munmap(page, 4096);
    other.wait = (struct darn_wait){.kind = DARN_WAIT_MUTEX, .target = (uintptr_t)page};
    expect_no_circle();
}

static void who_joins_us_is_not_waited_for(void **state)
{
    (void)state;
    other.wait = (struct darn_wait){.kind = DARN_WAIT_JOIN, .target = self.number};
    expect_circle();
}

static void who_wants_to_write_what_we_read_is_not_waited_for(void **state)
{
    (void)state;
    self.locks.count = 1;
    self.locks.held[0] = (struct darn_lock){.address = 64, .kind = DARN_LOCK_READ};
    other.wait = (struct darn_wait){.kind = DARN_WAIT_WRITE, .target = 64};
    expect_circle();
}

static void two_readers_do_not_keep_each_other(void **state)
{
    (void)state;
    self.locks.count = 1;
    self.locks.held[0] = (struct darn_lock){.address = 64, .kind = DARN_LOCK_READ};
    other.wait = (struct darn_wait){.kind = DARN_WAIT_READ, .target = 64};
    expect_no_circle();
}

static void a_circle_of_three_is_seen(void **state)
{
    (void)state;
    other.wait = (struct darn_wait){.kind = DARN_WAIT_JOIN, .target = third.number};
    third.wait = (struct darn_wait){.kind = DARN_WAIT_JOIN, .target = self.number};
    expect_circle();
}

static void a_circle_of_others_is_not_ours(void **state)
{
    (void)state;
    other.wait = (struct darn_wait){.kind = DARN_WAIT_JOIN, .target = third.number};
    third.wait = (struct darn_wait){.kind = DARN_WAIT_JOIN, .target = other.number};
    expect_no_circle();
}

/* ---- ends that nobody tells ---- */

static void who_lingers_and_is_in_another_call_has_made_its_access(void **state)
{
    bool taken;

    (void)state;
    theirs->state = DARN_HOLD_LINGERS;
    other.wait.kind = DARN_WAIT_OTHER;
    time_to_take(&taken);
    assert_true(taken);
    expect_counts(1, 0, 0);
}

static void the_wait_that_a_handler_has_interrupted_goes_on(void **state)
{
    bool taken;

    (void)state;
    cure.bound = SHORT;
    darn_wait_begin(&self, DARN_WAIT_MUTEX, memory, NULL);
    time_to_take(&taken);
    assert_false(taken);
    assert_int_equal(self.wait.kind, DARN_WAIT_MUTEX);
    assert_int_equal(self.wait.target, (uintptr_t)memory);
}

static void who_has_jumped_out_of_a_wait_waits_no_more(void **state)
{
    (void)state;
    darn_wait_begin(&self, DARN_WAIT_HEAL, NULL, NULL);
    darn_hold_unwait(&self);
    assert_int_equal(self.wait.kind, DARN_WAIT_NONE);
    darn_wait_begin(&self, DARN_WAIT_JOIN, NULL, NULL);
    darn_hold_unwait(&self); /* that is another one */
    assert_int_equal(self.wait.kind, DARN_WAIT_JOIN);
}

/* ---- controlled runs ---- */

static void in_a_controlled_run_it_is_a_step_with_a_bound(void **state)
{
    bool taken;

    (void)state;
    darn_turns = true;
    self.slot = &slot;
    cure.bound = SHORT;
    time_to_take(&taken);
    assert_false(taken);
    assert_in_range(asked_deadline, SHORT, 1000 * SHORT);
    expect_counts(0, 1, 0);
    gets_turn = true;
    time_to_take(&taken);
    assert_true(taken);
    expect_counts(0, 1, 0);
}

static void and_with_the_limit_of_the_caller(void **state)
{
    bool taken;

    (void)state;
    darn_turns = true;
    self.slot = &slot;
    mine->until = 1234;
    time_to_take(&taken);
    assert_false(taken);
    assert_int_equal(asked_deadline, 1234);
    expect_counts(0, 0, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(nobody_in_the_way_is_no_wait),
        TEST(a_wait_lasts_no_longer_than_its_bound),
        TEST(who_leaves_lets_the_other_in),
        TEST(who_waits_for_anybody_inside_is_soon_left_alone),
        TEST(a_limit_of_the_caller_ends_it_and_is_nobodys_fault),
        TEST(two_accesses_without_a_section_do_not_wait),
        TEST(who_is_only_yielded_to_is_passed_in_the_end),
        TEST(waits_in_vain_become_shorter_and_then_the_cure_is_given_up),
        TEST(good_waits_make_up_for_it),
        TEST(two_who_wait_for_each_other_are_a_circle),
        TEST(of_two_who_could_go_on_the_other_one_does),
        TEST(who_wants_our_mutex_is_not_waited_for),
        TEST(nor_who_needs_it_behind_a_condition_or_wants_it_for_a_while),
        TEST(who_wants_the_mutex_of_somebody_else_is_waited_for),
        TEST(a_mutex_that_is_gone_is_nobodys),
        TEST(who_joins_us_is_not_waited_for),
        TEST(who_wants_to_write_what_we_read_is_not_waited_for),
        TEST(two_readers_do_not_keep_each_other),
        TEST(a_circle_of_three_is_seen),
        TEST(a_circle_of_others_is_not_ours),
        TEST(who_lingers_and_is_in_another_call_has_made_its_access),
        TEST(the_wait_that_a_handler_has_interrupted_goes_on),
        TEST(who_has_jumped_out_of_a_wait_waits_no_more),
        TEST(in_a_controlled_run_it_is_a_step_with_a_bound),
        TEST(and_with_the_limit_of_the_caller),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
