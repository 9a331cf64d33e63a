/* What the source calls a lock that has no name of its own. */
#include "report_fixture.h"

#include "report/call.h"

static void the_source_names_the_lock(void **state)
{
    static const struct {
        const char *line, *mark, *name;
    } calls[] = {
        {"  pthread_mutex_lock(&from->lock);", "pthread", "from->lock"},
        {"  if (!pthread_mutex_trylock( & q[i].lock ))", "pthread", "q[i].lock"},
        {"  pthread_rwlock_wrlock(lock); x(y);", "pthread", "lock"},
        {"  a(); std::lock_guard<std::mutex> guard(heap->mu);", "guard(", "heap->mu"},
        {"  std::unique_lock<std::mutex> g{vec[1].mu, std::defer_lock};", "g{", "vec[1].mu"},
        {"  std::scoped_lock g(this->mu, other.mu);", "g(", "this->mu"},
        {"  x = 1; account->mu.lock(); y = 2;", "lock()", "account->mu"},
        {"  mu->lock();", "lock()", "mu"},
        {"  ns::table[k].rw.lock_shared();", "lock_shared", "ns::table[k].rw"},
        /* Not everything is a lock, or a name. */
        {"  take(&from->lock);", "take", NULL},
        {"  std::lock_guard<std::mutex> g(a); table(b);", "table", NULL},
        {"  lock();", "lock()", NULL},
        {"  pick(i)->lock();", "lock()", NULL},
        {"  pthread_mutex_lock(lock_of(account));", "pthread", NULL},
    };

    for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
        struct darn_text_pool pool = {0};
        struct darn_frame at = {.file = "a.cpp", .dir = *state, .line = 1};
        const char *name;

        write_file(*state, "a.cpp", calls[i].line);
        at.column = (unsigned)(strstr(calls[i].line, calls[i].mark) - calls[i].line) + 1;
        name = darn_call_object(&pool, &at);
        if (!calls[i].name)
            assert_null(name);
        else
            assert_string_equal(name, calls[i].name);
        darn_pool_release(&pool);
    }
}

static void a_lock_that_was_passed_on_is_called_as_where_it_came_from(void **state)
{
    static const char source[] = "static inline void take(int n, pthread_mutex_t *m)\n"
                                 "{\n"
                                 "    pthread_mutex_lock(m);\n"
                                 "}\n"
                                 "void enter(pthread_mutex_t *lock) { take(1, lock); }\n"
                                 "void work(void) { enter(&queue->lock); take(2, m); }\n"
                                 "void other(int m) { take(m, global); }\n";
    const struct darn_frame frames[] = {
        {.file = "w.c", .dir = *state, .line = 3, .column = 5, .function = "take"},
        {.file = "w.c", .dir = *state, .line = 5, .column = 37, .function = "enter"},
        {.file = "w.c", .dir = *state, .line = 6, .column = 19, .function = "work"},
    };
    struct darn_frame others[] = {frames[0], frames[2]};
    struct darn_text_pool pool = {0};

    write_file(*state, "w.c", source);
    assert_string_equal(darn_call_object(&pool, &frames[0]), "m");
    assert_string_equal(darn_call_outside(&pool, frames, 3, "m"), "queue->lock");
    assert_string_equal(darn_call_outside(&pool, frames, 2, "m"), "lock");
    assert_string_equal(darn_call_outside(&pool, frames, 1, "m"), "m");
    /* `n` is another parameter, `global` none, and where the source is another one nothing is said.
     */
    assert_string_equal(darn_call_outside(&pool, frames, 3, "global"), "global");
    assert_string_equal(darn_call_outside(&pool, others, 2, "m"), "m");
    others[1].line = 7;
    others[1].column = 21;
    assert_string_equal(darn_call_outside(&pool, others, 2, "m"), "global");
    assert_string_equal(darn_call_outside(&pool, others, 2, "n"), "m");
    darn_pool_release(&pool);
}

static void a_lock_on_the_heap_is_called_as_in_the_source(void **state)
{
    struct darn_finding *finding = bank_finding("/nowhere");
    char *text;

    (void)state;
    finding->accesses[1].locks[0] =
        (struct darn_lock){.kind = "mutex", .address = 0x10, .expression = "from->lock"};
    text = print_finding("text", finding, NULL);
    expect_part(text, "holding mutex 'from->lock'\n");
    expect_part(text, "  next: hold mutex 'from->lock' at bank.c:4 too");
    free(text);
    text = print_finding("json", finding, NULL);
    expect_part(text, "\"expression\":\"from->lock\"");
    free(text);
    darn_finding_free(finding);
}

static void two_that_are_called_the_same_are_told_apart(void **state)
{
    struct darn_finding *finding = bank_finding("/nowhere");
    struct darn_lock one = {.kind = "mutex", .address = 0x10, .expression = "from->lock"};
    struct darn_lock other = one;
    char *text;

    (void)state;
    other.address = 0x20;
    finding->accesses[0].locks = &one;
    finding->accesses[0].lock_count = 1;
    finding->accesses[1].locks[0] = other;
    text = print_finding("text", finding, NULL);
    expect_part(text, "holding mutex 'from->lock' (M1)\n");
    expect_part(text, "holding mutex 'from->lock' (M2)\n");
    free(text);
    darn_finding_free(finding);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_source_names_the_lock, make_dir, remove_dir),
        cmocka_unit_test_setup_teardown(a_lock_that_was_passed_on_is_called_as_where_it_came_from,
                                        make_dir, remove_dir),
        cmocka_unit_test(a_lock_on_the_heap_is_called_as_in_the_source),
        cmocka_unit_test(two_that_are_called_the_same_are_told_apart),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
