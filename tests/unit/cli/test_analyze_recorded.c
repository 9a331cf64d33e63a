/* darn analyze on binary traces: sites, stacks, blocks and globals of a real program, which is this
 * test itself. */
#include "report_fixture.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/wait.h>

#include "cli/command.h"
#include "site/site.h"
#include "trace_writer.h"

/* What the traces are about: their addresses are all that counts. */
long recorded_total;
long recorded_first_lock[8], recorded_second_lock[8];

__attribute__((noinline)) void recorded_deposit(void)
{
    recorded_total++;
}

__attribute__((noinline)) void recorded_audit(void)
{
    recorded_total += 2;
}

static char program[PATH_MAX];
static uint64_t base;

static uint64_t address_of(const void *object)
{
    return (uint64_t)(uintptr_t)object;
}

static uint64_t code_of(void (*function)(void))
{
    return (uint64_t)(uintptr_t)function + 1;
}

static struct darn_trace_writer *begin(const char *path)
{
    char error[512] = "";
    struct darn_trace_writer *writer = darn_trace_writer_open(path, error, sizeof(error));
    const uint64_t deposit[] = {code_of(recorded_deposit)}, audit[] = {code_of(recorded_audit)};
    const struct darn_trace_module module = {base, base + (UINT64_C(1) << 30), 0, program};
    const struct darn_trace_thread threads[] = {
        {.number = 0, .name = "main"},
        {.number = 1, .has_parent = true, .stack = 2, .name = "teller"},
        {.number = 2, .has_parent = true, .name = "auditor"},
    };

    if (!writer)
        fail_msg("%s", error);
    darn_trace_writer_program(writer, program, 4711);
    darn_trace_writer_module(writer, 1, &module);
    darn_trace_writer_stack(writer, 1, &(struct darn_trace_stack){1, deposit});
    darn_trace_writer_stack(writer, 2, &(struct darn_trace_stack){1, audit});
    for (size_t i = 0; i < 3; i++)
        darn_trace_writer_thread(writer, &threads[i]);
    return writer;
}

static void put(struct darn_trace_writer *writer, enum darn_event_kind kind, uint32_t thread,
                uint64_t target, uint64_t extra, uint32_t stack, uint32_t site)
{
    struct darn_event event = {.kind = (uint8_t)kind,
                               .thread = thread,
                               .target = target,
                               .extra = extra,
                               .stack = stack,
                               .site = site,
                               .size = kind <= DARN_EVENT_UPDATE ? 8 : 0};

    darn_trace_writer_event(writer, &event);
}

static void put_threads(struct darn_trace_writer *writer)
{
    put(writer, DARN_EVENT_START, 0, 0, 0, 0, 0);
    for (uint32_t thread = 1; thread <= 2; thread++) {
        put(writer, DARN_EVENT_FORK, 0, thread, 0, 2, 0);
        put(writer, DARN_EVENT_START, thread, 0, 0, 0, 0);
    }
}

static void end(struct darn_trace_writer *writer)
{
    char error[512] = "";

    for (uint32_t thread = 1; thread <= 2; thread++) {
        put(writer, DARN_EVENT_EXIT, thread, 0, 0, 0, 0);
        put(writer, DARN_EVENT_JOIN, 0, thread, 0, 0, 0);
    }
    if (darn_trace_writer_close(writer, error, sizeof(error)))
        fail_msg("%s", error);
}

static char *out;

/* The exit status of `darn analyze --engine=ENGINES --json=… PATH`; `out` is what it printed. */
static int analyze(const char *dir, const char *engines, const char *path)
{
    char engine[64], json[600], printed[600];
    char *argv[] = {(char *)"analyze", engine, json, (char *)path, NULL};
    pid_t child;
    int status;

    snprintf(engine, sizeof(engine), "--engine=%s", engines);
    snprintf(json, sizeof(json), "--json=%s/found.jsonl", dir);
    snprintf(printed, sizeof(printed), "%s/out", dir);
    child = fork();
    if (child == 0) {
        int fd = open(printed, O_WRONLY | O_CREAT | O_TRUNC, 0600);

        dup2(fd, STDOUT_FILENO);
        status = darn_command_analyze.run(4, argv);
        fflush(stdout);
        _exit(status);
    }
    assert_true(waitpid(child, &status, 0) == child && WIFEXITED(status));
    free(out);
    out = read_file(printed);
    return WEXITSTATUS(status);
}

/* Two threads, one of them under a lock, at a place of the source each. */
static void put_race(struct darn_trace_writer *writer, uint64_t address, const char *variable)
{
    struct darn_trace_site site = {.file = "recorded.c",
                                   .dir = "/nowhere",
                                   .function = "recorded_deposit",
                                   .variable = variable,
                                   .line = 12,
                                   .column = 5,
                                   .size = 8,
                                   .key = 1,
                                   .kind = DARN_SITE_WRITE};

    darn_trace_writer_site(writer, 1, &site);
    site.function = "recorded_audit";
    site.line = 20;
    site.key = 2;
    darn_trace_writer_site(writer, 2, &site);
    put(writer, DARN_EVENT_WRITE, 1, address, 0, 1, 1);
    put(writer, DARN_EVENT_ACQUIRE, 2, address_of(recorded_first_lock), 0, 2, 0);
    put(writer, DARN_EVENT_WRITE, 2, address, 0, 2, 2);
    put(writer, DARN_EVENT_RELEASE, 2, address_of(recorded_first_lock), 0, 0, 0);
}

static void a_race_on_a_global_has_the_names_of_the_program(void **state)
{
    char path[600];
    struct darn_trace_writer *writer;

    snprintf(path, sizeof(path), "%s/global.trace", (char *)*state);
    writer = begin(path);
    put_threads(writer);
    put_race(writer, address_of(&recorded_total), "recorded_total");
    end(writer);
    assert_int_equal(analyze(*state, "hb,hybrid", path), 66);
    expect_part(out, "recorded.c:12:5: warning: possible data race on 'recorded_total' [data-race, "
                     "predicted by hb, hybrid]\n"
                     "  thread T1 'teller' writes 8 bytes, holding no lock\n"
                     "    #0 recorded_deposit  recorded.c:12:5\n"
                     "recorded.c:20:5: note: thread T2 'auditor' writes the same 8 bytes, holding "
                     "mutex 'recorded_first_lock'\n"
                     "    #0 recorded_audit  recorded.c:20:5\n"
                     "  why: only T2 holds a lock, and nothing in this run ordered the two "
                     "accesses\n"
                     "  variable: 'recorded_total' is a global variable");
    expect_part(out, "  thread T1 'teller' was created by main thread T0:\n    #0 recorded_audit");
    expect_part(out,
                "  see it: darn run --noise=site:recorded.c:12:1000/200,site:recorded.c:20:1000/200"
                " -- ");
    expect_part(out, "SUMMARY: darn: 1 possible data race (recorded.c:12 recorded_deposit "
                     "'recorded_total')\n");
}

static void a_race_in_the_heap_names_the_block_of_its_time(void **state)
{
    char path[600];
    struct darn_trace_writer *writer;

    snprintf(path, sizeof(path), "%s/heap.trace", (char *)*state);
    writer = begin(path);
    put_threads(writer);
    put(writer, DARN_EVENT_ALLOC, 0, 0x1000, 64, 1, 0);
    put(writer, DARN_EVENT_FREE, 0, 0x1000, 64, 1, 0);
    put(writer, DARN_EVENT_ALLOC, 0, 0x1008, 24, 2, 0);
    put(writer, DARN_EVENT_SEND, 0, 1, 0, 0, 0);
    put(writer, DARN_EVENT_RECEIVE, 1, 1, 0, 0, 0);
    put(writer, DARN_EVENT_RECEIVE, 2, 1, 0, 0, 0);
    put_race(writer, 0x1010, "acct->balance");
    put(writer, DARN_EVENT_EXIT, 1, 0, 0, 0, 0);
    put(writer, DARN_EVENT_JOIN, 0, 1, 0, 0, 0);
    put(writer, DARN_EVENT_EXIT, 2, 0, 0, 0, 0);
    put(writer, DARN_EVENT_JOIN, 0, 2, 0, 0, 0);
    put(writer, DARN_EVENT_FREE, 0, 0x1008, 24, 1, 0);
    put(writer, DARN_EVENT_ALLOC, 0, 0x1000, 128, 1, 0);
    {
        char error[512] = "";

        assert_int_equal(darn_trace_writer_close(writer, error, sizeof(error)), 0);
    }
    assert_int_equal(analyze(*state, "hb", path), 66);
    expect_part(out, "  variable: 'acct->balance' is at byte 8 of a heap block of 24 bytes "
                     "allocated by main thread T0:\n"
                     "    #0 recorded_audit");
}

static void a_deadlock_has_its_places_from_the_debug_information(void **state)
{
    char path[600], *json;
    struct darn_trace_writer *writer;
    uint64_t a = address_of(recorded_first_lock), b = address_of(recorded_second_lock);

    snprintf(path, sizeof(path), "%s/cycle.trace", (char *)*state);
    writer = begin(path);
    put_threads(writer);
    put(writer, DARN_EVENT_ACQUIRE, 1, a, 0, 1, 0);
    put(writer, DARN_EVENT_ACQUIRE, 1, b, 0, 1, 0);
    put(writer, DARN_EVENT_RELEASE, 1, b, 0, 0, 0);
    put(writer, DARN_EVENT_RELEASE, 1, a, 0, 0, 0);
    put(writer, DARN_EVENT_ACQUIRE, 2, b, 0, 2, 0);
    put(writer, DARN_EVENT_ACQUIRE, 2, a, 0, 2, 0);
    put(writer, DARN_EVENT_RELEASE, 2, a, 0, 0, 0);
    put(writer, DARN_EVENT_RELEASE, 2, b, 0, 0, 0);
    end(writer);
    assert_int_equal(analyze(*state, "deadlock", path), 66);
    expect_part(out, "test_analyze_recorded.c:");
    expect_part(out, ": warning: possible deadlock between T1 and T2 [deadlock, predicted]\n");
    expect_part(out, "  thread T1 'teller' holds mutex 'recorded_first_lock' (taken at ");
    expect_part(out, " in recorded_deposit) and then takes mutex 'recorded_second_lock'\n");
    expect_part(out, "  see it: darn run --preload --noise=random:100/1000 -- ");
    expect_part(out, "  suppress: deadlock:recorded_deposit\n");
    json = read_file(path_in(*state, "found.jsonl"));
    expect_part(json, "\"variable\":\"recorded_first_lock, recorded_second_lock\"");
    free(json);
}

/* The linker's name for where the program begins in memory. */
extern const char __ehdr_start[];

static int find_program(void)
{
    ssize_t length = readlink("/proc/self/exe", program, sizeof(program) - 1);

    base = address_of(__ehdr_start);
    return length > 0 ? 0 : -1;
}

#define WITH_DIR(test) cmocka_unit_test_setup_teardown(test, make_dir, remove_dir)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_DIR(a_race_on_a_global_has_the_names_of_the_program),
        WITH_DIR(a_race_in_the_heap_names_the_block_of_its_time),
        WITH_DIR(a_deadlock_has_its_places_from_the_debug_information),
    };

    if (find_program())
        return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
