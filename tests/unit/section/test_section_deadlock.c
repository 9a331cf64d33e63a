/* The signatures of deadlocks in the repository. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "section/build.h"
#include "section/deadlock.h"

static struct darn_deadlock room_for, last;
static uint32_t found, errors;
static char error_text[200];
static uint32_t error_line;
static char written[1 << 16];

static bool keep(void *context, const struct darn_deadlock *deadlock)
{
    struct darn_json json;

    (void)context;
    last = *deadlock;
    found++;
    darn_json_start(&json, written, sizeof(written));
    darn_repository_style(&json);
    darn_deadlock_write(&json, deadlock);
    assert_false(json.text.cut);
    return true;
}

static void tell(void *context, const struct darn_repository_error *error)
{
    (void)context;
    errors++;
    error_line = error->line;
    strncpy(error_text, error->text, sizeof(error_text) - 1);
}

static uint32_t read_text(const char *text)
{
    static char room[1 << 16];
    struct darn_deadlock_reader reader = {keep, tell, NULL, room, sizeof(room)};

    found = errors = 0;
    memset(error_text, 0, sizeof(error_text));
    return darn_deadlocks_read(text, strlen(text), &room_for, &reader);
}

#define HEAD   "{\"darn-sections\": 1,\n \"sections\": [\"bank.c:1-2 balance\"],\n \"deadlocks\": [\n"
#define THREAD "{\"holds\": [{\"at\": \"bank+0x12f1\"}]}"
#define BUILDS "\"builds\": {\"bank\": \"5f0c\"}"
#define WHOLE  "{" BUILDS ", \"threads\": [" THREAD ", " THREAD "]}"

#define ORDERS       "{\"darn-sections\": 1,\n \"orders\": [\n"
#define ORDER(until) "{\"until\": \"" until "\", " BUILDS ", \"threads\": [" THREAD ", " THREAD "]}"

static void an_order_has_two_threads_and_an_end(void **state)
{
    (void)state;
    assert_int_equal(read_text(ORDERS ORDER("gone") ", " ORDER("done") "]}"), 0);
    assert_int_equal(found, 2);
    assert_int_equal(last.until, DARN_UNTIL_DONE);
    assert_non_null(strstr(written, "{\"until\": \"done\""));
    assert_int_equal(read_text(ORDERS WHOLE "]}"), 1);
    assert_non_null(strstr(error_text, "an order has two"));
    assert_int_equal(read_text(ORDERS ORDER("soon") "]}"), 1);
    assert_int_equal(read_text(HEAD ORDER("done") "]}"), 1);
    assert_non_null(strstr(error_text, "a deadlock has no"));
    assert_int_equal(found, 0);
    assert_int_equal(read_text(HEAD WHOLE "],\n \"orders\": [" ORDER("gone") "]}"), 0);
    assert_int_equal(found, 2);
}

#define LIFE(until, one, other)                                                                    \
    "{\"until\": \"" until "\", " BUILDS ", \"threads\": [{\"" one                                  \
    "\": [{\"at\": \"bank+0x1\"}]}, {\"" other "\": [{\"at\": \"bank+0x2\"}]}]}"

static void a_life_ends_after_those_who_were_started(void **state)
{
    (void)state;
    assert_int_equal(read_text(ORDERS LIFE("gone", "starts", "ends") "]}"), 0);
    assert_int_equal(last.threads[0].by, DARN_BY_START);
    assert_int_equal(last.threads[1].by, DARN_BY_END);
    assert_non_null(strstr(written, "\"starts\": ["));
    assert_non_null(strstr(written, "\"ends\": ["));
    assert_int_equal(read_text(ORDERS LIFE("gone", "starts", "holds") "]}"), 0);
    assert_int_equal(last.threads[1].by, DARN_BY_LOCK);
    assert_int_equal(read_text(ORDERS "{\"until\": \"through\", " BUILDS ", \"threads\": [" THREAD
                                      ", " THREAD ", " THREAD "]}]}"),
                     0);
    assert_int_equal(last.until, DARN_UNTIL_THROUGH);
    assert_int_equal(read_text(ORDERS ORDER("through") "]}"), 1);
    assert_non_null(strstr(error_text, "three and"));
    assert_int_equal(read_text(ORDERS LIFE("done", "starts", "ends") "]}"), 1);
    assert_non_null(strstr(error_text, "goes with"));
    assert_int_equal(read_text(ORDERS LIFE("gone", "holds", "ends") "]}"), 1);
    assert_int_equal(read_text(ORDERS LIFE("gone", "ends", "starts") "]}"), 1);
    assert_non_null(strstr(error_text, "is for the first thread"));
    assert_int_equal(read_text(HEAD "{" BUILDS ", \"threads\": [{\"starts\": [{\"at\": "
                                    "\"bank+0x1\"}]}, " THREAD "]}]}"),
                     1);
}

static void what_is_written_is_read_again(void **state)
{
    static struct darn_deadlock deadlock = {
        .locks = "a, \"b\"",
        .moved = true,
        .module_count = 2,
        .thread_count = 2,
        .modules = {{"ba+nk", "5f0c"}, {"libc.so", "code:0123"}},
    };
    struct darn_deadlock_stack *holds = &deadlock.threads[0].holds;
    char text[1 << 14], first[1 << 14];
    struct darn_json json;

    (void)state;
    holds->count = 3;
    holds->frames[0] = (struct darn_deadlock_frame){
        "ba+nk", 0x12f1, "lock(Account&)", "my file.c", "pthread_mutex_lock", 11, 1, 2};
    holds->frames[1] =
        (struct darn_deadlock_frame){.function = "take", .file = "bank.c", .line = 20};
    holds->frames[2] = (struct darn_deadlock_frame){.module = "libc.so", .offset = 0xf000000000};
    deadlock.threads[0].wants = *holds;
    deadlock.threads[1].holds = *holds;
    darn_json_start(&json, text, sizeof(text));
    darn_repository_style(&json);
    darn_text_add(&json.text, HEAD);
    darn_deadlock_write(&json, &deadlock);
    strcpy(first, text + strlen(HEAD));
    darn_text_add(&json.text, "\n ]}\n");
    assert_int_equal(read_text(text), 0);
    assert_int_equal(found, 1);
    assert_string_equal(written, first);
    assert_int_equal(last.position, 4);
    assert_int_equal(last.thread_count, 2);
    assert_int_equal(last.threads[0].holds.frames[2].offset, 0xf000000000);
    assert_int_equal(last.threads[0].holds.frames[0].of, 2);
    assert_null(last.threads[0].holds.frames[1].module);
}

static void a_repository_without_deadlocks_has_none(void **state)
{
    (void)state;
    assert_int_equal(read_text("{\"darn-sections\": 1, \"sections\": [{\"a\": [1, {}]}]}"), 0);
    assert_int_equal(found, 0);
    assert_int_equal(read_text(""), 0);
    assert_int_equal(read_text("nonsense"), 0);
    assert_int_equal(found, 0);
}

static void unknown_keys_are_passed_over(void **state)
{
    (void)state;
    assert_int_equal(read_text(HEAD "{\"note\": {\"x\": [1]}, " BUILDS ", \"threads\": [" THREAD
                                    ", {\"holds\": [{\"at\": \"bank+0x1\", \"new\": true}], "
                                    "\"more\": 1}]}]}"),
                     0);
    assert_int_equal(found, 1);
    assert_int_equal(last.threads[1].holds.frames[0].offset, 1);
}

static void expect_error(const char *signature, const char *text)
{
    char whole[8192];

    snprintf(whole, sizeof(whole), HEAD "%s,\n" WHOLE "]}", signature);
    assert_int_equal(read_text(whole), 1);
    assert_int_equal(errors, 1);
    assert_int_equal(error_line, 4);
    if (!strstr(error_text, text))
        fail_msg("'%s' instead of '%s'", error_text, text);
    assert_int_equal(found, 1); /* the next one is read all the same */
}

static void what_is_wrong_is_told_and_left_out(void **state)
{
    (void)state;
    expect_error("{" BUILDS ", \"threads\": [" THREAD "]}", "at least two");
    expect_error("{" BUILDS ", \"threads\": [" THREAD ", {\"wants\": []}]}", "\"at\"");
    expect_error("{\"threads\": [" THREAD ", " THREAD "]}", "\"builds\" does not have 'bank'");
    expect_error("{" BUILDS ", \"threads\": [" THREAD ", {\"holds\": [{\"at\": \"bank\"}]}]}",
                 "'bank' is no place");
    expect_error("{" BUILDS ", \"threads\": [" THREAD ", {\"holds\": [{\"at\": \"b+0xg\"}]}]}",
                 "is no place");
    expect_error("17", "braces");
    expect_error("{" BUILDS ", \"threads\": {}}", "brackets");
}

static void bad_syntax_ends_the_reading(void **state)
{
    (void)state;
    assert_int_equal(read_text(HEAD WHOLE " " WHOLE "]}"), 1);
    assert_int_equal(found, 1);
    assert_int_equal(read_text(HEAD "{\"threads\": [{\"holds\": \"bank"), 1);
    assert_int_equal(found, 0);
    assert_int_equal(read_text("{\"darn-sections\": 1, \"deadlocks\": 5}"), 1);
}

static void a_build_has_the_same_name_in_the_file_and_in_memory(void **state)
{
    unsigned char image[512] = {0};
    Elf64_Phdr headers[2] = {
        {.p_type = PT_NOTE, .p_offset = 64, .p_vaddr = 128, .p_filesz = 20},
        {.p_type = PT_LOAD, .p_flags = PF_X, .p_offset = 200, .p_vaddr = 300, .p_filesz = 21},
    };
    Elf64_Nhdr note = {4, 4, NT_GNU_BUILD_ID};
    char file[DARN_BUILD_SIZE], memory[DARN_BUILD_SIZE];

    (void)state;
    for (size_t at = 64; at <= 128; at += 64) {
        memcpy(image + at, &note, sizeof(note));
        memcpy(image + at + sizeof(note), "GNU\0\x5f\x0c\x00\xff", 8);
    }
    memset(image + 200, 0x90, 21);
    memset(image + 300, 0x90, 21);
    assert_true(darn_build_name(headers, 2, (char *)image, true, sizeof(image), file));
    assert_true(darn_build_name(headers, 2, (char *)image, false, 0, memory));
    assert_string_equal(file, "5f0c00ff");
    assert_string_equal(memory, file);
    /* Without a note the code tells. */
    headers[0].p_type = PT_NULL;
    assert_true(darn_build_name(headers, 2, (char *)image, true, sizeof(image), file));
    assert_true(darn_build_name(headers, 2, (char *)image, false, 0, memory));
    assert_int_equal(strncmp(file, "code:", 5), 0);
    assert_string_equal(memory, file);
    image[220] = 0x91;
    assert_true(darn_build_name(headers, 2, (char *)image, true, sizeof(image), file));
    assert_string_not_equal(memory, file);
    /* A file that is cut off has no build. */
    assert_false(darn_build_name(headers, 2, (char *)image, true, 210, file));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_order_has_two_threads_and_an_end),
        cmocka_unit_test(a_life_ends_after_those_who_were_started),
        cmocka_unit_test(what_is_written_is_read_again),
        cmocka_unit_test(a_repository_without_deadlocks_has_none),
        cmocka_unit_test(unknown_keys_are_passed_over),
        cmocka_unit_test(what_is_wrong_is_told_and_left_out),
        cmocka_unit_test(bad_syntax_ends_the_reading),
        cmocka_unit_test(a_build_has_the_same_name_in_the_file_and_in_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
