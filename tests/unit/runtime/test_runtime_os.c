/* What the runtime writes raises no signal in the program, and leaves the program's own alone. */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

#include "runtime/os/os.h"

static int broken; /* a pipe that nobody reads */

static int open_pipe(void **state)
{
    int ends[2];

    (void)state;
    assert_int_equal(pipe(ends), 0);
    close(ends[0]);
    broken = ends[1];
    return 0;
}

static int close_pipe(void **state)
{
    (void)state;
    return close(broken);
}

static bool is_blocked(int number)
{
    sigset_t mask;

    sigprocmask(SIG_BLOCK, NULL, &mask);
    return sigismember(&mask, number);
}

static bool is_pending(int number)
{
    sigset_t pending;

    sigpending(&pending);
    return sigismember(&pending, number);
}

static void block(int number, int how)
{
    sigset_t mask;

    sigemptyset(&mask);
    sigaddset(&mask, number);
    sigprocmask(how, &mask, NULL);
}

/* The usual action of either signal would end the test. */
static void a_pipe_that_nobody_reads_is_an_error_alone(void **state)
{
    (void)state;
    assert_int_equal(darn_os_write(broken, "text", 4), -EPIPE);
    assert_false(is_blocked(SIGPIPE));
    assert_false(is_blocked(SIGXFSZ));
}

static void a_file_that_may_not_grow_is_an_error_alone(void **state)
{
    struct rlimit old, small;
    char path[] = "/tmp/darn-os-XXXXXX", text[64];
    int fd = mkstemp(path), result, appended, error = 0;
    void *mapped;

    (void)state;
    assert_true(fd >= 0);
    getrlimit(RLIMIT_FSIZE, &old);
    small = (struct rlimit){10, old.rlim_max};
    setrlimit(RLIMIT_FSIZE, &small);
    result = darn_os_write(fd, "twelve bytes", 12);
    appended = darn_os_append(path, 0, "more", 4);
    unlink(path);
    mapped = darn_os_map_new_file(path, 4096, &error);
    setrlimit(RLIMIT_FSIZE, &old);
    assert_int_equal(result, -EFBIG);
    assert_int_equal(appended, -EFBIG);
    assert_null(mapped);
    assert_int_equal(error, -EFBIG);
    assert_int_equal(access(path, F_OK), -1);
    assert_int_equal(pread(fd, text, sizeof(text), 0), 10); /* as much as was allowed */
    assert_false(is_blocked(SIGXFSZ));
    close(fd);
}

/* A program may hold a signal back, and look for it later. */
static void a_signal_that_the_program_blocks_does_not_come_from_us(void **state)
{
    (void)state;
    block(SIGPIPE, SIG_BLOCK);
    assert_int_equal(darn_os_write(broken, "text", 4), -EPIPE);
    assert_false(is_pending(SIGPIPE));
    assert_true(is_blocked(SIGPIPE));
    block(SIGPIPE, SIG_UNBLOCK);
}

static void a_signal_that_was_pending_stays(void **state)
{
    const struct timespec at_once = {0, 0};
    sigset_t mask;

    (void)state;
    block(SIGPIPE, SIG_BLOCK);
    raise(SIGPIPE);
    assert_int_equal(darn_os_write(broken, "text", 4), -EPIPE);
    assert_true(is_pending(SIGPIPE));
    sigemptyset(&mask);
    sigaddset(&mask, SIGPIPE);
    assert_int_equal(sigtimedwait(&mask, NULL, &at_once), SIGPIPE);
    assert_false(is_pending(SIGPIPE));
    block(SIGPIPE, SIG_UNBLOCK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pipe_that_nobody_reads_is_an_error_alone),
        cmocka_unit_test(a_file_that_may_not_grow_is_an_error_alone),
        cmocka_unit_test(a_signal_that_the_program_blocks_does_not_come_from_us),
        cmocka_unit_test(a_signal_that_was_pending_stays),
    };

    return cmocka_run_group_tests(tests, open_pipe, close_pipe);
}
