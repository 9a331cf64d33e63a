/* Candidates for a fix, made from the text of a source. */
#include "fix_fixture.h"
#include "report/fix/patch_private.h"
#include "report/fix/unified_diff.h"

static void statements_are_put_under_a_new_lock(void **state)
{
    struct access_at at[2];
    struct darn_finding_access accesses[2];
    struct darn_finding finding = finding_of("data-race", "s->count", accesses, 2);

    (void)state;
    write_file("#include <pthread.h>\n"
               "\n"
               "void f(struct s *s)\n"
               "{\n"
               "    if (s->count)\n"
               "        s->count--; /* } */\n"
               "}\n",
               ".c");
    accesses[0] = *access_in(&at[0], DARN_OP_WRITE, "f", 6);
    accesses[1] = *access_in(&at[1], DARN_OP_READ, "f", 5);
    expect_candidate(&finding, "hold 'count_lock' at both accesses",
                     "@@ -1,7 +1,11 @@\n"
                     " #include <pthread.h>\n"
                     " \n"
                     "+static pthread_mutex_t count_lock = PTHREAD_MUTEX_INITIALIZER;\n"
                     "+\n"
                     " void f(struct s *s)\n"
                     " {\n"
                     "+    pthread_mutex_lock(&count_lock);\n"
                     "     if (s->count)\n"
                     "         s->count--; /* } */\n"
                     "+    pthread_mutex_unlock(&count_lock);\n"
                     " }\n");
}

/* The value that is returned is read under the lock, too. */
static void a_lock_is_given_back_before_each_way_out(void **state)
{
    struct access_at at[2];
    struct darn_finding_access accesses[2];
    struct darn_finding finding = finding_of("data-race", "n", accesses, 2);
    struct darn_frame taken = {.function = "g", .file = path, .line = 10};
    struct darn_lock lock = {.kind = "mutex", .address = 16, .stack = {&taken, 1}};

    (void)state;
    write_file("int f(void)\n"
               "{\n"
               "    if (n > 3)\n"
               "        return 0;\n"
               "    n++;\n"
               "    return n * 2;\n"
               "}\n"
               "void g(void)\n"
               "{\n"
               "    if (pthread_mutex_lock(&all) == 0)\n"
               "        n = 1;\n"
               "}\n",
               ".c");
    accesses[0] = *access_in(&at[0], DARN_OP_READ, "f", 3);
    accesses[1] = *access_in(&at[1], DARN_OP_READ, "f", 6);
    accesses[1].locks = NULL;
    finding.guards = &lock;
    finding.guard_count = 1;
    expect_candidate(&finding, "hold 'all' from line 3 to line 6",
                     "@@ -1,9 +1,15 @@\n"
                     " int f(void)\n"
                     " {\n"
                     "+    pthread_mutex_lock(&all);\n"
                     "     if (n > 3)\n"
                     "+    {\n"
                     "+        pthread_mutex_unlock(&all);\n"
                     "         return 0;\n"
                     "+    }\n"
                     "     n++;\n"
                     "-    return n * 2;\n"
                     "+    __auto_type result = n * 2;\n"
                     "+    pthread_mutex_unlock(&all);\n"
                     "+    return result;\n"
                     " }\n"
                     " void g(void)\n"
                     " {\n");
}

static void what_ends_too_early_goes_behind_the_join(void **state)
{
    struct access_at at[2];
    struct darn_finding_access accesses[2];
    struct darn_finding finding = finding_of("data-race", "queue", accesses, 2);

    (void)state;
    write_file("int main(void)\n"
               "{\n"
               "    pthread_create(&t, NULL, use, queue);\n"
               "    free(queue);\n"
               "    for (int i = 0; i < 2; i++)\n"
               "        pthread_join(t, NULL);\n"
               "    return 0;\n"
               "}\n",
               ".c");
    accesses[0] = *access_in(&at[0], DARN_OP_FREE, "main", 4);
    accesses[1] = *access_in(&at[1], DARN_OP_READ, "use", 99);
    expect_candidate(&finding, "do it after the other thread has ended",
                     "@@ -1,8 +1,8 @@\n"
                     " int main(void)\n"
                     " {\n"
                     "     pthread_create(&t, NULL, use, queue);\n"
                     "-    free(queue);\n"
                     "     for (int i = 0; i < 2; i++)\n"
                     "         pthread_join(t, NULL);\n"
                     "+    free(queue);\n"
                     "     return 0;\n"
                     " }\n");
}

/* A check that is made before the threads run checks nothing. */
static void an_assertion_and_what_is_read_stay_where_they_are(void **state)
{
    struct access_at at[2];
    struct darn_finding_access accesses[2];
    struct darn_finding finding = finding_of("data-race", "sum", accesses, 2);

    (void)state;
    write_file("int main(void)\n"
               "{\n"
               "    pthread_create(&t, NULL, add, NULL);\n"
               "    assert(sum == 1);\n"
               "    pthread_join(t, NULL);\n"
               "}\n",
               ".c");
    accesses[0] = *access_in(&at[0], DARN_OP_READ, "main", 4);
    accesses[1] = *access_in(&at[1], DARN_OP_WRITE, "add", 99);
    expect_candidate(&finding, "do it after the other thread has ended", NULL);
    write_file("int main(void)\n"
               "{\n"
               "    pthread_create(&t, NULL, add, NULL);\n"
               "    seen = sum;\n"
               "}\n",
               ".c");
    expect_candidate(&finding, "do it before the other thread is created", NULL);
}

/* What the next statement changes goes with it, if nothing needs that before. */
static void what_belongs_together_goes_behind_the_join_together(void **state)
{
    struct access_at at[2];
    struct darn_finding_access accesses[2];
    struct darn_finding finding = finding_of("data-race", "block", accesses, 2);
    static const char what[] = "do it after the other thread has ended";

    (void)state;
    write_file("int main(void)\n"
               "{\n"
               "    pthread_create(&thread, NULL, use, block);\n"
               "    free(block);\n"
               "    block = NULL;\n"
               "    pthread_join(thread, NULL);\n"
               "    return 0;\n"
               "}\n",
               ".c");
    accesses[0] = *access_in(&at[0], DARN_OP_FREE, "main", 4);
    accesses[1] = *access_in(&at[1], DARN_OP_READ, "use", 1);
    expect_candidate(&finding, what,
                     "@@ -1,8 +1,8 @@\n"
                     " int main(void)\n"
                     " {\n"
                     "     pthread_create(&thread, NULL, use, block);\n"
                     "+    pthread_join(thread, NULL);\n"
                     "     free(block);\n"
                     "     block = NULL;\n"
                     "-    pthread_join(thread, NULL);\n"
                     "     return 0;\n"
                     " }\n");
    write_file("int main(void)\n"
               "{\n"
               "    pthread_create(&thread, NULL, use, block);\n"
               "    free(block);\n"
               "    block = NULL;\n"
               "    show(block);\n"
               "    pthread_join(thread, NULL);\n"
               "    return 0;\n"
               "}\n",
               ".c");
    accesses[0] = *access_in(&at[0], DARN_OP_FREE, "main", 4);
    accesses[1] = *access_in(&at[1], DARN_OP_READ, "use", 1);
    expect_no_candidate(&finding, what);
    unlink(path);
}

static void a_variable_becomes_atomic_with_its_updates(void **state)
{
    struct access_at at[2];
    struct darn_finding_access accesses[2];
    struct darn_finding finding = finding_of("data-race", "hits", accesses, 2);

    (void)state;
    write_file("static volatile long hits;\n"
               "void f(void)\n"
               "{\n"
               "    hits = hits + 2;\n"
               "}\n",
               ".c");
    accesses[0] = *access_in(&at[0], DARN_OP_READ, "f", 4);
    accesses[1] = *access_in(&at[1], DARN_OP_WRITE, "f", 4);
    expect_candidate(&finding, "make 'hits' atomic",
                     "@@ -1,5 +1,5 @@\n"
                     "-static volatile long hits;\n"
                     "+static volatile _Atomic long hits;\n"
                     " void f(void)\n"
                     " {\n"
                     "-    hits = hits + 2;\n"
                     "+    hits += 2;\n"
                     " }\n");
    write_file("std::vector<int> list;\n"
               "int hits;\n"
               "void f() { ++hits; }\n",
               ".cc");
    accesses[0] = accesses[1] = *access_in(&at[0], DARN_OP_WRITE, "f", 3);
    expect_candidate(&finding, "make 'hits' atomic",
                     "@@ -1,3 +1,4 @@\n"
                     "+#include <atomic>\n"
                     " std::vector<int> list;\n"
                     "-int hits;\n"
                     "+std::atomic<int> hits;\n"
                     " void f() { ++hits; }\n");
}

static void a_wait_looks_again(void **state)
{
    struct access_at at;
    struct darn_finding finding = finding_of("failure", NULL, NULL, 1);

    (void)state;
    write_file("void f(void)\n"
               "{\n"
               "    if (!ready)\n"
               "        pthread_cond_wait(&c, &m);\n"
               "    pthread_cond_wait(&d, &m);\n"
               "}\n",
               ".c");
    finding.accesses = access_in(&at, DARN_OP_STOP, "f", 5);
    expect_candidate(&finding, "look again after each wait: 'while' instead of 'if'",
                     "@@ -1,6 +1,6 @@\n"
                     " void f(void)\n"
                     " {\n"
                     "-    if (!ready)\n"
                     "+    while (!ready)\n"
                     "         pthread_cond_wait(&c, &m);\n"
                     "     pthread_cond_wait(&d, &m);\n"
                     " }\n");
}

static void expect_words(const char *line, const char *take, const char *give, const char *name)
{
    struct darn_patches none = {.count = 0};
    struct darn_patch *patch = darn_patch_begin(&none);
    struct darn_frame frame = {.function = "f", .file = path, .line = 1};
    struct darn_lock lock = {.kind = "mutex", .stack = {&frame, 1}};
    struct darn_guard_words words;

    write_file(line, ".c");
    assert_int_equal(darn_guard_words_of(patch, &lock, &words), take != NULL);
    if (take) {
        assert_string_equal(words.take, take);
        assert_string_equal(words.give, give);
        assert_string_equal(words.name, name);
    }
    darn_patch_free(patch);
    unlink(path);
}

static void a_lock_is_taken_as_the_program_takes_it(void **state)
{
    (void)state;
    expect_words("    pthread_mutex_lock(&a->lock);\n", "pthread_mutex_lock(&a->lock);",
                 "pthread_mutex_unlock(&a->lock);", "lock");
    expect_words("  if (pthread_mutex_trylock(fifo->mut) != 0)\n", "pthread_mutex_lock(fifo->mut);",
                 "pthread_mutex_unlock(fifo->mut);", "mut");
    expect_words("pthread_rwlock_rdlock(&l[2]);\n", "pthread_rwlock_wrlock(&l[2]);",
                 "pthread_rwlock_unlock(&l[2]);", "l");
    expect_words("omp_set_lock(&l);\n", "omp_set_lock(&l);", "omp_unset_lock(&l);", "l");
    expect_words("this->mutex_.lock();\n", "this->mutex_.lock();", "this->mutex_.unlock();",
                 "mutex_");
    expect_words("std::lock_guard<std::mutex> guard(m);\n", "m.lock();", "m.unlock();", "m");
    expect_words("std::unique_lock lock{pool.m};\n", "pool.m.lock();", "pool.m.unlock();", "m");
    expect_words("std::lock_guard<std::mutex> guard(*fifo->mut);\n", "fifo->mut->lock();",
                 "fifo->mut->unlock();", "mut");
    expect_words("std::lock_guard<std::mutex> guard(a ? b : c);\n", NULL, NULL, NULL);
    expect_words("pthread_mutex_unlock(&a);\n", NULL, NULL, NULL);
    expect_words("take(&a);\n", NULL, NULL, NULL);
}

static void an_attribute_stays_with_its_function(void **state)
{
    struct access_at at;
    struct darn_finding_access accesses[2];
    struct darn_finding finding = finding_of("data-race", "n", accesses, 2);

    (void)state;
    write_file("#include <pthread.h>\n"
               "#ifdef AT_END\n"
               "__attribute__((destructor))\n"
               "#endif\n"
               "static void f(void)\n"
               "{\n"
               "    n++;\n"
               "}\n",
               ".c");
    accesses[0] = accesses[1] = *access_in(&at, DARN_OP_UPDATE, "f", 7);
    expect_candidate(&finding, "hold 'n_lock' at both accesses",
                     "@@ -1,8 +1,12 @@\n"
                     " #include <pthread.h>\n"
                     "+static pthread_mutex_t n_lock = PTHREAD_MUTEX_INITIALIZER;\n"
                     "+\n"
                     " #ifdef AT_END\n"
                     " __attribute__((destructor))\n"
                     " #endif\n"
                     " static void f(void)\n"
                     " {\n"
                     "+    pthread_mutex_lock(&n_lock);\n"
                     "     n++;\n"
                     "+    pthread_mutex_unlock(&n_lock);\n"
                     " }\n");
}

/* The lock is given back where both ways come together again. */
static void a_condition_of_the_preprocessor_is_not_cut(void **state)
{
    struct access_at at[2];
    struct darn_finding_access accesses[2];
    struct darn_finding finding = finding_of("data-race", "n", accesses, 2);

    (void)state;
    write_file("void f(void)\n"
               "{\n"
               "#ifdef LOUD\n"
               "    log(n);\n"
               "#else\n"
               "    n++;\n"
               "#endif\n"
               "    done();\n"
               "}\n",
               ".c");
    accesses[0] = *access_in(&at[0], DARN_OP_WRITE, "f", 6);
    accesses[1] = accesses[0];
    expect_candidate(&finding, "hold 'n_lock' in each function from the first use to the last",
                     "@@ -1,9 +1,14 @@\n"
                     "+#include <pthread.h>\n"
                     "+static pthread_mutex_t n_lock = PTHREAD_MUTEX_INITIALIZER;\n"
                     "+\n"
                     " void f(void)\n"
                     " {\n"
                     "+    pthread_mutex_lock(&n_lock);\n"
                     " #ifdef LOUD\n"
                     "     log(n);\n"
                     " #else\n"
                     "     n++;\n"
                     " #endif\n"
                     "+    pthread_mutex_unlock(&n_lock);\n"
                     "     done();\n"
                     " }\n");
}

/* Lines that are put in end as the others do; the last one stays without its end. */
static void ends_of_lines_stay_as_they_are(void **state)
{
    struct access_at at[2];
    struct darn_finding_access accesses[2];
    struct darn_finding finding = finding_of("data-race", "n", accesses, 2);

    (void)state;
    write_file("#include <pthread.h>\r\n"
               "void f(void)\r\n"
               "{\r\n"
               "\tn++;\r\n"
               "}",
               ".c");
    accesses[0] = *access_in(&at[0], DARN_OP_WRITE, "f", 4);
    accesses[1] = accesses[0];
    expect_candidate(&finding, "hold 'n_lock' at both accesses",
                     "@@ -1,5 +1,9 @@\n"
                     " #include <pthread.h>\r\n"
                     "+static pthread_mutex_t n_lock = PTHREAD_MUTEX_INITIALIZER;\r\n"
                     "+\r\n"
                     " void f(void)\r\n"
                     " {\r\n"
                     "+\tpthread_mutex_lock(&n_lock);\r\n"
                     " \tn++;\r\n"
                     "+\tpthread_mutex_unlock(&n_lock);\r\n"
                     " }\n"
                     "\\ No newline at end of file\n");
}

static void expect_diff(const char *before, const char *after, const char *expected)
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);

    darn_unified_diff(before, after, "f.c", out);
    fclose(out);
    assert_string_equal(text, expected);
    free(text);
}

#define ABC "a\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk\nl\n"

static void a_diff_has_the_fewest_lines_and_three_around_them(void **state)
{
    (void)state;
    expect_diff(ABC, ABC, "");
    expect_diff("", "x\n", "--- a/f.c\n+++ b/f.c\n@@ -0,0 +1,1 @@\n+x\n");
    expect_diff("x", "x\n",
                "--- a/f.c\n+++ b/f.c\n@@ -1,1 +1,1 @@\n-x\n"
                "\\ No newline at end of file\n+x\n");
    expect_diff(ABC, "b\nc\nd\ne\nf\ng\nh\ni\nj\nk\nl\nm\n",
                "--- a/f.c\n+++ b/f.c\n@@ -1,4 +1,3 @@\n-a\n b\n c\n d\n"
                "@@ -10,3 +9,4 @@\n j\n k\n l\n+m\n");
    expect_diff(ABC, "a\nc\nb\nd\ne\nf\ng\nX\ni\nj\nk\nl\n",
                "--- a/f.c\n+++ b/f.c\n@@ -1,11 +1,11 @@\n a\n-b\n c\n+b\n d\n e\n f\n g\n-h\n+X\n"
                " i\n j\n k\n");
}

/* The second was made where the first is there already. */
static void patches_are_joined(void **state)
{
    struct darn_patches patches = {.count = 0}, firsts = {.count = 0}, seconds = {.count = 0};
    struct darn_patch *first = darn_patch_begin(&firsts), *second = darn_patch_begin(&seconds);
    struct darn_source *source;

    (void)state;
    write_file("a\nb\n", ".c");
    source = darn_patch_file(first, NULL, path);
    assert_non_null(source);
    source->text = "a\nX\nb\n";
    darn_patches_add(&firsts, first, "one");
    unlink(path);
    write_file("a\nX\nb\n", ".c");
    source = darn_patch_file(second, NULL, path);
    assert_non_null(source);
    source->name = darn_pool_text(&source->pool, first->files[0].name);
    source->text = "a\nX\nY\n";
    darn_patches_add(&seconds, second, "other");
    unlink(path);
    darn_patches_join(&patches, first, &seconds);
    assert_int_equal(patches.count, 1);
    assert_string_equal(patches.list[0]->what, "one; other");
    assert_int_equal(patches.list[0]->parts, 2);
    assert_string_equal(strstr(patches.list[0]->diff, "@@"), "@@ -1,2 +1,3 @@\n a\n-b\n+X\n+Y\n");
    darn_patches_free(&patches);
    darn_patches_free(&firsts);
    darn_patches_free(&seconds);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(statements_are_put_under_a_new_lock),
        cmocka_unit_test(a_lock_is_given_back_before_each_way_out),
        cmocka_unit_test(what_ends_too_early_goes_behind_the_join),
        cmocka_unit_test(an_assertion_and_what_is_read_stay_where_they_are),
        cmocka_unit_test(what_belongs_together_goes_behind_the_join_together),
        cmocka_unit_test(a_variable_becomes_atomic_with_its_updates),
        cmocka_unit_test(a_wait_looks_again),
        cmocka_unit_test(an_attribute_stays_with_its_function),
        cmocka_unit_test(a_condition_of_the_preprocessor_is_not_cut),
        cmocka_unit_test(ends_of_lines_stay_as_they_are),
        cmocka_unit_test(a_diff_has_the_fewest_lines_and_three_around_them),
        cmocka_unit_test(patches_are_joined),
        cmocka_unit_test(a_lock_is_taken_as_the_program_takes_it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
