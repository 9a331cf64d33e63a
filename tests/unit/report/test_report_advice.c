/* What a report says of a race that is easily said wrong: the lock, the value, the lifetime. */
#include "report_fixture.h"

/* Takes the finding over; valid until the next call. */
static const char *print(struct darn_finding *finding)
{
    static char *text;

    free(text);
    text = print_finding("text", finding, NULL);
    darn_finding_free(finding);
    return text;
}

/* Each adds to what it has read: that both write the same is no comfort. */
static void a_lost_update_is_not_called_the_same_value(void **state)
{
    struct darn_finding *finding;
    const char *text;

    write_file(*state, "bank.c", BANK_C);
    finding = bank_finding(*state);
    finding->accesses[1] = finding->accesses[0];
    finding->accesses[1].thread = "T2";
    finding->same_value = true;
    text = print(finding);
    expect_part(text, "  value: both threads change what they have read, and one change is lost: "
                      "both write 120 (it was 100 before, and 110 after)\n");
    expect_no_part(text, "the same value");
}

/* It would have to be atomic member by member. */
static void a_block_of_the_writer_is_to_be_filled_first(void **state)
{
    struct darn_finding *finding = bank_finding("/nowhere");

    (void)state;
    finding->location.thread = finding->accesses[0].thread;
    expect_part(print(finding), ", or fill the block before any other thread can reach it\n");
    finding = bank_finding("/nowhere");
    finding->location.thread = finding->accesses[1].thread; /* it reads */
    expect_no_part(print(finding), "fill the block");
}

static struct darn_lock big = {.kind = "mutex", .address = 0x10, .symbol = {.name = "big"}};
static struct darn_lock own = {.kind = "mutex", .address = 0x20, .symbol = {.name = "own"}};

static void the_innermost_lock_is_the_one_to_hold(void **state)
{
    struct darn_finding *finding = bank_finding("/nowhere");
    struct darn_lock locks[2] = {big, own};

    (void)state;
    finding->accesses[1].locks = locks;
    finding->accesses[1].lock_count = 2;
    expect_part(print(finding), "  next: hold mutex 'own' at bank.c:4 too, or make ");
}

/* The locks of both sides, and how often others hold `own` and `big`; 0: never. */
static struct darn_finding *guarded(size_t one, struct darn_lock *first, size_t other,
                                    struct darn_lock *second, uint64_t owns, uint64_t bigs)
{
    static struct darn_lock guards[2];
    struct darn_finding *finding = bank_finding("/nowhere");

    finding->accesses[0].locks = first;
    finding->accesses[0].lock_count = one;
    finding->accesses[1].locks = second;
    finding->accesses[1].lock_count = other;
    guards[0] = own;
    guards[0].uses = owns;
    guards[1] = big;
    guards[1].uses = bigs;
    finding->guards = guards;
    finding->guard_count = 2;
    return finding;
}

static void the_lock_that_guards_it_elsewhere_is_the_one_to_hold(void **state)
{
    struct darn_lock both[2] = {big, own}, another = own;
    struct darn_finding *finding;

    (void)state;
    another.address++;
    expect_part(print(guarded(0, NULL, 2, both, 1, 2)), "  next: hold mutex 'big' at bank.c:4 too");
    expect_part(print(guarded(0, NULL, 2, both, 2, 2)), "  next: hold mutex 'own' at bank.c:4 too");
    expect_part(
        print(guarded(1, &own, 1, &big, 1, 2)),
        "  next: the two threads hold different locks: hold mutex 'big' at bank.c:4 too, as "
        "others do, or make ");
    expect_part(print(guarded(1, &own, 1, &big, 3, 2)),
                "hold mutex 'own' at bank.c:9 too, as others do");
    expect_part(print(guarded(1, &own, 1, &big, 1, 1)), "hold one and the same at both places");
    expect_part(print(guarded(1, &own, 1, &big, 0, 1)), "hold one and the same at both places");
    finding = guarded(1, &own, 1, &own, 1, 3);
    finding->accesses[1].locks = &another;
    finding->location.kind = DARN_LOCATION_GLOBAL;
    expect_part(print(finding), "hold mutex 'big' at both places, as others do");
}

/* Not on the heap, where it may have been another variable. */
static void a_lock_that_neither_holds_is_named_if_others_do(void **state)
{
    struct darn_finding *finding = guarded(0, NULL, 0, NULL, 1, 2);

    (void)state;
    finding->location.kind = DARN_LOCATION_GLOBAL;
    expect_part(print(finding),
                "  next: put both accesses under mutex 'big', as others are, or make ");
    finding = guarded(0, NULL, 0, NULL, 1, 2);
    finding->location.kind = DARN_LOCATION_HEAP;
    expect_part(print(finding), "  next: put both accesses under one lock, or make ");
    finding = guarded(0, NULL, 1, &own, 1, 2);
    finding->location.kind = DARN_LOCATION_GLOBAL;
    expect_part(print(finding),
                "  next: put both accesses under mutex 'big', as others are, or make ");
    finding = guarded(0, NULL, 1, &own, 1, 2);
    finding->location.kind = DARN_LOCATION_HEAP;
    expect_part(print(finding), "  next: hold mutex 'own' at bank.c:4 too");
    finding = guarded(0, NULL, 1, &own, 2, 2);
    finding->location.kind = DARN_LOCATION_GLOBAL;
    expect_part(print(finding), "  next: hold mutex 'own' at bank.c:4 too");
}

static void a_header_of_a_cxx_program_is_cxx(void **state)
{
    struct darn_finding *finding = guarded(0, NULL, 0, NULL, 0, 0);

    (void)state;
    finding->accesses[0].file = "bank.h";
    finding->accesses[0].stack.frames[0].is_cxx = true;
    expect_part(print(finding), " std::atomic\n");
}

/* `next:` of a race that has led to this. */
static const char *next_after(const char *outcome)
{
    struct darn_finding *finding = bank_finding("/nowhere");

    finding->accesses[1].lock_count = 0;
    finding->outcomes = &outcome;
    finding->outcome_count = 1;
    return print(finding);
}

static void what_uses_memory_that_is_gone_is_not_to_become_atomic(void **state)
{
    const char *text = next_after("sanitizer");

    (void)state;
    expect_part(text, "  next: put both accesses under one lock, until what it leads to is not "
                      "used any more\n");
    expect_no_part(text, "_Atomic");
}

/* Whoever has the lock last would still free what others come to. */
static void the_end_of_a_block_is_not_put_under_a_lock(void **state)
{
    struct darn_finding *finding = guarded(0, NULL, 1, &own, 2, 1);
    const char *text;

    (void)state;
    finding->accesses[0].op = DARN_OP_FREE;
    text = print(finding);
    expect_part(text, "  next: free the block when no other thread can reach it any more: ");
    expect_no_part(text, "hold ");
}

static void a_crash_alone_does_not_tell_whether_it_was_too_early_or_too_late(void **state)
{
    const char *text = next_after("crash");

    (void)state;
    expect_part(text, "  next: put both accesses under one lock, and see to it that neither comes "
                      "too early or too late\n");
    expect_no_part(text, "_Atomic");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_lost_update_is_not_called_the_same_value, make_dir,
                                        remove_dir),
        cmocka_unit_test(a_block_of_the_writer_is_to_be_filled_first),
        cmocka_unit_test(the_innermost_lock_is_the_one_to_hold),
        cmocka_unit_test(the_lock_that_guards_it_elsewhere_is_the_one_to_hold),
        cmocka_unit_test(a_lock_that_neither_holds_is_named_if_others_do),
        cmocka_unit_test(a_header_of_a_cxx_program_is_cxx),
        cmocka_unit_test(what_uses_memory_that_is_gone_is_not_to_become_atomic),
        cmocka_unit_test(the_end_of_a_block_is_not_put_under_a_lock),
        cmocka_unit_test(a_crash_alone_does_not_tell_whether_it_was_too_early_or_too_late),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
