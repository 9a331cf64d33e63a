/* Profiles in the program under test: what is loaded arms sites, what is learned is merged. */
#include "profile_stage.h"

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

static void sites_of_other_versions_are_left_alone(void **state)
{
    struct darn_site without = *site(DARN_SITE_READ);

    (void)state;
    without.version = DARN_SITE_VERSION + 1;
    without.place = without.scope = INT32_MAX; /* would be far outside */
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_run_that_learns_nothing_writes_an_empty_profile, start),
        cmocka_unit_test_setup(lines_say_where_and_what_for_people, start),
        cmocka_unit_test_setup(names_cannot_break_a_line, start),
        cmocka_unit_test_setup(what_was_written_arms_the_same_sites_when_it_is_loaded, start),
        cmocka_unit_test_setup(arming_keeps_the_bits_of_others, start),
        cmocka_unit_test_setup(sites_of_other_versions_are_left_alone, start),
        cmocka_unit_test_setup(pairs_are_known_from_files_and_from_this_run, start),
        cmocka_unit_test_setup(a_suspect_that_is_a_spin_is_not_one_any_more, start),
        cmocka_unit_test_setup(old_lines_stay_as_people_have_left_them, start),
        cmocka_unit_test_setup(profiles_that_were_concatenated_become_one, start),
        cmocka_unit_test_setup(writing_again_changes_nothing, start),
        cmocka_unit_test_setup(what_only_another_profile_knew_is_learned_again, start),
        cmocka_unit_test_setup(sites_with_one_key_have_one_line, start),
        cmocka_unit_test_setup(what_an_unloaded_module_has_taught_is_written, start),
    };

    return cmocka_run_group_tests(tests, announce, clean);
}
