/* A stage for tests of cures: a program with sections and sites, and a repository. */
#ifndef DARN_TESTS_CURES_STAGE_H
#define DARN_TESTS_CURES_STAGE_H

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

#include "runtime/heal/cures.h"
#include "runtime/heal/elision.h"
#include "runtime/state.h"
#include "site/armed.h"
#include "said_stage.h"
#include "sites_fixture.h"

static uint32_t elided; /* sites that elision was told of */
static const struct darn_site *point;

/* ---- stand-ins ---- */

void __wrap_darn_elision_add(const struct darn_site *site, struct darn_roles roles)
{
    (void)site;
    (void)roles;
    elided++;
}

/* Of the first rule, at one site. */
struct darn_roles __wrap_darn_rules_of(const struct darn_site *site)
{
    static struct darn_role role;

    role.rule = darn_rules();
    return (struct darn_roles){&role, site == point};
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

static inline struct darn_site *add_site(enum darn_site_kind kind, uint32_t line,
                                         const char *function, const char *variable)
{
    return fixture_add(&fixture, kind, line, fixture_text(&fixture, "bank.c"),
                       fixture_text(&fixture, function), fixture_text(&fixture, variable));
}

/* ---- the repository ---- */

static char path[] = "/tmp/darn-test-cures-XXXXXX";

static void resolve(void)
{
    darn_cures_resolve(&(struct darn_section_module){fixture.sites, fixture.sites + fixture.count,
                                                     program.records,
                                                     program.records + program.used, NULL});
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

static void expect_match(const struct darn_cure *cure, enum darn_match_how how, uint32_t rules)
{
    assert_non_null(cure);
    assert_int_equal(cure->wanted.how, how);
    assert_int_equal(count_rules(), rules);
}

/* Cures are never forgotten: each test has a process of its own. */
static void in_a_child(void **state)
{
    pid_t child = fork();
    int status;

    if (child == 0) {
        setenv("CMOCKA_TEST_ABORT", "1", 1); /* what fails does not go on with the other tests */
        darn_state.mode = DARN_MODE_HEAL;
        (*(void (**)(void)) * state)();
        assert_string_equal(said, "");
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

#endif
