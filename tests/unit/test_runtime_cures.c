/* What an entry of a repository means in a program, and what it does not: exact, moved, or none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "runtime/cures.h"
#include "runtime/rules_parts.h"
#include "runtime/say.h"
#include "runtime/state.h"
#include "runtime/trust.h"
#include "site/armed.h"
#include "sites_fixture.h"

struct darn_state darn_state = {.ready = true, .mode = DARN_MODE_HEAL};

static uint32_t trusted; /* sites that trust was told of */
static const struct darn_site *point;

/* ---- stand-ins ---- */

void darn_trust_add(const struct darn_site *site, struct darn_roles roles)
{
    (void)site;
    (void)roles;
    trusted++;
}

/* Of the first rule, at one site. */
struct darn_roles darn_rules_of(const struct darn_site *site)
{
    static struct darn_role role;

    role.rule = darn_rules();
    return (struct darn_roles){&role, site == point};
}

void darn_say_start(struct darn_say *say)
{
    darn_text_start(&say->text, say->line, sizeof(say->line));
}

void darn_say_text(struct darn_say *say, const char *text)
{
    darn_text_add(&say->text, text);
}

void darn_say_number(struct darn_say *say, uint64_t number)
{
    darn_text_number(&say->text, number);
}

void darn_say_end(struct darn_say *say)
{
    fail_msg("said: %s", say->line);
}

/* ---- the program: sections as its compiler has found them ---- */

static struct {
    _Alignas(16) char records[8192];
    size_t used;
    char text[4096];
    size_t text_used;
} program;

static struct sites_fixture fixture;

struct place {
    uint32_t line;
    uint8_t kind, allow;
};

#define R DARN_SITE_READ
#define W DARN_SITE_WRITE

static void name(int32_t *field, const char *text)
{
    char *to = program.text + program.text_used;

    assert_true(program.text_used + strlen(text) < sizeof(program.text));
    strcpy(to, text);
    program.text_used += strlen(text) + 1;
    *field = (int32_t)(to - (char *)field);
}

static uint64_t key_of(const char *file, const char *function, const struct place *place)
{
    struct darn_point at = {
        .file = file, .function = function, .line = place->line, .column = 5, .kind = place->kind};

    return darn_point_key(&at);
}

/* The entry is the first place; the others are ends, up to line 0. */
static struct darn_section_record *add_in(const char *file, enum darn_section_kind kind,
                                          const char *function, const char *variable,
                                          const char *type, const struct place *places)
{
    struct darn_section_record *record =
        (struct darn_section_record *)(uintptr_t)(program.records + program.used);

    *record = (struct darn_section_record){.version = DARN_SECTION_VERSION, .kind = (uint8_t)kind};
    name(&record->file, file);
    name(&record->function, function);
    name(&record->variable, variable);
    name(&record->type, type);
    for (; places[record->count].line; record->count++) {
        const struct place *place = &places[record->count];

        record->points[record->count] =
            (struct darn_section_point){.key = key_of(file, function, place),
                                        .line = place->line,
                                        .role = record->count ? DARN_ROLE_END : DARN_ROLE_ENTRY,
                                        .kind = place->kind,
                                        .allow = place->allow};
    }
    record->size = (uint32_t)(sizeof(*record) + record->count * sizeof(record->points[0]));
    program.used += record->size;
    return record;
}

#define ADD(kind, function, variable, ...)                                                         \
    add_in("bank.c", DARN_SECTION_##kind, function, variable, "",                                  \
           (struct place[]){__VA_ARGS__, {0}})

static struct darn_site *add_site(enum darn_site_kind kind, uint32_t line, const char *function,
                                  const char *variable)
{
    return fixture_add(&fixture, kind, line, fixture_text(&fixture, "bank.c"),
                       fixture_text(&fixture, function), fixture_text(&fixture, variable));
}

/* ---- the repository ---- */

static char path[] = "/tmp/darn-test-cures-XXXXXX";

static void resolve(void)
{
    darn_cures_resolve(fixture.sites, fixture.sites + fixture.count, program.records,
                       program.records + program.used);
}

/* Reads the repository with these sections, and compares it with the program. */
static struct darn_cure *heal(const char *sections)
{
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    fprintf(file, "{\"darn-sections\": 1,\n \"sections\": [\n%s\n ]}\n", sections);
    fclose(file);
    assert_int_equal(darn_cures_load(path), 0);
    resolve();
    return darn_cures();
}

#define SECTION(kind, function, variable, entry, ends)                                             \
    "{\"variable\": \"" variable "\", \"function\": \"" function                                   \
    "\", \"file\": \"bank.c\", \"kind\": \"" kind "\", \"entry\": \"" entry "\", \"ends\": [" ends \
    "]}"

#define DEPOSIT                                                                                    \
    SECTION("load-and-store", "deposit", "acct->balance", "10:5 read", "\"12:5 write allow=read\"")

static uint32_t count_rules(void)
{
    uint32_t count = 0;

    for (const struct darn_rule *rule = darn_rules(); rule; rule = rule->next)
        count++;
    return count;
}

static void expect_match(const struct darn_cure *cure, enum darn_cure_match match, uint32_t rules)
{
    assert_non_null(cure);
    assert_int_equal(cure->match, match);
    assert_int_equal(count_rules(), rules);
}

/* ---- for certain ---- */

static void entry_and_ends_at_their_places_are_an_exact_match(void)
{
    const struct darn_rule *rule;
    struct darn_cure *cure;

    ADD(LOAD_STORE, "deposit", "acct->balance", {10, R, 0}, {12, W, DARN_ALLOW_READ});
    cure = heal(DEPOSIT);
    expect_match(cure, DARN_CURE_EXACT, 1);
    rule = darn_rules();
    assert_ptr_equal(rule->cure, cure);
    assert_int_equal(rule->count, 2);
    assert_int_equal(rule->ops, DARN_ALLOW_ALL); /* it reads and writes */
    assert_int_equal(rule->allows, DARN_ALLOW_READ);
    assert_false(rule->companion);
    assert_null(cure->why);
}

static void another_variable_or_function_is_another_section(void)
{
    ADD(LOAD_STORE, "deposit", "acct->total", {10, R, 0}, {12, W, DARN_ALLOW_READ});
    ADD(LOAD_STORE, "withdraw", "acct->balances", {10, R, 0}, {12, W, DARN_ALLOW_READ});
    expect_match(heal(DEPOSIT), DARN_CURE_NONE, 0);
}

static void a_member_of_another_struct_is_another_variable(void)
{
    struct place places[] = {{10, R, 0}, {12, W, DARN_ALLOW_READ}, {0}};

    add_in("bank.c", DARN_SECTION_LOAD_STORE, "deposit", "acct->balance", "scale", places);
    expect_match(heal("{\"variable\": \"acct->balance\", \"type\": \"account\", \"function\": "
                      "\"deposit\", \"file\": \"bank.c\", \"kind\": \"load-and-store\", \"entry\": "
                      "\"10:5 read\", \"ends\": [\"12:5 write allow=read\"]}"),
                 DARN_CURE_NONE, 0);
}

static void all_ends_have_to_be_there(void)
{
    ADD(LOAD_STORE, "deposit", "acct->balance", {10, R, 0}, {12, W, DARN_ALLOW_READ});
    expect_match(heal(SECTION("load-and-store", "deposit", "acct->balance", "10:5 read",
                              "\"12:5 write allow=read\", \"14:5 read allow=read\"")),
                 DARN_CURE_NONE, 0);
}

static void what_the_repository_allows_counts(void)
{
    struct darn_cure *cure;

    ADD(TEST_USE, "look", "x", {10, R, 0}, {12, R, DARN_ALLOW_READ}, {14, R, DARN_ALLOW_READ});
    cure = heal(SECTION("test-and-use", "look", "x", "10:5 read",
                        "\"12:5 read allow=read,write\", \"14:5 read allow=none\""));
    expect_match(cure, DARN_CURE_EXACT, 1);
    assert_int_equal(darn_rules()->allows, 0); /* what all of them allow */
    assert_int_equal(darn_rules()->ops, DARN_ALLOW_READ);
}

static void a_function_that_is_there_twice_is_one_rule(void)
{
    ADD(LOAD_STORE, "deposit", "acct->balance", {10, R, 0}, {12, W, DARN_ALLOW_READ});
    ADD(LOAD_STORE, "deposit", "acct->balance", {10, R, 0}, {12, W, DARN_ALLOW_READ});
    expect_match(heal(DEPOSIT), DARN_CURE_EXACT, 1);
    resolve(); /* nor is it another one in another module */
    assert_int_equal(count_rules(), 1);
}

static void records_of_another_version_are_left_alone(void)
{
    ADD(LOAD_STORE, "deposit", "acct->balance", {10, R, 0}, {12, W, DARN_ALLOW_READ})->version++;
    expect_match(heal(DEPOSIT), DARN_CURE_NONE, 0);
}

/* ---- by its shape ---- */

static void a_section_that_has_moved_is_found_by_its_shape(void)
{
    struct darn_cure *cure;

    ADD(LOAD_STORE, "deposit", "acct->balance", {110, R, 0}, {113, W, DARN_ALLOW_READ});
    cure = heal(DEPOSIT);
    expect_match(cure, DARN_CURE_MOVED, 1);
    assert_int_equal(darn_rules()->points[0].at, 110);
}

static void a_file_in_another_directory_is_the_same(void)
{
    struct place places[] = {{10, R, 0}, {12, W, DARN_ALLOW_READ}, {0}};

    add_in("../src/bank.c", DARN_SECTION_LOAD_STORE, "deposit", "acct->balance", "", places);
    expect_match(heal(DEPOSIT), DARN_CURE_MOVED, 1);
}

static void another_shape_is_another_section(void)
{
    ADD(LOAD_STORE, "deposit", "acct->balance", {20, W, 0}, {22, W, DARN_ALLOW_WRITE});
    ADD(TEST_USE, "deposit", "acct->balance", {30, R, 0}, {32, W, DARN_ALLOW_READ});
    expect_match(heal(DEPOSIT), DARN_CURE_NONE, 0);
}

static void of_two_with_the_same_shape_neither_is_meant(void)
{
    struct darn_cure *cure;

    ADD(LOAD_STORE, "deposit", "acct->balance", {20, R, 0}, {22, W, DARN_ALLOW_READ});
    ADD(LOAD_STORE, "deposit", "acct->balance", {30, R, 0}, {32, W, DARN_ALLOW_READ});
    cure = heal(DEPOSIT);
    expect_match(cure, DARN_CURE_NONE, 0);
    assert_non_null(cure->why);
}

static void as_many_as_the_repository_has_are_taken_in_their_order(void)
{
    struct darn_cure *cure;

    ADD(LOAD_STORE, "deposit", "acct->balance", {30, R, 0}, {32, W, 0});
    ADD(LOAD_STORE, "deposit", "acct->balance", {20, R, 0}, {22, W, 0});
    cure = heal(DEPOSIT ",\n" SECTION("load-and-store", "deposit", "acct->balance", "14:5 read",
                                      "\"16:5 write allow=read\""));
    expect_match(cure, DARN_CURE_MOVED, 2);
    assert_int_equal(cure->next->match, DARN_CURE_MOVED);
    for (const struct darn_rule *rule = darn_rules(); rule; rule = rule->next)
        assert_int_equal(rule->points[0].at, rule->cure == cure ? 20 : 30);
}

static void what_one_entry_means_for_certain_no_other_one_means(void)
{
    struct darn_cure *cure;

    ADD(LOAD_STORE, "deposit", "acct->balance", {10, R, 0}, {12, W, DARN_ALLOW_READ});
    ADD(LOAD_STORE, "deposit", "acct->balance", {40, R, 0}, {42, W, DARN_ALLOW_READ});
    cure = heal(DEPOSIT ",\n" SECTION("load-and-store", "deposit", "acct->balance", "30:5 read",
                                      "\"32:5 write allow=read\""));
    expect_match(cure, DARN_CURE_EXACT, 2);
    assert_int_equal(cure->next->match, DARN_CURE_MOVED);
}

/* ---- over lines ---- */

static void a_section_over_lines_means_all_that_begin_and_end_there(void)
{
    struct darn_cure *cure;

    ADD(LOAD_STORE, "deposit", "acct->balance", {10, R, 0}, {12, W, DARN_ALLOW_READ});
    ADD(LOAD_STORE, "withdraw", "acct->balance", {18, R, 0}, {20, W, DARN_ALLOW_READ});
    ADD(TEST_USE, "look", "acct->balance", {19, R, 0}, {25, R, DARN_ALLOW_READ}); /* ends later */
    ADD(LOAD_STORE, "rename", "acct->owner", {11, R, 0}, {13, W, DARN_ALLOW_READ});
    cure = heal("\"bank.c:10-20 balance\"");
    expect_match(cure, DARN_CURE_EXACT, 2);
}

static void ends_behind_its_lines_do_not_count(void)
{
    ADD(TEST_USE, "look", "x", {10, R, 0}, {12, R, DARN_ALLOW_READ}, {30, R, 0});
    expect_match(heal("\"bank.c:10-20 x allow=read\""), DARN_CURE_EXACT, 1);
    assert_int_equal(darn_rules()->allows, DARN_ALLOW_READ);
}

/* ---- what goes with it ---- */

static void a_test_takes_along_the_update_that_it_leads_to(void)
{
    struct darn_cure *cure;

    ADD(TEST_USE, "take", "seats", {10, R, 0}, {12, R, DARN_ALLOW_READ});
    ADD(LOAD_STORE, "take", "seats", {12, R, 0}, {14, W, DARN_ALLOW_READ});
    cure = heal(SECTION("test-and-use", "take", "seats", "10:5 read", "\"12:5 read allow=read\""));
    expect_match(cure, DARN_CURE_EXACT, 2);
    for (const struct darn_rule *rule = darn_rules(); rule; rule = rule->next) {
        assert_ptr_equal(rule->cure, cure);
        assert_int_not_equal(rule->ops & DARN_ALLOW_WRITE, 0); /* two must not both go on */
        assert_false(rule->companion);
    }
}

static void updates_of_the_same_name_are_its_companions(void)
{
    struct darn_cure *cure;
    const struct darn_rule *rule;

    ADD(LOAD_STORE, "deposit", "acct->balance", {10, R, 0}, {12, W, DARN_ALLOW_READ});
    ADD(LOAD_STORE, "withdraw", "tab[].balance", {20, R, 0}, {22, W, DARN_ALLOW_READ});
    ADD(LOAD_STORE, "rename", "acct->owner", {30, R, 0}, {32, W, DARN_ALLOW_READ});
    ADD(TEST_USE, "look", "acct->balance", {40, R, 0}, {42, R, DARN_ALLOW_READ});
    cure = heal(DEPOSIT);
    expect_match(cure, DARN_CURE_EXACT, 2);
    assert_true(cure->has_companion);
    rule = darn_rules();
    assert_false(rule->companion);
    rule = rule->next;
    assert_true(rule->companion);
    assert_string_equal(rule->function, "withdraw");
    assert_ptr_equal(rule->cure, cure);
}

static void without_a_section_of_its_own_there_are_no_companions(void)
{
    struct darn_cure *cure;

    ADD(LOAD_STORE, "withdraw", "acct->balance", {20, R, 0}, {22, W, DARN_ALLOW_READ});
    cure = heal(DEPOSIT);
    expect_match(cure, DARN_CURE_NONE, 0);
    assert_false(cure->has_companion);
}

/* ---- accesses that are named one by one ---- */

#define RACE(entry)                                                                                \
    "{\"variable\": \"flag\", \"function\": \"stop\", \"file\": \"bank.c\", \"kind\": \"race\", "  \
    "\"entry\": \"" entry "\"}"

static void a_race_is_the_access_at_its_place(void)
{
    add_site(W, 10, "stop", "flag");
    expect_match(heal(RACE("10:5 write")), DARN_CURE_EXACT, 1);
    assert_int_equal(darn_rules()->ops, DARN_ALLOW_WRITE);
    assert_int_equal(darn_rules()->allows, 0);
}

static void a_race_that_reads_lets_others_read(void)
{
    add_site(R, 10, "stop", "flag");
    expect_match(heal(RACE("10:5 read")), DARN_CURE_EXACT, 1);
    assert_int_equal(darn_rules()->allows, DARN_ALLOW_READ);
}

static void a_race_that_has_moved_is_the_only_such_access_of_its_function(void)
{
    add_site(R, 20, "stop", "flag");
    add_site(W, 30, "stop", "flag");
    add_site(W, 40, "start", "flag");
    add_site(W, 50, "stop", "flags");
    expect_match(heal(RACE("10:5 write")), DARN_CURE_MOVED, 1);
    assert_int_equal(darn_rules()->points[0].key, darn_site_key(&fixture.sites[1]));
}

static void of_two_such_accesses_neither_is_meant(void)
{
    add_site(W, 30, "stop", "flag");
    add_site(W, 31, "stop", "flag");
    expect_match(heal(RACE("10:5 write")), DARN_CURE_NONE, 0);
}

#define LEARNED                                                                                    \
    SECTION("learned", "deposit", "acct->balance", "10:5 read", "\"12:5 write allow=read\"")

static void a_learned_section_needs_all_of_its_sites(void)
{
    struct darn_cure *cure;

    add_site(R, 10, "deposit", "acct->balance");
    cure = heal(LEARNED);
    expect_match(cure, DARN_CURE_NONE, 0);
    add_site(W, 12, "deposit", "acct->owner"); /* there, but of another variable */
    resolve();
    expect_match(cure, DARN_CURE_NONE, 0);
    add_site(W, 12, "deposit", "acct->balance");
    resolve();
    expect_match(cure, DARN_CURE_EXACT, 1);
}

static void what_the_compiler_finds_is_not_looked_for_by_sites(void)
{
    add_site(R, 10, "deposit", "acct->balance");
    add_site(W, 12, "deposit", "acct->balance");
    expect_match(heal(DEPOSIT), DARN_CURE_NONE, 0);
}

/* ---- how, and who is armed ---- */

static void what_synchronizes_inside_holds_no_lock_meanwhile(void)
{
    darn_state.options.heal_with = DARN_HEAL_LOCK;
    assert_int_equal(darn_cures_way(0), DARN_HEAL_LOCK);
    assert_int_equal(darn_cures_way(DARN_SECTION_LOOPS | DARN_SECTION_CALLS), DARN_HEAL_LOCK);
    assert_int_equal(darn_cures_way(DARN_SECTION_SYNC), DARN_HEAL_BLOCK);
    assert_int_equal(darn_cures_way(DARN_SECTION_UNKNOWN), DARN_HEAL_BLOCK);
    ADD(LOAD_STORE, "deposit", "acct->balance", {10, R, 0}, {12, W, DARN_ALLOW_READ})->inside =
        DARN_SECTION_SYNC;
    expect_match(heal(DEPOSIT), DARN_CURE_EXACT, 1); /* whatever the repository says of it */
    assert_int_equal(darn_rules()->with, DARN_HEAL_BLOCK);
    assert_int_equal(darn_cures()->with, DARN_HEAL_BLOCK);
}

static void points_and_all_who_may_touch_the_variable_are_armed(void)
{
    struct darn_site *named, *stranger, *pointee;

    ADD(LOAD_STORE, "deposit", "acct->balance", {10, R, 0}, {12, W, DARN_ALLOW_READ});
    named = add_site(W, 40, "pay", "other->balance");
    stranger = add_site(W, 41, "pay", "other->owner");
    pointee = add_site(W, 42, "pay", "*acct->balance");
    point = add_site(R, 43, "pay", "unnamed"); /* a point of a rule, by whatever name */
    add_site(DARN_SITE_LEAVE, 44, "pay", "acct->balance");
    heal(DEPOSIT);
    darn_cures_arm(fixture.sites, fixture.sites + fixture.count);
    assert_int_equal(darn_armed(named), DARN_ARMED_HEAL);
    assert_int_equal(darn_armed(point), DARN_ARMED_HEAL);
    assert_int_equal(darn_armed(stranger), 0);
    assert_int_equal(darn_armed(pointee), 0);
    assert_int_equal(darn_armed(&fixture.sites[4]), 0); /* a way out of somebody else's */
    assert_int_equal(trusted, 2);
}

static void modules_are_remembered_and_replaced_where_they_lay(void)
{
    uint32_t count = 0;

    add_site(W, 10, "stop", "flag");
    heal(DEPOSIT);
    resolve();
    for (const struct darn_cure_module *module = darn_cures_modules(); module;
         module = module->next)
        count++;
    assert_int_equal(count, 1);
}

static void a_section_is_known_when_an_entry_means_it_for_certain(void)
{
    const struct darn_section_record *known =
        ADD(LOAD_STORE, "deposit", "acct->balance", {10, R, 0}, {12, W, DARN_ALLOW_READ});
    const struct darn_section_record *unknown =
        ADD(LOAD_STORE, "withdraw", "acct->balance", {20, R, 0}, {22, W, DARN_ALLOW_READ});

    heal(DEPOSIT);
    assert_true(darn_cures_have(known));
    assert_false(darn_cures_have(unknown));
}

/* Cures are never forgotten: each test has a process of its own. */
static void in_a_child(void **state)
{
    pid_t child = fork();
    int status;

    if (child == 0) {
        setenv("CMOCKA_TEST_ABORT", "1", 1); /* what fails does not go on with the other tests */
        (*(void (**)(void)) * state)();
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

#define TEST(function)                                                                             \
    {                                                                                              \
#function, in_a_child, NULL, NULL, &(void (*)(void))                                       \
        {                                                                                          \
            function                                                                               \
        }                                                                                          \
    }

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(entry_and_ends_at_their_places_are_an_exact_match),
        TEST(another_variable_or_function_is_another_section),
        TEST(a_member_of_another_struct_is_another_variable),
        TEST(all_ends_have_to_be_there),
        TEST(what_the_repository_allows_counts),
        TEST(a_function_that_is_there_twice_is_one_rule),
        TEST(records_of_another_version_are_left_alone),
        TEST(a_section_that_has_moved_is_found_by_its_shape),
        TEST(a_file_in_another_directory_is_the_same),
        TEST(another_shape_is_another_section),
        TEST(of_two_with_the_same_shape_neither_is_meant),
        TEST(as_many_as_the_repository_has_are_taken_in_their_order),
        TEST(what_one_entry_means_for_certain_no_other_one_means),
        TEST(a_section_over_lines_means_all_that_begin_and_end_there),
        TEST(ends_behind_its_lines_do_not_count),
        TEST(a_test_takes_along_the_update_that_it_leads_to),
        TEST(updates_of_the_same_name_are_its_companions),
        TEST(without_a_section_of_its_own_there_are_no_companions),
        TEST(a_race_is_the_access_at_its_place),
        TEST(a_race_that_reads_lets_others_read),
        TEST(a_race_that_has_moved_is_the_only_such_access_of_its_function),
        TEST(of_two_such_accesses_neither_is_meant),
        TEST(a_learned_section_needs_all_of_its_sites),
        TEST(what_the_compiler_finds_is_not_looked_for_by_sites),
        TEST(what_synchronizes_inside_holds_no_lock_meanwhile),
        TEST(points_and_all_who_may_touch_the_variable_are_armed),
        TEST(modules_are_remembered_and_replaced_where_they_lay),
        TEST(a_section_is_known_when_an_entry_means_it_for_certain),
    };
    int result;

    close(mkstemp(path));
    result = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(path);
    return result;
}
