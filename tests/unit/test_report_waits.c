/* Findings about threads that wait: deadlocks and notifications, as text and as JSON Lines. */
#include "report_fixture.h"

#include <jansson.h>

#include "report/counts.h"
#include "report/suppress.h"
#include "report/symbol/resolve.h"

#define FRAME(offset)                                                                              \
    "{\"pc\":\"0x40" offset "\",\"module\":\"/nowhere/bank\",\"offset\":\"0x" offset "\"}"

/* T1 holds a and waits for b, T2 the other way round. */
#define RAW_DEADLOCK                                                                               \
    "{\"raw\":1,\"pid\":4711,\"program\":\"/nowhere/bank\",\"id\":\"00000000000000aa\","           \
    "\"kind\":\"deadlock\",\"certainty\":\"observed\",\"engine\":\"wait-for\",\"count\":1,"        \
    "\"accesses\":["                                                                               \
    "{\"op\":\"acquire\",\"thread\":\"T1\",\"thread_name\":\"teller\",\"tid\":4712,"               \
    "\"stack\":[" FRAME("1234") "," FRAME(                                                         \
        "1300") "],"                                                                               \
                "\"target\":{\"address\":\"0x404080\",\"kind\":\"mutex\"},"                        \
                "\"locks\":[{\"address\":\"0x404040\",\"kind\":\"mutex\",\"stack\":[" FRAME(       \
                    "1200") "]}]},"                                                                \
                            "{\"op\":\"acquire\",\"thread\":\"T2\",\"thread_name\":\"audit\","     \
                            "\"tid\":4713,"                                                        \
                            "\"stack\":[" FRAME(                                                   \
                                "1400") "],"                                                       \
                                        "\"target\":{\"address\":\"0x404040\",\"kind\":\"mutex\"}" \
                                        ","                                                        \
                                        "\"locks\":[{\"address\":\"0x404080\",\"kind\":\"mutex\"," \
                                        "\"stack\":[" FRAME(                                       \
                                            "1380") "]}]}],"                                       \
                                                    "\"threads\":[{\"thread\":\"T1\",\"name\":"    \
                                                    "\"teller\",\"tid\":4712,\"parent\":\"T0\","   \
                                                    "\"stack\":[]}]}"

static void name_lock(struct darn_lock *lock)
{
    lock->symbol.name = lock->address == 0x404040 ? "a" : "b";
}

static void place(struct darn_finding_access *access, const char *dir, const char *function,
                  unsigned line)
{
    access->dir = dir;
    access->file = "bank.c";
    access->function = function;
    access->line = line;
    access->column = 5;
    set_frame(&access->stack, 0, function, "bank.c", line, 5);
}

/* RAW_DEADLOCK as it is when the program is there. */
static struct darn_finding *deadlock(const char *dir)
{
    struct darn_finding *finding = read_finding(RAW_DEADLOCK);

    for (size_t i = 0; i < 2; i++) {
        struct darn_finding_access *access = &finding->accesses[i];

        name_lock(&access->target);
        name_lock(&access->locks[0]);
        set_frame(&access->locks[0].stack, 0, i ? "audit" : "transfer", "bank.c", i ? 8 : 3, 5);
        access->locks[0].taken = access->locks[0].stack.frames[0];
    }
    place(&finding->accesses[0], dir, "transfer", 4);
    set_frame(&finding->accesses[0].stack, 1, "teller_thread", "bank.c", 31, 9);
    place(&finding->accesses[1], dir, "audit", 9);
    finding->variable = "a, b";
    return finding;
}

#define SOURCE                                                                                     \
    "void transfer(void)\n"                                                                        \
    "{\n"                                                                                          \
    "    lock(&a);\n"                                                                              \
    "    lock(&b);\n"                                                                              \
    "}\n"                                                                                          \
    "void audit(void)\n"                                                                           \
    "{\n"                                                                                          \
    "    lock(&b);\n"                                                                              \
    "    lock(&a);\n"                                                                              \
    "}\n"

/* Prints the finding and frees it. The text is valid until the next call. */
static const char *print(struct darn_finding *finding)
{
    static char *text;

    free(text);
    text = print_finding("text", finding, NULL);
    darn_finding_free(finding);
    return text;
}

static void a_deadlock_says_who_holds_what_and_waits_where(void **state)
{
    write_file(*state, "bank.c", SOURCE);
    assert_string_equal(
        print(deadlock(*state)),
        "bank.c:4:5: warning: deadlock between T1 and T2 [deadlock]\n"
        "    4 |     lock(&b);\n"
        "      |     ^\n"
        "  thread T1 'teller' holds mutex 'a' (taken at bank.c:3:5 in transfer) and waits for "
        "mutex 'b'\n"
        "    #0 transfer       bank.c:4:5\n"
        "    #1 teller_thread  bank.c:31:9\n"
        "bank.c:9:5: note: thread T2 'audit' holds mutex 'b' (taken at bank.c:8:5 in audit) and "
        "waits for mutex 'a'\n"
        "    9 |     lock(&a);\n"
        "      |     ^\n"
        "    #0 audit  bank.c:9:5\n"
        "  thread T1 'teller' was created by main thread T0\n"
        "  next: take mutex 'b' and mutex 'a' in the same order everywhere, or one lock around "
        "them all\n"
        "  again: darn run --noise=random:100/1000 -- /nowhere/bank\n"
        "  suppress: deadlock:transfer\n");
}

static void a_predicted_deadlock_is_called_possible(void **state)
{
    struct darn_finding *finding = deadlock("/nowhere");
    const char *text;

    (void)state;
    finding->certainty = "predicted";
    finding->engine = "deadlock";
    text = print(finding);
    expect_part(text, "bank.c:4:5: warning: possible deadlock between T1 and T2 [deadlock, "
                      "predicted]\n");
    expect_part(text, " holds mutex 'a' (taken at bank.c:3:5 in transfer) and then takes mutex "
                      "'b'\n");
    expect_part(text, "  why: each thread can come to hold what the next one takes: they hold no "
                      "lock in common, and no start or end of a thread puts one after the other\n");
    expect_part(text, "  see it: darn run --noise=random:100/1000 -- /nowhere/bank\n");
    expect_no_part(text, "again:");
    expect_no_part(text, "waits");
}

static void nothing_known_is_still_a_report(void **state)
{
    struct darn_finding *finding = read_finding(RAW_DEADLOCK);
    const char *text;

    (void)state;
    darn_resolve(finding);
    text = print(finding);
    expect_part(text, "/nowhere/bank: warning: deadlock between T1 and T2 [deadlock]\n"
                      "  thread T1 'teller' holds mutex 0x404040 and waits for mutex 0x404080\n");
    expect_part(text, "    #0 ??  (/nowhere/bank+0x1234)\n");
}

static void threads_are_counted_when_they_are_many(void **state)
{
    struct darn_finding *finding = deadlock("/nowhere");
    struct darn_finding_access *accesses = darn_pool_get(&finding->pool, 5, sizeof(*accesses));

    (void)state;
    for (size_t i = 0; i < 5; i++)
        accesses[i] = finding->accesses[i % 2];
    finding->accesses = accesses;
    finding->access_count = 3;
    accesses[2].thread = "T3";
    expect_part(print(finding), "deadlock among T1, T2 and T3 [deadlock]\n");

    finding = deadlock("/nowhere");
    accesses = darn_pool_get(&finding->pool, 5, sizeof(*accesses));
    for (size_t i = 0; i < 5; i++)
        accesses[i] = finding->accesses[i % 2];
    finding->accesses = accesses;
    finding->access_count = 5;
    expect_part(print(finding), "deadlock among 5 threads [deadlock]\n");
}

static void a_thread_can_wait_for_itself(void **state)
{
    struct darn_finding *finding = deadlock("/nowhere");
    const char *text;

    (void)state;
    finding->access_count = 1;
    finding->accesses[0].target = finding->accesses[0].locks[0];
    text = print(finding);
    expect_part(text, "warning: deadlock: T1 waits for mutex 'a', which it holds itself "
                      "[deadlock]\n");
    expect_part(text, "  next: give it back first, or let the callers take it; only a recursive "
                      "mutex can be taken twice\n");

    finding = deadlock("/nowhere");
    finding->access_count = 1;
    finding->accesses[0].target = finding->accesses[0].locks[0];
    finding->accesses[0].target.kind = "write";
    finding->accesses[0].locks[0].kind = "read";
    text = print(finding);
    expect_part(text, "T1 waits for write lock 'a', which it holds itself");
    expect_part(text, "  next: a read lock cannot be made a write lock: give it back first\n");
}

static void who_waits_for_the_end_of_a_thread_is_said_to(void **state)
{
    struct darn_finding *finding = deadlock("/nowhere");
    const char *text;

    (void)state;
    finding->accesses[0].op = DARN_OP_JOIN;
    finding->accesses[0].target = (struct darn_lock){.kind = NULL};
    finding->accesses[0].awaited = "T2";
    text = print(finding);
    expect_part(text, "  thread T1 'teller' holds mutex 'a' (taken at bank.c:3:5 in transfer) and "
                      "waits for the end of thread T2 'audit'\n");
    expect_part(text, "  next: do not wait for the end of a thread while holding what it needs to "
                      "get there\n");
}

static void who_waits_for_a_condition_holds_more_than_its_mutex(void **state)
{
    struct darn_finding *finding = deadlock("/nowhere");
    struct darn_finding_access *access = &finding->accesses[0];
    const char *text;

    (void)state;
    access->op = DARN_OP_WAIT;
    access->target = (struct darn_lock){.kind = "cond", .symbol = {.name = "ready"}};
    access->mutex = (struct darn_lock){.kind = "mutex", .address = 1, .symbol = {.name = "m"}};
    text = print(finding);
    expect_part(text, " holds mutex 'a' (taken at bank.c:3:5 in transfer) and waits for condition "
                      "variable 'ready' with mutex 'm'\n");
    expect_part(text, "  next: do not wait while holding a lock that");
}

#define WAIT(thread)                                                                               \
    "{\"op\":\"wait\",\"thread\":\"" thread "\",\"file\":\"queue.c\",\"line\":7,\"column\":9,"     \
    "\"function\":\"take\",\"stack\":[" FRAME(                                                     \
        "1234") "],"                                                                               \
                "\"predicate\":\"queue->count\","                                                  \
                "\"target\":{\"address\":\"0x404080\",\"kind\":\"cond\"},"                         \
                "\"mutex\":{\"address\":\"0x404040\",\"kind\":\"mutex\"},"                         \
                "\"locks\":[{\"address\":\"0x404040\",\"kind\":\"mutex\"}]}"

#define SIGNAL                                                                                     \
    "{\"op\":\"signal\",\"thread\":\"T1\",\"file\":\"queue.c\",\"line\":3,\"column\":5,"           \
    "\"function\":\"put\",\"target\":{\"address\":\"0x404080\",\"kind\":\"cond\"},\"locks\":[]}"

#define NOTIFICATION(certainty, reason, accesses)                                                  \
    "{\"raw\":1,\"id\":\"1\",\"kind\":\"notification\",\"certainty\":\"" certainty                 \
    "\",\"engine\":\"notify\",\"reason\":\"" reason "\",\"program\":\"/nowhere/queue\","           \
    "\"accesses\":[" accesses "]}"

/* With the names that the symbols would give. */
static struct darn_finding *notification(const char *json)
{
    struct darn_finding *finding = read_finding(json);

    darn_resolve(finding);
    for (size_t i = 0; i < finding->access_count; i++) {
        finding->accesses[i].target.symbol.name = "ready";
        finding->accesses[i].mutex.symbol.name = "m";
    }
    return finding;
}

static void a_lost_signal_names_the_signal_and_the_wait(void **state)
{
    (void)state;
    assert_string_equal(
        print(notification(NOTIFICATION("predicted", "lost-signal", SIGNAL "," WAIT("T2")))),
        "queue.c:3:5: warning: possible lost signal: condition variable 'ready' is signalled while "
        "nobody waits for it [notification, predicted]\n"
        "  thread T1 signals condition variable 'ready', holding no lock\n"
        "    #0 put  queue.c:3:5\n"
        "queue.c:7:9: note: thread T2 waits for condition variable 'ready' with mutex 'm', testing "
        "'queue->count'\n"
        "    #0 take  queue.c:7:9\n"
        "  why: a signal is not kept for later, and in this run nobody ended the wait that came "
        "after it\n"
        "  next: under the mutex, set a variable before the signal, and wait only while it is not "
        "set: while (!set) wait\n"
        "  see it: darn run --noise=random:100/1000 -- /nowhere/queue\n"
        "  suppress: notification:put\n");
}

static void a_signal_for_the_wrong_waiter_is_to_be_a_broadcast(void **state)
{
    const char *text = print(notification(
        NOTIFICATION("predicted", "wrong-waiter", SIGNAL "," WAIT("T2") "," WAIT("T3"))));

    (void)state;
    expect_part(
        text, "queue.c:3:5: warning: possible wrong waiter: a signal of condition variable "
              "'ready' wakes one of several threads that wait for different things [notification, "
              "predicted]\n");
    expect_part(text,
                "  next: use broadcast, or a condition variable for each thing to wait for\n");
}

static void two_mutexes_of_one_condition_are_named(void **state)
{
    struct darn_finding *finding =
        notification(NOTIFICATION("predicted", "two-mutexes", WAIT("T1") "," WAIT("T2")));
    const char *text;

    (void)state;
    finding->accesses[1].mutex.symbol.name = "n";
    text = print(finding);
    expect_part(text, "possible undefined behaviour: condition variable 'ready' is waited for with "
                      "different mutexes [notification, predicted]\n");
    expect_part(text, "thread T1 waits for condition variable 'ready' with mutex 'm', testing");
    expect_part(text, "thread T2 waits for condition variable 'ready' with mutex 'n', testing");
    expect_part(text, "  next: wait for it with one and the same mutex everywhere\n");
}

static void a_wait_for_ever_is_observed(void **state)
{
    const char *text = print(notification(NOTIFICATION("observed", "no-signaller", WAIT("T2"))));

    (void)state;
    expect_part(text, "queue.c:7:9: warning: T2 waits for condition variable 'ready' for ever: no "
                      "thread is left to signal it [notification]\n");
    expect_no_part(text, "why:");
    expect_part(text, "  again: darn run");
    text = print(notification(NOTIFICATION("observed", "no-signaller", WAIT("T2") "," WAIT("T3"))));
    expect_part(text, "warning: T2 and T3 wait for condition variable 'ready' for ever");
}

static json_t *print_and_load(const struct darn_finding *finding)
{
    char *line = print_finding("json", finding, NULL);
    json_t *object = json_loads(line, 0, NULL);

    assert_non_null(object);
    free(line);
    return object;
}

static const char *text_at(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    return text ? text : "(missing)";
}

static void tools_are_told_of_targets_and_where_locks_were_taken(void **state)
{
    struct darn_finding *finding = deadlock("/nowhere");
    json_t *object = print_and_load(finding);
    const json_t *access = json_array_get(json_object_get(object, "accesses"), 1);
    const json_t *lock = json_array_get(json_object_get(access, "locks"), 0);
    const json_t *taken = json_object_get(lock, "taken");

    (void)state;
    assert_string_equal(text_at(object, "kind"), "deadlock");
    assert_string_equal(text_at(object, "variable"), "a, b");
    assert_string_equal(text_at(object, "engine"), "wait-for");
    assert_string_equal(text_at(access, "op"), "acquire");
    assert_string_equal(text_at(json_object_get(access, "target"), "name"), "a");
    assert_string_equal(text_at(json_object_get(access, "target"), "kind"), "mutex");
    assert_string_equal(text_at(lock, "name"), "b");
    assert_string_equal(text_at(taken, "file"), "bank.c");
    assert_string_equal(text_at(taken, "function"), "audit");
    assert_int_equal(json_integer_value(json_object_get(taken, "line")), 8);
    assert_int_equal(json_array_size(json_object_get(lock, "stack")), 1);
    json_decref(object);
    darn_finding_free(finding);

    finding = notification(NOTIFICATION("predicted", "lost-signal", SIGNAL "," WAIT("T2")));
    object = print_and_load(finding);
    access = json_array_get(json_object_get(object, "accesses"), 1);
    assert_string_equal(text_at(object, "reason"), "lost-signal");
    assert_string_equal(text_at(object, "certainty"), "predicted");
    assert_string_equal(text_at(access, "predicate"), "queue->count");
    assert_string_equal(text_at(json_object_get(access, "mutex"), "name"), "m");
    json_decref(object);
    darn_finding_free(finding);
}

/* The id that the finding gets, with the threads and addresses of another run. */
static const char *id_of(const char *json, bool turned)
{
    static char id[64];
    struct darn_finding *finding = read_finding(json);

    if (turned) {
        struct darn_finding_access first = finding->accesses[0];

        finding->accesses[0] = finding->accesses[1];
        finding->accesses[1] = first;
        finding->accesses[0].thread = "T77";
        finding->accesses[0].target.address += 4096;
        for (size_t i = 0; i < 2; i++)
            for (size_t j = 0; j < finding->accesses[i].stack.count; j++)
                finding->accesses[i].stack.frames[j].pc += 4096;
    }
    darn_resolve(finding);
    snprintf(id, sizeof(id), "%s", finding->id);
    assert_string_equal(finding->run_id, "00000000000000aa");
    darn_finding_free(finding);
    return id;
}

static void the_fingerprint_is_the_same_in_every_run(void **state)
{
    char id[64];

    (void)state;
    snprintf(id, sizeof(id), "%s", id_of(RAW_DEADLOCK, false));
    assert_int_equal(strlen(id), 16);
    assert_string_equal(id_of(RAW_DEADLOCK, true), id);
}

static void counts_find_the_line_by_the_name_that_the_runtime_has(void **state)
{
    struct darn_summary_item items[] = {{.id = "00000000000000aa", .kind = "deadlock", .count = 3}};
    struct darn_summary summary = {.pid = 4711, .items = items, .item_count = 1};
    struct darn_finding *finding = read_finding(RAW_DEADLOCK);
    char *line, *content;
    const char *path;

    darn_resolve(finding);
    line = print_finding("json", finding, NULL);
    path = write_file(*state, "found.jsonl", line);
    assert_int_equal(darn_counts_update(path, &summary), 0);
    content = read_file(path);
    expect_part(content, "\"count\":3 ");
    free(content);
    free(line);
    darn_finding_free(finding);
}

static bool is_suppressed(const char *dir, const char *content, const struct darn_finding *finding)
{
    char error[1024] = "";
    struct darn_suppressions *suppressions = darn_suppressions_read(
        write_file(dir, "suppressions", content), NULL, error, sizeof(error));
    bool matches;

    assert_non_null(suppressions);
    matches = darn_suppressions_match(suppressions, finding) != NULL;
    darn_suppressions_free(suppressions);
    return matches;
}

static void suppressions_have_kinds(void **state)
{
    struct darn_finding *finding = deadlock("/nowhere");

    assert_true(is_suppressed(*state, "deadlock:^transfer$", finding));
    assert_true(is_suppressed(*state, "deadlock:^b$", finding));
    assert_false(is_suppressed(*state, "deadlock:^c$", finding));
    assert_false(is_suppressed(*state, "race:transfer\nnotification:transfer", finding));
    finding->accesses[0].locks[0].stack.frames[0].function = "only_here";
    assert_true(is_suppressed(*state, "deadlock:only_here", finding));
    darn_finding_free(finding);

    finding = notification(NOTIFICATION("predicted", "lost-signal", SIGNAL "," WAIT("T2")));
    assert_true(is_suppressed(*state, "notification:take", finding));
    assert_true(is_suppressed(*state, "notification:^ready$", finding));
    assert_false(is_suppressed(*state, "deadlock:take", finding));
    darn_finding_free(finding);

    finding = bank_finding("/nowhere");
    finding->certainty = "predicted";
    assert_true(is_suppressed(*state, "race:deposit", finding));
    darn_finding_free(finding);
}

/* Reads, resolves and prints: whatever is in it, nothing crashes (the point under ASan). */
static bool survives(const char *json)
{
    char error[512] = "";
    struct darn_finding *finding = darn_finding_read(json, strlen(json), error, sizeof(error));

    if (!finding)
        return false;
    darn_resolve(finding);
    free(print_finding("text", finding, NULL));
    free(print_finding("json", finding, NULL));
    darn_finding_free(finding);
    return true;
}

/* Each value in turn becomes something else. */
static size_t survive_changes(const char *raw)
{
    static const char *const others[] = {"null",
                                         "[]",
                                         "{}",
                                         "-1",
                                         "true",
                                         "\"\"",
                                         "\"wait\"",
                                         "\"join\"",
                                         "\"signal\"",
                                         "\"read\"",
                                         "\"deadlock\"",
                                         "\"notification\"",
                                         "\"predicted\"",
                                         "{\"thread\":\"T1\"}"};
    char *changed = malloc(2 * strlen(raw));
    size_t survived = 0;

    for (const char *colon = strchr(raw, ':'); colon; colon = strchr(colon + 1, ':')) {
        size_t head = (size_t)(colon + 1 - raw);
        size_t value = colon[1] == '"'
                           ? strcspn(colon + 2, "\"") + 2
                           : strcspn(colon + 1, colon[1] == '{' ? "}" : ",}]") + (colon[1] == '{');

        for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
            sprintf(changed, "%.*s%s%s", (int)head, raw, others[i], raw + head + value);
            survived += survives(changed);
        }
    }
    free(changed);
    return survived;
}

static void whatever_is_missing_or_wrong_is_survived(void **state)
{
    (void)state;
    assert_true(survive_changes(RAW_DEADLOCK) > 200);
    assert_true(survive_changes(NOTIFICATION("predicted", "lost-signal", SIGNAL "," WAIT("T2"))) >
                200);
    assert_true(survive_changes(NOTIFICATION("observed", "no-signaller", WAIT("T2"))) > 100);
}

#define WITH_DIR(test) cmocka_unit_test_setup_teardown(test, make_dir, remove_dir)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_DIR(a_deadlock_says_who_holds_what_and_waits_where),
        cmocka_unit_test(a_predicted_deadlock_is_called_possible),
        cmocka_unit_test(nothing_known_is_still_a_report),
        cmocka_unit_test(threads_are_counted_when_they_are_many),
        cmocka_unit_test(a_thread_can_wait_for_itself),
        cmocka_unit_test(who_waits_for_the_end_of_a_thread_is_said_to),
        cmocka_unit_test(who_waits_for_a_condition_holds_more_than_its_mutex),
        cmocka_unit_test(a_lost_signal_names_the_signal_and_the_wait),
        cmocka_unit_test(a_signal_for_the_wrong_waiter_is_to_be_a_broadcast),
        cmocka_unit_test(two_mutexes_of_one_condition_are_named),
        cmocka_unit_test(a_wait_for_ever_is_observed),
        cmocka_unit_test(tools_are_told_of_targets_and_where_locks_were_taken),
        cmocka_unit_test(the_fingerprint_is_the_same_in_every_run),
        WITH_DIR(counts_find_the_line_by_the_name_that_the_runtime_has),
        WITH_DIR(suppressions_have_kinds),
        cmocka_unit_test(whatever_is_missing_or_wrong_is_survived),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
