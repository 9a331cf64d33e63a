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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_interceptor_is_of_the_runtime),
        cmocka_unit_test(a_call_is_placed_where_the_program_makes_it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
