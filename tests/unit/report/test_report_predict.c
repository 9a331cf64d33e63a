/* What engines predict becomes findings: names, places, fingerprints, and how they read. The trace
 * is a stand-in that knows a few sites, stacks and threads. */
#include "report_fixture.h"

#include "base/fingerprint.h"
#include "report/identity.h"
#include "report/predict.h"
#include "site/site.h"

struct darn_trace {
    bool is_text;
};

static struct darn_trace_site sites[] = {
    {.file = "bank.c",
     .dir = "/nowhere",
     .function = "deposit",
     .variable = "acct->balance",
     .line = 4,
     .column = 19,
     .kind = DARN_SITE_WRITE},
    {.file = "bank.c",
     .dir = "/nowhere",
     .function = "audit",
     .variable = "acct->balance",
     .line = 9,
     .column = 26,
     .kind = DARN_SITE_READ},
    {.file = "queue.c",
     .dir = "/nowhere",
     .function = "take",
     .variable = "queue->count",
     .line = 7,
     .column = 9,
     .kind = DARN_SITE_WAIT},
    {.line = 12, .variable = "x"}, /* of the text trace */
    {.line = 20, .variable = "x"},
};

static const uint64_t pcs[] = {0x401234, 0x401300};
static const struct darn_trace_stack stacks[] = {{2, pcs}, {1, pcs + 1}};
static const struct darn_trace_module module = {0x400000, 0x500000, 0, "/nowhere/bank"};
static const struct darn_trace_thread threads[] = {
    {.number = 0, .name = "bank"},
    {.number = 1, .tid = 4712, .has_parent = true, .stack = 2, .name = "teller"},
    {.number = 2, .tid = 4713, .has_parent = true, .name = "audit"},
};

struct darn_trace_about darn_trace_about(const struct darn_trace *trace)
{
    return (struct darn_trace_about){
        .is_text = trace->is_text, .pid = 4711, .program = trace->is_text ? NULL : "/nowhere/bank"};
}

size_t darn_trace_site_count(const struct darn_trace *trace)
{
    (void)trace;
    return 1;
}

const struct darn_trace_site *darn_trace_site(const struct darn_trace *trace, uint32_t id)
{
    (void)trace;
    return id >= 1 && id <= sizeof(sites) / sizeof(sites[0]) ? &sites[id - 1] : NULL;
}

const struct darn_trace_stack *darn_trace_stack(const struct darn_trace *trace, uint32_t id)
{
    return !trace->is_text && id >= 1 && id <= 2 ? &stacks[id - 1] : NULL;
}

const struct darn_trace_thread *darn_trace_thread(const struct darn_trace *trace, uint32_t number)
{
    return !trace->is_text && number < 3 ? &threads[number] : NULL;
}

const struct darn_trace_module *darn_trace_module(const struct darn_trace *trace, uint64_t address)
{
    return !trace->is_text && address >= module.start && address < module.end ? &module : NULL;
}

const char *darn_trace_target_name(const struct darn_trace *trace, const struct darn_event *event)
{
    if (!trace->is_text)
        return NULL;
    if (darn_event_is_access(event))
        return "x";
    return event->target == 1 ? "L1" : "L2";
}

const char *darn_trace_thread_name(const struct darn_trace *trace, uint32_t number)
{
    static const char *const names[] = {"main", "T1", "T2"};

    return trace->is_text ? names[number] : NULL;
}

static const struct darn_trace recorded = {false}, text = {true};

static struct darn_prediction_step step(enum darn_event_kind kind, uint32_t thread, uint32_t site)
{
    return (struct darn_prediction_step){
        .event = {.kind = (uint8_t)kind, .thread = thread, .site = site, .size = 8, .stack = 1}};
}

static void hold(struct darn_prediction_step *at, uint64_t lock, uint32_t site, uint32_t stack)
{
    at->locks[at->lock_count++] =
        (struct darn_prediction_lock){.lock = lock, .site = site, .stack = stack};
}

/* T1 writes, T2 reads, holding a lock. */
static struct darn_prediction race(uint64_t address, uint32_t one, uint32_t other)
{
    struct darn_prediction prediction = {
        .kind = DARN_PREDICTS_RACE, .count = 7, .target = address, .step_count = 2};

    prediction.steps[0] = step(DARN_EVENT_WRITE, 1, one);
    prediction.steps[1] = step(DARN_EVENT_READ, 2, other);
    prediction.steps[0].event.target = prediction.steps[1].event.target = address;
    return prediction;
}

static struct darn_finding *predict(const struct darn_trace *trace,
                                    const struct darn_prediction *prediction, const char *engine,
                                    const struct darn_event *block)
{
    struct darn_predicted predicted = {.trace = trace,
                                       .path = "example.std",
                                       .prediction = prediction,
                                       .engine = engine,
                                       .block = block};
    struct darn_modules modules = {NULL};
    struct darn_finding *finding = darn_finding_predicted(&predicted);

    darn_finding_complete(finding, &modules);
    darn_modules_close(&modules);
    return finding;
}

/* Prints the finding and frees it. The text is valid until the next call. */
static const char *print(struct darn_finding *finding)
{
    static char *printed;

    free(printed);
    printed = print_finding("text", finding, NULL);
    darn_finding_free(finding);
    return printed;
}

static void a_predicted_race_says_that_it_could_happen(void **state)
{
    struct darn_prediction prediction = race(0x7008, 1, 2);
    struct darn_event block = {
        .kind = DARN_EVENT_ALLOC, .target = 0x7000, .extra = 32, .thread = 0, .stack = 2};

    (void)state;
    hold(&prediction.steps[1], 0x6000, 0, 0);
    assert_string_equal(
        print(predict(&recorded, &prediction, "hybrid", &block)),
        "bank.c:4:19: warning: possible data race on 'acct->balance' [data-race, predicted by "
        "hybrid]\n"
        "  thread T1 'teller' writes 8 bytes, holding no lock\n"
        "    #0 deposit  bank.c:4:19\n"
        "    #1 ??       (/nowhere/bank+0x1300)\n"
        "bank.c:9:26: note: thread T2 'audit' reads the same 8 bytes, holding mutex 0x6000\n"
        "    #0 audit  bank.c:9:26\n"
        "    #1 ??     (/nowhere/bank+0x1300)\n"
        "  why: only T2 holds a lock, and no start, end or signal of a thread orders the two "
        "accesses\n"
        "  variable: 'acct->balance' is at byte 8 of a heap block of 32 bytes allocated by main "
        "thread T0:\n"
        "    #0 ??  (/nowhere/bank+0x1300)\n"
        "  thread T1 'teller' was created by main thread T0:\n"
        "    #0 ??  (/nowhere/bank+0x1300)\n"
        "  thread T2 'audit' was created by main thread T0\n"
        "  next: hold mutex 0x6000 at bank.c:4 too, or make 'acct->balance' _Atomic\n"
        "  see it: darn run --noise=site:bank.c:4:1000/200,site:bank.c:9:1000/200 -- "
        "/nowhere/bank\n"
        "  suppress: race:deposit\n");
}

static void why_fits_the_locks_and_the_engine(void **state)
{
    struct darn_prediction prediction = race(0x7008, 1, 2);

    (void)state;
    expect_part(print(predict(&recorded, &prediction, "hb", NULL)),
                "  why: neither thread holds a lock, and nothing in this run ordered the two "
                "accesses\n");
    hold(&prediction.steps[0], 0x6000, 0, 0);
    hold(&prediction.steps[1], 0x6008, 0, 0);
    expect_part(print(predict(&recorded, &prediction, "eraser", NULL)),
                "  why: the threads hold no lock in common, and no lock is held at all accesses to "
                "it\n");
    hold(&prediction.steps[1], 0x6000, 0, 0);
    expect_part(print(predict(&recorded, &prediction, "eraser+", NULL)),
                "  why: both threads hold mutex 0x6000, but no lock is held at all accesses to "
                "it\n");
}

static void the_fingerprint_is_that_of_the_runtime(void **state)
{
    struct darn_prediction prediction = race(0x7008, 1, 2), turned = race(0x9008, 2, 1);
    struct darn_finding *finding = predict(&recorded, &prediction, "hb", NULL);
    struct darn_finding *other = predict(&recorded, &turned, "hybrid", NULL);
    struct darn_text_pool pool = {0};

    (void)state;
    assert_string_equal(finding->id, other->id);
    assert_string_equal(
        finding->id,
        darn_identity_race(&pool, darn_fingerprint_site("data-race", "bank.c", "deposit", 4, 19),
                           darn_fingerprint_site("data-race", "bank.c", "audit", 9, 26),
                           "acct->balance"));
    /* What the runtime makes of these two sites. */
    assert_string_equal(finding->id, "9dbb0caff849e263");
    assert_int_equal(finding->count, 7);
    darn_pool_release(&pool);
    darn_finding_free(finding);
    darn_finding_free(other);
}

static void globals_are_found_by_module(void **state)
{
    struct darn_prediction prediction = race(0x404010, 1, 2);
    struct darn_finding *finding = predict(&recorded, &prediction, "hb", NULL);

    (void)state;
    assert_int_equal(finding->location.kind, DARN_LOCATION_GLOBAL);
    assert_string_equal(finding->location.symbol.module, "/nowhere/bank");
    assert_int_equal(finding->location.symbol.offset, 0x4010);
    darn_finding_free(finding);
}

static void a_predicted_deadlock_has_its_locks_and_stacks(void **state)
{
    struct darn_prediction prediction = {.kind = DARN_PREDICTS_DEADLOCK, .step_count = 2};
    struct darn_finding *finding;

    (void)state;
    prediction.steps[0] = step(DARN_EVENT_ACQUIRE, 1, 0);
    prediction.steps[0].event.target = 0x404040;
    hold(&prediction.steps[0], 0x404080, 0, 2);
    prediction.steps[1] = step(DARN_EVENT_REQUEST, 2, 0);
    prediction.steps[1].event.target = 0x404080;
    prediction.steps[1].event.lock = DARN_EVENT_WRLOCK;
    hold(&prediction.steps[1], 0x404040, 0, 0);
    finding = predict(&recorded, &prediction, "deadlock", NULL);
    assert_string_equal(finding->kind, "deadlock");
    assert_string_equal(finding->certainty, "predicted");
    assert_int_equal(finding->accesses[0].op, DARN_OP_ACQUIRE);
    assert_int_equal(finding->accesses[1].op, DARN_OP_ACQUIRE);
    assert_string_equal(finding->accesses[1].target.kind, "write");
    assert_int_equal(finding->accesses[0].target.symbol.offset, 0x4040);
    assert_int_equal(finding->accesses[0].locks[0].stack.count, 1);
    assert_int_equal(strlen(finding->id), 16);
    assert_null(finding->run_id);
    expect_part(print(finding), "warning: possible deadlock between T1 and T2 [deadlock, "
                                "predicted]\n");
}

static void a_predicted_notification_has_its_reason(void **state)
{
    struct darn_prediction prediction = {.kind = DARN_PREDICTS_LOST_SIGNAL, .step_count = 2};
    struct darn_finding *finding;

    (void)state;
    prediction.steps[0] = step(DARN_EVENT_BROADCAST, 1, 0);
    prediction.steps[1] = step(DARN_EVENT_WAIT, 2, 3);
    prediction.steps[1].event.extra = 0x404040;
    finding = predict(&recorded, &prediction, "notify", NULL);
    assert_string_equal(finding->kind, "notification");
    assert_string_equal(finding->reason, "lost-signal");
    assert_int_equal(finding->accesses[0].op, DARN_OP_BROADCAST);
    assert_string_equal(finding->accesses[0].target.kind, "cond");
    assert_string_equal(finding->accesses[1].predicate, "queue->count");
    assert_int_equal(finding->accesses[1].mutex.address, 0x404040);
    darn_finding_free(finding);
}

static void a_text_trace_has_names_of_its_own(void **state)
{
    struct darn_prediction prediction = race(0x10000, 4, 5);

    (void)state;
    hold(&prediction.steps[1], 1, 4, 0);
    assert_string_equal(
        print(predict(&text, &prediction, "hb", NULL)),
        "example.std:12: warning: possible data race on 'x' [data-race, predicted by hb]\n"
        "  thread T1 writes it, holding no lock\n"
        "example.std:20: note: thread T2 reads it, holding mutex 'L1'\n"
        "  why: only T2 holds a lock, and nothing in this run ordered the two accesses\n"
        "  next: hold mutex 'L1' at example.std:12 too, or make 'x' _Atomic\n"
        "  suppress: race:x\n");
}

static void a_deadlock_of_a_text_trace_names_its_locks(void **state)
{
    struct darn_prediction prediction = {.kind = DARN_PREDICTS_DEADLOCK, .step_count = 2};
    struct darn_finding *finding;

    (void)state;
    prediction.steps[0] = step(DARN_EVENT_ACQUIRE, 1, 4);
    prediction.steps[0].event.target = 2;
    hold(&prediction.steps[0], 1, 5, 0);
    prediction.steps[1] = step(DARN_EVENT_ACQUIRE, 2, 5);
    prediction.steps[1].event.target = 1;
    hold(&prediction.steps[1], 2, 0, 0);
    finding = predict(&text, &prediction, "deadlock", NULL);
    assert_string_equal(finding->variable, "L1, L2");
    assert_string_equal(
        print(finding),
        "example.std:12: warning: possible deadlock between T1 and T2 [deadlock, predicted]\n"
        "  thread T1 holds mutex 'L1' (taken at example.std:20) and then takes mutex 'L2'\n"
        "example.std:20: note: thread T2 holds mutex 'L2' and then takes mutex 'L1'\n"
        "  why: each thread can come to hold what the next one takes: they hold no lock in common, "
        "and no start or end of a thread puts one after the other\n"
        "  next: take mutex 'L2' and mutex 'L1' in the same order everywhere, or one lock around "
        "them all\n"
        "  suppress: deadlock:L2\n");
}

static void names_that_differ_are_one_name(void **state)
{
    (void)state;
    assert_string_equal(darn_fingerprint_variable("p->x", "total"), "total");
    assert_string_equal(darn_fingerprint_variable("total", "*p"), "total");
    assert_string_equal(darn_fingerprint_variable("q->x", "p->x"), "p->x");
    assert_string_equal(darn_fingerprint_variable(NULL, "p->x"), "p->x");
    assert_null(darn_fingerprint_variable(NULL, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_predicted_race_says_that_it_could_happen),
        cmocka_unit_test(why_fits_the_locks_and_the_engine),
        cmocka_unit_test(the_fingerprint_is_that_of_the_runtime),
        cmocka_unit_test(globals_are_found_by_module),
        cmocka_unit_test(a_predicted_deadlock_has_its_locks_and_stacks),
        cmocka_unit_test(a_predicted_notification_has_its_reason),
        cmocka_unit_test(a_text_trace_has_names_of_its_own),
        cmocka_unit_test(a_deadlock_of_a_text_trace_names_its_locks),
        cmocka_unit_test(names_that_differ_are_one_name),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
