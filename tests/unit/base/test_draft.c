/* Drafts: new files that take the place of old ones as a whole, and are never left for long. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/draft.h"

static char directory[] = "/tmp/test-draft-XXXXXX";
static struct darn_draft draft;

static int enter(void **state)
{
    (void)state;
    return mkdtemp(directory) ? chdir(directory) : -1;
}

static int leave(void **state)
{
    (void)state;
    return system("rm -rf \"$PWD\"") ? -1 : 0;
}

static void write_file(const char *name, const char *text)
{
    FILE *file = fopen(name, "w");

    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void expect_file(const char *name, const char *text, mode_t mode)
{
    char got[64] = "";
    struct stat about;
    FILE *file = fopen(name, "r");

    assert_non_null(file);
    got[fread(got, 1, sizeof(got) - 1, file)] = '\0';
    assert_string_equal(got, text);
    assert_int_equal(fstat(fileno(file), &about), 0);
    assert_int_equal(about.st_mode & 07777, mode);
    fclose(file);
}

static void a_draft_is_seen_when_it_is_finished(void **state)
{
    (void)state;
    write_file("seen", "old");
    assert_int_equal(chmod("seen", 0640), 0);
    assert_int_equal(darn_draft_open(&draft, "seen", false), 0);
    fputs("new", draft.file);
    fflush(draft.file);
    expect_file("seen", "old", 0640);
    assert_int_equal(darn_draft_finish(&draft, 0), 0);
    expect_file("seen", "new", 0640);
    assert_int_equal(access(draft.path, F_OK), -1);
}

static void a_secret_is_for_its_owner_whatever_the_umask(void **state)
{
    mode_t mask = umask(0);

    (void)state;
    assert_int_equal(darn_draft_open(&draft, "./secret", true), 0);
    assert_int_equal(darn_draft_finish(&draft, 0), 0);
    expect_file("secret", "", 0600);
    umask(027);
    assert_int_equal(darn_draft_open(&draft, "usual", false), 0);
    assert_int_equal(darn_draft_finish(&draft, 0), 0);
    expect_file("usual", "", 0640);
    umask(mask);
}

static void a_failure_changes_nothing(void **state)
{
    (void)state;
    write_file("kept", "old");
    assert_int_equal(darn_draft_open(&draft, "kept", true), 0);
    fputs("new", draft.file);
    assert_int_equal(darn_draft_finish(&draft, -ENOSPC), -ENOSPC);
    expect_file("kept", "old", 0644);
    assert_int_equal(access(draft.path, F_OK), -1);
    assert_int_equal(darn_draft_open(&draft, "nowhere/file", true), -ENOENT);
}

static void the_longest_name_has_a_draft(void **state)
{
    char name[256];

    (void)state;
    memset(name, 'n', 255);
    name[255] = '\0';
    assert_int_equal(darn_draft_open(&draft, name, true), 0);
    assert_int_equal(darn_draft_finish(&draft, 0), 0);
    expect_file(name, "", 0600);
}

static void what_was_left_goes_and_what_is_written_stays(void **state)
{
    static const char *const others[] = {".left.short.tmp", ".left.AbCdEf.tmp.gz",
                                         "left.AbCdEf.tmp", ".lefty.AbCdEf.tmp",
                                         ".left.Ab.dEf.tmp"};
    struct darn_draft second;

    (void)state;
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        write_file(others[i], "");
    write_file(".left.AbCdEf.tmp", "");
    write_file(".left.0123456789abcdef.tmp", "");
    write_file("elsewhere", "");
    assert_int_equal(symlink("elsewhere", ".left.LiNked.tmp"), 0);
    assert_int_equal(darn_draft_open(&draft, "left", true), 0);
    assert_int_equal(access(".left.AbCdEf.tmp", F_OK), -1);
    assert_int_equal(access(".left.0123456789abcdef.tmp", F_OK), -1);
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        assert_int_equal(access(others[i], F_OK), 0);
    assert_int_equal(access(".left.LiNked.tmp", F_OK), 0);

    assert_int_equal(darn_draft_open(&second, "left", true), 0);
    assert_int_equal(access(draft.path, F_OK), 0);
    assert_int_equal(darn_draft_finish(&second, 0), 0);
    assert_int_equal(darn_draft_finish(&draft, 0), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_draft_is_seen_when_it_is_finished),
        cmocka_unit_test(a_secret_is_for_its_owner_whatever_the_umask),
        cmocka_unit_test(a_failure_changes_nothing),
        cmocka_unit_test(the_longest_name_has_a_draft),
        cmocka_unit_test(what_was_left_goes_and_what_is_written_stays),
    };

    return cmocka_run_group_tests(tests, enter, leave);
}
