/*
 * A stage for tests of what is left to the program's locks. The test plays all threads: what they
 * hold, where they come by, and what the guards of the sites say then.
 */
#ifndef DARN_TESTS_ELISION_STAGE_H
#define DARN_TESTS_ELISION_STAGE_H

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "runtime/heal/elision.h"
#include "runtime/heal/hold.h"
#include "runtime/os/os.h"
#include "runtime/state.h"
#include "runtime/thread/own.h"
#include "site/armed.h"
#include "sites_fixture.h"

/* So many visits are enough for anything. */
#define ENOUGH 40000

/* Milliseconds. */
#define SHORT 20
#define LONG  5000

const char darn_production[] = "a program that is built to be healed";

static struct darn_healer healer, other_healer;
static struct darn_thread self = {.number = 1, .healer = &healer};
static struct darn_thread other = {.number = 2, .healer = &other_healer};
static struct darn_own other_own;
static uint32_t alive;

static struct sites_fixture fixture;
static struct darn_cure cure;
static pthread_mutex_t lock, second_lock;
static long x, y;

/* ---- stand-ins ---- */

uint32_t __wrap_darn_threads_alive(void)
{
    return alive;
}

uint32_t __wrap_darn_threads_list(struct darn_thread **list, uint32_t most)
{
    assert_true(most >= 2);
    list[0] = &self;
    list[1] = &other;
    return 2;
}

struct darn_roles __wrap_darn_rules_of(const struct darn_site *site)
{
    (void)site;
    return (struct darn_roles){NULL, 7}; /* a mark: nobody has asked us before */
}

/* ---- the program ---- */

/* `n = x; … x = n + 1`, in a function of its own. */
struct section {
    struct darn_rule rule;
    struct darn_role roles[2];
    struct darn_site *entry, *end;
};

static struct darn_site *site_of(enum darn_site_kind kind, const char *variable)
{
    static uint32_t line;

    return fixture_add(&fixture, kind, ++line, fixture_text(&fixture, "bank.c"),
                       fixture_text(&fixture, "f"), fixture_text(&fixture, variable));
}

static void add_section(struct section *section, const char *variable, uint16_t inside)
{
    *section = (struct section){.rule = {.kind = DARN_SECTION_LOAD_STORE,
                                         .inside = inside,
                                         .cure = &cure,
                                         .with = DARN_HEAL_BLOCK,
                                         .ops = DARN_ALLOW_ALL,
                                         .allows = DARN_ALLOW_READ}};
    section->entry = site_of(DARN_SITE_READ, variable);
    section->end = site_of(DARN_SITE_WRITE, variable);
    section->roles[0] =
        (struct darn_role){.rule = &section->rule, .site = section->entry, .role = DARN_ROLE_ENTRY};
    section->roles[1] =
        (struct darn_role){.rule = &section->rule, .site = section->end, .role = DARN_ROLE_END};
    darn_elision_add(section->entry, (struct darn_roles){&section->roles[0], 1});
    darn_elision_add(section->end, (struct darn_roles){&section->roles[1], 1});
}

/* One that is no point of anything. */
static struct darn_site *add_stray(enum darn_site_kind kind, const char *variable)
{
    struct darn_site *site = site_of(kind, variable);

    darn_elision_add(site, (struct darn_roles){NULL, 0});
    return site;
}

static enum darn_elision visit(struct darn_site *site, long *where, bool idle)
{
    struct darn_touch touch = {
        .address = (uintptr_t)where, .size = sizeof(*where), .site = site, .op = site->kind};
    struct darn_roles roles;

    return darn_elision_visit(&self, &touch, idle, &roles);
}

/* Goes through the section under the lock, or NULL: under none. What the entry was told. */
static enum darn_elision go_through(struct section *section, pthread_mutex_t *under, long *where)
{
    enum darn_elision found;

    if (under)
        darn_own_add(under, false, false);
    found = visit(section->entry, where, true);
    visit(section->end, where, false);
    if (under)
        darn_own_remove(under);
    return found;
}

/* How often it takes until the section is left to the lock; ENOUGH: it never is. */
static uint32_t go_until_elided(struct section *section)
{
    for (uint32_t i = 0; i < ENOUGH; i++) {
        if (darn_elision_is_on(&section->rule))
            return i;
        go_through(section, &lock, &x);
    }
    return ENOUGH;
}

static void expect_levels(const struct section *section, enum darn_level level)
{
    assert_int_equal(darn_armed(section->entry), level);
    assert_int_equal(darn_armed(section->end), level);
}

/* Groups stay for ever: each test has a name of its own. */
static int start(void **state)
{
    (void)state;
    darn_state = (struct darn_state){.ready = true, .mode = DARN_MODE_HEAL};
    darn_state.options.heal_elides = true;
    darn_state.options.heal_bound = LONG;
    alive = 2;
    darn_thread_record = &self;
    darn_own_begin(&self);
    other_own = (struct darn_own){.all = DARN_OWN_NONE};
    other.own = &other_own;
    other.wait.kind = DARN_WAIT_NONE;
    healer = (struct darn_healer){.thread = &self};
    other_healer = (struct darn_healer){.thread = &other};
    return 0;
}

#define TEST(name) cmocka_unit_test_setup(name, start)

#endif
