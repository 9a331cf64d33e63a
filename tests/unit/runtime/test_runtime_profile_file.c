/* The file of a profile: what is refused, what cannot be written, and many who write at once. */
#include "profile_stage.h"

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

/* Of processor time: the machine may be busy. */
static double milliseconds(void)
{
    struct timespec time;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
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
