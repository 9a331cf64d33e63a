/* What becomes of an access that calls: by the mode, and by the bits of its armed byte. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "runtime/heal/heal.h"
#include "runtime/record/record_profile.h"
#include "runtime/record/record.h"
#include "runtime/section/sections.h"
#include "runtime/spin/spins.h"
#include "runtime/state.h"
#include "runtime/watch/attention.h"
#include "runtime/watch/hook.h"
#include "site/armed.h"
#include "site/site_guard.h"

extern volatile uint8_t darn_attention;

#define HOOK __attribute__((preserve_most))

HOOK void darn_hook_access(uintptr_t address, const struct darn_site *site);
HOOK void darn_hook_spin(uintptr_t address, const struct darn_site *site);
HOOK void darn_look_access(uintptr_t address, const struct darn_site *site);
HOOK void darn_look_write(uintptr_t address, uint64_t value, const struct darn_site *site);

extern volatile uint8_t darn_filter[DARN_FILTER_SIZE];

static struct darn_thread thread = {.number = 1};
static long variable;
static struct {
    struct darn_site site; /* by itself: its own head */
    uint8_t armed;
} module;

/* What the hooks have passed it on to. */
static uint32_t healed, recorded, spun, profiled;
static struct {
    uint32_t watch, learn, play;
} did;
static bool marked;

void __wrap_darn_heal_access(struct darn_thread *self, const struct darn_touch *touch,
                             const void *frame)
{
    (void)self;
    (void)touch;
    (void)frame;
    healed++;
}

bool __wrap_darn_attention_is_marked(uintptr_t address, uint64_t size)
{
    (void)address;
    (void)size;
    return marked;
}

bool __wrap_darn_spins_read(struct darn_thread *self, uintptr_t address,
                            const struct darn_site *site)
{
    (void)self;
    (void)address;
    (void)site;
    spun++;
    return false;
}

void __wrap_darn_record_access(struct darn_thread *self, uintptr_t address, uint64_t size,
                               const struct darn_site *site, bool sync, const void *frame)
{
    (void)self;
    (void)address;
    (void)size;
    (void)site;
    (void)sync;
    (void)frame;
    recorded++;
}

void __wrap_darn_profile_module(const struct darn_site *start, const struct darn_site *stop)
{
    (void)start;
    (void)stop;
    profiled++;
}

void __wrap_darn_share_access(struct darn_thread *self, uintptr_t address, uint64_t size,
                              const struct darn_site *site, bool writes)
{
    (void)self;
    (void)address;
    (void)size;
    (void)site;
    (void)writes;
    did.learn++;
}

void __wrap_darn_turn_access(struct darn_thread *self, const struct darn_touch *touch,
                             const void *frame)
{
    (void)self;
    (void)touch;
    (void)frame;
    did.play++;
}

void __wrap_darn_turn_spin(struct darn_thread *self, uintptr_t address,
                           const struct darn_site *site, const void *frame)
{
    (void)self;
    (void)address;
    (void)site;
    (void)frame;
    did.play++;
}

bool __wrap_darn_watch_check(struct darn_thread *self, const struct darn_touch *touch,
                             const void *frame)
{
    (void)self;
    (void)touch;
    (void)frame;
    did.watch++;
    return false;
}

/* ---- the tests ---- */

static int start(void **state)
{
    (void)state;
    darn_state = (struct darn_state){.ready = true};
    darn_healing = darn_recording = darn_sections = marked = false;
    healed = recorded = spun = profiled = 0;
    memset(&did, 0, sizeof(did));
    thread = (struct darn_thread){.number = 1};
    darn_thread_record = &thread;
    module.armed = 0;
    module.site = (struct darn_site){
        .line = 1, .size = sizeof(variable), .kind = DARN_SITE_READ, .version = DARN_SITE_VERSION};
    module.site.armed = (int32_t)((char *)&module.armed - (char *)&module.site.armed);
    return 0;
}

static void read_it(void)
{
    darn_hook_access((uintptr_t)&variable, &module.site);
}

static void spin_on_it(void)
{
    darn_hook_spin((uintptr_t)&variable, &module.site);
}

static void a_spin_read_is_not_healed_while_a_run_learns(void **state)
{
    (void)state;
    darn_state.mode = DARN_MODE_LEARN;
    darn_healing = true;
    module.site.flags = DARN_SITE_SPIN;
    darn_armed_add(&module.site, DARN_ARMED_RECORD | DARN_ARMED_SYNC_READ);
    spin_on_it();
    read_it();
    assert_int_equal(healed, 0);
    assert_int_equal(spun, 1);
    darn_armed_add(&module.site, DARN_ARMED_HEAL);
    spin_on_it();
    read_it();
    assert_int_equal(healed, 2);
}

/* How many of an access and a write come to the hook. */
static uint32_t look_at_both(void)
{
    did.learn = 0;
    darn_look_access((uintptr_t)&variable, &module.site);
    darn_look_write((uintptr_t)&variable, 1, &module.site);
    return did.learn;
}

static void the_second_look_goes_on_where_the_filter_or_the_site_says_so(void **state)
{
    uint32_t line = darn_filter_index((uintptr_t)&variable);

    (void)state;
    darn_state.mode = DARN_MODE_LEARN;
    assert_int_equal(look_at_both(), 0);
    darn_filter[(line + 1) % DARN_FILTER_SIZE] = 1;
    assert_int_equal(look_at_both(), 0);
    darn_filter[(line + 1) % DARN_FILTER_SIZE] = 0;
    darn_filter[line] = 1;
    assert_int_equal(look_at_both(), 2);
    darn_filter[line] = 0;
    darn_armed_add(&module.site, DARN_ARMED_RECORD);
    assert_int_equal(look_at_both(), 2);
}

/* Every bit but the one that says so, one by one, in each mode. */
static void no_bit_of_another_heals(void **state)
{
    static const enum darn_mode modes[] = {DARN_MODE_WATCH, DARN_MODE_RECORD, DARN_MODE_LEARN,
                                           DARN_MODE_HEAL, DARN_MODE_CONTROL};

    (void)state;
    darn_healing = true;
    for (uint32_t i = 0; i < sizeof(modes) / sizeof(*modes); i++) {
        darn_state.mode = modes[i];
        for (uint32_t bit = 1; bit <= UINT8_MAX; bit <<= 1) {
            module.armed = 0;
            darn_armed_add(&module.site, bit);
            healed = 0;
            read_it();
            assert_int_equal(healed, bit == DARN_ARMED_HEAL);
        }
    }
}

static void each_mode_does_its_own_at_an_access_and_nothing_else(void **state)
{
    static const enum darn_mode modes[] = {DARN_MODE_WATCH, DARN_MODE_RECORD, DARN_MODE_LEARN,
                                           DARN_MODE_CONTROL, DARN_MODE_HEAL};

    (void)state;
    darn_recording = true;
    darn_armed_add(&module.site, DARN_ARMED_RECORD);
    for (uint32_t i = 0; i < sizeof(modes) / sizeof(*modes); i++) {
        darn_state.mode = modes[i];
        memset(&did, 0, sizeof(did));
        recorded = 0;
        read_it();
        assert_int_equal(did.watch, modes[i] == DARN_MODE_WATCH);
        assert_int_equal(recorded, modes[i] == DARN_MODE_RECORD);
        assert_int_equal(did.learn, modes[i] == DARN_MODE_LEARN);
        assert_int_equal(did.play, modes[i] == DARN_MODE_CONTROL);
    }
}

/* A read that goes on spinning is learned once (darn_spins_read says when). */
static void each_mode_does_its_own_at_a_read_that_spins(void **state)
{
    (void)state;
    darn_recording = true;
    module.site.flags = DARN_SITE_SPIN;
    darn_state.mode = DARN_MODE_RECORD;
    spin_on_it();
    assert_int_equal(recorded, 1);
    darn_state.mode = DARN_MODE_LEARN;
    spin_on_it();
    assert_int_equal(did.learn, 0);
    darn_state.mode = DARN_MODE_CONTROL;
    spin_on_it();
    assert_int_equal(did.play, 1);
    darn_state.mode = DARN_MODE_WATCH;
    spin_on_it();
    assert_int_equal(did.watch, 0);
    darn_attention = 1;
    darn_armed_add(&module.site, DARN_ARMED_RECORD);
    spin_on_it();
    darn_attention = 0;
    assert_int_equal(did.watch, 1);
    assert_true(thread.spinning);
    assert_int_equal(spun, 4); /* not where it waits for its turn */
}

static void an_access_to_marked_memory_is_healed_whatever_its_site(void **state)
{
    (void)state;
    darn_healing = marked = true;
    darn_state.mode = DARN_MODE_HEAL;
    read_it();
    assert_int_equal(healed, 1);
    darn_healing = false;
    read_it();
    assert_int_equal(healed, 1);
}

/* In a program that is built to be healed, an access that calls at an elided site holds no
 * lock. */
static void levels_are_healed_from_elided_on(void **state)
{
    (void)state;
    assert_false(darn_armed_is_healed(DARN_LEVEL_NONE, true));
    assert_false(darn_armed_is_healed(DARN_LEVEL_LEAVE, true));
    assert_true(darn_armed_is_healed(DARN_LEVEL_ELIDED, true));
    assert_true(darn_armed_is_healed(DARN_LEVEL_HEAL, true));
}

static void what_is_only_healed_is_not_recorded(void **state)
{
    (void)state;
    darn_state.mode = DARN_MODE_RECORD;
    darn_recording = darn_healing = true;
    darn_armed_add(&module.site, DARN_ARMED_HEAL | DARN_ARMED_RULE | DARN_ARMED_SCOPE);
    read_it();
    assert_int_equal(recorded, 0);
    assert_int_equal(healed, 1);
    darn_armed_add(&module.site, DARN_ARMED_RECORD);
    read_it();
    assert_int_equal(recorded, 1);
    darn_armed_remove(&module.site, DARN_ARMED_RECORD);
    assert_int_equal(darn_armed(&module.site),
                     DARN_ARMED_HEAL | DARN_ARMED_RULE | DARN_ARMED_SCOPE);
}

/* Armed bytes of programs that are only healed have no room for anything else. */
static void a_profile_arms_nothing_where_nothing_is_looked_for(void **state)
{
    (void)state;
    darn_state.options.profile[0] = 'p';
    darn_state.mode = DARN_MODE_HEAL;
    darn_hook_arm(&module.site, &module.site + 1);
    assert_int_equal(profiled, 0);
    assert_int_equal(darn_armed(&module.site), 0);
    darn_state.mode = DARN_MODE_WATCH;
    darn_hook_arm(&module.site, &module.site + 1);
    assert_int_equal(profiled, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_spin_read_is_not_healed_while_a_run_learns, start),
        cmocka_unit_test_setup(the_second_look_goes_on_where_the_filter_or_the_site_says_so, start),
        cmocka_unit_test_setup(no_bit_of_another_heals, start),
        cmocka_unit_test_setup(each_mode_does_its_own_at_an_access_and_nothing_else, start),
        cmocka_unit_test_setup(each_mode_does_its_own_at_a_read_that_spins, start),
        cmocka_unit_test_setup(an_access_to_marked_memory_is_healed_whatever_its_site, start),
        cmocka_unit_test_setup(levels_are_healed_from_elided_on, start),
        cmocka_unit_test_setup(what_is_only_healed_is_not_recorded, start),
        cmocka_unit_test_setup(a_profile_arms_nothing_where_nothing_is_looked_for, start),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
