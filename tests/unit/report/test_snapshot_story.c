/* The story of a schedule: the whole page, as people see it. */
#include "snapshot_fixture.h"

#include <signal.h>

static uint64_t balance(void)
{
    return address_of("savings") + 40;
}

static void expect_story(const struct darn_snapshot *snapshot, unsigned most, const char *expected)
{
    char *text = tell(snapshot, most);

    if (strcmp(text, expected) != 0)
        fail_msg("this is told:\n%s\ninstead of:\n%s", text, expected);
    free(text);
}

/* Both customers look at the balance before one of them takes it. */
static struct darn_snapshot lost_update(void)
{
    struct darn_snapshot snapshot = new_snapshot();
    uint64_t read = site_at("test", DARN_SITE_READ), write = site_at("take", DARN_SITE_WRITE);
    struct darn_block_met *met;

    add_step(&snapshot, 0, DARN_STEP_START, 0, 0);
    add_step(&snapshot, 0, DARN_STEP_CREATE, 0, call_at("main", "create"));
    add_step(&snapshot, 0, DARN_STEP_CREATE, 0, call_at("main", "create"));
    add_step(&snapshot, 1, DARN_STEP_START, 0, address_of("customer"));
    add_step(&snapshot, 1, DARN_STEP_READ, balance(), read);
    add_step(&snapshot, 2, DARN_STEP_START, 0, address_of("customer"))->flags = DARN_STEP_PREEMPTS;
    add_step(&snapshot, 2, DARN_STEP_READ, balance(), read);
    met = add_met(&snapshot, DARN_MET_RACE);
    met->threads[0] = (struct darn_block_thread){
        .thread = 2, .op = DARN_STEP_WRITE, .place = write, .object = balance()};
    met->threads[1] = met->threads[0];
    met->threads[1].thread = 1;
    add_step(&snapshot, 2, DARN_STEP_WRITE, balance(), write);
    add_step(&snapshot, 2, DARN_STEP_EXIT, 0, 0);
    add_step(&snapshot, 1, DARN_STEP_WRITE, balance(), write);
    add_step(&snapshot, 1, DARN_STEP_EXIT, 0, 0);
    add_step(&snapshot, 0, DARN_STEP_JOIN, 1, call_at("main", "join"));
    add_step(&snapshot, 0, DARN_STEP_JOIN, 2, call_at("main", "join"));
    block_of(&snapshot)->result.end = DARN_END_EXIT;
    block_of(&snapshot)->result.status = 1 << 8;
    snapshot.width = 132;
    return snapshot;
}

static void three_threads_have_a_column_each(void **state)
{
    struct darn_snapshot snapshot = lost_update();

    (void)state;
    expect_story(&snapshot, 0,
                 "       T0 main     T1 customer            T2 customer\n"
                 "    1  create T1                                                 shop.c:63  "
                 "pthread_create(&threads[i], NULL, functions[i], NULL);..\n"
                 "    2  create T2                                                 shop.c:63\n"
                 "       '---------->                                              T0 waits for "
                 "the end of T1\n"
                 "    4              read client->balance                          shop.c:14  if "
                 "(client->balance < amount) /* @test */\n"
                 "    !              '=====================>                       T1 is "
                 "interrupted before: write client->balance\n"
                 "    6                                     read client->balance   shop.c:14  if "
                 "(client->balance < amount) /* @test */\n"
                 "    *              write client->balance  write client->balance  data race: at "
                 "the same time\n"
                 "    7                                     write client->balance  shop.c:16  "
                 "client->balance -= amount; /* @take */\n"
                 "                   <----------------------'                      T2 has ended\n"
                 "    9              write client->balance                         shop.c:16  "
                 "client->balance -= amount; /* @take */\n"
                 "       <-----------'                                             T1 has ended\n"
                 "   11  join T1                                                   shop.c:66  "
                 "pthread_join(threads[i], NULL); /* @join */\n"
                 "   12  join T2                                                   shop.c:66\n"
                 "the program ends with status 1\n");
    free_snapshot(&snapshot);
}

static void a_narrow_page_keeps_the_columns_as_long_as_it_can(void **state)
{
    struct darn_snapshot snapshot = lost_update();
    char *text;

    (void)state;
    snapshot.width = 92;
    text = tell(&snapshot, 0);
    expect_part(text, "       T0 main     T1 customer ");
    expect_part(text, "    7                                    write ..ent->balance ");
    expect_part(text, "T1 is interrupted\n");
    for (char *line = text, *end; (end = strchr(line, '\n')); line = end + 1) {
        assert_true(end - line <= 92);
        assert_true(end == line || end[-1] != ' ');
    }
    free(text);
    snapshot.width = 60;
    text = tell(&snapshot, 0);
    expect_no_part(text, "       T0 main     T1 customer");
    expect_part(text, "    4  T1 customer  read ..>balance  shop.c:14  if (client..\n");
    expect_part(text, "    !  ===========  T1 is interrupted\n");
    expect_part(text, "    *  data race: T1 is about to write client->balance, T2 to write "
                      "client->balance\n");
    free(text);
    free_snapshot(&snapshot);
}

/* T1 and T2 in a circle, T0 waits for T1, and others in vain. */
static struct darn_snapshot standstill(uint32_t others)
{
    struct darn_snapshot snapshot = new_snapshot();
    struct darn_block_thread *thread;

    for (uint32_t i = 0; i < 2 + others; i++)
        add_step(&snapshot, 0, DARN_STEP_CREATE, 0, call_at("main", "create"));
    add_step(&snapshot, 1, DARN_STEP_START, 0, address_of("one"));
    add_step(&snapshot, 1, DARN_STEP_LOCK, address_of("a"), call_at("one", "one-first"));
    add_step(&snapshot, 2, DARN_STEP_START, 0, address_of("other"))->flags = DARN_STEP_PREEMPTS;
    add_step(&snapshot, 2, DARN_STEP_LOCK, address_of("b"), call_at("other", "other-first"));
    for (uint32_t i = 3; i < 3 + others; i++) {
        add_step(&snapshot, i, DARN_STEP_START, 0, address_of("waiter"));
        add_step(&snapshot, i, DARN_STEP_LOCK, HEAP, call_at("waiter", "waiter"));
        add_step(&snapshot, i, DARN_STEP_WAIT, HEAP + 64, call_at("waiter", "wait"));
    }
    thread =
        add_thread(&snapshot, 0, DARN_STATE_BLOCKED, DARN_STEP_JOIN, 1, call_at("main", "join"));
    thread->owner = 1 + 1;
    thread = add_thread(&snapshot, 1, DARN_STATE_BLOCKED, DARN_STEP_LOCK, address_of("b"),
                        call_at("one", "one-second"));
    thread->owner = 2 + 1;
    thread = add_thread(&snapshot, 2, DARN_STATE_BLOCKED, DARN_STEP_LOCK, address_of("a"),
                        call_at("other", "other-second"));
    thread->owner = 1 + 1;
    block_of(&snapshot)->result.end = DARN_END_DEADLOCK;
    return snapshot;
}

static void a_deadlock_ends_with_who_waits_for_whom(void **state)
{
    struct darn_snapshot snapshot = standstill(0);

    (void)state;
    expect_story(&snapshot, 0,
                 "       T0 main     T1 one      T2 other\n"
                 "    0  create T1                           shop.c:63  "
                 "pthread_create(&threads[i], NULL, functions[..\n"
                 "    1  create T2                           shop.c:63\n"
                 "       '---------->                        T0 waits for the end of T1\n"
                 "    3              lock a                  shop.c:28  pthread_mutex_lock(&a); /* "
                 "@one-first */\n"
                 "    !              '==========>            T1 is interrupted before: lock b\n"
                 "    5                          lock b      shop.c:37  pthread_mutex_lock(&b); /* "
                 "@other-first */\n"
                 "deadlock: nobody can go on\n"
                 "  T1 waits for b, which T2 holds           shop.c:29  pthread_mutex_lock(&b); /* "
                 "@one-second */\n"
                 "  T2 waits for a, which T1 holds           shop.c:38  pthread_mutex_lock(&a); /* "
                 "@other-second */\n"
                 "  T0 waits for the end of T1               shop.c:66  pthread_join(threads[i], "
                 "NULL); /* @join */\n");
    free_snapshot(&snapshot);
}

static void many_threads_share_one_column(void **state)
{
    struct darn_snapshot snapshot = standstill(2);
    char *text;

    (void)state;
    block_of(&snapshot)->result.end = DARN_END_LIVELOCK; /* whose doing it is nobody knows */
    text = tell(&snapshot, 0);
    expect_part(text, "    0  T0 main    create T1   shop.c:63  pthread_create(");
    expect_part(text, "    !  =========  T1 is interrupted before: lock b\n");
    expect_part(text, "    7  T2 other   lock b      shop.c:37  ");
    expect_part(text, "       ---------  T2 waits for a\n");
    /* What lies on the heap is called as in the source, and no two things by the same name. */
    expect_part(text, "    9  T3 waiter  lock a#2    shop.c:46  pthread_mutex_lock(&a);");
    expect_part(text, "   10  T3 waiter  wait ready  shop.c:48  pthread_cond_wait(");
    expect_part(text, "       ---------  T3 waits for ready\n");
    expect_part(text, "   12  T4 waiter  lock a#2    shop.c:46  ");
    free(text);
    free_snapshot(&snapshot);
}

static void a_deadlock_is_told_without_those_who_are_not_in_it(void **state)
{
    struct darn_snapshot snapshot = standstill(2);
    char *text;

    (void)state;
    for (uint32_t i = 3; i < 9; i++)
        add_thread(&snapshot, i, DARN_STATE_BLOCKED, DARN_STEP_WAIT, HEAP + 64,
                   call_at("waiter", "wait"));
    text = tell(&snapshot, 0);
    expect_part(text, "       T0 main     T1 one      T2 other\n");
    expect_part(text, "\n       ... 6 steps of others\ndeadlock: nobody can go on\n  T1 waits for b");
    expect_part(text, "\n  T5 waits for ");
    expect_no_part(text, "\n  T6 waits for ");
    expect_part(text, "\n  and 4 more threads\n");
    free(text);
    free_snapshot(&snapshot);
}

static void a_signal_wakes_somebody_who_does_not_run_yet(void **state)
{
    struct darn_snapshot snapshot = new_snapshot();
    struct darn_result *result = &block_of(&snapshot)->result;

    (void)state;
    add_step(&snapshot, 0, DARN_STEP_CREATE, 0, call_at("main", "create"));
    add_step(&snapshot, 1, DARN_STEP_START, 0, address_of("waiter"))->flags = DARN_STEP_PREEMPTS;
    add_step(&snapshot, 1, DARN_STEP_LOCK, address_of("savings"), call_at("waiter", "waiter"));
    add_step(&snapshot, 1, DARN_STEP_WAIT, address_of("ready"), call_at("waiter", "wait"));
    add_step(&snapshot, 0, DARN_STEP_SIGNAL, address_of("ready"), call_at("main", "signal"));
    add_step(&snapshot, 1, DARN_STEP_WAKE, address_of("ready"), 0);
    add_step(&snapshot, 0, DARN_STEP_YIELD, 0, call_at("main", "signal"));
    add_step(&snapshot, 1, DARN_STEP_RELOCK, address_of("savings"), call_at("waiter", "wait"));
    add_step(&snapshot, 1, DARN_STEP_TAKE, address_of("where"), 0)->flags = DARN_STEP_TIMED_OUT;
    result->end = DARN_END_EXIT;
    result->status = SIGSEGV;
    result->signal = SIGSEGV;
    result->signal_thread = 1;
    result->signal_pc = call_at("waiter", "crash") - 1;
    snapshot.width = 80;
    expect_story(
        &snapshot, 0,
        "       T0 main       T1 waiter\n"
        "    0  create T1                             shop.c:63  pthread_create(&thread..\n"
        "    !  '============>                        T0 is interrupted\n"
        "    2                lock savings.lock       shop.c:46  pthread_mutex_lock(&a)..\n"
        "    3                wait ready              shop.c:48  pthread_cond_wait(&rea..\n"
        "       <-------------'                       T1 waits for ready\n"
        "    4  signal ready                          shop.c:64  pthread_cond_signal(&r..\n"
        "    5                is woken\n"
        "    6  yield                                 shop.c:64  pthread_cond_signal(&r..\n"
        "       '------------>                        T0 yields\n"
        "    7                relock savings.lock     shop.c:48  pthread_cond_wait(&rea..\n"
        "    8                take where (timed out)\n"
        "T1 crashes in waiter: SIGSEGV                shop.c:52  *where = 1; /* @crash */\n");
    free_snapshot(&snapshot);
}

static void a_loop_over_memory_is_one_line(void **state)
{
    struct darn_snapshot snapshot = new_snapshot();
    char *text;

    (void)state;
    for (uint32_t i = 0; i < 100; i++)
        add_step(&snapshot, 0, DARN_STEP_READ, HEAP + 8 * i, site_at("test", DARN_SITE_READ));
    text = tell(&snapshot, 0);
    expect_part(text, "    0  read client->balance x100  shop.c:14  ");
    expect_part(text, "the run did not end\n");
    assert_int_equal(count_lines(text), 3);
    free(text);
    free_snapshot(&snapshot);
}

/* Two threads that take turns, each with two steps that concern both. */
static void take_turns(struct darn_snapshot *snapshot, uint32_t rounds)
{
    for (uint32_t i = 0; i < 2 * rounds; i++) {
        add_step(snapshot, i % 2, DARN_STEP_LOCK, address_of("a"), 0);
        add_step(snapshot, i % 2, DARN_STEP_UNLOCK, address_of("a"), 0);
    }
}

static void what_is_repeated_is_told_once(void **state)
{
    struct darn_snapshot snapshot = new_snapshot();
    char *text;

    (void)state;
    take_turns(&snapshot, 1000);
    block_of(&snapshot)->result.end = DARN_END_STEPS;
    text = tell(&snapshot, 30);
    expect_part(text, "\n       ... the same 6 lines 998 times more\n");
    assert_int_equal(count_lines(text), 1 + 6 + 1 + 5 + 1); /* the last round has no switch */
    expect_part(text, "the run was stopped after 4000 steps\n");
    free(text);
    text = tell(&snapshot, 0);
    expect_no_part(text, "...");
    free(text);
    free_snapshot(&snapshot);
}

/* T1 and T2 race; T3 has locks of its own, and T0 has created all of them. */
static struct darn_snapshot run_with_a_bystander(void)
{
    struct darn_snapshot snapshot = new_snapshot();
    struct darn_result *result = &block_of(&snapshot)->result;
    uint64_t site = site_at("test", DARN_SITE_READ);

    for (uint32_t i = 0; i < 3; i++)
        add_step(&snapshot, 0, DARN_STEP_CREATE, 0, 0);
    for (uint32_t i = 0; i < 7; i++)
        add_step(&snapshot, 3, i % 2 ? DARN_STEP_UNLOCK : DARN_STEP_LOCK, HEAP + 64 * i, 0);
    add_step(&snapshot, 1, DARN_STEP_READ, HEAP + 4096, site);
    add_step(&snapshot, 2, DARN_STEP_START, 0, 0);
    result->met_count = 1;
    result->met[0] = (struct darn_block_met){
        .kind = DARN_MET_RACE,
        .step = result->steps,
        .threads = {{.thread = 1, .op = DARN_STEP_READ, .place = site, .object = HEAP},
                    {.thread = 2, .op = DARN_STEP_WRITE, .place = site, .object = HEAP}},
    };
    take_turns(&snapshot, 20); /* afterwards */
    result->end = DARN_END_EXIT;
    return snapshot;
}

static void a_story_ends_where_threads_meet(void **state)
{
    struct darn_snapshot snapshot = run_with_a_bystander();
    char *text;

    (void)state;
    snapshot.told = block_of(&snapshot)->result.met[0].step;
    snapshot.ending = "printed something else";
    text = tell(&snapshot, 30);
    expect_part(text,
                "data race: at the same time\n80 steps later: the program ends with status 0: "
                "printed something else\n");
    expect_no_part(text, "lock a");
    free(text);
    free_snapshot(&snapshot);
}

static void who_takes_no_part_is_left_out(void **state)
{
    struct darn_snapshot snapshot = run_with_a_bystander();
    char *text;

    (void)state;
    snapshot.told = block_of(&snapshot)->result.met[0].step;
    text = tell(&snapshot, 30);
    expect_part(text, "\n       ... 7 steps of others\n");
    expect_no_part(text, "T3 ");
    expect_part(text, "T0 main");
    free(text);
    free_snapshot(&snapshot);
}

static void a_run_without_steps_has_an_end_only(void **state)
{
    struct darn_snapshot snapshot = new_snapshot();

    (void)state;
    block_of(&snapshot)->result.end = DARN_END_DIVERGED;
    block_of(&snapshot)->result.diverged = 41;
    expect_story(&snapshot, 0, "step 41 could not be made: the run is another\n");
    free_snapshot(&snapshot);
}

static void preemptions_are_seen_in_colour(void **state)
{
    static const struct darn_style coloured = {.color = true};
    struct darn_snapshot snapshot = standstill(0);
    char *text;

    (void)state;
    snapshot.style = &coloured;
    text = tell(&snapshot, 0);
    expect_part(text, "\033[0;1;35m    !              '==========>");
    expect_part(text, "\033[0;36m       '---------->");
    free(text);
    free_snapshot(&snapshot);
}

/* By its first step, by where it is, or by the source of its creation; else it has a number only.
 */
static void threads_are_named_by_their_function(void **state)
{
    struct darn_snapshot snapshot = new_snapshot();
    uint64_t create = call_at("main", "create");
    struct darn_block_thread *thread;
    char *text;

    (void)state;
    add_step(&snapshot, 0, DARN_STEP_CREATE, 0, create);
    add_step(&snapshot, 0, DARN_STEP_CREATE, 0, call_at("main", "one-more"));
    add_step(&snapshot, 0, DARN_STEP_CREATE, 0, create);
    for (uint32_t i = 1; i <= 3; i++)
        add_step(&snapshot, i, DARN_STEP_START, 0, create);
    text = tell(&snapshot, 0);
    expect_part(text, "T0 main  ");
    expect_part(text, "T1         starts\n");
    expect_part(text, "T2 waiter  ");
    expect_part(text, "T3         starts\n");
    free(text);
    block_of(&snapshot)->steps[3].place = address_of("one");
    thread = add_thread(&snapshot, 3, DARN_STATE_READY, DARN_STEP_LOCK, 0, 0);
    push(thread, call_at("withdraw", "take"));
    push(thread, call_at("customer", "customer"));
    push(thread, address_of("darn_hook_access") + 1);
    text = tell(&snapshot, 0);
    expect_part(text, "T1 one ");
    expect_part(text, "T3 customer ");
    free(text);
    free_snapshot(&snapshot);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(three_threads_have_a_column_each),
        cmocka_unit_test(a_narrow_page_keeps_the_columns_as_long_as_it_can),
        cmocka_unit_test(a_deadlock_ends_with_who_waits_for_whom),
        cmocka_unit_test(many_threads_share_one_column),
        cmocka_unit_test(a_deadlock_is_told_without_those_who_are_not_in_it),
        cmocka_unit_test(a_signal_wakes_somebody_who_does_not_run_yet),
        cmocka_unit_test(a_loop_over_memory_is_one_line),
        cmocka_unit_test(what_is_repeated_is_told_once),
        cmocka_unit_test(a_story_ends_where_threads_meet),
        cmocka_unit_test(who_takes_no_part_is_left_out),
        cmocka_unit_test(a_run_without_steps_has_an_end_only),
        cmocka_unit_test(preemptions_are_seen_in_colour),
        cmocka_unit_test(threads_are_named_by_their_function),
    };

    return cmocka_run_group_tests(tests, snapshot_build, snapshot_remove);
}
