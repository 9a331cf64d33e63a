/* What the compiler driver makes of a command line: when the runtime is linked, what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "cli/cc/cc_line.h"

static struct darn_cc_line line;
static struct darn_words words;

static void read_line(const char *text)
{
    darn_words_free(&words);
    darn_response_split(&words, text);
    darn_cc_line_read(&line, words.count, words.items);
}

static void expect_links(const char *text, bool links)
{
    read_line(text);
    if (line.links_program != links)
        fail_msg("%s: %s", text, links ? "the runtime is missing" : "the runtime is linked");
}

static void expect_inputs(const char *text, bool inputs)
{
    read_line(text);
    if (line.inputs != inputs)
        fail_msg("%s: %s", text, inputs ? "there is an input" : "there is no input");
}

static void programs_get_the_runtime(void **state)
{
    (void)state;
    expect_links("a.c", true);
    expect_links("-o conftest conftest.c -lm", true);
    expect_links("-g -O2 -MD -MF a.d -MT a.o a.c", true);
    expect_links("a.o b.o libx.a -o a", true);
    expect_links("-x c -", true);
    expect_links("-xc++ a.txt", true);
    expect_links("-x c-header -x none a.c", true);
    expect_links("-o a -- a.c", true);
    expect_links("-pie a.o -Wl,-rpath,/r -Wl,--as-needed", true);
    expect_links("-nostartfiles a.c", true);
    expect_links("-v a.c", true);
    expect_links("-include config.h -o a a.c", true);
    expect_links("-Xlinker -rpath -Xlinker /r a.o", true);
    expect_links("a.h a.c", true);
}

static void expect_object(const char *text, const char *source, const char *object)
{
    read_line(text);
    if ((source ? !line.source || strcmp(line.source, source) != 0 : line.source != NULL) ||
        (object ? !line.object || strcmp(line.object, object) != 0 : line.object != NULL))
        fail_msg("%s: %s is made of %s", text, line.object, line.source);
}

static void the_object_of_one_source_is_known(void **state)
{
    (void)state;
    expect_object("-c a.c", "a.c", NULL);
    expect_object("-c -I d -o d/a.o a.c", "a.c", "d/a.o");
    expect_object("-od/a.o --compile -MF a.d -- a.c", "a.c", "d/a.o");
    expect_object("--output=a.o -c -x c a.txt", "a.txt", "a.o");
    expect_object("-c a.c b.c", NULL, NULL);
    expect_object("a.c -o a", NULL, NULL);
    expect_object("-E a.c", NULL, NULL);
}

static void what_stops_before_linking_does_not(void **state)
{
    static const char *const stops[] = {
        "-c a.c",         "-S a.c",
        "-E a.c",         "-M a.c",
        "-MM a.c",        "-fsyntax-only a.c",
        "-emit-llvm a.c", "--precompile a.cppm",
        "-x c - -E",      "--compile a.c",
        "-c -- a.c",      "-x c-header a.h",
        "-xc++-header a", "a.h",
        "a.hpp",          "-o x.pch x.hh",
        "--analyze a.c",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(stops) / sizeof(stops[0]); i++)
        expect_links(stops[i], false);
}

static void what_is_not_a_program_does_not(void **state)
{
    static const char *const others[] = {
        "-shared -o a.so a.c", "-r a.o b.o",           "-nostdlib a.c",
        "-nodefaultlibs a.c",  "--shared a.o",         "-Wl,-shared a.o",
        "-Wl,-z,defs,-r a.o",  "-Xlinker -shared a.o", "-Xlinker -r a.o",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        expect_links(others[i], false);
}

static void values_of_options_are_no_inputs_and_no_options(void **state)
{
    (void)state;
    expect_inputs("-o a", false);
    expect_inputs("-I . -L /lib -D X -U Y -include a.h -isystem b -x c", false);
    expect_inputs("-MF a.d -MT t -MQ q -Xclang a -mllvm b -T s.ld -u s -z now -target t", false);
    expect_inputs("--sysroot / --param x=y --config f", false);
    expect_links("-o -c a.c", true);
    expect_links("-I -shared a.c", true);
    expect_links("-MF -E a.c", true);
    expect_links("-Xclang -fsyntax-only a.c", true);
    expect_links("-D -c a.c", true);
}

static void questions_have_no_inputs(void **state)
{
    static const char *const questions[] = {
        "",
        "--version",
        "-v",
        "-dumpversion",
        "-dumpmachine",
        "-###",
        "-print-multiarch",
        "--help",
        "-print-search-dirs",
        "-print-file-name=libc.a",
        "--print-file-name libc.a",
        "-lm",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(questions) / sizeof(questions[0]); i++)
        expect_inputs(questions[i], false);
    expect_inputs("-x c -", true);
    expect_inputs("-- -c", true);
}

static void shared_objects_that_demand_all_symbols_are_seen(void **state)
{
    static const char *const demand[] = {
        "-shared -Wl,-z,defs a.o",
        "-shared -Wl,--no-undefined a.o",
        "-shared -z defs a.o",
        "-shared a.o -Xlinker -z -Xlinker defs",
        "-Wl,-z,now,-z,defs,-shared a.o",
    };
    static const char *const do_not[] = {
        "-shared a.o",
        "-Wl,-z,defs a.o",
        "-shared -c -Wl,-z,defs a.c",
        "-shared -Wl,-z,now a.o",
        "-shared -o defs a.o",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(demand) / sizeof(demand[0]); i++) {
        read_line(demand[i]);
        if (!line.demands_all)
            fail_msg("%s", demand[i]);
    }
    for (size_t i = 0; i < sizeof(do_not) / sizeof(do_not[0]); i++) {
        read_line(do_not[i]);
        if (line.demands_all)
            fail_msg("%s", do_not[i]);
    }
}

static void the_inner_compiler_is_recognised(void **state)
{
    (void)state;
    read_line("-cc1 -emit-obj a.c");
    assert_true(line.raw);
    read_line("-cc1as a.s");
    assert_true(line.raw);
    read_line("a.c -cc1");
    assert_false(line.raw);
}

static void expect_refused(const char *text, const char *word)
{
    read_line(text);
    if (!word != !line.refused || (word && strcmp(word, line.refused) != 0))
        fail_msg("%s: refused for %s", text, line.refused ? line.refused : "nothing");
}

static void static_programs_are_refused(void **state)
{
    (void)state;
    expect_refused("-static a.c", "-static");
    expect_refused("a.o --static", "--static");
    expect_refused("a.o -static-pie", "-static-pie");
    expect_refused("-m32 a.c", "-m32");
    expect_refused("-m32 -m64 a.c", NULL);
    expect_refused("-static -c a.c", NULL);
    expect_refused("-static-libgcc -static-libstdc++ a.c", NULL);
    expect_refused("-Wl,-Bstatic -lx -Wl,-Bdynamic a.c", NULL);
    expect_refused("-shared -static a.c", NULL);
    expect_refused("-o -static a.c", NULL);
}

static void thread_sanitizer_is_seen(void **state)
{
    static const struct {
        const char *text;
        bool on;
    } lines[] = {
        {"-fsanitize=thread a.c", true},
        {"-fsanitize=undefined,thread -c a.c", true},
        {"-fsanitize=thread -fno-sanitize=thread a.c", false},
        {"-fsanitize=thread -fno-sanitize=all a.c", false},
        {"-fno-sanitize=thread -fsanitize=thread a.c", true},
        {"-fsanitize=address a.c", false},
        {"-fsanitize-thread-atomics a.c", false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        read_line(lines[i].text);
        if (line.thread_sanitizer != lines[i].on)
            fail_msg("%s", lines[i].text);
    }
}

static void no_warnings_is_seen(void **state)
{
    (void)state;
    read_line("-c a.c -w");
    assert_true(line.no_warnings);
    read_line("--no-warnings -c a.c");
    assert_true(line.no_warnings);
    read_line("-Wall -Werror -o -w -c a.c");
    assert_false(line.no_warnings);
    read_line("-c a.c -- -w");
    assert_false(line.no_warnings);
}

static void lto_is_seen(void **state)
{
    (void)state;
    read_line("-flto a.c");
    assert_true(line.lto);
    read_line("-flto=thin -c a.c");
    assert_true(line.lto);
    read_line("-fno-lto a.c");
    assert_false(line.lto);
}

static void expect_words(const char *text, size_t count, ...)
{
    va_list expected;

    darn_words_free(&words);
    darn_response_split(&words, text);
    assert_int_equal(words.count, count);
    va_start(expected, count);
    for (size_t i = 0; i < count; i++)
        assert_string_equal(words.items[i], va_arg(expected, const char *));
    va_end(expected);
}

static void response_files_have_gnu_quoting(void **state)
{
    (void)state;
    expect_words("", 0);
    expect_words(" \n\t", 0);
    expect_words("a b\n\tc\r\n", 3, "a", "b", "c");
    expect_words("'a b' \"c d\" e' 'f", 3, "a b", "c d", "e f");
    expect_words("a\\ b \"c\\\"d\" 'e\\f'", 3, "a b", "c\"d", "e\\f");
    expect_words("-DX='\"y\"' \"it's\" ''", 3, "-DX=\"y\"", "it's", "");
    expect_words("end\\", 1, "end\\");
    expect_words("'open", 1, "open");
}

static int finish(void **state)
{
    (void)state;
    darn_words_free(&words);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(programs_get_the_runtime),
        cmocka_unit_test(the_object_of_one_source_is_known),
        cmocka_unit_test(what_stops_before_linking_does_not),
        cmocka_unit_test(what_is_not_a_program_does_not),
        cmocka_unit_test(values_of_options_are_no_inputs_and_no_options),
        cmocka_unit_test(questions_have_no_inputs),
        cmocka_unit_test(shared_objects_that_demand_all_symbols_are_seen),
        cmocka_unit_test(the_inner_compiler_is_recognised),
        cmocka_unit_test(static_programs_are_refused),
        cmocka_unit_test(thread_sanitizer_is_seen),
        cmocka_unit_test(no_warnings_is_seen),
        cmocka_unit_test(lto_is_seen),
        cmocka_unit_test(response_files_have_gnu_quoting),
    };

    return cmocka_run_group_tests(tests, NULL, finish);
}
