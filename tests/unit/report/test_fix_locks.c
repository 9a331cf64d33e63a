/* Candidates that take locks, and that wait: what must never come of them. */
#include "fix_fixture.h"
#include "report/fix/patch_private.h"

/* Within safe_lock() the lock is called `mutex`, which means nothing to others. */
static void a_function_of_the_program_that_takes_a_lock_is_called(void **state)
{
    struct darn_patches none = {.count = 0};
    struct darn_patch *patch = darn_patch_begin(&none);
    struct darn_frame frames[] = {{.function = "safe_lock", .file = path, .line = 1},
                                  {.function = "f", .file = path, .line = 2},
                                  {.function = "block_all", .file = path, .line = 3}};
    struct darn_lock lock = {.kind = "mutex", .stack = {frames, 3}};
    struct darn_guard_words words;

    (void)state;
    write_file("    int ret = pthread_mutex_lock(mutex);\n"
               "    safe_lock(queue->mutex);\n"
               "    unblock(f(1));\n",
               ".c");
    assert_true(darn_guard_words_of(patch, &lock, &words));
    assert_string_equal(words.take, "safe_lock(queue->mutex);");
    assert_string_equal(words.give, "safe_unlock(queue->mutex);");
    assert_string_equal(words.name, "mutex");
    darn_patch_free(patch);
    unlink(path);
}

/* It would wait for itself. */
static void a_lock_is_not_taken_around_code_that_takes_it(void **state)
{
    struct access_at at[2];
    struct darn_finding_access accesses[2];
    struct darn_finding finding = finding_of("data-race", "n", accesses, 2);
    struct darn_frame taken = {.function = "f", .file = path, .line = 4};
    struct darn_lock lock = {.kind = "mutex", .address = 16, .stack = {&taken, 1}};

    (void)state;
    write_file("void f(struct s *s)\n"
               "{\n"
               "    n = 1;\n"
               "    pthread_mutex_lock(&s->lock);\n"
               "    n++;\n"
               "    pthread_mutex_unlock(&s->lock);\n"
               "    n = 2;\n"
               "}\n",
               ".c");
    accesses[0] = *access_in(&at[0], DARN_OP_WRITE, "f", 3);
    accesses[1] = *access_in(&at[1], DARN_OP_WRITE, "f", 7);
    finding.guards = &lock;
    finding.guard_count = 1;
    expect_no_candidate(&finding, "hold 'lock' from line 3 to line 7");
    finding.guards = NULL;
    finding.guard_count = 0;
    accesses[1] = *access_in(&at[1], DARN_OP_WRITE, "f", 5);
    accesses[1].locks = &lock;
    accesses[1].lock_count = 1;
    expect_candidate(&finding, "hold 'lock' at line 3",
                     "@@ -1,6 +1,8 @@\n"
                     " void f(struct s *s)\n"
                     " {\n"
                     "+    pthread_mutex_lock(&s->lock);\n"
                     "     n = 1;\n"
                     "+    pthread_mutex_unlock(&s->lock);\n"
                     "     pthread_mutex_lock(&s->lock);\n"
                     "     n++;\n"
                     "     pthread_mutex_unlock(&s->lock);\n");
}

/* Around the call the lock would be taken twice. */
static void what_is_read_for_a_call_is_copied_under_the_lock(void **state)
{
    struct access_at at[2];
    struct darn_finding_access accesses[2];
    struct darn_finding finding = finding_of("data-race", "s->n", accesses, 2);
    struct darn_frame taken = {.function = "f", .file = path, .line = 3};
    struct darn_lock lock = {.kind = "mutex", .address = 16, .stack = {&taken, 1}};

    (void)state;
    write_file("void f(struct s *s)\n"
               "{\n"
               "    pthread_mutex_lock(&s->lock);\n"
               "    s->n++;\n"
               "    pthread_mutex_unlock(&s->lock);\n"
               "    g(s, s->n);\n"
               "    g(s, s->n, s->n);\n"
               "    s->n = 0;\n"
               "}\n",
               ".c");
    accesses[0] = *access_in(&at[0], DARN_OP_WRITE, "f", 4);
    accesses[0].locks = &lock;
    accesses[0].lock_count = 1;
    accesses[1] = *access_in(&at[1], DARN_OP_READ, "f", 7);
    expect_no_candidate(&finding, "copy 's->n' under 'lock' at line 7");
    accesses[1] = *access_in(&at[1], DARN_OP_READ, "f", 8);
    expect_no_candidate(&finding, "copy 's->n' under 'lock' at line 8");
    accesses[1] = *access_in(&at[1], DARN_OP_READ, "f", 6);
    expect_candidate(&finding, "copy 's->n' under 'lock' at line 6",
                     "@@ -3,7 +3,10 @@\n"
                     "     pthread_mutex_lock(&s->lock);\n"
                     "     s->n++;\n"
                     "     pthread_mutex_unlock(&s->lock);\n"
                     "-    g(s, s->n);\n"
                     "+    pthread_mutex_lock(&s->lock);\n"
                     "+    __auto_type n_copy = s->n;\n"
                     "+    pthread_mutex_unlock(&s->lock);\n"
                     "+    g(s, n_copy);\n"
                     "     g(s, s->n, s->n);\n"
                     "     s->n = 0;\n"
                     " }\n");
}

static void a_lock_is_not_taken_after_its_end(void **state)
{
    struct access_at at[2];
    struct darn_finding_access accesses[2];
    struct darn_finding finding = finding_of("data-race", "n", accesses, 2);
    struct darn_frame taken = {.function = "f", .file = path, .line = 3};
    struct darn_lock lock = {.kind = "mutex", .address = 16, .stack = {&taken, 1}};

    (void)state;
    write_file("void f(void)\n"
               "{\n"
               "    pthread_mutex_lock(&m);\n"
               "    n = 1;\n"
               "    pthread_mutex_unlock(&m);\n"
               "}\n"
               "void g(void)\n"
               "{\n"
               "    pthread_mutex_destroy(&m);\n"
               "    n = 2;\n"
               "}\n",
               ".c");
    accesses[0] = *access_in(&at[0], DARN_OP_WRITE, "f", 4);
    accesses[0].locks = &lock;
    accesses[0].lock_count = 1;
    accesses[1] = *access_in(&at[1], DARN_OP_WRITE, "g", 10);
    expect_no_candidate(&finding, "hold 'm' at line 10");
}

static void a_wait_without_a_condition_gets_a_mark(void **state)
{
    struct access_at at;
    struct darn_finding finding = finding_of("notification", NULL, NULL, 1);

    (void)state;
    write_file("void tell(void)\n"
               "{\n"
               "    pthread_cond_signal(&c);\n"
               "}\n"
               "void wait(void)\n"
               "{\n"
               "    pthread_mutex_lock(&m);\n"
               "    pthread_cond_wait(&c, &m);\n"
               "    pthread_mutex_unlock(&m);\n"
               "}\n",
               ".c");
    finding.accesses = access_in(&at, DARN_OP_WAIT, "wait", 8);
    expect_candidate(&finding, "wait for a mark that 'c' was signalled",
                     "@@ -1,10 +1,17 @@\n"
                     "+static int c_marks;\n"
                     "+\n"
                     " void tell(void)\n"
                     " {\n"
                     "+    pthread_mutex_lock(&m);\n"
                     "+    c_marks++;\n"
                     "     pthread_cond_signal(&c);\n"
                     "+    pthread_mutex_unlock(&m);\n"
                     " }\n"
                     " void wait(void)\n"
                     " {\n"
                     "     pthread_mutex_lock(&m);\n"
                     "-    pthread_cond_wait(&c, &m);\n"
                     "+    while (c_marks == 0)\n"
                     "+        pthread_cond_wait(&c, &m);\n"
                     "+    c_marks--;\n"
                     "     pthread_mutex_unlock(&m);\n"
                     " }\n");
}

static void a_signal_goes_behind_the_change(void **state)
{
    struct access_at at;
    struct darn_finding finding = finding_of("notification", NULL, NULL, 1);

    (void)state;
    write_file("void tell(void)\n"
               "{\n"
               "    pthread_cond_signal(&c);\n"
               "    pthread_mutex_lock(&m);\n"
               "    ready = 1;\n"
               "    pthread_mutex_unlock(&m);\n"
               "}\n",
               ".c");
    finding.accesses = access_in(&at, DARN_OP_SIGNAL, "tell", 3);
    expect_candidate(&finding, "signal when all is changed",
                     "@@ -1,7 +1,7 @@\n"
                     " void tell(void)\n"
                     " {\n"
                     "-    pthread_cond_signal(&c);\n"
                     "     pthread_mutex_lock(&m);\n"
                     "     ready = 1;\n"
                     "+    pthread_cond_signal(&c);\n"
                     "     pthread_mutex_unlock(&m);\n"
                     " }\n");
}

/* What was looked up under the read lock is right until the entry is made. */
static void a_read_lock_that_becomes_a_write_lock_is_one_from_the_start(void **state)
{
    struct access_at at[3];
    struct darn_finding_access accesses[3];
    struct darn_finding finding = finding_of("atomicity-violation", "known", accesses, 3);
    struct darn_frame taken = {.function = "f", .file = path, .line = 3};
    struct darn_lock lock = {.kind = "read", .address = 16, .stack = {&taken, 1}};

    (void)state;
    write_file("void f(void)\n"
               "{\n"
               "    pthread_rwlock_rdlock(&lock);\n"
               "    found = known;\n"
               "    pthread_rwlock_unlock(&lock);\n"
               "    pthread_rwlock_wrlock(&lock);\n"
               "    known = true;\n"
               "    pthread_rwlock_unlock(&lock);\n"
               "}\n",
               ".c");
    accesses[0] = *access_in(&at[0], DARN_OP_READ, "f", 4);
    accesses[1] = *access_in(&at[1], DARN_OP_WRITE, "f", 7);
    accesses[2] = *access_in(&at[2], DARN_OP_WRITE, "f", 7);
    for (int i = 0; i < 3; i++) {
        accesses[i].locks = &lock;
        accesses[i].lock_count = 1;
    }
    expect_candidate(&finding, "hold 'lock' from line 4 to line 7",
                     "@@ -1,9 +1,7 @@\n"
                     " void f(void)\n"
                     " {\n"
                     "-    pthread_rwlock_rdlock(&lock);\n"
                     "-    found = known;\n"
                     "-    pthread_rwlock_unlock(&lock);\n"
                     "     pthread_rwlock_wrlock(&lock);\n"
                     "+    found = known;\n"
                     "     known = true;\n"
                     "     pthread_rwlock_unlock(&lock);\n"
                     " }\n");
}

static void a_thread_is_waited_for_before_the_lock_that_it_needs(void **state)
{
    struct access_at at;
    struct darn_finding finding = finding_of("deadlock", NULL, NULL, 1);
    struct darn_frame taken = {.function = "stop", .file = path, .line = 3};
    struct darn_lock lock = {.kind = "mutex", .address = 16, .stack = {&taken, 1}};

    (void)state;
    write_file("void stop(void)\n"
               "{\n"
               "    pthread_mutex_lock(&m);\n"
               "    pthread_join(worker,\n"
               "                 NULL);\n"
               "    closed = 1;\n"
               "    pthread_mutex_unlock(&m);\n"
               "}\n",
               ".c");
    finding.accesses = access_in(&at, DARN_OP_JOIN, "stop", 4);
    finding.accesses->locks = &lock;
    finding.accesses->lock_count = 1;
    expect_candidate(&finding, "wait before the lock is taken",
                     "@@ -1,8 +1,8 @@\n"
                     " void stop(void)\n"
                     " {\n"
                     "-    pthread_mutex_lock(&m);\n"
                     "     pthread_join(worker,\n"
                     "                  NULL);\n"
                     "+    pthread_mutex_lock(&m);\n"
                     "     closed = 1;\n"
                     "     pthread_mutex_unlock(&m);\n"
                     " }\n");
}

/* Only a lock that is the same, and with nothing in between. */
static void a_lock_that_is_taken_again_at_once_is_kept(void **state)
{
    struct darn_finding finding = finding_of("failure", NULL, NULL, 0);
    struct darn_patches patches = {.count = 0};
    json_t *story;

    (void)state;
    write_file("void f(void)\n"
               "{\n"
               "    pthread_mutex_lock(&m);\n"
               "    open = 0;\n"
               "    pthread_mutex_unlock(&m);\n"
               "\n"
               "    pthread_mutex_lock(&m);\n"
               "    files++;\n"
               "    pthread_mutex_unlock(&m);\n"
               "    pthread_mutex_lock(&n);\n"
               "    pthread_mutex_unlock(&n);\n"
               "    wait();\n"
               "    pthread_mutex_lock(&n);\n"
               "    pthread_mutex_unlock(&n);\n"
               "}\n",
               ".c");
    story = json_pack("{s:[{s:s, s:i}]}", "places", "file", path, "line", 4);
    darn_patches_make(&patches, &finding, story);
    assert_int_equal(patches.count, 1);
    assert_string_equal(patches.list[0]->what, "keep 'm' from line 5 to line 7");
    assert_string_equal(strstr(patches.list[0]->diff, "@@"), "@@ -2,9 +2,7 @@\n"
                                                             " {\n"
                                                             "     pthread_mutex_lock(&m);\n"
                                                             "     open = 0;\n"
                                                             "-    pthread_mutex_unlock(&m);\n"
                                                             " \n"
                                                             "-    pthread_mutex_lock(&m);\n"
                                                             "     files++;\n"
                                                             "     pthread_mutex_unlock(&m);\n"
                                                             "     pthread_mutex_lock(&n);\n");
    darn_patches_free(&patches);
    json_decref(story);
    unlink(path);
}

/* The step before is not known: it may be anywhere in the function. */
static void functions_that_were_mixed_are_one_at_a_time(void **state)
{
    struct darn_finding finding = finding_of("failure", NULL, NULL, 0);
    struct darn_patches patches = {.count = 0};
    json_t *story;

    (void)state;
    write_file("#include <pthread.h>\n"
               "\n"
               "static void insert(void)\n"
               "{\n"
               "    entries++;\n"
               "    empty = 0;\n"
               "}\n"
               "\n"
               "static int flush(int all)\n"
               "{\n"
               "    if (!all)\n"
               "        return 0;\n"
               "    entries = 0;\n"
               "    empty = 1;\n"
               "    return 1;\n"
               "}\n",
               ".c");
    story = json_pack("{s:[{s:s, s:i, s:s}, {s:s, s:i, s:s}], s:[{s:s, s:s}, {s:s, s:s, s:i}, "
                      "{s:s, s:s, s:i}], s:[i, i, i, i, i, i, i, i, i]}",
                      "places", "file", path, "line", 6, "function", "insert", "file", path, "line",
                      14, "function", "flush", "deeds", "op", "start", "text", "starts", "op",
                      "write", "text", "write empty", "place", 0, "op", "write", "text",
                      "write empty", "place", 1, "steps", 1, 0, 0, 2, 2, 1, 1, 1, 0);
    assert_non_null(story);
    darn_patches_make(&patches, &finding, story);
    assert_int_equal(patches.count, 1);
    assert_string_equal(patches.list[0]->what, "let nobody in from line 5 to line 6");
    assert_string_equal(strstr(patches.list[0]->diff, "@@"),
                        "@@ -1,16 +1,25 @@\n"
                        " #include <pthread.h>\n"
                        " \n"
                        "+static pthread_mutex_t order_lock = PTHREAD_MUTEX_INITIALIZER;\n"
                        "+\n"
                        " static void insert(void)\n"
                        " {\n"
                        "+    pthread_mutex_lock(&order_lock);\n"
                        "     entries++;\n"
                        "     empty = 0;\n"
                        "+    pthread_mutex_unlock(&order_lock);\n"
                        " }\n"
                        " \n"
                        " static int flush(int all)\n"
                        " {\n"
                        "+    pthread_mutex_lock(&order_lock);\n"
                        "     if (!all)\n"
                        "+    {\n"
                        "+        pthread_mutex_unlock(&order_lock);\n"
                        "         return 0;\n"
                        "+    }\n"
                        "     entries = 0;\n"
                        "     empty = 1;\n"
                        "+    pthread_mutex_unlock(&order_lock);\n"
                        "     return 1;\n"
                        " }\n");
    darn_patches_free(&patches);
    json_decref(story);
    unlink(path);
}

static void semaphores_are_taken_under_a_lock(void **state)
{
    struct access_at at;
    struct darn_finding finding = finding_of("notification", NULL, NULL, 1);

    (void)state;
    write_file("#include <pthread.h>\n"
               "\n"
               "static void copy(sem_t *first, sem_t *second)\n"
               "{\n"
               "    sem_wait(first);\n"
               "    sem_wait(second);\n"
               "    copies++;\n"
               "}\n",
               ".c");
    finding.accesses = access_in(&at, DARN_OP_WAIT, "copy", 6);
    expect_candidate(&finding, "take both locks under a third one",
                     "@@ -1,8 +1,12 @@\n"
                     " #include <pthread.h>\n"
                     " \n"
                     "+static pthread_mutex_t order_lock = PTHREAD_MUTEX_INITIALIZER;\n"
                     "+\n"
                     " static void copy(sem_t *first, sem_t *second)\n"
                     " {\n"
                     "+    pthread_mutex_lock(&order_lock);\n"
                     "     sem_wait(first);\n"
                     "     sem_wait(second);\n"
                     "+    pthread_mutex_unlock(&order_lock);\n"
                     "     copies++;\n"
                     " }\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_function_of_the_program_that_takes_a_lock_is_called),
        cmocka_unit_test(a_lock_is_not_taken_around_code_that_takes_it),
        cmocka_unit_test(what_is_read_for_a_call_is_copied_under_the_lock),
        cmocka_unit_test(a_lock_is_not_taken_after_its_end),
        cmocka_unit_test(a_wait_without_a_condition_gets_a_mark),
        cmocka_unit_test(a_signal_goes_behind_the_change),
        cmocka_unit_test(a_thread_is_waited_for_before_the_lock_that_it_needs),
        cmocka_unit_test(a_lock_that_is_taken_again_at_once_is_kept),
        cmocka_unit_test(functions_that_were_mixed_are_one_at_a_time),
        cmocka_unit_test(semaphores_are_taken_under_a_lock),
        cmocka_unit_test(a_read_lock_that_becomes_a_write_lock_is_one_from_the_start),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
