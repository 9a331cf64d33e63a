/*
 * The command's side of a fork server. The program that it starts is this one, which then is the
 * fake server. The runtime's own side is tested with compiled programs (tests/cli/explore.sh).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <pthread.h>
#include <stdbool.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/options.h"
#include "driver/play/judge.h"
#include "driver/process/server.h"
#include "driver/process/wall_clock.h"
#include "fake_server.h"

static char self[PATH_MAX], told[4096];
static char *program[] = {self, "serve", NULL};
static struct darn_server_options options;

static void hear(struct darn_listener *listener, enum darn_news news, const char *line)
{
    size_t length = strlen(told);

    (void)listener;
    assert_int_equal(news, DARN_NEWS_REFUSAL);
    snprintf(told + length, sizeof(told) - length, "%s\n", line);
}

static struct darn_listener listener = {.say = hear};

static int set_up(void **state)
{
    (void)state;
    program[1] = "serve";
    options = (struct darn_server_options){
        .listener = &listener,
        .program = program,
        .cpu = -1,
        .timeout_ms = 60000,
    };
    return 0;
}

/* What it has to say goes to `told`. */
static struct darn_server *start(int *status)
{
    told[0] = '\0';
    return darn_server_start(&options, status);
}

static struct darn_server *started(void)
{
    int status = 0;
    struct darn_server *server = start(&status);

    if (!server)
        fail_msg("not started: %s", told);
    return server;
}

static enum darn_server_result run(struct darn_server *server, uint64_t seed)
{
    darn_server_block(server)->request.plan.seed = seed;
    return darn_server_run(server);
}

static void expect_output(struct darn_server *server, const char *text)
{
    size_t length;

    assert_string_equal(darn_server_output(server, &length), text);
    assert_int_equal(length, strlen(text));
}

static void expect_refusal(const char *how, const char *text)
{
    char line[2 * PATH_MAX];
    int status = 0;

    program[1] = (char *)how;
    assert_null(start(&status));
    assert_int_equal(status, DARN_REFUSED);
    snprintf(line, sizeof(line), "%s %s\n", self, text);
    assert_string_equal(told, line);
}

static void each_run_has_the_output_of_its_own_and_no_other(void **state)
{
    struct darn_server *server = started();
    uint64_t hash;

    (void)state;
    assert_int_equal(run(server, SAY), DARN_SERVER_RAN);
    assert_int_equal(darn_server_block(server)->result.end, DARN_END_EXIT);
    assert_int_equal(darn_server_block(server)->result.status, 0);
    expect_output(server, "out 1\nerr 1\n");
    hash = darn_server_output_hash(server);
    assert_int_equal(run(server, STATUS), DARN_SERVER_RAN);
    assert_int_equal(WEXITSTATUS(darn_server_block(server)->result.status), 9);
    expect_output(server, "");
    assert_true(darn_server_output_hash(server) != hash);
    assert_int_equal(run(server, SAY), DARN_SERVER_RAN);
    assert_true(darn_server_output_hash(server) == hash);
    darn_server_stop(server);
}

static void a_crash_does_not_end_the_server(void **state)
{
    struct darn_server *server = started();

    (void)state;
    for (int i = 0; i < 3; i++) {
        assert_int_equal(run(server, CRASH), DARN_SERVER_RAN);
        assert_int_equal(WTERMSIG(darn_server_block(server)->result.status), SIGSEGV);
        assert_int_equal(run(server, SAY), DARN_SERVER_RAN);
        assert_int_equal(darn_server_block(server)->result.status, 0);
    }
    darn_server_stop(server);
}

static void every_run_reads_the_input_from_its_start(void **state)
{
    char path[] = "/tmp/darn-test-XXXXXX";
    int fd = mkstemp(path);
    struct darn_server *server;

    (void)state;
    assert_int_equal(write(fd, "some input\n", 11), 11);
    close(fd);
    options.input = path;
    server = started();
    for (int i = 0; i < 2; i++) {
        assert_int_equal(run(server, CAT), DARN_SERVER_RAN);
        expect_output(server, "some input\n");
    }
    darn_server_stop(server);
    unlink(path);
    options.input = NULL;
    server = started();
    assert_int_equal(run(server, CAT), DARN_SERVER_RAN);
    expect_output(server, "");
    darn_server_stop(server);
}

static void a_run_that_takes_too_long_is_killed_and_the_next_one_is_made(void **state)
{
    struct darn_server *server = started();

    (void)state;
    darn_server_set_timeout(server, 2000);
    assert_int_equal(run(server, HANG), DARN_SERVER_TIMEOUT);
    assert_int_equal(darn_server_block(server)->result.steps, 7);
    darn_server_set_timeout(server, 60000);
    assert_int_equal(run(server, SAY), DARN_SERVER_RAN);
    expect_output(server, "out 1\nerr 1\n");
    darn_server_stop(server);
}

static void a_run_that_prints_without_end_is_killed(void **state)
{
    struct darn_server *server = started();
    size_t length;

    (void)state;
    assert_int_equal(run(server, LOUD), DARN_SERVER_TIMEOUT);
    darn_server_output(server, &length);
    assert_int_equal(length, 65536);
    assert_int_equal(run(server, SAY), DARN_SERVER_RAN);
    darn_server_stop(server);
}

static void a_server_that_is_lost_is_started_again(void **state)
{
    struct darn_server *server = started();
    pid_t first = darn_server_block(server)->server;

    (void)state;
    kill(first, SIGKILL);
    assert_int_equal(run(server, SAY), DARN_SERVER_RAN);
    expect_output(server, "out 1\nerr 1\n");
    assert_true(darn_server_block(server)->server != first);
    darn_server_stop(server);
}

static void a_run_that_always_kills_its_server_is_lost(void **state)
{
    struct darn_server *server = started();

    (void)state;
    assert_int_equal(run(server, KILL_SERVER), DARN_SERVER_LOST);
    assert_int_equal(run(server, SAY), DARN_SERVER_RAN);
    darn_server_stop(server);
}

static void *interrupt_soon(void *server)
{
    nanosleep(&(struct timespec){0, 200000000}, NULL);
    darn_server_interrupt(server);
    return NULL;
}

static void an_interrupted_run_is_stopped_and_no_other_begins(void **state)
{
    struct darn_server *server = started();
    pthread_t thread;

    (void)state;
    pthread_create(&thread, NULL, interrupt_soon, server);
    assert_int_equal(run(server, HANG), DARN_SERVER_STOPPED);
    pthread_join(thread, NULL);
    assert_int_equal(run(server, SAY), DARN_SERVER_STOPPED);
    darn_server_stop(server);
}

static void when_the_time_of_all_runs_is_over_none_goes_on_and_none_begins(void **state)
{
    struct darn_server *server = started();
    double start = darn_clock();

    (void)state;
    darn_server_set_until(server, start + 0.3);
    assert_int_equal(run(server, SAY), DARN_SERVER_RAN);
    assert_int_equal(run(server, HANG), DARN_SERVER_STOPPED);
    assert_true(darn_clock() - start < 30); /* of the sixty that a run may take */
    assert_int_equal(run(server, SAY), DARN_SERVER_STOPPED);
    darn_server_set_until(server, 0);
    assert_int_equal(run(server, SAY), DARN_SERVER_RAN);
    darn_server_stop(server);
}

static void a_run_that_is_held_is_left_alone(void **state)
{
    struct darn_server *server = started();
    struct darn_control_block *at = darn_server_block(server);
    pid_t child;

    (void)state;
    at->request.flags = DARN_RUN_HOLD;
    assert_int_equal(run(server, STAND_STILL), DARN_SERVER_HELD);
    child = at->child;
    assert_true(child > 0);
    assert_int_equal(kill(child, 0), 0);
    darn_server_stop(server);
}

/* Gone, or dead and not asked for yet by the process that inherited it. */
static bool is_gone(pid_t pid)
{
    char path[64], line[256] = "";
    FILE *file;

    snprintf(path, sizeof(path), "/proc/%d/stat", pid);
    file = fopen(path, "r");
    if (!file)
        return true;
    if (!fgets(line, sizeof(line), file))
        strcpy(line, ") Z");
    fclose(file);
    return strstr(line, ") Z");
}

static void nothing_is_left_when_the_server_is_stopped(void **state)
{
    struct darn_server *server = started();
    struct darn_control_block *at = darn_server_block(server);
    pid_t serving = at->server, child;

    (void)state;
    at->request.flags = DARN_RUN_HOLD;
    assert_int_equal(run(server, STAND_STILL), DARN_SERVER_HELD);
    child = at->child;
    darn_server_stop(server);
    assert_int_equal(kill(serving, 0), -1);
    for (int i = 0; i < 500 && !is_gone(child); i++)
        nanosleep(&(struct timespec){0, 20000000}, NULL);
    assert_true(is_gone(child));
}

static void the_reset_command_comes_before_each_run(void **state)
{
    char path[] = "/tmp/darn-test-XXXXXX", command[128];
    int fd = mkstemp(path);
    struct darn_server *server;

    (void)state;
    snprintf(command, sizeof(command), "echo again >>%s; echo not shown", path);
    options.reset = command;
    server = started();
    run(server, SAY);
    run(server, SAY);
    assert_int_equal(lseek(fd, 0, SEEK_END), 12);
    darn_server_stop(server);
    close(fd);
    unlink(path);
}

static void a_program_that_ends_early_is_refused_with_its_last_line(void **state)
{
    (void)state;
    expect_refusal("early", "ended with status 5 before it could be controlled: it is too early");
}

static void a_program_of_another_version_is_refused(void **state)
{
    (void)state;
    expect_refusal("other", "was linked by another version of darn; link it again with darn cc");
}

static void a_program_that_cannot_serve_is_started_for_each_run(void **state)
{
    struct darn_server *server;

    (void)state;
    program[1] = "threads";
    server = started();
    for (int i = 0; i < 2; i++) {
        assert_int_equal(run(server, SAY), DARN_SERVER_RAN);
        expect_output(server, "out 1\nerr 1\n");
        assert_int_equal(run(server, CRASH), DARN_SERVER_RAN);
        assert_int_equal(darn_server_block(server)->result.end, DARN_END_EXIT);
        assert_int_equal(WTERMSIG(darn_server_block(server)->result.status), SIGSEGV);
        expect_output(server, "");
    }
    darn_server_set_timeout(server, 2000);
    assert_int_equal(run(server, HANG), DARN_SERVER_TIMEOUT);
    darn_server_set_timeout(server, 60000);
    assert_int_equal(run(server, SAY), DARN_SERVER_RAN);
    darn_server_stop(server);
}

/* Its runs would be uncontrolled ones. */
static void a_program_that_is_never_controlled_is_lost(void **state)
{
    struct darn_server *server;

    (void)state;
    program[1] = "never";
    server = started();
    assert_int_equal(run(server, SAY), DARN_SERVER_LOST);
    darn_server_stop(server);
}

static void judge(struct darn_server *server, const struct darn_judge *how, uint64_t seed,
                  enum darn_verdict_kind kind)
{
    struct darn_judged judged;
    enum darn_server_result result = run(server, seed);

    darn_judge(how, server, result, &judged);
    assert_string_equal(darn_verdict_word(judged.kind), darn_verdict_word(kind));
}

static void the_oracle_sees_output_and_status(void **state)
{
    struct darn_server *server = started();
    struct darn_judge none = {.timeout_ms = 60000}, oracle = none;

    (void)state;
    judge(server, &none, SAY, DARN_VERDICT_OK);
    judge(server, &none, STATUS, DARN_VERDICT_EXIT);
    judge(server, &none, CRASH, DARN_VERDICT_CRASH);
    oracle.oracle = "grep -q '^out'";
    judge(server, &oracle, SAY, DARN_VERDICT_OK);
    judge(server, &oracle, STATUS, DARN_VERDICT_ORACLE);
    oracle.oracle = "test $DARN_STATUS = 9";
    judge(server, &oracle, SAY, DARN_VERDICT_ORACLE);
    judge(server, &oracle, STATUS, DARN_VERDICT_OK);
    judge(server, &oracle, CRASH, DARN_VERDICT_CRASH);
    oracle.oracle = "/nonexistent/oracle 2>/dev/null";
    judge(server, &oracle, SAY, DARN_VERDICT_NONE);
    oracle.oracle = "sleep 60";
    oracle.timeout_ms = 200;
    judge(server, &oracle, SAY, DARN_VERDICT_NONE);
    darn_server_stop(server);
}

static void other_output_is_noticed(void **state)
{
    struct darn_server *server = started();
    struct darn_judge compare = {.compare = true, .timeout_ms = 60000};

    (void)state;
    run(server, SAY);
    compare.hash = darn_server_output_hash(server);
    judge(server, &compare, SAY, DARN_VERDICT_OK);
    judge(server, &compare, CAT, DARN_VERDICT_OUTPUT);
    darn_server_stop(server);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(each_run_has_the_output_of_its_own_and_no_other, set_up),
        cmocka_unit_test_setup(a_crash_does_not_end_the_server, set_up),
        cmocka_unit_test_setup(every_run_reads_the_input_from_its_start, set_up),
        cmocka_unit_test_setup(a_run_that_takes_too_long_is_killed_and_the_next_one_is_made,
                               set_up),
        cmocka_unit_test_setup(a_run_that_prints_without_end_is_killed, set_up),
        cmocka_unit_test_setup(a_server_that_is_lost_is_started_again, set_up),
        cmocka_unit_test_setup(a_run_that_always_kills_its_server_is_lost, set_up),
        cmocka_unit_test_setup(an_interrupted_run_is_stopped_and_no_other_begins, set_up),
        cmocka_unit_test_setup(when_the_time_of_all_runs_is_over_none_goes_on_and_none_begins,
                               set_up),
        cmocka_unit_test_setup(a_run_that_is_held_is_left_alone, set_up),
        cmocka_unit_test_setup(nothing_is_left_when_the_server_is_stopped, set_up),
        cmocka_unit_test_setup(the_reset_command_comes_before_each_run, set_up),
        cmocka_unit_test_setup(a_program_that_ends_early_is_refused_with_its_last_line, set_up),
        cmocka_unit_test_setup(a_program_of_another_version_is_refused, set_up),
        cmocka_unit_test_setup(a_program_that_cannot_serve_is_started_for_each_run, set_up),
        cmocka_unit_test_setup(a_program_that_is_never_controlled_is_lost, set_up),
        cmocka_unit_test_setup(the_oracle_sees_output_and_status, set_up),
        cmocka_unit_test_setup(other_output_is_noticed, set_up),
    };
    const char *variable = getenv(DARN_OPTIONS_VARIABLE);
    ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);

    if (argc > 1 && variable)
        return be_the_program(argv[1], variable);
    if (length < 0)
        return 1;
    self[length] = '\0';
    return cmocka_run_group_tests(tests, NULL, NULL);
}
