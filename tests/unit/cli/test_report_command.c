/* darn report, the command: exit status, where its output goes, what it leaves behind. */
#include "report_fixture.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/options.h"
#include "cli/command.h"

#define SUMMARY                                                                                    \
    "{\"raw\":1,\"pid\":4711,\"findings\":[{\"id\":\"8f3c0a1b2c3d4e5f\",\"kind\":\"data-race\","   \
    "\"count\":12,\"file\":\"bank.c\",\"line\":4,\"function\":\"deposit\",\"variable\":"           \
    "\"acct->balance\"}],\"suppressed\":2}"

static char *out, *err;

static void redirect(const char *path, int flags, int fd)
{
    int opened = open(path, flags, 0600);

    if (opened < 0 || dup2(opened, fd) < 0)
        _exit(100);
    close(opened);
}

static _Noreturn void run_child(const char *dir, const char *options, char **argv)
{
    int argc = 0;

    redirect(path_in(dir, "in"), O_RDONLY, STDIN_FILENO);
    redirect(path_in(dir, "out"), O_WRONLY | O_CREAT | O_TRUNC, STDOUT_FILENO);
    redirect(path_in(dir, "err"), O_WRONLY | O_CREAT | O_TRUNC, STDERR_FILENO);
    if (chdir(dir))
        _exit(100);
    setenv(DARN_OPTIONS_VARIABLE, options, 1);
    while (argv[argc])
        argc++;
    _exit(darn_command_report.run(argc, argv));
}

/* The exit status; `out` and `err` are what was printed. `option` may be NULL. */
static int report(const char *dir, const char *input, const char *options, const char *option)
{
    char *argv[] = {(char *)"report", (char *)option, NULL};
    int status;
    pid_t child;

    write_file(dir, "in", input);
    child = fork();
    if (child == 0)
        run_child(dir, options, argv);
    assert_true(waitpid(child, &status, 0) == child && WIFEXITED(status));
    free(out);
    free(err);
    out = read_file(path_in(dir, "out"));
    err = read_file(path_in(dir, "err"));
    return WEXITSTATUS(status);
}

static void findings_go_to_stderr_and_to_the_json_file(void **state)
{
    char *json;

    assert_int_equal(report(*state, RAW_FINDING, "json=f.jsonl", NULL), 0);
    assert_string_equal(out, "");
    expect_part(err, "bank.c:4:19: warning: data race on 'acct->balance' [data-race]\n");
    expect_part(err, "\n  suppress: race:deposit\n");
    assert_null(strchr(err, '\033'));
    json = read_file(path_in(*state, "f.jsonl"));
    expect_part(json, "{\"id\":\"8f3c0a1b2c3d4e5f\",\"kind\":\"data-race\",");
    free(json);
}

static void the_summary_sets_the_count_and_is_the_last_line(void **state)
{
    char *json;

    assert_int_equal(report(*state, RAW_FINDING, "json=f.jsonl:log_path=log", NULL), 0);
    assert_int_equal(report(*state, SUMMARY, "json=f.jsonl:log_path=log", "--summary"), 0);
    assert_string_equal(err, "");
    json = read_file(path_in(*state, "f.jsonl"));
    expect_part(json, "\"count\":12 ");
    free(json);
    json = read_file(path_in(*state, "log.4711"));
    assert_ptr_equal(strstr(json, "bank.c:4:19: warning"), json);
    expect_part(json, "\n\nSUMMARY: darn: 1 data race (bank.c:4 deposit 'acct->balance'), seen 12 "
                      "times; 2 suppressed\n");
    assert_string_equal(strchr(strstr(json, "SUMMARY"), '\n'), "\n");
    free(json);
}

static void log_path_knows_stdout_and_stderr(void **state)
{
    assert_int_equal(report(*state, RAW_FINDING, "log_path=stdout", NULL), 0);
    assert_string_equal(err, "");
    expect_part(out, "data race");
    assert_int_equal(report(*state, RAW_FINDING, "log_path=stderr:color=always", NULL), 0);
    assert_string_equal(out, "");
    expect_part(err, "\033[");
}

static void a_suppressed_finding_leaves_nothing(void **state)
{
    write_file(*state, "s", "race:deposit\n");
    assert_int_equal(report(*state, RAW_FINDING, "suppressions=s:json=f.jsonl:log_path=log", NULL),
                     3);
    assert_string_equal(err, "");
    assert_int_equal(access(path_in(*state, "f.jsonl"), F_OK), -1);
    assert_int_equal(access(path_in(*state, "log.4711"), F_OK), -1);
    write_file(*state, "s", "race:withdraw\n");
    assert_int_equal(report(*state, RAW_FINDING, "suppressions=s", NULL), 0);
}

/* Wrong options were said when the program started: a finding is worth more. */
static void a_finding_is_printed_whatever_the_options_are(void **state)
{
    write_file(*state, "s", "races:deposit\n");
    assert_int_equal(report(*state, RAW_FINDING, "suppressions=s", NULL), 0);
    expect_part(err, "s:1: ");
    expect_part(err, "data race on");
    assert_int_equal(report(*state, RAW_FINDING, "log_path=no/dir/log:json=no/f", NULL), 0);
    expect_part(err, "log_path: no/dir/log cannot be written");
    expect_part(err, "json: no/f cannot be written");
    expect_part(err, "data race on");
    assert_int_equal(report(*state, RAW_FINDING, "nonsense", NULL), 0);
    expect_part(err, "data race on");
}

static void expect_one_line(const char *text)
{
    assert_true(*text);
    assert_ptr_equal(strchr(text, '\n'), text + strlen(text) - 1);
}

static void wrong_input_is_refused_in_one_line(void **state)
{
    static const char *const inputs[] = {"", "{", "[]", "{\"raw\":1}", "\n\n\n", "{\"raw\":1}}"};

    for (size_t i = 0; i < sizeof(inputs) / sizeof(inputs[0]); i++) {
        assert_int_equal(report(*state, inputs[i], "json=f.jsonl", NULL), 2);
        expect_one_line(err);
        assert_int_equal(report(*state, inputs[i], "json=f.jsonl", "--summary"), 2);
        expect_one_line(err);
    }
    assert_int_equal(access(path_in(*state, "f.jsonl"), F_OK), -1);
    assert_int_equal(report(*state, RAW_FINDING, "", "--wrong"), 2);
    expect_one_line(err);
}

static void expect_verdict(const char *dir, const char *options, int status, const char *message)
{
    assert_int_equal(report(dir, "", options, "--check"), status);
    if (status)
        expect_one_line(err);
    expect_part(err, message);
    assert_string_equal(out, "");
}

static void check_accepts_what_can_be_used_and_changes_nothing(void **state)
{
    struct stat about;

    write_file(*state, "s", "# mine\nrace:deposit\n");
    write_file(*state, "old.jsonl", "old\n");
    expect_verdict(*state, "", 0, "");
    expect_verdict(*state, "suppressions=s:json=new.jsonl:log_path=log", 0, "");
    assert_int_equal(access(path_in(*state, "new.jsonl"), F_OK), -1);
    expect_verdict(*state, "json=old.jsonl:log_path=stdout", 0, "");
    assert_int_equal(stat(path_in(*state, "old.jsonl"), &about), 0);
    assert_int_equal(about.st_size, 4);
}

static void check_refuses_what_cannot(void **state)
{
    write_file(*state, "s", "race:deposit\nracy:x\n");
    expect_verdict(*state, "suppressions=s", 2, "s:2: ");
    expect_verdict(*state, "suppressions=absent", 2, "absent");
    expect_verdict(*state, "json=no/such/dir/f", 2, "json: no/such/dir/f cannot be written");
    expect_verdict(*state, "json=.", 2, "json: . cannot be written");
    expect_verdict(*state, "log_path=no/such/dir/log", 2, "log_path: no/such/dir/log cannot be");
    expect_verdict(*state, "budget=many", 2, "budget");
}

/* The runtime starts us from a thread with all signals blocked. */
static void signals_are_not_blocked(void **state)
{
    sigset_t all, mask;
    pid_t child;
    int status;

    write_file(*state, "in", RAW_FINDING);
    child = fork();
    if (child == 0) {
        char *argv[] = {(char *)"report", NULL};

        sigfillset(&all);
        sigprocmask(SIG_SETMASK, &all, NULL);
        redirect(path_in(*state, "in"), O_RDONLY, STDIN_FILENO);
        redirect("/dev/null", O_WRONLY, STDERR_FILENO);
        if (darn_command_report.run(1, argv))
            _exit(1);
        sigprocmask(SIG_SETMASK, NULL, &mask);
        _exit(sigismember(&mask, SIGTERM) || sigismember(&mask, SIGINT));
    }
    assert_true(waitpid(child, &status, 0) == child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static int free_texts(void **state)
{
    (void)state;
    free(out);
    free(err);
    return 0;
}

#define WITH_DIR(test) cmocka_unit_test_setup_teardown(test, make_dir, remove_dir)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_DIR(findings_go_to_stderr_and_to_the_json_file),
        WITH_DIR(the_summary_sets_the_count_and_is_the_last_line),
        WITH_DIR(log_path_knows_stdout_and_stderr),
        WITH_DIR(a_suppressed_finding_leaves_nothing),
        WITH_DIR(a_finding_is_printed_whatever_the_options_are),
        WITH_DIR(wrong_input_is_refused_in_one_line),
        WITH_DIR(check_accepts_what_can_be_used_and_changes_nothing),
        WITH_DIR(check_refuses_what_cannot),
        WITH_DIR(signals_are_not_blocked),
    };

    return cmocka_run_group_tests(tests, NULL, free_texts);
}
