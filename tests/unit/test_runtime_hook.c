/* What becomes of an access that calls: by the mode, and by the bits of its armed byte. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "runtime/control/control.h"
#include "runtime/control/decide.h"
#include "runtime/control/turn.h"
#include "runtime/heal/heal.h"
#include "runtime/os/os.h"
#include "runtime/record/heat.h"
#include "runtime/record/record_profile.h"
#include "runtime/record/record.h"
#include "runtime/record/share.h"
#include "runtime/report/counters.h"
#include "runtime/section/sections.h"
#include "runtime/spin/spins.h"
#include "runtime/state.h"
#include "runtime/watch/annotate.h"
#include "runtime/watch/attention.h"
#include "runtime/watch/hook.h"
#include "runtime/watch/noise_inject.h"
#include "runtime/watch/sampler.h"
#include "runtime/watch/sites.h"
#include "runtime/watch/watch.h"
#include "site/armed.h"
#include "site/site_guard.h"

struct darn_state darn_state;
__thread struct darn_thread *darn_thread_record;
bool darn_healing, darn_recording, darn_sections, darn_turns;
volatile uint8_t darn_attention, darn_filter[DARN_FILTER_SIZE];

#define HOOK __attribute__((preserve_most))

HOOK void darn_hook_access(uintptr_t address, const struct darn_site *site);
HOOK void darn_hook_spin(uintptr_t address, const struct darn_site *site);

static struct darn_thread thread = {.number = 1};
static long variable;
static struct {
    struct darn_site site;
    uint8_t armed;
} module;

/* What the hooks have passed it on to. */
static uint32_t healed, recorded, spun, profiled;
static bool marked;

struct darn_thread *darn_thread_attach(void)
{
    return &thread;
}

void darn_heal_access(struct darn_thread *self, const struct darn_touch *touch, const void *frame)
{
    (void)self;
    (void)touch;
    (void)frame;
    healed++;
}

bool darn_attention_is_marked(uintptr_t address, uint64_t size)
{
    (void)address;
    (void)size;
    return marked;
}

bool darn_spins_read(struct darn_thread *self, uintptr_t address, const struct darn_site *site)
{
    (void)self;
    (void)address;
    (void)site;
    spun++;
    return false;
}

bool darn_heat_count(struct darn_thread *self, const struct darn_site *site, uintptr_t address)
{
    (void)self;
    (void)site;
    (void)address;
    return true;
}

void darn_record_access(struct darn_thread *self, uintptr_t address, uint64_t size,
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

void darn_profile_module(const struct darn_site *start, const struct darn_site *stop)
{
    (void)start;
    (void)stop;
    profiled++;
}

/* ---- of no interest here ---- */

bool darn_attention_invited(void)
{
    return false;
}

bool darn_benign(const struct darn_touch *touch)
{
    (void)touch;
    return false;
}

void darn_control_loaded(const struct darn_site *start, const struct darn_site *stop)
{
    (void)start;
    (void)stop;
}

void darn_count(enum darn_counter counter)
{
    (void)counter;
}

void darn_decide_leave(const struct darn_slot *slot)
{
    (void)slot;
}

void darn_decide_scope(const struct darn_slot *slot, bool begins,
                       const struct darn_strategy_scope *scope)
{
    (void)slot;
    (void)begins;
    (void)scope;
}

void darn_heal_call(struct darn_thread *thread, const struct darn_site *site, const void *frame)
{
    (void)thread;
    (void)site;
    (void)frame;
}

void darn_heal_done(struct darn_thread *thread, const void *frame)
{
    (void)thread;
    (void)frame;
}

void darn_heal_leave(struct darn_thread *thread, const struct darn_site *site, const void *frame)
{
    (void)thread;
    (void)site;
    (void)frame;
}

void darn_heal_linger(struct darn_thread *thread)
{
    (void)thread;
}

uint64_t darn_noise_at_site(struct darn_thread *thread, const struct darn_site *site)
{
    (void)thread;
    (void)site;
    return 0;
}

void darn_record_event(struct darn_thread *thread, const struct darn_event *event,
                       const struct darn_site *site, const void *frame)
{
    (void)thread;
    (void)event;
    (void)site;
    (void)frame;
}

void darn_record_pointer(struct darn_thread *thread, uintptr_t at, uint64_t value,
                         const void *frame)
{
    (void)thread;
    (void)at;
    (void)value;
    (void)frame;
}

bool darn_sampler_prefers(struct darn_thread *thread, const struct darn_touch *touch,
                          const void *frame)
{
    (void)thread;
    (void)touch;
    (void)frame;
    return false;
}

uint64_t darn_sampler_window(void)
{
    return 0;
}

void darn_sections_access(struct darn_thread *thread, const struct darn_touch *touch,
                          const void *frame)
{
    (void)thread;
    (void)touch;
    (void)frame;
}

void darn_sections_call(struct darn_thread *thread, const struct darn_site *site, const void *frame)
{
    (void)thread;
    (void)site;
    (void)frame;
}

void darn_sections_leave(struct darn_thread *thread, const struct darn_site *site,
                         const void *frame)
{
    (void)thread;
    (void)site;
    (void)frame;
}

void darn_sections_meet(struct darn_thread *thread, const struct darn_touch *touch,
                        const void *frame)
{
    (void)thread;
    (void)touch;
    (void)frame;
}

void darn_share_access(struct darn_thread *thread, uintptr_t address, uint64_t size,
                       const struct darn_site *site, bool writes)
{
    (void)thread;
    (void)address;
    (void)size;
    (void)site;
    (void)writes;
}

bool darn_site_is_marked(uint32_t number)
{
    (void)number;
    return false;
}

bool darn_site_mark(uint32_t number)
{
    (void)number;
    return false;
}

uint32_t darn_site_number(const struct darn_site *site)
{
    (void)site;
    return 0;
}

void darn_spins_hold(struct darn_thread *thread, const struct darn_touch *store)
{
    (void)thread;
    (void)store;
}

void darn_spins_hold_suspect(struct darn_thread *thread, const struct darn_touch *store)
{
    (void)thread;
    (void)store;
}

void darn_spins_leave(struct darn_thread *thread)
{
    (void)thread;
}

bool darn_spins_store(struct darn_thread *thread, const struct darn_touch *touch)
{
    (void)thread;
    (void)touch;
    return false;
}

void darn_spins_suspect(struct darn_thread *thread, uintptr_t address, const struct darn_site *site)
{
    (void)thread;
    (void)address;
    (void)site;
}

void darn_turn_access(struct darn_thread *thread, const struct darn_touch *touch, const void *frame)
{
    (void)thread;
    (void)touch;
    (void)frame;
}

void darn_turn_spin(struct darn_thread *thread, uintptr_t address, const struct darn_site *site,
                    const void *frame)
{
    (void)thread;
    (void)address;
    (void)site;
    (void)frame;
}

bool darn_watch_check(struct darn_thread *thread, const struct darn_touch *touch, const void *frame)
{
    (void)thread;
    (void)touch;
    (void)frame;
    return false;
}

void darn_watch_pass(struct darn_thread *thread, const struct darn_touch *touch)
{
    (void)thread;
    (void)touch;
}

void darn_watch_stand(struct darn_thread *thread, const struct darn_touch *touch, const void *frame,
                      uint64_t nanoseconds, bool invited)
{
    (void)thread;
    (void)touch;
    (void)frame;
    (void)nanoseconds;
    (void)invited;
}

void darn_os_sleep(uint64_t nanoseconds)
{
    (void)nanoseconds;
}

/* ---- the tests ---- */

static int start(void **state)
{
    (void)state;
    darn_state = (struct darn_state){.ready = true};
    darn_healing = darn_recording = darn_sections = marked = false;
    healed = recorded = spun = profiled = 0;
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

/* In a program that is built to be healed, an access that calls at the level of trust holds no
 * lock. */
static void levels_are_healed_from_trust_on(void **state)
{
    (void)state;
    assert_false(darn_armed_is_healed(DARN_LEVEL_NONE, true));
    assert_false(darn_armed_is_healed(DARN_LEVEL_LEAVE, true));
    assert_true(darn_armed_is_healed(DARN_LEVEL_TRUST, true));
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
        cmocka_unit_test_setup(no_bit_of_another_heals, start),
        cmocka_unit_test_setup(an_access_to_marked_memory_is_healed_whatever_its_site, start),
        cmocka_unit_test_setup(levels_are_healed_from_trust_on, start),
        cmocka_unit_test_setup(what_is_only_healed_is_not_recorded, start),
        cmocka_unit_test_setup(a_profile_arms_nothing_where_nothing_is_looked_for, start),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
