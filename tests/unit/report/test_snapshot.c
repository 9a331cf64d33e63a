/* What a control block has as addresses becomes places and findings, over a program that darn cc
 * has made. */
#include "snapshot_fixture.h"

#include "base/fingerprint.h"
#include "report/identity.h"

static void an_access_is_found_by_its_record(void **state)
{
    struct darn_snapshot snapshot = new_snapshot();
    struct darn_text_pool pool = {0};
    uint64_t site = site_at("take", DARN_SITE_WRITE);
    struct darn_snapshot_place place = darn_snapshot_place(&snapshot, &pool, DARN_STEP_WRITE, site);

    (void)state;
    assert_string_equal(place.file, "shop.c");
    assert_string_equal(place.dir, shop.dir);
    assert_string_equal(place.function, "withdraw");
    assert_non_null(strstr(place.variable, "balance"));
    assert_int_equal(place.line, line_of("take"));
    assert_true(place.column > 0);
    darn_pool_release(&pool);
    free_snapshot(&snapshot);
}

static void a_call_is_found_by_where_it_returns_to(void **state)
{
    struct darn_snapshot snapshot = new_snapshot();
    struct darn_text_pool pool = {0};
    struct darn_snapshot_place place =
        darn_snapshot_place(&snapshot, &pool, DARN_STEP_LOCK, call_at("other", "other-second"));

    (void)state;
    assert_string_equal(place.file, "shop.c");
    assert_string_equal(place.function, "other");
    assert_int_equal(place.line, line_of("other-second"));
    assert_null(place.variable);
    place = darn_snapshot_place(&snapshot, &pool, DARN_STEP_START, address_of("waiter"));
    assert_string_equal(place.function, "waiter");
    darn_pool_release(&pool);
    free_snapshot(&snapshot);
}

static void what_is_nowhere_is_not_known(void **state)
{
    static const uint64_t wrong[] = {0,         1, BASE - 1, BASE, BASE + 0xfffff, BASE + 0x100000,
                                     UINT64_MAX};
    struct darn_snapshot snapshot = new_snapshot();
    struct darn_text_pool pool = {0};

    (void)state;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        assert_null(darn_snapshot_place(&snapshot, &pool, DARN_STEP_READ, wrong[i]).file);
        assert_null(darn_snapshot_place(&snapshot, &pool, DARN_STEP_LOCK, wrong[i]).file);
        assert_int_equal(darn_snapshot_site_key(&snapshot, wrong[i]), 0);
    }
    /* Within a record, or a text, there is no record. */
    assert_int_equal(darn_snapshot_site_key(&snapshot, site_at("take", DARN_SITE_WRITE) + 1), 0);
    /* The runtime's own code is nobody's business. */
    assert_null(
        darn_snapshot_place(&snapshot, &pool, DARN_STEP_LOCK, address_of("darn_hook_access") + 8)
            .function);
    strcpy(block_of(&snapshot)->modules[0].path, "/nowhere");
    assert_null(
        darn_snapshot_place(&snapshot, &pool, DARN_STEP_LOCK, call_at("one", "one-first")).file);
    memset(block_of(&snapshot)->modules[0].path, 'x', sizeof(block_of(&snapshot)->modules[0].path));
    assert_null(
        darn_snapshot_place(&snapshot, &pool, DARN_STEP_LOCK, call_at("one", "one-first")).file);
    darn_pool_release(&pool);
    free_snapshot(&snapshot);
}

/* The same as darn_site_key in the program itself. */
static void the_key_is_that_of_the_site(void **state)
{
    struct darn_snapshot snapshot = new_snapshot();
    struct darn_text_pool pool = {0};
    uint64_t at = site_at("take", DARN_SITE_WRITE);
    struct darn_snapshot_place place = darn_snapshot_place(&snapshot, &pool, DARN_STEP_WRITE, at);
    struct darn_site copy = {
        .line = place.line, .column = (uint16_t)place.column, .kind = DARN_SITE_WRITE};

    (void)state;
    assert_true(darn_snapshot_site_key(&snapshot, at) ==
                darn_site_key_of(&copy, place.file, place.function));
    assert_true(darn_snapshot_site_key(&snapshot, at) !=
                darn_snapshot_site_key(&snapshot, site_at("test", DARN_SITE_READ)));
    darn_pool_release(&pool);
    free_snapshot(&snapshot);
}

static struct darn_block_thread access_at(uint32_t thread, enum darn_step_op op, uint64_t site)
{
    struct darn_block_thread result = {
        .thread = thread,
        .op = (uint8_t)op,
        .size = 8,
        .object = address_of("savings") + 40,
        .place = site,
    };

    push(&result, call_at("withdraw", "take"));
    push(&result, call_at("customer", "customer"));
    return result;
}

static struct darn_block_met *two_customers(struct darn_snapshot *snapshot)
{
    struct darn_block_met *met;

    add_step(snapshot, 0, DARN_STEP_CREATE, 0, call_at("main", "create"));
    add_step(snapshot, 0, DARN_STEP_CREATE, 0, call_at("main", "create"));
    add_step(snapshot, 2, DARN_STEP_LOCK, address_of("a"), call_at("one", "one-first"));
    met = add_met(snapshot, DARN_MET_RACE);
    met->threads[0] = access_at(1, DARN_STEP_READ, site_at("test", DARN_SITE_READ));
    met->threads[1] = access_at(2, DARN_STEP_WRITE, site_at("take", DARN_SITE_WRITE));
    hold(&met->threads[1], address_of("a"), call_at("one", "one-first"));
    return met;
}

static void two_threads_that_met_are_a_confirmed_race(void **state)
{
    struct darn_snapshot snapshot = new_snapshot();
    struct darn_finding *finding = darn_snapshot_met(&snapshot, two_customers(&snapshot));
    const struct darn_finding_access *write = &finding->accesses[0], *read = &finding->accesses[1];

    (void)state;
    assert_string_equal(finding->kind, "data-race");
    assert_string_equal(finding->certainty, "confirmed");
    assert_string_equal(finding->engine, "racefuzzer");
    assert_string_equal(finding->program, shop.program);
    assert_string_equal(finding->arguments, " -n 3");
    assert_int_equal(finding->access_count, 2);
    assert_int_equal(write->op, DARN_OP_WRITE); /* who writes comes first */
    assert_string_equal(write->thread, "T2");
    assert_string_equal(write->function, "withdraw");
    assert_int_equal(write->line, line_of("take"));
    assert_int_equal(write->size, 8);
    assert_int_equal(write->stack.count, 2);
    assert_string_equal(write->stack.frames[1].function, "customer");
    assert_int_equal(write->lock_count, 1);
    assert_string_equal(write->locks[0].kind, "mutex");
    assert_string_equal(write->locks[0].symbol.name, "a");
    assert_string_equal(write->locks[0].taken.function, "one");
    assert_int_equal(read->op, DARN_OP_READ);
    assert_string_equal(read->thread, "T1");
    assert_int_equal(read->line, line_of("test"));
    assert_int_equal(finding->location.kind, DARN_LOCATION_GLOBAL);
    assert_string_equal(finding->location.symbol.name, "savings");
    assert_int_equal(finding->thread_count, 2);
    assert_string_equal(finding->threads[0].parent, "T0");
    assert_int_equal(finding->threads[0].stack.frames[0].line, line_of("create"));
    darn_finding_free(finding);
    free_snapshot(&snapshot);
}

/* Other threads access it under `b`, and under `a` only the one that holds it now. */
static void the_lock_that_others_hold_is_counted(void **state)
{
    struct darn_snapshot snapshot = new_snapshot();
    struct darn_block_met *met = two_customers(&snapshot);
    uint64_t a = address_of("a"), b = address_of("b"), balance = met->threads[0].object;
    struct darn_finding *finding;

    (void)state;
    for (int i = 0; i < 2; i++) {
        met->threads[i].lock_count = 2;
        met->threads[i].locks[0] = b;
        met->threads[i].locks[1] = a;
    }
    for (uint32_t thread = 3; thread < 5; thread++) {
        add_step(&snapshot, thread, DARN_STEP_LOCK, b, call_at("one", "one-first"));
        add_step(&snapshot, thread, DARN_STEP_WRITE, balance, site_at("take", DARN_SITE_WRITE));
        add_step(&snapshot, thread, DARN_STEP_UNLOCK, b, call_at("one", "one-first"));
    }
    add_step(&snapshot, 2, DARN_STEP_LOCK, a, call_at("one", "one-first"));
    add_step(&snapshot, 2, DARN_STEP_WRITE, balance, site_at("take", DARN_SITE_WRITE));
    add_step(&snapshot, 1, DARN_STEP_READ, balance, site_at("test", DARN_SITE_READ));
    finding = darn_snapshot_met(&snapshot, met);
    assert_int_equal(finding->guard_count, 4);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(finding->guards[i].uses, finding->guards[i].address == b ? 2 : 1);
    darn_finding_free(finding);
    free_snapshot(&snapshot);
}

/* predict.c makes the id of a race from the same parts in the same way. */
static void it_has_the_id_that_was_predicted(void **state)
{
    struct darn_snapshot snapshot = new_snapshot();
    struct darn_block_met *met = two_customers(&snapshot), swapped = *met;
    struct darn_finding *finding = darn_snapshot_met(&snapshot, met), *other;
    struct darn_text_pool pool = {0};
    uint64_t hashes[2];

    (void)state;
    for (int side = 0; side < 2; side++) {
        struct darn_snapshot_place place = darn_snapshot_place(
            &snapshot, &pool, (enum darn_step_op)met->threads[side].op, met->threads[side].place);

        hashes[side] = darn_fingerprint_site("data-race", place.file, place.function, place.line,
                                             place.column);
    }
    assert_string_equal(finding->id,
                        darn_identity_race(&pool, hashes[0], hashes[1], finding->variable));
    swapped.threads[0] = met->threads[1];
    swapped.threads[1] = met->threads[0];
    swapped.threads[0].thread = 7;
    other = darn_snapshot_met(&snapshot, &swapped);
    assert_string_equal(finding->id, other->id);
    assert_int_equal(other->accesses[0].op, DARN_OP_WRITE);
    darn_finding_free(other);
    darn_finding_free(finding);
    darn_pool_release(&pool);
    free_snapshot(&snapshot);
}

static void a_block_that_is_freed_is_a_race_of_its_own(void **state)
{
    struct darn_snapshot snapshot = new_snapshot();
    struct darn_block_met *met = two_customers(&snapshot);
    struct darn_finding *finding;
    char *text;

    (void)state;
    met->threads[0].object = HEAP + 40;
    met->threads[1] = (struct darn_block_thread){.thread = 0,
                                                 .op = DARN_STEP_FREE,
                                                 .object = HEAP,
                                                 .size = 48,
                                                 .place = call_at("main", "free")};
    finding = darn_snapshot_met(&snapshot, met);
    assert_int_equal(finding->accesses[0].op, DARN_OP_FREE);
    assert_int_equal(finding->accesses[0].line, line_of("free"));
    assert_int_equal(finding->location.kind, DARN_LOCATION_HEAP);
    assert_true(finding->address == HEAP + 40);
    text = print_finding("text", finding, NULL);
    expect_part(text, "which is being freed [data-race, confirmed]");
    expect_part(text, "main thread T0 frees the block of 48 bytes that holds it");
    expect_part(text, "is at byte 40 of a heap block\n");
    free(text);
    darn_finding_free(finding);
    free_snapshot(&snapshot);
}

static void a_triple_is_told_in_its_order(void **state)
{
    struct darn_snapshot snapshot = new_snapshot();
    uint64_t read = site_at("test", DARN_SITE_READ), write = site_at("take", DARN_SITE_WRITE);
    struct darn_block_met *met;
    struct darn_finding *finding;
    char *text;

    (void)state;
    met = add_met(&snapshot, DARN_MET_TRIPLE);
    met->threads[2] = access_at(1, DARN_STEP_READ, read);
    met->threads[0] = access_at(1, DARN_STEP_WRITE, write);
    met->threads[1] = access_at(2, DARN_STEP_WRITE, write);
    finding = darn_snapshot_met(&snapshot, met);
    assert_string_equal(finding->kind, "atomicity-violation");
    assert_int_equal(finding->access_count, 3);
    assert_int_equal(finding->accesses[0].line, line_of("test"));
    assert_string_equal(finding->accesses[0].thread, "T1");
    assert_int_equal(finding->accesses[0].size, 8);
    assert_string_equal(finding->accesses[1].thread, "T2");
    assert_string_equal(finding->accesses[2].thread, "T1");
    assert_non_null(finding->id);
    text = print_finding("text", finding, NULL);
    expect_part(text, "warning: atomicity violation on 'client->balance' [atomicity-violation, "
                      "confirmed]");
    expect_part(text, "note: meanwhile thread T2 writes the same 8 bytes");
    expect_part(text, "note: then thread T1 writes the same 8 bytes");
    expect_part(text,
                "  pattern: 'client->balance' was read at line 14, and had changed when it was "
                "written at line 16\n");
    expect_part(text, "  next: hold one lock at shop.c:14 up to line 16 without giving it back, "
                      "and the same at shop.c:16\n");
    expect_part(text, "  suppress: atomicity:withdraw\n");
    free(text);
    darn_finding_free(finding);
    free_snapshot(&snapshot);
}

static void a_block_that_was_scribbled_on_is_survived(void **state)
{
    struct darn_snapshot snapshot = new_snapshot();
    struct darn_control_block *block = block_of(&snapshot);
    uint64_t random = 1;

    (void)state;
    for (int round = 0; round < 200; round++) {
        struct darn_finding *finding;
        char *story;

        for (size_t i = 0; i < sizeof(block->result); i++) {
            random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            ((unsigned char *)&block->result)[i] = (unsigned char)(random >> 56);
        }
        for (size_t i = 0; i < 64 * sizeof(block->steps[0]); i++) {
            random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            ((unsigned char *)block->steps)[i] = (unsigned char)(random >> 56);
        }
        block->result.steps = round % 64;
        block->result.end = (uint32_t)round % 8;
        if (round % 3)
            block->result.signal = 0;
        for (size_t i = 0; i < DARN_BLOCK_THREADS; i++)
            block->result.threads[i].state %= 7;
        finding = darn_snapshot_failure(&snapshot, "crash");
        free(print_finding("text", finding, NULL));
        darn_finding_free(finding);
        finding = darn_snapshot_met(&snapshot, &block->result.met[0]);
        free(print_finding("json", finding, NULL));
        darn_finding_free(finding);
        story = tell(&snapshot, round % 30);
        assert_true(strlen(story) > 0);
        free(story);
    }
    free_snapshot(&snapshot);
}

/* Four accesses to two variables, of which each is named once. */
static void a_quad_is_told_in_its_order(void **state)
{
    struct darn_snapshot snapshot = new_snapshot();
    uint64_t read = site_at("test", DARN_SITE_READ), write = site_at("take", DARN_SITE_WRITE);
    struct darn_block_met *met;
    struct darn_finding *finding;
    char *text;

    (void)state;
    met = add_met(&snapshot, DARN_MET_QUAD);
    met->threads[3] = access_at(1, DARN_STEP_READ, read);
    met->threads[2] = access_at(2, DARN_STEP_WRITE, write);
    met->threads[1] = access_at(2, DARN_STEP_READ, read);
    met->threads[0] = access_at(1, DARN_STEP_WRITE, write);
    met->threads[0].object = met->threads[1].object = met->threads[2].object + 64;
    finding = darn_snapshot_met(&snapshot, met);
    assert_string_equal(finding->kind, "atomicity-violation");
    assert_string_equal(finding->reason, "two-variables");
    assert_int_equal(finding->access_count, 4);
    assert_int_equal(finding->accesses[0].line, line_of("test"));
    assert_int_equal(finding->accesses[3].line, line_of("take"));
    assert_string_equal(finding->accesses[0].thread, "T1");
    assert_string_equal(finding->accesses[1].thread, "T2");
    assert_string_equal(finding->accesses[2].thread, "T2");
    assert_string_equal(finding->accesses[3].thread, "T1");
    assert_non_null(finding->id);
    text = print_finding("text", finding, NULL);
    expect_part(text, "[atomicity-violation, confirmed]");
    expect_part(text, "note: meanwhile thread T2 writes 'client->balance'");
    expect_part(text, "note: then thread T1 writes 'client->balance'");
    free(text);
    text = tell(&snapshot, 0);
    expect_part(text, "T2 came in between");
    free(text);
    darn_finding_free(finding);
    free_snapshot(&snapshot);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_access_is_found_by_its_record),
        cmocka_unit_test(a_call_is_found_by_where_it_returns_to),
        cmocka_unit_test(what_is_nowhere_is_not_known),
        cmocka_unit_test(the_key_is_that_of_the_site),
        cmocka_unit_test(two_threads_that_met_are_a_confirmed_race),
        cmocka_unit_test(the_lock_that_others_hold_is_counted),
        cmocka_unit_test(it_has_the_id_that_was_predicted),
        cmocka_unit_test(a_block_that_is_freed_is_a_race_of_its_own),
        cmocka_unit_test(a_triple_is_told_in_its_order),
        cmocka_unit_test(a_quad_is_told_in_its_order),
        cmocka_unit_test(a_block_that_was_scribbled_on_is_survived),
    };

    return cmocka_run_group_tests(tests, snapshot_build, snapshot_remove);
}
