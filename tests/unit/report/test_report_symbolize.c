/* Symbols: this test finds itself in its own debug information. */
#define _GNU_SOURCE /* dl_iterate_phdr */
#include "report_fixture.h"

#include <limits.h>
#include <elfutils/libdwfl.h>
#include <link.h>
#include <pthread.h>

#include "report/shell.h"
#include "report/symbol/demangle.h"
#include "report/symbol/frames.h"
#include "report/symbol/resolve.h"
#include "report/symbol/symbolize.h"

static char self[PATH_MAX];
static uintptr_t bias;

int darn_test_global[4];
static long hidden_global = 1;

/* Locks in all places that they are kept in. */
typedef pthread_mutex_t lock_type;
struct inner {
    union {
        lock_type lock;
        long number;
    };
    const volatile pthread_cond_t changed;
};
struct darn_test_table {
    int count;
    struct inner rows[3][2];
    pthread_mutex_t last;
} darn_test_table;
pthread_mutex_t darn_test_mutex;

static int find_bias(struct dl_phdr_info *info, size_t size, void *data)
{
    (void)size;
    (void)data;
    bias = info->dlpi_addr;
    return 1; /* the first one is the program */
}

static int find_self(void **state)
{
    ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);

    (void)state;
    dl_iterate_phdr(find_bias, NULL);
    return length > 0 ? 0 : -1;
}

struct spot {
    uint64_t offset;
    unsigned line;
};

/* Where a call returns to, which may be the first byte of the next line. */
__attribute__((noinline)) static void note_caller(struct spot *spot)
{
    spot->offset = (uintptr_t)__builtin_return_address(0) - bias;
}

static unsigned line_of_inner_call;

__attribute__((always_inline)) static inline void inner(struct spot *spot)
{
    line_of_inner_call = __LINE__ + 1;
    note_caller(spot);
    __asm__ volatile(""); /* no tail call */
}

__attribute__((always_inline)) static inline void middle(struct spot *spot)
{
    spot->line = __LINE__ + 1;
    inner(spot);
}

static unsigned line_in_outer;

__attribute__((noinline)) static void outer(struct spot *spot)
{
    line_in_outer = __LINE__ + 1;
    middle(spot);
    __asm__ volatile("");
}

static void expect_frame(const struct darn_frame *frame, const char *function, unsigned line)
{
    const char *file = frame->file ? frame->file : "(missing)";
    size_t length = strlen(file), tail = strlen("test_report_symbolize.c");

    assert_non_null(frame->function);
    assert_string_equal(frame->function, function);
    assert_true(length >= tail);
    assert_string_equal(file + length - tail, "test_report_symbolize.c");
    assert_int_equal(frame->line, line);
    assert_string_equal(frame->module, self);
}

static void inlined_functions_become_frames(void **state)
{
    struct darn_frame frames[DARN_SYMBOLIZE_DEPTH];
    struct darn_modules modules = {NULL};
    struct darn_text_pool pool = {0};
    struct spot spot;

    (void)state;
    outer(&spot);
    assert_int_equal(darn_symbolize_code(&modules, &pool, self, spot.offset - 1, frames), 3);
    expect_frame(&frames[0], "inner", line_of_inner_call);
    expect_frame(&frames[1], "middle", spot.line);
    expect_frame(&frames[2], "outer", line_in_outer);
    assert_true(frames[0].column > 0 && frames[1].column > 0);
    darn_modules_close(&modules);
    darn_pool_release(&pool);
}

static int find_libdw(struct dl_phdr_info *info, size_t size, void *data)
{
    (void)size;
    if (!strstr(info->dlpi_name, "/libdw"))
        return 0;
    *(struct dl_phdr_info *)data = *info;
    return 1;
}

static bool is_loaded(const char *library)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[PATH_MAX + 256];
    bool found = false;

    assert_non_null(maps);
    while (!found && fgets(line, sizeof(line), maps))
        found = strstr(line, library);
    fclose(maps);
    return found;
}

/* libdw would, which takes as long as the rest of a report. That of libc may be installed. */
static void a_library_without_debug_information_makes_nobody_load_a_client(void **state)
{
    struct darn_frame frames[DARN_SYMBOLIZE_DEPTH];
    struct darn_modules modules = {NULL};
    struct darn_text_pool pool = {0};
    struct dl_phdr_info library;

    (void)state;
    assert_true(dl_iterate_phdr(find_libdw, &library) == 1);
    assert_int_equal(darn_symbolize_code(&modules, &pool, library.dlpi_name,
                                         (uintptr_t)dwfl_begin - library.dlpi_addr, frames),
                     1);
    assert_non_null(frames[0].function);
    assert_false(is_loaded("debuginfod"));
    darn_modules_close(&modules);
    darn_pool_release(&pool);
}

static void variables_have_names_and_declarations(void **state)
{
    struct darn_modules modules = {NULL};
    struct darn_text_pool pool = {0};
    struct darn_symbol symbol = {.module = self, .offset = (uintptr_t)&darn_test_global[2] - bias};

    (void)state;
    darn_symbolize_data(&modules, &pool, &symbol);
    assert_string_equal(symbol.name, "darn_test_global");
    assert_int_equal(symbol.name_offset, 2 * sizeof(int));
    assert_non_null(strstr(symbol.file, "test_report_symbolize.c"));
    assert_true(symbol.line > 0);
    symbol = (struct darn_symbol){.module = self, .offset = (uintptr_t)&hidden_global - bias};
    __asm__ volatile("" : : "r"(&hidden_global) : "memory");
    darn_symbolize_data(&modules, &pool, &symbol);
    assert_string_equal(symbol.name, "hidden_global");
    assert_int_equal(symbol.name_offset, 0);
    darn_modules_close(&modules);
    darn_pool_release(&pool);
}

static void what_was_looked_up_is_known_and_outlives_the_modules(void **state)
{
    struct darn_frame first[DARN_SYMBOLIZE_DEPTH], second[DARN_SYMBOLIZE_DEPTH];
    struct darn_modules modules = {NULL};
    struct darn_text_pool pool = {0}, other = {0};
    struct darn_module_cache *cache;
    struct spot spot;
    size_t count;

    (void)state;
    outer(&spot);
    count = darn_symbolize_code(&modules, &pool, self, spot.offset - 1, first);
    cache = darn_module_cache(&modules, self);
    assert_int_equal(cache->code.count, 1);
    assert_int_equal(darn_symbolize_code(&modules, &other, self, spot.offset - 1, second), count);
    assert_int_equal(cache->code.count, 1);
    darn_modules_close(&modules);
    darn_pool_release(&pool);
    expect_frame(&second[0], "inner", line_of_inner_call);
    assert_int_equal(second[2].offset, spot.offset - 1);
    assert_string_equal(second[2].module, self);
    darn_pool_release(&other);
}

static void what_cannot_be_found_stays_unknown(void **state)
{
    static const struct {
        const char *module;
        uint64_t offset;
    } nowhere[] = {
        {NULL, 0x1000},
        {"/nowhere/at/all", 0x1000},
        {"/dev/null", 0x1000},
        {"/etc/passwd", 0x10},
        {"/tmp", 0x100},
        {self, UINT64_MAX},
        {self, 0},
        {"[vdso]", 0x100},
    };
    struct darn_modules modules = {NULL};
    struct darn_text_pool pool = {0};

    (void)state;
    for (size_t i = 0; i < sizeof(nowhere) / sizeof(nowhere[0]); i++) {
        struct darn_frame frames[DARN_SYMBOLIZE_DEPTH];
        struct darn_symbol symbol = {.module = nowhere[i].module, .offset = nowhere[i].offset};

        assert_int_equal(
            darn_symbolize_code(&modules, &pool, nowhere[i].module, nowhere[i].offset, frames), 1);
        assert_null(frames[0].function);
        assert_null(frames[0].file);
        darn_symbolize_data(&modules, &pool, &symbol);
        assert_null(symbol.name);
    }
    darn_modules_close(&modules);
    darn_pool_release(&pool);
}

/* A raw finding of one access with a stack of one frame, resolved. */
static struct darn_finding *resolve_at(const char *access, uint64_t offset)
{
    char json[2 * PATH_MAX];
    struct darn_finding *finding;

    snprintf(json, sizeof(json),
             "{\"raw\":1,\"id\":\"1\",\"kind\":\"data-race\",\"accesses\":[{%s,\"stack\":[{\"pc\":"
             "\"0x1\",\"module\":\"%s\",\"offset\":\"0x%llx\"}]}]}",
             access, self, (unsigned long long)offset);
    finding = read_finding(json);
    darn_resolve(finding);
    return finding;
}

static void a_free_is_placed_by_its_stack(void **state)
{
    struct darn_finding *finding;
    struct spot spot;

    (void)state;
    outer(&spot);
    finding = resolve_at("\"op\":\"free\"", spot.offset);
    assert_string_equal(finding->accesses[0].function, "inner");
    assert_int_equal(finding->accesses[0].line, line_of_inner_call);
    darn_finding_free(finding);
}

static void the_site_is_the_first_frame(void **state)
{
    struct darn_finding *finding;
    struct darn_finding_stack *stack;
    struct spot spot;

    (void)state;
    outer(&spot);
    /* The function of the site is where the code is: the line is corrected. */
    finding = resolve_at("\"op\":\"read\",\"file\":\"x.c\",\"line\":7,\"column\":3,"
                         "\"function\":\"inner\"",
                         spot.offset - 1);
    stack = &finding->accesses[0].stack;
    assert_int_equal(stack->count, 3);
    assert_string_equal(stack->frames[0].function, "inner");
    assert_string_equal(stack->frames[0].file, "x.c");
    assert_int_equal(stack->frames[0].line, 7);
    assert_int_equal(stack->frames[0].column, 3);
    darn_finding_free(finding);
    /* It is not: the site comes first, the frames that were found follow. */
    finding = resolve_at("\"op\":\"read\",\"file\":\"x.c\",\"line\":7,\"function\":\"innermost\"",
                         spot.offset - 1);
    stack = &finding->accesses[0].stack;
    assert_int_equal(stack->count, 4);
    assert_string_equal(stack->frames[0].function, "innermost");
    assert_string_equal(stack->frames[1].function, "inner");
    darn_finding_free(finding);
}

static void a_variable_without_a_name_gets_that_of_the_symbol(void **state)
{
    char json[2 * PATH_MAX];
    struct darn_finding *finding;

    (void)state;
    snprintf(
        json, sizeof(json),
        "{\"raw\":1,\"id\":\"1\",\"kind\":\"data-race\",\"variable\":\"\",\"accesses\":[{\"op\":"
        "\"read\"}],\"place\":{\"kind\":\"global\",\"module\":\"%s\",\"offset\":\"0x%llx\"}}",
        self, (unsigned long long)((uintptr_t)&darn_test_global[1] - bias));
    finding = read_finding(json);
    darn_resolve(finding);
    assert_string_equal(finding->variable, "darn_test_global+4");
    darn_finding_free(finding);
}

static void frames_outside_of_the_program_are_left_out(void **state)
{
    struct darn_frame frames[] = {
        {.function = "darn_free"}, {.function = "work"},       {.module = "/lib/libc.so.6"},
        {.function = "run"},       {.function = "darn_start"}, {.module = "/lib/libc.so.6"},
        {.function = "clone3"},
    };
    struct darn_finding_stack stack = {frames, 7};

    (void)state;
    darn_frames_trim(&stack);
    assert_int_equal(stack.count, 3);
    assert_string_equal(stack.frames[0].function, "work");
    assert_string_equal(stack.frames[2].function, "run");
    stack = (struct darn_finding_stack){&frames[5], 2};
    darn_frames_trim(&stack);
    assert_int_equal(stack.count, 2);
}

static void names_of_cxx_are_demangled_and_others_are_not(void **state)
{
    struct darn_text_pool pool = {0};

    (void)state;
    assert_string_equal(darn_demangle(&pool, "_ZN4bank7depositEi"), "bank::deposit(int)");
    assert_string_equal(darn_demangle(&pool, "i"), "i");
    assert_string_equal(darn_demangle(&pool, "_Zzz"), "_Zzz");
    assert_null(darn_demangle(&pool, NULL));
    darn_pool_release(&pool);
}

static void arguments_are_those_of_the_running_program(void **state)
{
    struct darn_text_pool pool = {0};

    (void)state;
    assert_string_equal(darn_shell_arguments(&pool, getpid(), self), "");
    assert_null(darn_shell_arguments(&pool, getpid(), "/nowhere/bank"));
    assert_null(darn_shell_arguments(&pool, getpid(), NULL));
    assert_string_equal(darn_shell_word(&pool, "--n=2"), "--n=2");
    assert_string_equal(darn_shell_word(&pool, ""), "''");
    assert_string_equal(darn_shell_word(&pool, "a b"), "'a b'");
    assert_string_equal(darn_shell_word(&pool, "it's"), "'it'\\''s'");
    darn_pool_release(&pool);
}

static void expect_part_name(const volatile void *address, const char *expected)
{
    struct darn_modules modules = {NULL};
    struct darn_text_pool pool = {0};
    struct darn_symbol symbol = {.module = self, .offset = (uintptr_t)address - bias};
    const char *part;

    darn_symbolize_data(&modules, &pool, &symbol);
    part = darn_symbolize_part(&modules, &pool, &symbol);
    if (expected)
        assert_string_equal(part, expected);
    else
        assert_null(part);
    darn_modules_close(&modules);
    darn_pool_release(&pool);
}

static void locks_are_named_as_parts_of_variables(void **state)
{
    (void)state;
    expect_part_name(&darn_test_mutex, "darn_test_mutex");
    expect_part_name(&darn_test_table.last, "darn_test_table.last");
    expect_part_name(&darn_test_table.rows[0][0].lock, "darn_test_table.rows[0][0].lock");
    expect_part_name(&darn_test_table.rows[2][1].lock, "darn_test_table.rows[2][1].lock");
    expect_part_name(&darn_test_table.rows[1][0].changed, "darn_test_table.rows[1][0].changed");
    /* Within a lock, and where there is none. */
    expect_part_name((char *)&darn_test_mutex + 1, NULL);
    expect_part_name(&darn_test_table.count, NULL);
    expect_part_name(&darn_test_global[1], NULL);
    expect_part_name((void *)bias, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(locks_are_named_as_parts_of_variables),
        cmocka_unit_test(inlined_functions_become_frames),
        cmocka_unit_test(a_library_without_debug_information_makes_nobody_load_a_client),
        cmocka_unit_test(variables_have_names_and_declarations),
        cmocka_unit_test(what_was_looked_up_is_known_and_outlives_the_modules),
        cmocka_unit_test(what_cannot_be_found_stays_unknown),
        cmocka_unit_test(a_free_is_placed_by_its_stack),
        cmocka_unit_test(the_site_is_the_first_frame),
        cmocka_unit_test(a_variable_without_a_name_gets_that_of_the_symbol),
        cmocka_unit_test(frames_outside_of_the_program_are_left_out),
        cmocka_unit_test(names_of_cxx_are_demangled_and_others_are_not),
        cmocka_unit_test(arguments_are_those_of_the_running_program),
    };

    return cmocka_run_group_tests(tests, find_self, NULL);
}
