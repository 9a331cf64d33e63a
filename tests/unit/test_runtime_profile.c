/* Profiles in the program under test: what is loaded arms sites, what is learned is merged. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "runtime/record/record_profile.h"
#include "runtime/watch/sites.h"
#include "site/armed.h"
#include "sites_fixture.h"

#define FIRST     DARN_PROFILE_FIRST_LINE "\n"
#define MANY      50000
#define PROCESSES 8

/* The marks and pairs of this process only grow: each test has sites of its own, and looks for
 * theirs. */
static struct sites_fixture fixture;
static uint32_t next_site;
static char directory[] = "/tmp/darn profile XXXXXX";
static char path[256];
static char text[16 << 20];

static int announce(void **state)
{
    const char *file = fixture_text(&fixture, "bank.c"), *function = fixture_text(&fixture, "f");
    const char *variable = fixture_text(&fixture, "balance");

    (void)state;
    for (uint32_t i = 0; i < 1000; i++)
        fixture_add(&fixture, i % 2 ? DARN_SITE_WRITE : DARN_SITE_READ, i + 1, file, function,
                    variable);
    fixture_fill(&fixture, MANY);
    darn_sites_add(fixture.sites, fixture.sites + fixture.count);
    return mkdtemp(directory) ? 0 : -1;
}

static int clean(void **state)
{
    (void)state;
    unlink(path);
    return rmdir(directory); /* nothing is left behind */
}

static int start(void **state)
{
    (void)state;
    snprintf(path, sizeof(path), "%s/profile", directory);
    unlink(path);
    next_site += next_site % 2;
    return 0;
}

/* Reads have even places in the table, writes have odd ones. */
static struct darn_site *site(enum darn_site_kind kind)
{
    while (fixture.sites[next_site].kind != kind)
        next_site++;
    assert_true(next_site < 1000);
    return &fixture.sites[next_site++];
}

static void put(const char *content)
{
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    fputs(content, file);
    fclose(file);
}

static const char *get(void)
{
    FILE *file = fopen(path, "r");
    size_t length;

    assert_non_null(file);
    length = fread(text, 1, sizeof(text) - 1, file);
    text[length] = '\0';
    fclose(file);
    return text;
}

/* How many lines of the file begin so. */
static uint32_t lines(const char *begin)
{
    uint32_t count = 0;
    char line[256];

    snprintf(line, sizeof(line), "\n%s", begin);
    for (const char *at = get(); (at = strstr(at, line)); at++)
        count++;
    return count;
}

static uint32_t facts(const char *kind, const struct darn_site *a, const struct darn_site *b)
{
    char line[128];

    if (b)
        snprintf(line, sizeof(line), "%s %016" PRIx64 " %016" PRIx64 " ", kind, darn_site_key(a),
                 darn_site_key(b));
    else
        snprintf(line, sizeof(line), "%s %016" PRIx64 " ", kind, darn_site_key(a));
    return lines(line);
}

static uint8_t armed(const struct darn_site *where)
{
    return *darn_site_armed(where);
}

static void load_and_arm(void)
{
    assert_int_equal(darn_profile_load(path), 0);
    darn_profile_module(fixture.sites, fixture.sites + fixture.count);
}

/* The first one: nothing is learned yet. */
static void a_run_that_learns_nothing_writes_an_empty_profile(void **state)
{
    (void)state;
    assert_int_equal(darn_profile_write(path), 0);
    assert_string_equal(get(), FIRST);
    load_and_arm();
    for (uint32_t i = 0; i < fixture.count; i++)
        assert_int_equal(armed(&fixture.sites[i]), 0);
}

static void lines_say_where_and_what_for_people(void **state)
{
    struct darn_site *read = site(DARN_SITE_READ), *write = site(DARN_SITE_WRITE);
    char expected[1024];

    (void)state;
    darn_site_mark(darn_site_number(write));
    darn_profile_add_pair(DARN_FACT_SPIN, read, write);
    assert_int_equal(darn_profile_write(path), 0);
    snprintf(expected, sizeof(expected),
             FIRST "shared %016" PRIx64 " bank.c:%u:5 write balance\n"
                   "spin %016" PRIx64 " %016" PRIx64 " bank.c:%u:5 read balance, "
                   "bank.c:%u:5 write balance\n",
             darn_site_key(write), write->line, darn_site_key(read), darn_site_key(write),
             read->line, write->line);
    assert_string_equal(get(), expected);
}

static void names_cannot_break_a_line(void **state)
{
    static struct sites_fixture odd;
    struct darn_site *first, *second;

    (void)state;
    first = fixture_add(&odd, DARN_SITE_READ, 1, fixture_text(&odd, "a\nspin b.c"),
                        fixture_text(&odd, "f"), fixture_text(&odd, ""));
    second = fixture_add(&odd, DARN_SITE_WAIT, 2, fixture_text(&odd, "ö.c"),
                         fixture_text(&odd, "f"), fixture_text(&odd, "full empty"));
    darn_sites_add(odd.sites, odd.sites + odd.count);
    darn_site_mark(darn_site_number(first));
    darn_site_mark(darn_site_number(second));
    assert_int_equal(darn_profile_write(path), 0);
    assert_non_null(strstr(get(), " a?spin b.c:1:5 read\n"));
    assert_non_null(strstr(get(), " ö.c:2:5 wait full empty\n"));
    assert_int_equal(darn_profile_load(path), 0);
}

static void what_was_written_arms_the_same_sites_when_it_is_loaded(void **state)
{
    struct darn_site *shared = site(DARN_SITE_READ), *spin = site(DARN_SITE_READ);
    struct darn_site *ends = site(DARN_SITE_WRITE), *reader = site(DARN_SITE_READ);
    struct darn_site *suspect = site(DARN_SITE_WRITE), *none = site(DARN_SITE_READ);

    (void)state;
    darn_site_mark(darn_site_number(shared));
    darn_profile_add_pair(DARN_FACT_SPIN, spin, ends);
    darn_profile_add_pair(DARN_FACT_SUSPECT, reader, suspect);
    assert_int_equal(darn_profile_write(path), 0);
    load_and_arm();
    assert_int_equal(armed(shared), DARN_ARMED_RECORD);
    assert_int_equal(armed(spin), DARN_ARMED_RECORD | DARN_ARMED_SYNC_READ);
    assert_int_equal(armed(ends), DARN_ARMED_RECORD | DARN_ARMED_SYNC_WRITE);
    assert_int_equal(armed(suspect), DARN_ARMED_SUSPECT);
    assert_int_equal(armed(reader), 0);
    assert_int_equal(armed(none), 0);
}

static void arming_keeps_the_bits_of_others(void **state)
{
    struct darn_site *where = site(DARN_SITE_READ);
    char line[64];

    (void)state;
    snprintf(line, sizeof(line), FIRST "shared %" PRIx64 "\n", darn_site_key(where));
    put(line);
    *darn_site_armed(where) = 0x80;
    load_and_arm();
    assert_int_equal(armed(where), 0x80 | DARN_ARMED_RECORD);
}

static void sites_without_a_byte_to_arm_and_of_other_versions_are_left_alone(void **state)
{
    struct darn_site without = *site(DARN_SITE_READ);

    (void)state;
    fixture_name(&without.file, fixture.text);
    fixture_name(&without.function, fixture.text);
    without.armed = 0;
    darn_profile_module(&without, &without + 1);
    without.version = DARN_SITE_VERSION + 1;
    without.file = without.armed = INT32_MAX;
    darn_profile_module(&without, &without + 1);
    darn_profile_module(NULL, NULL);
}

static void pairs_are_known_from_files_and_from_this_run(void **state)
{
    struct darn_site *read = site(DARN_SITE_READ), *write = site(DARN_SITE_WRITE);
    uint64_t reader = darn_site_key(read), writer = darn_site_key(write);

    (void)state;
    put(FIRST "suspect a1 b1\nspin a2 b2\nspin a2 b3\n");
    assert_int_equal(darn_profile_load(path), 0);
    assert_true(darn_profile_has_pair(0xa2, 0xb2));
    assert_true(darn_profile_has_pair(0xa2, 0xb3));
    assert_false(darn_profile_has_pair(0xb2, 0xa2));
    assert_false(darn_profile_has_pair(0xa1, 0xb1));
    assert_false(darn_profile_has_pair(0xa2, 0));
    assert_false(darn_profile_has_pair(reader, writer));
    darn_profile_add_pair(DARN_FACT_SUSPECT, read, write);
    assert_false(darn_profile_has_pair(reader, writer));
    darn_profile_add_pair(DARN_FACT_SPIN, read, write);
    assert_true(darn_profile_has_pair(reader, writer));
}

static void a_suspect_that_is_a_spin_is_not_one_any_more(void **state)
{
    struct darn_site *read = site(DARN_SITE_READ), *write = site(DARN_SITE_WRITE);
    struct darn_site *read2 = site(DARN_SITE_READ), *write2 = site(DARN_SITE_WRITE);
    struct darn_site *read3 = site(DARN_SITE_READ), *write3 = site(DARN_SITE_WRITE);
    char content[512];

    (void)state;
    /* Learned in this run, in the file and by this run, and both in the file. */
    darn_profile_add_pair(DARN_FACT_SUSPECT, read, write);
    darn_profile_add_pair(DARN_FACT_SPIN, read, write);
    darn_profile_add_pair(DARN_FACT_SUSPECT, read, write);
    darn_profile_add_pair(DARN_FACT_SPIN, read2, write2);
    snprintf(content, sizeof(content),
             FIRST "suspect %016" PRIx64 " %016" PRIx64 " \nsuspect %016" PRIx64 " %016" PRIx64
                   " \nspin %016" PRIx64 " %016" PRIx64 " \n",
             darn_site_key(read2), darn_site_key(write2), darn_site_key(read3),
             darn_site_key(write3), darn_site_key(read3), darn_site_key(write3));
    put(content);
    assert_int_equal(darn_profile_load(path), 0);
    assert_int_equal(darn_profile_write(path), 0);
    assert_int_equal(facts("spin", read, write), 1);
    assert_int_equal(facts("suspect", read, write), 0);
    assert_int_equal(facts("spin", read2, write2), 1);
    assert_int_equal(facts("suspect", read2, write2), 0);
    assert_int_equal(facts("spin", read3, write3), 1);
    assert_int_equal(facts("suspect", read3, write3), 0);
    darn_profile_module(fixture.sites, fixture.sites + fixture.count);
    assert_int_equal(armed(write3) & DARN_ARMED_SUSPECT, 0);
}

static void old_lines_stay_as_people_have_left_them(void **state)
{
    struct darn_site *where = site(DARN_SITE_WRITE);
    static const char old[] = FIRST "# the flag of the logger\n\n"
                                    "shared 8f3c0123456789ab bank.c:12:9 write balance\n"
                                    "  spin 1 2  # by hand\n";

    (void)state;
    put(old);
    darn_site_mark(darn_site_number(where));
    assert_int_equal(darn_profile_write(path), 0);
    assert_int_equal(strncmp(get(), old, strlen(old)), 0);
    assert_int_equal(facts("shared", where, NULL), 1);
}

static void profiles_that_were_concatenated_become_one(void **state)
{
    (void)state;
    put(FIRST "shared 11 a\nspin 21 22\n" FIRST
              "shared 12\nspin 21 22 b\nshared 11\nsuspect 31 32");
    assert_int_equal(darn_profile_write(path), 0);
    get();
    assert_int_equal(lines("shared 11"), 1);
    assert_int_equal(lines("shared 12\n"), 1);
    assert_int_equal(lines("spin 21 22"), 1);
    assert_int_equal(lines("suspect 31 32\n"), 1);
    assert_int_equal(lines("darn profile"), 0);
    assert_int_equal(strncmp(text, FIRST, strlen(FIRST)), 0);
}

static void writing_again_changes_nothing(void **state)
{
    struct darn_site *read = site(DARN_SITE_READ), *write = site(DARN_SITE_WRITE);
    static char before[sizeof(text)];

    (void)state;
    darn_site_mark(darn_site_number(read));
    darn_profile_add_pair(DARN_FACT_SUSPECT, read, write);
    assert_int_equal(darn_profile_write(path), 0);
    strcpy(before, get());
    assert_int_equal(darn_profile_load(path), 0);
    assert_int_equal(darn_profile_write(path), 0);
    assert_string_equal(get(), before);
}

static void what_only_another_profile_knew_is_learned_again(void **state)
{
    struct darn_site *read = site(DARN_SITE_READ), *write = site(DARN_SITE_WRITE);

    (void)state;
    darn_profile_add_pair(DARN_FACT_SPIN, read, write);
    assert_int_equal(darn_profile_write(path), 0);
    assert_int_equal(darn_profile_load(path), 0);
    unlink(path);
    darn_profile_add_pair(DARN_FACT_SPIN, read, write);
    assert_int_equal(darn_profile_write(path), 0);
    assert_int_equal(facts("spin", read, write), 1);
}

static void sites_with_one_key_have_one_line(void **state)
{
    static struct sites_fixture copies;
    struct darn_site *first, *second;

    (void)state;
    first = fixture_add(&copies, DARN_SITE_READ, 7, fixture_text(&copies, "inline.h"),
                        fixture_text(&copies, "f"), fixture_text(&copies, "x"));
    second = fixture_add(&copies, DARN_SITE_READ, 7, fixture_text(&copies, "inline.h"),
                         fixture_text(&copies, "f"), fixture_text(&copies, "x"));
    darn_sites_add(copies.sites, copies.sites + copies.count);
    darn_site_mark(darn_site_number(first));
    darn_site_mark(darn_site_number(second));
    assert_int_equal(darn_profile_write(path), 0);
    assert_int_equal(facts("shared", first, NULL), 1);
}

static void what_an_unloaded_module_has_taught_is_written(void **state)
{
    struct sites_fixture *module = mmap(NULL, sizeof(*module), PROT_READ | PROT_WRITE,
                                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    struct darn_site *read, *write;
    char line[128];

    (void)state;
    assert_ptr_not_equal(module, MAP_FAILED);
    read = fixture_add(module, DARN_SITE_READ, 7, fixture_text(module, "plugin.c"),
                       fixture_text(module, "f"), fixture_text(module, "x"));
    write = fixture_add(module, DARN_SITE_WRITE, 8, fixture_text(module, "plugin.c"),
                        fixture_text(module, "f"), fixture_text(module, "x"));
    darn_sites_add(module->sites, module->sites + module->count);
    darn_site_mark(darn_site_number(read));
    snprintf(line, sizeof(line), "shared %016" PRIx64 "\n", darn_site_key(read));
    darn_profile_add_pair(DARN_FACT_SPIN, read, write);
    munmap(module, sizeof(*module));
    assert_int_equal(darn_profile_write(path), 0);
    assert_int_equal(lines(line), 1);
}

static void a_file_that_is_no_profile_is_refused_and_left_alone(void **state)
{
    static const char letter[] = "Dear profile,\n";

    (void)state;
    put(letter);
    assert_int_equal(darn_profile_load(path), 1);
    assert_int_equal(darn_profile_write(path), 1);
    assert_string_equal(get(), letter);
}

static void the_first_bad_line_is_named(void **state)
{
    static const char bad[] = FIRST "# remark\nshared 99\n\nshared nothing\nspin\n";

    (void)state;
    put(bad);
    assert_int_equal(darn_profile_load(path), 5);
    assert_int_equal(darn_profile_write(path), 5);
    assert_string_equal(get(), bad);
    put(FIRST "spin 77");
    assert_int_equal(darn_profile_load(path), 2);
}

static void an_empty_file_is_a_profile(void **state)
{
    (void)state;
    put("");
    assert_int_equal(darn_profile_load(path), 0);
    assert_int_equal(darn_profile_write(path), 0);
    assert_int_equal(strncmp(get(), FIRST, strlen(FIRST)), 0);
}

static void what_cannot_be_read_or_written_is_an_error(void **state)
{
    char elsewhere[300];

    (void)state;
    assert_int_equal(darn_profile_load(path), -ENOENT);
    assert_int_equal(darn_profile_load(directory), -EISDIR);
    assert_int_equal(darn_profile_write(directory), -EISDIR);
    snprintf(elsewhere, sizeof(elsewhere), "%s/none/profile", directory);
    assert_int_equal(darn_profile_write(elsewhere), -ENOENT);
    assert_int_equal(darn_profile_write("/dev/full/profile"), -ENOTDIR);
}

/* Runs the rest of a test in a child, whose marks and limits are its own; returns its verdict. */
static int in_child(int (*work)(uint32_t), uint32_t number)
{
    pid_t child = fork();
    int status = -1;

    if (child == 0)
        _exit(work(number));
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int write_too_much(uint32_t sites)
{
    struct rlimit limit = {4096, 4096};

    for (uint32_t i = 0; i < sites; i++)
        darn_site_mark(1000 + i);
    setrlimit(RLIMIT_FSIZE, &limit);
    return darn_profile_write(path) == -EFBIG ? 0 : 1;
}

static void a_file_that_cannot_be_finished_leaves_the_old_one_and_nothing_else(void **state)
{
    (void)state;
    put(FIRST "shared 123\n");
    assert_int_equal(in_child(write_too_much, 5000), 0);
    assert_string_equal(get(), FIRST "shared 123\n");
}

static int write_one(uint32_t number)
{
    for (uint32_t i = 0; i < 10; i++) {
        darn_site_mark(1000 + 10 * number + i);
        if (darn_profile_write(path))
            return 1;
    }
    return 0;
}

/* Programs that learn at the same time, and write to the same file ten times each. */
static void processes_that_write_at_once_lose_nothing(void **state)
{
    pid_t children[PROCESSES];
    int status;

    (void)state;
    for (uint32_t i = 0; i < PROCESSES; i++) {
        children[i] = fork();
        if (children[i] == 0)
            _exit(write_one(i));
    }
    for (uint32_t i = 0; i < PROCESSES; i++) {
        assert_int_equal(waitpid(children[i], &status, 0), children[i]);
        assert_int_equal(status, 0);
    }
    for (uint32_t i = 0; i < 10 * PROCESSES; i++)
        assert_int_equal(facts("shared", &fixture.sites[1000 + i], NULL), 1);
}

#define THREADS 4
#define PAIRS   200

static void *add_pairs(void *unused)
{
    (void)unused;
    for (uint32_t i = 0; i < PAIRS; i++)
        darn_profile_add_pair(DARN_FACT_SPIN, &fixture.sites[2000 + i], &fixture.sites[3000 + i]);
    return NULL;
}

static void threads_that_learn_the_same_pairs_say_them_once(void **state)
{
    pthread_t threads[THREADS];

    (void)state;
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, add_pairs, NULL), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(darn_profile_write(path), 0);
    for (uint32_t i = 0; i < PAIRS; i++)
        assert_int_equal(facts("spin", &fixture.sites[2000 + i], &fixture.sites[3000 + i]), 1);
}

static _Atomic bool stop;

/* The number that the next file of the program would get. */
static void *watch_numbers(void *expected)
{
    uintptr_t faults = 0;

    while (!stop) {
        int fd = open("/dev/null", O_RDONLY);

        faults += fd != (int)(intptr_t)expected;
        close(fd);
    }
    return (void *)faults;
}

static void the_file_numbers_of_the_program_stay_free(void **state)
{
    int expected = open("/dev/null", O_RDONLY);
    pthread_t watcher;
    void *faults;

    (void)state;
    close(expected);
    stop = false;
    assert_int_equal(pthread_create(&watcher, NULL, watch_numbers, (void *)(intptr_t)expected), 0);
    for (int i = 0; i < 50; i++) {
        assert_int_equal(darn_profile_write(path), 0);
        assert_int_equal(darn_profile_load(path), 0);
    }
    stop = true;
    pthread_join(watcher, &faults);
    assert_null(faults);
}

static void the_program_has_no_children_by_it(void **state)
{
    (void)state;
    assert_int_equal(darn_profile_write(path), 0);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
}

static double milliseconds(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

/* All of a large program's sites, and a hundred thousand that it does not have: 8 MB. */
static void a_large_profile_is_loaded_and_arms_a_large_module_quickly(void **state)
{
    struct darn_site *first = &fixture.sites[fixture.count - MANY];
    FILE *file = fopen(path, "w");
    double started, loaded, armed_in;

    (void)state;
    assert_non_null(file);
    fputs(FIRST, file);
    for (uint32_t i = 0; i < 100000; i++)
        fprintf(file, "shared %016" PRIx64 " of/another/program.c:%u:7 write some_variable\n",
                UINT64_C(0x123456789) * (i + 1), i);
    for (uint32_t i = 0; i < MANY; i += 2)
        fprintf(file, "shared %016" PRIx64 " many.c:%u:5 read cell\n", darn_site_key(first + i), i);
    fclose(file);
    memset(fixture.armed, 0, sizeof(fixture.armed));
    started = milliseconds();
    assert_int_equal(darn_profile_load(path), 0);
    loaded = milliseconds();
    darn_profile_module(first, first + MANY);
    armed_in = milliseconds() - loaded;
    printf("a profile of 125000 lines is loaded in %.1f ms, arms 50000 sites in %.2f ms\n",
           loaded - started, armed_in);
    for (uint32_t i = 0; i < MANY; i += 2)
        assert_int_equal(armed(first + i) & DARN_ARMED_RECORD, DARN_ARMED_RECORD);
    assert_int_equal(armed(first + MANY - 1), 0);
    assert_true(loaded - started < 5000);
    assert_true(armed_in < 500);
    started = milliseconds();
    assert_int_equal(darn_profile_write(path), 0);
    printf("it is merged in %.1f ms\n", milliseconds() - started);
    assert_int_equal(facts("shared", first, NULL), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_run_that_learns_nothing_writes_an_empty_profile, start),
        cmocka_unit_test_setup(lines_say_where_and_what_for_people, start),
        cmocka_unit_test_setup(names_cannot_break_a_line, start),
        cmocka_unit_test_setup(what_was_written_arms_the_same_sites_when_it_is_loaded, start),
        cmocka_unit_test_setup(arming_keeps_the_bits_of_others, start),
        cmocka_unit_test_setup(sites_without_a_byte_to_arm_and_of_other_versions_are_left_alone,
                               start),
        cmocka_unit_test_setup(pairs_are_known_from_files_and_from_this_run, start),
        cmocka_unit_test_setup(a_suspect_that_is_a_spin_is_not_one_any_more, start),
        cmocka_unit_test_setup(old_lines_stay_as_people_have_left_them, start),
        cmocka_unit_test_setup(profiles_that_were_concatenated_become_one, start),
        cmocka_unit_test_setup(writing_again_changes_nothing, start),
        cmocka_unit_test_setup(what_only_another_profile_knew_is_learned_again, start),
        cmocka_unit_test_setup(sites_with_one_key_have_one_line, start),
        cmocka_unit_test_setup(what_an_unloaded_module_has_taught_is_written, start),
        cmocka_unit_test_setup(a_file_that_is_no_profile_is_refused_and_left_alone, start),
        cmocka_unit_test_setup(the_first_bad_line_is_named, start),
        cmocka_unit_test_setup(an_empty_file_is_a_profile, start),
        cmocka_unit_test_setup(what_cannot_be_read_or_written_is_an_error, start),
        cmocka_unit_test_setup(a_file_that_cannot_be_finished_leaves_the_old_one_and_nothing_else,
                               start),
        cmocka_unit_test_setup(processes_that_write_at_once_lose_nothing, start),
        cmocka_unit_test_setup(threads_that_learn_the_same_pairs_say_them_once, start),
        cmocka_unit_test_setup(the_file_numbers_of_the_program_stay_free, start),
        cmocka_unit_test_setup(the_program_has_no_children_by_it, start),
        cmocka_unit_test_setup(a_large_profile_is_loaded_and_arms_a_large_module_quickly, start),
    };

    return cmocka_run_group_tests(tests, announce, clean);
}
