/* Which frame of a stack tells where something happened. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "report/symbol/frames.h"

#define RUNTIME DARN_SOURCE_DIR "/src/runtime/intercept_block.c"

static void an_interceptor_is_of_the_runtime(void **state)
{
    struct darn_frame ours = {.function = "read", .file = RUNTIME, .line = 210};
    struct darn_frame named = {.function = "darn_turn_take", .file = NULL};
    struct darn_frame theirs = {.function = "read", .file = "/home/me/src/runtime/read.c"};
    struct darn_frame beside = {.function = "main", .file = DARN_SOURCE_DIR "/src/cli/main.c"};

    (void)state;
    assert_true(darn_frame_is_runtime(&ours));
    assert_true(darn_frame_is_runtime(&named));
    assert_false(darn_frame_is_runtime(&theirs));
    assert_false(darn_frame_is_runtime(&beside));
}

static void a_call_is_placed_where_the_program_makes_it(void **state)
{
    struct darn_frame frames[] = {
        {.function = "__GI___libc_read", .file = "read.c", .module = "/lib/libc.so.6"},
        {.function = "read", .file = RUNTIME, .module = "/home/me/prog"},
        {.function = "fetch", .file = "fetch.c", .line = 7, .module = "/home/me/prog"},
    };
    struct darn_finding_stack stack = {.frames = frames, .count = 3};
    const struct darn_frame *telling = darn_frames_telling(&stack);

    (void)state;
    assert_non_null(telling);
    assert_string_equal(telling->function, "fetch");
}

static void frames_of_the_runtime_are_dropped_wherever_they_are(void **state)
{
    struct darn_frame frames[] = {
        {.function = "pthread_mutex_lock", .file = RUNTIME},
        {.function = "handler", .file = "a.c"},
        {.function = "handle", .file = RUNTIME},
        {.module = "/lib/libc.so.6"},
        {.function = "raiser", .file = "a.c"},
        {.function = "run_pthread"},
    };
    struct darn_finding_stack stack = {.frames = frames, .count = 6};

    (void)state;
    darn_frames_trim(&stack);
    assert_int_equal(stack.count, 3);
    assert_string_equal(stack.frames[0].function, "handler");
    assert_non_null(stack.frames[1].module);
    assert_string_equal(stack.frames[2].function, "raiser");
}

static void what_libraries_are_made_of_is_plumbing(void **state)
{
    static const struct darn_frame plumbing[] = {
        {.function = "qsort_r", .file = "qsort.c", .module = "/lib/libc.so.6"},
        {.function = "operator new(unsigned long)", .module = "/usr/lib/libstdc++.so.6"},
        {.function = "push_back", .file = "/usr/include/c++/12/bits/stl_vector.h", .module = "a"},
        {.function = "std::thread::join()", .module = "a"},
    };
    static const struct darn_frame own[] = {
        {.function = "std::hash<Account>::operator()", .file = "account.h", .module = "a"},
        {.function = "compare", .file = "a.c", .module = "a"},
        {.function = "work", .module = "libwork.so"},
        {.module = "a"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(plumbing) / sizeof(plumbing[0]); i++)
        assert_true(darn_frame_is_plumbing(&plumbing[i]));
    for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
        assert_false(darn_frame_is_plumbing(&own[i]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_interceptor_is_of_the_runtime),
        cmocka_unit_test(a_call_is_placed_where_the_program_makes_it),
        cmocka_unit_test(frames_of_the_runtime_are_dropped_wherever_they_are),
        cmocka_unit_test(what_libraries_are_made_of_is_plumbing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
