/* The schedule file: what is written reads back as it was, and what is no schedule is named by its
 * line. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <errno.h>

#include "schedule/schedule.h"

#define HEAD "darn schedule 1\nprogram /p\n"

static struct darn_schedule *read_bytes(const char *text, size_t length, char *error, size_t size)
{
    FILE *file = fmemopen((void *)(uintptr_t)text, length, "r");
    struct darn_schedule *schedule;

    assert_non_null(file);
    schedule = darn_schedule_read(file, error, size);
    fclose(file);
    return schedule;
}

static struct darn_schedule *read_text(const char *text)
{
    char error[256] = "";
    struct darn_schedule *schedule = read_bytes(text, strlen(text), error, sizeof(error));

    if (!schedule)
        fail_msg("%s", error);
    return schedule;
}

/* The caller frees it. */
static char *write_text(const struct darn_schedule *schedule)
{
    char *text = NULL;
    size_t length;
    FILE *file = open_memstream(&text, &length);

    assert_non_null(file);
    assert_int_equal(darn_schedule_write(schedule, file), 0);
    fclose(file);
    return text;
}

static void expect_error(const char *text, const char *expected)
{
    char error[256] = "nothing was said";
    struct darn_schedule *schedule = read_bytes(text, strlen(text), error, sizeof(error));

    if (schedule)
        fail_msg("it was read, and should say: %s", expected);
    assert_string_equal(error, expected);
}

static void expect_same_texts(char *const *a, char *const *b)
{
    size_t i = 0;

    for (; a && a[i]; i++) {
        assert_non_null(b[i]);
        assert_string_equal(a[i], b[i]);
    }
    assert_null(b[i]);
}

static void expect_same_text(const char *a, const char *b)
{
    assert_int_equal(!a, !b);
    if (a)
        assert_string_equal(a, b);
}

static void expect_same(const struct darn_schedule *a, const struct darn_schedule *b)
{
    expect_same_text(a->program, b->program);
    expect_same_text(a->directory, b->directory);
    expect_same_text(a->input, b->input);
    expect_same_text(a->ending, b->ending);
    expect_same_texts(a->arguments, b->arguments);
    expect_same_texts(a->environment, b->environment);
    assert_true(a->time == b->time && a->build == b->build && a->max_steps == b->max_steps);
    assert_true(a->fair_from == b->fair_from);
    assert_int_equal(a->run_flags, b->run_flags);
    assert_int_equal(a->module_count, b->module_count);
    for (size_t i = 0; i < a->module_count; i++)
        assert_string_equal(a->modules[i], b->modules[i]);
    assert_int_equal(a->armed_count, b->armed_count);
    if (a->armed_count)
        assert_memory_equal(a->armed, b->armed, a->armed_count * sizeof(*a->armed));
    assert_int_equal(a->input_length, b->input_length);
    if (a->input_length)
        assert_memory_equal(a->inputs, b->inputs, a->input_length);
    assert_int_equal(a->aim_count, b->aim_count);
    for (size_t i = 0; i < a->aim_count; i++) {
        assert_int_equal(a->aims[i].kind, b->aims[i].kind);
        assert_int_equal(a->aims[i].place.module, b->aims[i].place.module);
        assert_true(a->aims[i].place.offset == b->aims[i].place.offset);
    }
    assert_int_equal(a->step_count, b->step_count);
    for (size_t i = 0; i < a->step_count; i++) {
        const struct darn_schedule_step *one = &a->steps[i], *other = &b->steps[i];

        assert_int_equal(one->thread, other->thread);
        assert_int_equal(one->op, other->op);
        assert_int_equal(one->flags, other->flags);
        assert_int_equal(one->place.module, other->place.module);
        assert_true(one->place.offset == other->place.offset);
    }
}

static void expect_round_trip(const struct darn_schedule *schedule)
{
    char *text = write_text(schedule);
    struct darn_schedule *again = read_text(text);
    char *second = write_text(again);

    expect_same(schedule, again);
    assert_string_equal(text, second);
    darn_schedule_free(again);
    free(second);
    free(text);
}

static char *modules[] = {"/home/me/bank", "/lib/with a blank.so"};
static char *arguments[] = {"./bank", "", " -n ", "two\nlines\\", "\x01\x7f\xc3\xa9\xff", NULL};
static char *environment[] = {"HOME=/home/me", "EMPTY=", NULL};
static uint64_t armed[] = {1, 2, UINT64_MAX, 4, 5, 6};
static unsigned char inputs[] = {0, 255, 16};
static struct darn_schedule_aim aims[] = {
    {DARN_AIM_FIRST, {0, 0x4010}},  {DARN_AIM_SECOND, {1, 0x20}}, {DARN_AIM_THIRD, {0, 0x4038}},
    {DARN_AIM_FOURTH, {0, 0x4039}}, {DARN_AIM_BACK, {1, 0}},      {DARN_AIM_UNIT, {0, 1}},
    {DARN_AIM_REMOTE_UNIT, {0, 2}}, {DARN_AIM_SECTION, {0, 3}},   {DARN_AIM_REMOTE_SECTION, {0, 4}},
};

static struct darn_schedule_step steps[] = {
    {0, DARN_STEP_START, DARN_STEP_ALONE, {2, 0}},
    {0, DARN_STEP_CREATE, 0, {0, 0x12f4}},
    {1, DARN_STEP_START, DARN_STEP_PREEMPTS, {2, 0x7f001234}},
    {1, DARN_STEP_WRITE, 0, {0, 0x4010}},
    {1, DARN_STEP_WRITE, 0, {0, 0x4010}},
    {1, DARN_STEP_WRITE, 0, {0, 0x4010}},
    {1, DARN_STEP_TAKE, DARN_STEP_TIMED_OUT | DARN_STEP_FORCED, {1, 0xabcdef}},
    {4294967295u, DARN_STEP_SPIN, 0xff, {1, UINT64_MAX}},
};

static struct darn_schedule sample(void)
{
    return (struct darn_schedule){
        .program = "/home/me/bank",
        .directory = "/home/me",
        .arguments = arguments,
        .environment = environment,
        .input = "input",
        .time = UINT64_MAX,
        .build = 0x1234,
        .max_steps = 1000,
        .fair_from = 70,
        .run_flags = DARN_RUN_FEED | DARN_RUN_RACES | 1u << 20,
        .modules = modules,
        .module_count = 2,
        .armed = armed,
        .armed_count = 6,
        .inputs = inputs,
        .input_length = 3,
        .aims = aims,
        .aim_count = sizeof(aims) / sizeof(aims[0]),
        .steps = steps,
        .step_count = sizeof(steps) / sizeof(steps[0]),
        .ending = "abort",
    };
}

static void a_schedule_looks_like_this(void **state)
{
    struct darn_schedule schedule = sample();
    char *text = write_text(&schedule);

    (void)state;
    assert_string_equal(text, "darn schedule 1\n"
                              "program /home/me/bank\n"
                              "directory /home/me\n"
                              "argument ./bank\n"
                              "argument\n"
                              "argument \\x20-n\\x20\n"
                              "argument two\\x0alines\\\\\n"
                              "argument \\x01\\x7f\xc3\xa9\xff\n"
                              "environment HOME=/home/me\n"
                              "environment EMPTY=\n"
                              "input input\n"
                              "build 0000000000001234\n"
                              "time 18446744073709551615\n"
                              "max-steps 1000\n"
                              "fair-from 70\n"
                              "flags races feed 0x100000\n"
                              "ending abort\n"
                              "armed 0000000000000001 0000000000000002 ffffffffffffffff "
                              "0000000000000004 0000000000000005\n"
                              "armed 0000000000000006\n"
                              "inputs 00ff10\n"
                              "module 0 /home/me/bank\n"
                              "module 1 /lib/with a blank.so\n"
                              "aim first 0+4010\n"
                              "aim second 1+20\n"
                              "aim third 0+4038\n"
                              "aim fourth 0+4039\n"
                              "aim back 1+0\n"
                              "aim unit 0+1\n"
                              "aim remote-unit 0+2\n"
                              "aim section 0+3\n"
                              "aim remote-section 0+4\n"
                              "T0 .start create@0+12f4\n"
                              "T1 !start@0x7f001234 write@0+4010*3 ~?take@1+abcdef\n"
                              "T4294967295 !.~?%&=^spin@1+ffffffffffffffff\n"
                              "end\n");
    free(text);
}

static void what_was_written_reads_back(void **state)
{
    struct darn_schedule schedule = sample();
    struct darn_schedule least = {.program = "p"};

    (void)state;
    expect_round_trip(&schedule);
    expect_round_trip(&least);
}

static uint64_t draw(uint64_t *random)
{
    *random = *random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *random >> 33;
}

static void schedules_of_any_steps_read_back(void **state)
{
    static struct darn_schedule_step many[5000];
    struct darn_schedule schedule = sample();
    uint64_t random = 1;

    (void)state;
    schedule.steps = many;
    for (int round = 0; round < 50; round++) {
        schedule.step_count = draw(&random) % 5000;
        for (size_t i = 0; i < schedule.step_count; i++)
            many[i] = (struct darn_schedule_step){
                .thread = (uint32_t)(draw(&random) % (1 + (unsigned)round / 10)),
                .op = (uint8_t)(1 + draw(&random) % (DARN_STEP_OPS - 1)),
                .flags = (uint8_t)draw(&random),
                .place = {(uint32_t)(draw(&random) % 3), draw(&random) % 5},
            };
        expect_round_trip(&schedule);
    }
}

static void lines_of_steps_are_folded(void **state)
{
    static struct darn_schedule_step many[100];
    struct darn_schedule schedule = {.program = "p", .steps = many, .step_count = 100};
    char *text;

    (void)state;
    for (size_t i = 0; i < 100; i++)
        many[i] = (struct darn_schedule_step){.op = DARN_STEP_LOCK, .place.offset = 0x1000 + i};
    text = write_text(&schedule);
    for (char *line = text, *end; (end = strchr(line, '\n')); line = end + 1)
        assert_true(end - line <= 96);
    assert_non_null(strstr(text, "\n   lock@0x"));
    assert_null(strstr(strstr(text, "T0") + 1, "T0"));
    expect_round_trip(&schedule);
    free(text);
}

static void people_may_leave_notes_and_other_line_ends(void **state)
{
    struct darn_schedule *schedule = read_text("darn schedule 1\r\n# why\r\n\r\nprogram /p\r\n"
                                               "T0 start\r\n\tlock\r\n   \r\nend\r\n\r\n");

    (void)state;
    assert_string_equal(schedule->program, "/p");
    assert_int_equal(schedule->step_count, 2);
    assert_null(schedule->arguments[0]);
    assert_null(schedule->environment[0]);
    darn_schedule_free(schedule);
}

static void what_is_wrong_is_named_by_its_line(void **state)
{
    static const struct {
        const char *text, *error;
    } cases[] = {
        {"\n", "line 1: this is no schedule: it does not begin with 'darn schedule 1'"},
        {"darn profile 1\n", "line 1: this is no schedule: it does not begin with "
                             "'darn schedule 1'"},
        {"darn schedule\n", "line 1: this is no schedule: it does not begin with "
                            "'darn schedule 1'"},
        {"darn schedule 2\n", "line 1: version 2 is not known: this darn reads version 1"},
        {HEAD, "line 3: 'end' is missing: the file was cut off"},
        {"darn schedule 1\nend\n", "line 3: no line says which program it is"},
        {"darn schedule 1\nprogram\nend\n", "line 4: no line says which program it is"},
        {HEAD "end\nT0 start\n", "line 4: there is something after 'end'"},
        {HEAD "program /q\n", "line 3: it was said before"},
        {HEAD "time 1\ntime 2\n", "line 4: it was said before"},
        {HEAD "time soon\n", "line 3: 'soon' is no number"},
        {HEAD "time\n", "line 3: '' is no number"},
        {HEAD "max-steps 99999999999999999999\n", "line 3: '99999999999999999999' is no number"},
        {HEAD "build xyz\n", "line 3: 'xyz' is no hexadecimal number"},
        {HEAD "flags races quickly\n", "line 3: there is no flag 'quickly'"},
        {HEAD "flags 0x100000000\n", "line 3: there is no flag '0x100000000'"},
        {HEAD "armed 12 1g\n", "line 3: '1g' is no key of a site"},
        {HEAD "aim fifth 0+10\n", "line 3: an aim is first, second, third, fourth, back, unit, "
                                  "remote-unit, section or remote-section"},
        {HEAD "module 0 /a\naim first 1+10\n", "line 4: '1+10' is no place"},
        {HEAD "module 0 /a\naim first\n", "line 4: '' is no place"},
        {HEAD "inputs 123\n", "line 3: inputs are pairs of hexadecimal digits"},
        {HEAD "module 1 /p\n", "line 3: modules are numbered: here comes 0"},
        {HEAD "module 0\n", "line 3: the module has no path"},
        {HEAD "T0 start\nmodule 0 /p\n", "line 4: a module comes before the steps"},
        {HEAD "argument \\q\n", "line 3: after a backslash comes another one, or x and two "
                                "hexadecimal digits"},
        {HEAD "argument \\x00\n", "line 3: after a backslash comes another one, or x and two "
                                  "hexadecimal digits"},
        {HEAD "argument \\x0", "line 3: after a backslash comes another one, or x and two "
                               "hexadecimal digits"},
        {HEAD "  lock\n", "line 3: it goes on with the steps of a thread, but there is none"},
        {HEAD "T lock\n", "line 3: 'T' is no thread"},
        {HEAD "T4294967296 lock\n", "line 3: 'T4294967296' is no thread"},
        {HEAD "T0 jump\n", "line 3: 'jump' is no step"},
        {HEAD "T0 !\n", "line 3: '!' is no step"},
        {HEAD "T0 lock@0+12\n", "line 3: 'lock@0+12' is no step"},
        {HEAD "T0 lock@12\n", "line 3: 'lock@12' is no step"},
        {HEAD "T0 lock@\n", "line 3: 'lock@' is no step"},
        {HEAD "T0 lock@0x0\n", "line 3: 'lock@0x0' is no step"},
        {HEAD "T0 lock*0\n", "line 3: 'lock*0' is no step"},
        {HEAD "module 0 /p\nT0 lock@0+\n", "line 4: 'lock@0+' is no step"},
        {HEAD "module 0 /p\nT0 lock@0+12345678901234567\n",
         "line 4: 'lock@0+12345678901234567' is no step"},
        {HEAD "T0 lock*1048577\n", "line 3: too many steps: there is room for 1048576"},
        {HEAD "T0 lock*1048576 lock\n", "line 3: too many steps: there is room for 1048576"},
        {HEAD "tempo 7\n", "line 3: 'tempo' is not known"},
        {HEAD "a\tb\x1b[2J\n", "line 3: 'a?b?[2J' is not known"},
        {HEAD "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\n",
         "line 3: 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx' is not known"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        expect_error(cases[i].text, cases[i].error);
}

static void a_zero_byte_and_a_huge_line_are_refused(void **state)
{
    static char huge[(1 << 20) + 100];
    char error[256] = "";

    (void)state;
    assert_null(read_bytes(HEAD "a\0b\n", sizeof(HEAD) + 3, error, sizeof(error)));
    assert_string_equal(error, "line 3: it has a zero byte: this is not a text");
    memset(huge, 'x', sizeof(huge));
    memcpy(huge, HEAD, strlen(HEAD));
    assert_null(read_bytes(huge, sizeof(huge), error, sizeof(error)));
    assert_string_equal(error, "line 3: it is too long");
}

/* A text of `count` times the line after the head. The caller frees it. */
static char *repeat(const char *line, size_t count)
{
    char *text = malloc(sizeof(HEAD) + count * strlen(line)), *to;

    assert_non_null(text);
    to = stpcpy(text, HEAD);
    while (count--)
        to = stpcpy(to, line);
    return text;
}

static void lists_have_an_end(void **state)
{
    char *text = repeat("argument a\n", 65536), line[32];

    (void)state;
    expect_error(text, "line 65538: too many of them: there is room for 65536");
    free(text);
    text = malloc(sizeof(HEAD) + 129 * sizeof(line));
    assert_non_null(text);
    strcpy(text, HEAD);
    for (int i = 0; i < 129; i++) {
        snprintf(line, sizeof(line), "module %d m\n", i);
        strcat(text, line);
    }
    expect_error(text, "line 131: too many of them: there is room for 128");
    free(text);
}

static void a_schedule_without_sense_is_not_written(void **state)
{
    struct darn_schedule schedule = sample(), nameless = {.directory = "/"};
    struct darn_schedule_step step = {.op = DARN_STEP_LOCK, .place = {.module = 3}};
    FILE *file = fopen("/dev/null", "w"), *full = fopen("/dev/full", "w");

    (void)state;
    assert_non_null(file);
    assert_non_null(full);
    assert_int_equal(darn_schedule_write(&nameless, file), -EINVAL);
    assert_int_equal(darn_schedule_write(&schedule, full), -ENOSPC);
    schedule.steps = &step;
    schedule.step_count = 1;
    assert_int_equal(darn_schedule_write(&schedule, file), -EINVAL);
    step = (struct darn_schedule_step){.op = DARN_STEP_OPS};
    assert_int_equal(darn_schedule_write(&schedule, file), -EINVAL);
    step.op = DARN_STEP_NONE;
    assert_int_equal(darn_schedule_write(&schedule, file), -EINVAL);
    fclose(file);
    fclose(full);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_schedule_looks_like_this),
        cmocka_unit_test(what_was_written_reads_back),
        cmocka_unit_test(schedules_of_any_steps_read_back),
        cmocka_unit_test(lines_of_steps_are_folded),
        cmocka_unit_test(people_may_leave_notes_and_other_line_ends),
        cmocka_unit_test(what_is_wrong_is_named_by_its_line),
        cmocka_unit_test(a_zero_byte_and_a_huge_line_are_refused),
        cmocka_unit_test(lists_have_an_end),
        cmocka_unit_test(a_schedule_without_sense_is_not_written),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
