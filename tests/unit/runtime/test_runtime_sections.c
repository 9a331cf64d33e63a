/* Atomic sections in the runtime (AtomRace, figure 3): when a thread is inside, and who comes
 * between. */
#include "section_stage.h"

static void a_write_between_read_and_write_is_a_violation(void **state)
{
    (void)state;
    obey(LOAD_STORE);
    x = 5;
    go(&one, READ);
    assert_true(darn_sections_are_open());
    go(&other, REMOTE_WRITE);
    x = 6;
    go(&one, WRITE);
    assert_int_equal(violations, 1);
    assert_ptr_equal(found_entry, &module.sites[READ]);
    assert_ptr_equal(found_remote, &module.sites[REMOTE_WRITE]);
    assert_ptr_equal(found_end, &module.sites[WRITE]);
    assert_string_equal(found_kind, "load-and-store");
    assert_int_equal(found_line, 3);
    assert_true(found_values);
    assert_int_equal(found_before, 5);
    assert_int_equal(found_after, 6);
    nobody_is_inside();
}

static void what_is_allowed_is_none(void **state)
{
    (void)state;
    obey(LOAD_STORE);
    go(&one, READ);
    go(&other, REMOTE_READ);
    go(&one, WRITE);
    assert_int_equal(violations, 0);
    nobody_is_inside();
}

static void before_and_after_is_not_between(void **state)
{
    (void)state;
    obey(LOAD_STORE);
    go(&other, REMOTE_WRITE);
    go(&one, READ);
    go(&one, WRITE);
    go(&other, REMOTE_WRITE);
    go(&one, READ);
    go(&one, WRITE);
    assert_int_equal(violations, 0);
    nobody_is_inside();
}

static void the_threads_own_accesses_do_no_harm(void **state)
{
    (void)state;
    obey(LOAD_STORE);
    go(&one, READ);
    go(&one, REMOTE_WRITE);
    go(&one, WRITE);
    assert_int_equal(violations, 0);
}

static void other_memory_is_none_of_its_business(void **state)
{
    (void)state;
    obey(LOAD_STORE);
    go(&one, READ);
    go_in(&other, REMOTE_WRITE, &y, 0);
    go(&one, WRITE);
    assert_int_equal(violations, 0);
    /* The end is reached, but for another variable: the section is over, and not judged. */
    go(&one, READ);
    go(&other, REMOTE_WRITE);
    go_in(&one, WRITE, &y, 0);
    assert_int_equal(violations, 0);
    nobody_is_inside();
}

static void a_way_out_ends_it_unjudged(void **state)
{
    (void)state;
    obey(LOAD_STORE);
    go(&one, READ);
    leave_in(&one, 1); /* of another call of the function */
    assert_int_not_equal(one.inside, 0);
    leave_in(&one, 0);
    nobody_is_inside();
    go(&other, REMOTE_WRITE);
    go(&one, WRITE);
    assert_int_equal(violations, 0);
}

static void who_jumps_or_ends_is_not_inside_any_more(void **state)
{
    (void)state;
    obey(LOAD_STORE);
    go(&one, READ);
    go(&other, REMOTE_WRITE);
    darn_sections_abandon(&one);
    nobody_is_inside();
    go(&one, WRITE);
    assert_int_equal(violations, 0);
}

static void memory_that_is_freed_ends_it(void **state)
{
    struct darn_touch freed = {.address = (uintptr_t)&x, .size = sizeof(x), .op = DARN_OP_FREE};
    const void *hook = &frames[0];

    (void)state;
    obey(LOAD_STORE);
    go(&one, READ);
    darn_sections_access(&one, &freed, &hook);
    nobody_is_inside();
    go(&one, READ);
    darn_sections_meet(&other, &freed, &hook); /* by another: it comes between */
    go(&one, WRITE);
    assert_int_equal(violations, 1);
}

static void at_the_entry_again_it_begins_anew(void **state)
{
    (void)state;
    obey(LOAD_STORE);
    go(&one, READ);
    go(&other, REMOTE_WRITE);
    go(&one, READ);
    go(&one, WRITE);
    assert_int_equal(violations, 0);
    nobody_is_inside();
}

static void a_recursive_call_has_its_own_ends(void **state)
{
    (void)state;
    obey(LOAD_STORE);
    go_in(&one, READ, &x, 0);
    go_in(&one, READ, &x, 1);
    go_in(&one, WRITE, &x, 1); /* the inner call ends; the outer section goes on */
    assert_int_not_equal(one.inside, 0);
    go(&other, REMOTE_WRITE);
    go_in(&one, WRITE, &x, 0);
    assert_int_equal(violations, 1);
    nobody_is_inside();
}

static void one_site_may_be_entry_and_end(void **state)
{
    (void)state;
    obey("  {\"variable\": \"x\", \"function\": \"f\", \"file\": \"bank.c\", \"kind\": \"pair\",\n"
         "   \"entry\": \"14:5 read\", \"ends\": [\"14:5 read allow=read\"]}");
    go(&one, READ2);
    assert_int_equal(violations, 0);
    go(&other, REMOTE_WRITE);
    go(&one, READ2);
    assert_int_equal(violations, 1);
    go(&one, READ2); /* the end was the next one's entry */
    assert_int_equal(violations, 1);
    go(&other, REMOTE_WRITE);
    go(&one, READ2);
    assert_int_equal(violations, 2);
}

static void the_end_of_one_is_the_entry_of_the_next(void **state)
{
    (void)state;
    obey("  {\"variable\": \"x\", \"function\": \"f\", \"file\": \"bank.c\", \"kind\": \"pair\",\n"
         "   \"entry\": \"10:5 read\", \"ends\": [\"12:5 write allow=read\"]},\n"
         "  {\"variable\": \"x\", \"function\": \"f\", \"file\": \"bank.c\", \"kind\": \"pair\",\n"
         "   \"entry\": \"12:5 write\", \"ends\": [\"14:5 read allow=read\"]},\n"
         "  {\"variable\": \"x\", \"function\": \"f\", \"file\": \"bank.c\", \"kind\": \"pair\",\n"
         "   \"entry\": \"14:5 read\", \"ends\": [\"16:5 write allow=read\"]}");
    go(&one, READ);
    go(&one, WRITE);
    go(&other, REMOTE_WRITE);
    go(&one, READ2);
    assert_int_equal(violations, 1);
    assert_ptr_equal(found_entry, &module.sites[WRITE]);
    assert_ptr_equal(found_end, &module.sites[READ2]);
    go(&one, WRITE2);
    assert_int_equal(violations, 1);
    nobody_is_inside();
}

static void each_end_has_its_own_set(void **state)
{
    (void)state;
    obey("  {\"variable\": \"x\", \"function\": \"f\", \"file\": \"bank.c\", \"kind\": \"pair\",\n"
         "   \"entry\": \"12:5 write\", \"ends\": [\"14:5 read allow=read\", \"16:5 write "
         "allow=write\"]}");
    go(&one, WRITE);
    go(&other, REMOTE_READ);
    go(&one, READ2);
    assert_int_equal(violations, 0);
    go(&one, WRITE);
    go(&other, REMOTE_READ);
    go(&one, WRITE2);
    assert_int_equal(violations, 1);
    go(&one, WRITE);
    go(&other, REMOTE_WRITE);
    go(&one, WRITE2);
    assert_int_equal(violations, 1);
}

static void what_reads_and_writes_is_both(void **state)
{
    (void)state;
    obey("  {\"variable\": \"x\", \"function\": \"f\", \"file\": \"bank.c\", \"kind\": \"pair\",\n"
         "   \"entry\": \"12:5 write\", \"ends\": [\"16:5 write allow=write\"]}");
    module.sites[REMOTE_WRITE].flags = DARN_SITE_COVERS;
    go(&one, WRITE);
    go(&other, REMOTE_WRITE);
    go(&one, WRITE2);
    assert_int_equal(violations, 1);
}

static void what_was_learned_ends_at_the_next_access(void **state)
{
    (void)state;
    obey("  {\"variable\": \"x\", \"function\": \"f\", \"file\": \"bank.c\", \"kind\": "
         "\"learned\",\n   \"entry\": \"10:5 read\", \"ends\": [\"14:5 read allow=read\"]}");
    go(&one, READ);
    go(&other, REMOTE_WRITE);
    go_in(&one, READ2, &x, 2); /* in whatever function */
    assert_int_equal(violations, 1);
    go(&one, READ);
    go(&other, REMOTE_WRITE);
    go(&one, WRITE); /* another access of the thread */
    go(&one, READ2);
    assert_int_equal(violations, 1);
    nobody_is_inside();
}

static void an_entry_in_a_called_function_counts_after_the_call(void **state)
{
    (void)state;
    obey("  {\"variable\": \"x\", \"function\": \"g\", \"file\": \"bank.c\", \"kind\": \"pair\",\n"
         "   \"entry\": \"10:5 read in f at 30\", \"calls\": [\"30:5\"],\n"
         "   \"ends\": [\"14:5 read in f at 32 allow=read\"], \"leaves\": [\"18:5 in f\"],\n"
         "   \"inside\": [\"across-calls\"]}");
    go_in(&one, READ, &x, 1);
    nobody_is_inside();
    call_in(&one, 0);
    go_in(&one, READ, &x, 1);
    go(&other, REMOTE_WRITE);
    go_in(&one, READ2, &x, 2);
    assert_int_equal(violations, 1);
    nobody_is_inside();
    call_in(&one, 0);
    leave_in(&one, 0);
    nobody_is_inside();
    go_in(&one, READ, &x, 1);
    nobody_is_inside();
}

/* A copy of an inlined function, or another variable of a macro: the address decides. */
static void another_name_at_the_place_is_as_good(void **state)
{
    (void)state;
    obey(LOAD_STORE);
    go_in(&one, OTHER_NAME, &y, 0);
    go_in(&other, REMOTE_WRITE, &y, 0);
    go_in(&one, WRITE, &y, 0);
    assert_int_equal(violations, 1);
    go_in(&one, OTHER_NAME, &y, 0);
    go_in(&other, REMOTE_WRITE, &y, 0);
    go(&one, WRITE);
    assert_int_equal(violations, 1);
    nobody_is_inside();
}

static void a_copy_of_an_inlined_function_belongs_to_its_caller(void **state)
{
    (void)state;
    obey("  {\"variable\": \"x\", \"function\": \"f\", \"file\": \"bank.c\", \"kind\": "
         "\"load-and-store\",\n   \"entry\": \"50:5 read in get at 11\", "
         "\"ends\": [\"12:5 write allow=read\"]}");
    go(&one, STRANGER);
    nobody_is_inside();
    go(&one, COPY);
    go(&other, REMOTE_WRITE);
    go(&one, WRITE);
    assert_int_equal(violations, 1);
    nobody_is_inside();
}

/* Where one of the ends would be passed unseen, nobody is watched. */
static void a_section_without_all_its_ends_is_not_watched(void **state)
{
    (void)state;
    obey("  {\"variable\": \"x\", \"function\": \"f\", \"file\": \"bank.c\", \"kind\": "
         "\"pair\",\n   \"entry\": \"10:5 read\", "
         "\"ends\": [\"12:5 write allow=read\", \"99:5 write allow=read\"]}");
    go(&one, READ);
    nobody_is_inside();
}

static void only_one_of_a_kind_is_kept_of_many(void **state)
{
    static struct darn_thread third = {.number = 3};

    (void)state;
    obey(LOAD_STORE);
    go(&one, READ);
    go(&other, REMOTE_WRITE);
    go(&third, REMOTE_WRITE);
    go(&third, REMOTE_READ);
    go(&one, WRITE);
    assert_int_equal(violations, 1);
}

/* Threads that are both inside are suspects of each other. */
static void both_may_be_inside(void **state)
{
    (void)state;
    obey(LOAD_STORE);
    go(&one, READ);
    go(&other, READ);
    go(&one, WRITE);
    assert_int_equal(violations, 0);
    go(&other, WRITE);
    assert_int_equal(violations, 1);
    nobody_is_inside();
}

static void what_takes_too_long_is_given_up(void **state)
{
    (void)state;
    obey(LOAD_STORE);
    go(&one, READ);
    go(&other, REMOTE_WRITE);
    darn_inside_at(one.inside)->since -= UINT64_C(100000000000);
    darn_sections_expire(20000000);
    assert_false(darn_sections_are_open());
    go(&one, WRITE);
    assert_int_equal(violations, 0);
    nobody_is_inside();
}

static void with_an_output_they_are_counted_only(void **state)
{
    char counts[512] = "", out[] = "/tmp/darn-test-counts-XXXXXX";
    FILE *file;

    (void)state;
    close(mkstemp(out));
    snprintf(darn_state.options.sections_out, sizeof(darn_state.options.sections_out), "%s", out);
    obey(LOAD_STORE);
    for (int i = 0; i < 3; i++) {
        go(&one, READ);
        if (i)
            go(&other, REMOTE_WRITE);
        go(&one, WRITE);
    }
    assert_int_equal(violations, 0);
    darn_sections_finish();
    file = fopen(out, "r");
    assert_int_not_equal(fread(counts, 1, sizeof(counts) - 1, file), 0);
    fclose(file);
    unlink(out);
    assert_string_equal(counts, "end 3 0 3 2\ndone\n");
}

static void what_the_program_does_not_have_is_said(void **state)
{
    (void)state;
    obey(LOAD_STORE
         ",\n  {\"variable\": \"gone\", \"function\": \"f\", \"file\": \"bank.c\", \"kind\": "
         "\"pair\",\n   \"entry\": \"99:5 read\", \"ends\": [\"100:5 read allow=read\"]},\n"
         "  \"bank.c:50-60 x allow=read\"");
    darn_sections_finish();
    assert_non_null(strstr(said, ":5: the section over 'gone' in f (bank.c) does not begin where "
                                 "the repository says"));
    assert_non_null(strstr(said, ":7: no two accesses to 'x' that follow each other in lines 50 to "
                                 "60 of bank.c"));
    assert_null(strstr(said, ":3:"));
}

/* As it is healed: one rule says what a repository means (section/match.h). */
static void a_section_that_has_moved_is_watched(void **state)
{
    (void)state;
    obey_with("  {\"variable\": \"x\", \"function\": \"f\", \"file\": \"bank.c\", \"kind\": "
              "\"load-and-store\",\n   \"entry\": \"9:5 read\", \"ends\": [\"11:5 write "
              "allow=read\"]}",
              LOAD_STORE);
    go(&one, READ);
    go(&other, REMOTE_WRITE);
    go(&one, WRITE);
    assert_int_equal(violations, 1);
    assert_ptr_equal(found_entry, &module.sites[READ]);
    assert_int_equal(found_line, 3);
    darn_sections_finish();
    assert_string_equal(said, "");
}

static void another_variable_at_the_place_is_not_watched(void **state)
{
    (void)state;
    obey_with("  {\"variable\": \"gone\", \"function\": \"f\", \"file\": \"bank.c\", \"kind\": "
              "\"load-and-store\",\n   \"entry\": \"10:5 read\", \"ends\": [\"12:5 write "
              "allow=read\"]}",
              LOAD_STORE);
    go(&one, READ);
    go(&other, REMOTE_WRITE);
    go(&one, WRITE);
    assert_int_equal(violations, 0);
    darn_sections_finish();
    assert_non_null(strstr(said, ":3: the section over 'gone' in f (bank.c) does not begin"));
}

static void a_repository_that_is_not_there_is_refused(void **state)
{
    (void)state;
    snprintf(darn_state.options.sections, sizeof(darn_state.options.sections), "/nowhere/at/all");
    assert_int_equal(darn_sections_open(), 2);
    assert_non_null(strstr(said, "sections=/nowhere/at/all: there is no such file"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_write_between_read_and_write_is_a_violation),
        TEST(what_is_allowed_is_none),
        TEST(before_and_after_is_not_between),
        TEST(the_threads_own_accesses_do_no_harm),
        TEST(other_memory_is_none_of_its_business),
        TEST(a_way_out_ends_it_unjudged),
        TEST(who_jumps_or_ends_is_not_inside_any_more),
        TEST(memory_that_is_freed_ends_it),
        TEST(at_the_entry_again_it_begins_anew),
        TEST(a_recursive_call_has_its_own_ends),
        TEST(one_site_may_be_entry_and_end),
        TEST(the_end_of_one_is_the_entry_of_the_next),
        TEST(each_end_has_its_own_set),
        TEST(what_reads_and_writes_is_both),
        TEST(what_was_learned_ends_at_the_next_access),
        TEST(an_entry_in_a_called_function_counts_after_the_call),
        TEST(another_name_at_the_place_is_as_good),
        TEST(a_copy_of_an_inlined_function_belongs_to_its_caller),
        TEST(a_section_without_all_its_ends_is_not_watched),
        TEST(only_one_of_a_kind_is_kept_of_many),
        TEST(both_may_be_inside),
        TEST(what_takes_too_long_is_given_up),
        TEST(with_an_output_they_are_counted_only),
        TEST(what_the_program_does_not_have_is_said),
        TEST(a_section_that_has_moved_is_watched),
        TEST(another_variable_at_the_place_is_not_watched),
        TEST(a_repository_that_is_not_there_is_refused),
    };

    return play(tests, sizeof(tests) / sizeof(tests[0]));
}
