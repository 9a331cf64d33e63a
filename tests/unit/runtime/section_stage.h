/*
 * A stage for tests of atomic sections in the runtime: two threads, both played by the test, go
 * through the sites of a small program in a given order.
 */
#ifndef DARN_TESTS_SECTION_STAGE_H
#define DARN_TESTS_SECTION_STAGE_H

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

#include "runtime/report/found.h"
#include "runtime/section/inside.h"
#include "runtime/section/rules.h"
#include "runtime/section/sections.h"
#include "runtime/state.h"
#include "runtime/watch/sites.h"
#include "section/match.h"
#include "said_stage.h"

static struct darn_thread one = {.number = 1}, other = {.number = 2};
static long x, y;

/* What was found. */
static uint32_t violations;
static const struct darn_site *found_entry, *found_remote, *found_end;
static char found_kind[32];
static uint32_t found_line;
static bool found_values;
static uint64_t found_before, found_after;

/* ---- stand-ins ---- */

uint32_t __wrap_darn_threads_alive(void)
{
    return 2;
}

void __wrap_darn_side_fill(struct darn_side *side, struct darn_thread *thread,
                           const struct darn_touch *touch, const void *frame)
{
    (void)frame;
    side->touch = *touch;
    side->thread = thread->number;
}

void __wrap_darn_finding_violation(const struct darn_violation *violation)
{
    violations++;
    assert_int_equal(violation->entry->thread, violation->end->thread);
    assert_int_not_equal(violation->entry->thread, violation->remote->thread);
    found_entry = violation->entry->touch.site;
    found_remote = violation->remote->touch.site;
    found_end = violation->end->touch.site;
    found_line = violation->line;
    found_values = violation->has_values;
    found_before = violation->before;
    found_after = violation->after;
    snprintf(found_kind, sizeof(found_kind), "%s", violation->kind);
}

/* ---- the program ---- */

enum {
    READ,
    WRITE,
    READ2,
    WRITE2,
    LEAVE,
    CALL,
    REMOTE_READ,
    REMOTE_WRITE,
    OTHER_NAME,
    COPY,
    STRANGER,
    SITES
};

static struct {
    struct darn_site head;
    struct darn_site sites[SITES];
    struct darn_scope scopes[SITES];
    uint8_t armed[2 * (1 + SITES) + DARN_ARMED_CHUNK];
    char text[4096];
    size_t used;
} module;

static const char *keep(const char *text)
{
    char *to = module.text + module.used;

    assert_true(module.used + strlen(text) < sizeof(module.text));
    module.used += strlen(text) + 1;
    return strcpy(to, text);
}

/* From where the head says that the texts are. */
static uint32_t place_of(const void *of)
{
    return (uint32_t)((const char *)of - (const char *)&module.head.texts);
}

static uint32_t name(const char *text)
{
    return place_of(keep(text));
}

static void make_site(int number, uint8_t kind, const char *function, uint32_t line,
                      const char *variable)
{
    module.scopes[number] = (struct darn_scope){
        .file = name("bank.c"), .dir = name("/"), .function = name(function)};
    module.sites[number] = (struct darn_site){.place = (uint32_t)number + 1,
                                              .scope = place_of(&module.scopes[number]),
                                              .variable = name(variable),
                                              .line = line,
                                              .column = 5,
                                              .size = sizeof(long),
                                              .kind = kind,
                                              .version = DARN_SITE_VERSION};
}

static void make_module(void)
{
    memset(&module, 0, sizeof(module));
    module.head = (struct darn_site){
        .armed = (int32_t)((char *)module.armed - (char *)&module.head.armed),
        .kind = DARN_SITE_HEAD,
        .version = DARN_SITE_VERSION};
    make_site(READ, DARN_SITE_READ, "f", 10, "x");
    make_site(WRITE, DARN_SITE_WRITE, "f", 12, "x");
    make_site(READ2, DARN_SITE_READ, "f", 14, "x");
    make_site(WRITE2, DARN_SITE_WRITE, "f", 16, "x");
    make_site(LEAVE, DARN_SITE_LEAVE, "f", 18, "");
    make_site(CALL, DARN_SITE_CALL, "g", 30, "");
    make_site(REMOTE_READ, DARN_SITE_READ, "h", 40, "x");
    make_site(REMOTE_WRITE, DARN_SITE_WRITE, "h", 42, "x");
    make_site(COPY, DARN_SITE_READ, "get", 50, "x"); /* of get(), in f: line 11 */
    module.scopes[COPY].gaps[0] = darn_site_call_of("f", 11);
    make_site(STRANGER, DARN_SITE_READ, "get", 50, "x");
    module.scopes[STRANGER].gaps[0] = darn_site_call_of("look", 70);
    make_site(OTHER_NAME, DARN_SITE_READ, "f", 10, "z"); /* the place of READ, by a macro */
}

/* ---- its sections, as the compiler has found them ---- */

static struct {
    _Alignas(16) char records[8192];
    size_t used;
} recorded;

static void name_in_record(int32_t *field, const char *text)
{
    *field = (int32_t)(keep(text) - (char *)field);
}

static bool is_in_module(uint64_t key)
{
    for (int i = 0; i < SITES; i++) {
        if (darn_site_key(&module.sites[i]) == key)
            return true;
    }
    return false;
}

static inline bool record_section(void *unused, const struct darn_section *section)
{
    struct darn_section_record *record =
        (struct darn_section_record *)(uintptr_t)(recorded.records + recorded.used);
    struct darn_section_point points[DARN_SECTION_POINTS];

    (void)unused;
    if (section->first || section->kind > DARN_SECTION_PAIR ||
        !is_in_module(darn_point_key(&section->points[0])))
        return true;
    darn_match_of_section(section, points);
    record->size = (uint32_t)(sizeof(*record) + section->count * sizeof(points[0]));
    assert_true(recorded.used + record->size <= sizeof(recorded.records));
    record->version = DARN_SECTION_VERSION;
    record->kind = section->kind;
    record->inside = section->inside;
    record->count = section->count;
    name_in_record(&record->file, section->file);
    name_in_record(&record->function, section->function);
    name_in_record(&record->variable, section->variable);
    name_in_record(&record->type, "");
    memcpy(record->points, points, section->count * sizeof(points[0]));
    recorded.used += record->size;
    return true;
}

/* What the compiler would record of this text of a repository. */
static inline void record(const char *text)
{
    static char room[65536];
    static struct darn_section section;
    struct darn_repository_reader reader = {
        .section = record_section, .room = room, .room_size = sizeof(room)};

    darn_repository_read(text, strlen(text), &section, &reader);
}

static char path[] = "/tmp/darn-test-sections-XXXXXX";

static void write_file(const char *text)
{
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void repository(char *text, size_t size, const char *sections)
{
    snprintf(text, size, "{\"darn-sections\": 1,\n \"sections\": [\n%s\n ]}\n", sections);
}

/* Rules are read once in a process: each test that needs others is a child of its own. The program
 * has what the compiler has recorded. */
static void obey_with(const char *sections, const char *of_compiler)
{
    static char text[8192];

    make_module();
    repository(text, sizeof(text), of_compiler);
    record(text);
    repository(text, sizeof(text), sections);
    write_file(text);
    snprintf(darn_state.options.sections, sizeof(darn_state.options.sections), "%s", path);
    darn_state.options.noise_count = 1;
    darn_state.options.noise[0].kind = DARN_NOISE_SECTION;
    assert_int_equal(darn_sections_open(), 0);
    darn_sites_add(module.sites, module.sites + SITES);
    darn_rules_module(module.sites, module.sites + SITES, recorded.records,
                      recorded.records + recorded.used);
}

static inline void obey(const char *sections)
{
    obey_with(sections, sections);
}

#define LOAD_STORE                                                                                 \
    "  {\"variable\": \"x\", \"function\": \"f\", \"file\": \"bank.c\", \"kind\": "                \
    "\"load-and-store\",\n   \"entry\": \"10:5 read\", \"ends\": [\"12:5 write allow=read\"], "    \
    "\"leaves\": [\"18:5\"]}"

/* Frames of functions: what the saved frame pointer in the hook's frame says. */
static char frames[4];

static struct darn_touch touch_of(int number, long *where)
{
    return (struct darn_touch){.address = (uintptr_t)where,
                               .size = sizeof(*where),
                               .site = &module.sites[number],
                               .op = module.sites[number].kind};
}

static void go_in(struct darn_thread *thread, int number, long *where, int frame)
{
    struct darn_touch touch = touch_of(number, where);
    const void *hook = &frames[frame];

    darn_thread_record = thread;
    darn_sections_access(thread, &touch, &hook);
    darn_sections_meet(thread, &touch, &hook);
}

static void go(struct darn_thread *thread, int number)
{
    go_in(thread, number, &x, 0);
}

static inline void leave_in(struct darn_thread *thread, int frame)
{
    const void *hook = &frames[frame];

    darn_sections_leave(thread, &module.sites[LEAVE], &hook);
}

static inline void call_in(struct darn_thread *thread, int frame)
{
    const void *hook = &frames[frame];

    darn_sections_call(thread, &module.sites[CALL], &hook);
}

static void nobody_is_inside(void)
{
    assert_int_equal(one.inside, 0);
    assert_int_equal(other.inside, 0);
    assert_int_equal(darn_insides_used, 0);
    assert_int_equal(darn_insides_visible, 0);
    assert_false(darn_sections_are_open());
}

static int start(void **state)
{
    (void)state;
    violations = 0;
    said[0] = '\0';
    atomic_store(&one.inside, 0);
    atomic_store(&other.inside, 0);
    return 0;
}

/* Rules are never forgotten: each test has a process of its own. */
static void in_a_child(void **state)
{
    int status;
    pid_t child = fork();

    if (child == 0) {
        start(NULL);
        (*(void (**)(void **)) * state)(NULL);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

#define TEST(function)                                                                             \
    {                                                                                              \
#function, in_a_child, NULL, NULL, &(void (*)(void **))                                    \
        {                                                                                          \
            function                                                                               \
        }                                                                                          \
    }

static int play(const struct CMUnitTest *tests, size_t count)
{
    int result;

    close(mkstemp(path));
    result = _cmocka_run_group_tests("sections", tests, count, NULL, NULL);
    unlink(path);
    return result;
}

#endif
