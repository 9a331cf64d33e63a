/* The text form: what people read. */
#include "report_fixture.h"

static void a_race_reads_like_a_diagnostic_of_a_compiler(void **state)
{
    struct darn_finding *finding = bank_finding(*state);
    char *text;

    write_file(*state, "bank.c", BANK_C);
    text = print_finding("text", finding, NULL);
    assert_string_equal(
        text,
        "bank.c:4:19: warning: data race on 'acct->balance' [data-race]\n"
        "    4 |     acct->balance += amount;\n"
        "      |                   ^\n"
        "  thread T1 'teller' writes 8 bytes, holding no lock\n"
        "    #0 deposit        bank.c:4:19\n"
        "    #1 teller_thread  bank.c:31:9\n"
        "bank.c:9:26: note: thread T2 'audit' reads the same 8 bytes, holding mutex 'audit_lock'\n"
        "    9 |         long total = of(acct)->balance;\n"
        "      |                                 ^\n"
        "    #0 audit  bank.c:9:26\n"
        "  value: 100 became 110 while T1 stood before its write of 120\n"
        "  variable: 'acct->balance' is at byte 8 of a heap block of 32 bytes allocated by main "
        "thread T0:\n"
        "    #0 open_account  bank.c:40:17\n"
        "  thread T1 'teller' was created by main thread T0:\n"
        "    #0 main  bank.c:55:9\n"
        "  thread T2 'audit' was created by main thread T0\n"
        "  next: hold mutex 'audit_lock' at bank.c:4 too, or make 'acct->balance' _Atomic\n"
        "  again: darn run --noise='var:acct->balance:1000/200' -- /nowhere/bank\n"
        "  suppress: race:deposit\n");
    free(text);
    darn_finding_free(finding);
}

/* Prints the finding and frees it. The text is valid until the next call. */
static const char *print(struct darn_finding *finding)
{
    static char *text;

    free(text);
    text = print_finding("text", finding, NULL);
    darn_finding_free(finding);
    return text;
}

static struct darn_finding *bare_finding(void)
{
    struct darn_finding *finding = bank_finding("/nowhere");

    finding->before.known = finding->after.known = false;
    finding->accesses[0].value.known = false;
    finding->accesses[1].lock_count = 0;
    finding->location.kind = DARN_LOCATION_UNKNOWN;
    finding->thread_count = 0;
    return finding;
}

static void what_is_unknown_is_left_out(void **state)
{
    const char *text = print(bare_finding());

    (void)state;
    expect_no_part(text, " | ");
    expect_no_part(text, "value:");
    expect_no_part(text, "variable:");
    expect_no_part(text, "created");
    expect_part(text,
                "  next: put both accesses under one lock, or make 'acct->balance' _Atomic\n");
}

static void without_symbols_modules_and_offsets_are_shown(void **state)
{
    const char *text;

    (void)state;
    text = print(read_finding("{\"raw\":1,\"id\":\"1\",\"kind\":\"data-race\",\"address\":\"0x10\","
                              "\"size\":4,\"program\":\"/nowhere/bank\",\"accesses\":["
                              "{\"op\":\"write\",\"size\":4,\"stack\":["
                              "{\"pc\":\"0x99\",\"module\":\"/nowhere/lib\",\"offset\":\"0x1f\"},"
                              "{\"pc\":\"0x98\"}]},"
                              "{\"op\":\"free\"}]}"));
    assert_string_equal(
        text, "/nowhere/bank: warning: data race on 4 bytes at 0x10, which is being freed "
              "[data-race]\n"
              "  a thread writes 4 bytes, holding no lock\n"
              "    #0 ??  (/nowhere/lib+0x1f)\n"
              "    #1 ??  (0x98)\n"
              "/nowhere/bank: note: a thread frees the block that holds it, holding no lock\n"
              "  next: free the block when no other thread can reach it any more: take it out of "
              "what they share, join them, or count references\n"
              "  suppress: race:/nowhere/lib\n");
}

static void a_free_names_the_block(void **state)
{
    struct darn_finding *finding = bank_finding("/nowhere");
    const char *text;

    (void)state;
    finding->accesses[1].op = DARN_OP_FREE;
    text = print(finding);
    expect_part(text, "data race on 'acct->balance', which is being freed [data-race]\n");
    expect_part(text, "thread T2 'audit' frees the block of 32 bytes that holds it, holding");
    expect_part(text, "  next: free the block when");
}

static void a_race_of_unknown_origin_says_who_was_not_seen(void **state)
{
    struct darn_finding *finding = bank_finding("/nowhere");
    const char *text;

    (void)state;
    finding->access_count = 1;
    finding->unknown_origin = true;
    finding->accesses[0].op = DARN_OP_READ;
    finding->accesses[0].value.known = false;
    text = print(finding);
    expect_part(text, "'acct->balance', with a writer that was not seen [data-race]\n");
    expect_part(text, "  value: 100 became 110 while T1 stood before its read, and no instrumented "
                      "code was seen writing it: the writer was probably not compiled by darn\n");
    expect_part(text, "  next: compile the code that writes it with darn cc too");
    expect_no_part(text, "note:");
}

static void an_assertion_that_fails_is_said_to(void **state)
{
    struct darn_finding *finding = bare_finding();
    const char *text;

    (void)state;
    finding->assertion = finding->accesses[0].assertion = "exclusive-writer";
    text = print(finding);
    expect_part(text,
                "on 'acct->balance': an assertion of an exclusive writer does not hold [data");
    expect_part(text,
                "thread T1 'teller' asserts that no other thread writes it, holding no lock\n");
    expect_part(text, "note: thread T2 'audit' reads 8 bytes of it, holding no lock\n");
    expect_part(text, "  next: keep the other thread away from it, or correct the assertion\n");

    finding = bare_finding();
    finding->assertion = finding->accesses[1].assertion = "exclusive-access";
    text = print(finding);
    expect_part(text, ": an assertion of exclusive access does not hold [data-race]\n");
    expect_part(text, "note: thread T2 'audit' asserts that no other thread accesses it");
}

/* Both at the column of the first `=` of line 4. */
static struct darn_finding *equal_writes(const char *dir)
{
    struct darn_finding *finding = bank_finding(dir);

    finding->accesses[0].column = 14;
    finding->accesses[1] = finding->accesses[0];
    finding->accesses[1].thread = "T2";
    finding->same_value = true;
    return finding;
}

static void equal_writes_are_marked(void **state)
{
    struct darn_finding *finding;

    write_file(*state, "bank.c", "\n\n\n  done->flag = 120;\n");
    finding = equal_writes(*state);
    expect_part(
        print(finding),
        "  value: both threads write the same value, 120 (it was 100 before, and 110 after)\n");

    finding = equal_writes(*state);
    finding->after.bits = 120;
    expect_part(print(finding),
                "  value: both threads write the same value, 120 (it was 100 before)\n");
}

/* What the value was made from is not known: it may be what both have read. */
static void equal_values_of_variables_are_no_comfort(void **state)
{
    static const char *const lines[] = {
        "\n\n\n  acct->sum = sum;\n",        "\n\n\n  acct->sum = next();\n",
        "\n\n\n  acct->sum =\n   next();\n", "\n\n\n  acct->sum = 1 + sum;\n",
        "\n\n\n  acct->sum = NEXT;\n",       "\n\n\n  acct->sum = facct->sum_;\n"};

    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        struct darn_finding *finding;
        const char *text;

        write_file(*state, "bank.c", lines[i]);
        finding = equal_writes(*state);
        finding->after = finding->before;
        text = print(finding);
        expect_part(text, "  value: 100; T1 is about to write 120, T2 is about to write 120\n");
        expect_no_part(text, "same value");
        expect_no_part(text, "lost");
    }
}

static void values_that_stayed_come_with_what_was_to_be_written(void **state)
{
    struct darn_finding *finding = bank_finding("/nowhere");

    (void)state;
    finding->after = finding->before;
    expect_part(print(finding), "  value: 100; T1 is about to write 120\n");
}

/* before, as printed for a variable of this size */
static void expect_printed(uint64_t bits, uint64_t size, const char *expected)
{
    struct darn_finding *finding = bank_finding("/nowhere");
    char line[128];

    finding->before.bits = bits;
    finding->size = size;
    snprintf(line, sizeof(line), "  value: %s became ", expected);
    expect_part(print(finding), line);
}

static void values_are_written_as_people_know_them(void **state)
{
    (void)state;
    expect_printed(0, 8, "0");
    expect_printed(65535, 4, "65535");
    expect_printed(123456789, 4, "123456789 (0x75bcd15)");
    expect_printed(0xffffffff, 4, "-1 (0xffffffff)");
    expect_printed(0xff, 1, "-1 (0xff)");
    expect_printed(0xfffffffffffffffe, 8, "-2 (0xfffffffffffffffe)");
    expect_printed(0x7f1234567890, 8, "0x7f1234567890");
    expect_printed(0x3ff0000000000000, 8, "0x3ff0000000000000");
}

static void globals_are_named_with_their_declaration(void **state)
{
    struct darn_finding *finding = bare_finding();

    (void)state;
    finding->variable = "config.limit";
    finding->location = (struct darn_location){
        .kind = DARN_LOCATION_GLOBAL,
        .symbol = {.module = "/nowhere/bank",
                   .offset = 0x4050,
                   .name = "config",
                   .name_offset = 16,
                   .file = "config.c",
                   .line = 7},
    };
    expect_part(print(finding), "  variable: 'config.limit' is at byte 16 of the global variable "
                                "'config', declared at config.c:7\n");

    finding = bare_finding();
    finding->variable = "total";
    finding->location = (struct darn_location){
        .kind = DARN_LOCATION_GLOBAL,
        .symbol = {.module = "/nowhere/bank", .offset = 0x4050, .name = "total"},
    };
    expect_part(print(finding), "  variable: 'total' is a global variable\n");

    finding = bare_finding();
    finding->variable = NULL;
    finding->location = (struct darn_location){
        .kind = DARN_LOCATION_GLOBAL,
        .symbol = {.module = "/nowhere/bank", .offset = 0x4050},
    };
    expect_part(print(finding),
                "  variable: 8 bytes at 0x55550008, in the data of /nowhere/bank+0x4050\n");
}

static void stacks_are_named_with_their_thread(void **state)
{
    struct darn_finding *finding = bare_finding();

    (void)state;
    finding->location = (struct darn_location){.kind = DARN_LOCATION_STACK, .thread = "T0"};
    expect_part(print(finding), "  variable: 'acct->balance' is on the stack of main thread T0\n");
}

static void locks_are_named_as_well_as_can_be(void **state)
{
    struct darn_finding *finding = bank_finding("/nowhere");
    struct darn_lock locks[] = {
        {.kind = "mutex", .address = 0x404040, .symbol = {.name = "table", .name_offset = 64}},
        {.kind = "read", .address = 0x66660000},
        {.kind = "spin", .address = 0x55550010},
    };

    (void)state;
    finding->accesses[1].locks = locks;
    finding->accesses[1].lock_count = 3;
    expect_part(print(finding), "holding mutex 'table+64', read lock 0x66660000 and spin lock "
                                "0x55550010 (at byte 16 of the same heap block)\n");
}

static void a_name_that_a_thread_inherited_is_not_its_name(void **state)
{
    struct darn_finding *finding = bank_finding("/nowhere");

    (void)state;
    finding->program = "/nowhere/teller";
    expect_part(print(finding), "  thread T1 writes 8 bytes");
    finding = bare_finding();
    finding->accesses[0].thread = "T0";
    expect_part(print(finding), "  main thread T0 writes 8 bytes");
}

/* What `next` says about two accesses. */
static void expect_advice(struct darn_finding *finding, const char *advice)
{
    char line[256];

    snprintf(line, sizeof(line), "  next: %s\n", advice);
    expect_part(print(finding), line);
}

static void advice_fits_the_locks(void **state)
{
    struct darn_finding *finding = bank_finding("/nowhere");
    struct darn_lock one = {.kind = "read", .address = 1, .symbol = {.name = "rw"}};
    struct darn_lock two = {.kind = "mutex", .address = 2, .symbol = {.name = "m"}};

    (void)state;
    finding->accesses[0].locks = finding->accesses[1].locks = &one;
    finding->accesses[0].lock_count = 1;
    expect_advice(finding, "a read lock does not protect a write: hold read lock 'rw' for writing "
                           "at bank.c:4");
    finding = bank_finding("/nowhere");
    finding->accesses[0].locks = &two;
    finding->accesses[0].lock_count = 1;
    expect_advice(finding, "the two threads hold different locks: hold one and the same at both "
                           "places, or make 'acct->balance' _Atomic");
    finding = bank_finding("/nowhere");
    finding->accesses[1].locks = &one;
    expect_advice(finding,
                  "hold read lock 'rw' at bank.c:4 too, for writing, or make 'acct->balance' "
                  "_Atomic");
    finding = bank_finding("/nowhere");
    finding->accesses[1].locks = &two;
    finding->accesses[1].is_pointer = true;
    expect_advice(finding,
                  "hold mutex 'm' at bank.c:4 too, or make 'acct->balance' _Atomic, set it "
                  "when what it points to is complete, and keep that for as long as it is used");
    /* Who means to do without a lock holds one for something else. */
    finding = bank_finding("/nowhere");
    finding->accesses[1].locks = &two;
    finding->accesses[0].is_volatile = finding->accesses[1].is_volatile = true;
    expect_advice(finding, "volatile does not protect against other threads: make 'acct->balance' "
                           "_Atomic, or put both accesses under one lock");
}

static void advice_fits_the_accesses(void **state)
{
    struct darn_finding *finding = bare_finding();

    (void)state;
    finding->accesses[0].atomic = true;
    expect_advice(finding, "only one of the two accesses is atomic: make the one at bank.c:9 "
                           "atomic too");
    finding = bare_finding();
    finding->accesses[0].is_volatile = true;
    expect_advice(finding, "volatile does not protect against other threads: make 'acct->balance' "
                           "_Atomic, or put both accesses under one lock");
    finding = bare_finding();
    finding->accesses[0].file = "bank.cpp";
    expect_advice(finding, "put both accesses under one lock, or make 'acct->balance' std::atomic");
}

static void again_aims_at_the_variable_or_else_at_the_line(void **state)
{
    struct darn_finding *finding = bare_finding();

    (void)state;
    finding->variable = "total";
    finding->program = "/no where/it's";
    expect_part(print(finding),
                "  again: darn run --noise=var:total:1000/200 -- '/no where/it'\\''s'\n");
    finding = bare_finding();
    finding->variable = NULL;
    expect_part(print(finding), "--noise=site:bank.c:4:1000/200 -- /nowhere/bank\n");
    finding = bare_finding();
    finding->variable = "*p";
    expect_part(print(finding), "--noise=site:bank.c:4:1000/200 -- ");
}

static void sizes_that_differ_are_not_called_the_same(void **state)
{
    struct darn_finding *finding = bare_finding();

    (void)state;
    finding->accesses[1].size = 1;
    expect_part(print(finding), "note: thread T2 'audit' reads 1 byte of it, holding no lock\n");
}

static void names_cannot_command_the_terminal(void **state)
{
    struct darn_finding *finding = bare_finding();
    const char *text;

    (void)state;
    finding->variable = "a\033[2Jb\nc";
    finding->accesses[0].thread_name = "\xc2\x9b\xff";
    text = print(finding);
    expect_part(text, "data race on 'a?[2Jb?c' [data-race]\n");
    expect_part(text, "  thread T1 '?"
                      "?' writes");
    assert_null(strchr(text, '\033'));
}

static void colour_comes_only_when_asked_for(void **state)
{
    struct darn_finding *finding = bank_finding(*state);
    struct darn_style style = {.color = true};
    char *text, *to;

    write_file(*state, "bank.c", BANK_C);
    text = print_finding("text", finding, &style);
    expect_part(text, "\033[0;1;35mwarning: ");
    /* Without its escapes the text is the same. */
    to = text;
    for (char *from = text; *from; from++) {
        if (*from == '\033')
            from = strchr(from, 'm');
        else
            *to++ = *from;
    }
    *to = '\0';
    assert_string_equal(text, print(finding));
    free(text);
}

static void strip_path_prefix_shortens_every_path(void **state)
{
    static const char *const prefixes[] = {"/home/me/", "/home/me", "home/me/"};
    struct darn_finding *finding;
    char *text;

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        struct darn_style style = {.strip_path_prefix = prefixes[i]};

        finding = bank_finding("/nowhere");
        finding->accesses[0].file = "/home/me/src/bank.c";
        finding->accesses[0].stack.frames[0].file = "/home/me/src/bank.c";
        finding->accesses[0].stack.frames[1].file = NULL;
        finding->accesses[0].stack.frames[1].module = "/home/me/bin/bank";
        text = print_finding("text", finding, &style);
        expect_part(text, "\n    #0 deposit        src/bank.c:4:19\n");
        expect_part(text, "(bin/bank+0x1300)\n");
        assert_ptr_equal(strstr(text, "src/bank.c:4:19: warning"), text);
        free(text);
        darn_finding_free(finding);
    }
}

static void a_deep_recursion_is_cut(void **state)
{
    struct darn_finding *finding = bare_finding();
    struct darn_finding_stack *stack = &finding->accesses[0].stack;

    (void)state;
    stack->count = 100;
    stack->frames = darn_pool_get(&finding->pool, 100, sizeof(*stack->frames));
    for (size_t i = 0; i < 100; i++)
        set_frame(stack, i, "down", "bank.c", 7, 0);
    expect_part(print(finding), "    #31 down  bank.c:7\n    ... and 68 more\n");
}

#define WITH_DIR(test) cmocka_unit_test_setup_teardown(test, make_dir, remove_dir)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_DIR(a_race_reads_like_a_diagnostic_of_a_compiler),
        cmocka_unit_test(what_is_unknown_is_left_out),
        cmocka_unit_test(without_symbols_modules_and_offsets_are_shown),
        cmocka_unit_test(a_free_names_the_block),
        cmocka_unit_test(a_race_of_unknown_origin_says_who_was_not_seen),
        cmocka_unit_test(an_assertion_that_fails_is_said_to),
        cmocka_unit_test_setup_teardown(equal_writes_are_marked, make_dir, remove_dir),
        cmocka_unit_test_setup_teardown(equal_values_of_variables_are_no_comfort, make_dir,
                                        remove_dir),
        cmocka_unit_test(values_that_stayed_come_with_what_was_to_be_written),
        cmocka_unit_test(values_are_written_as_people_know_them),
        cmocka_unit_test(globals_are_named_with_their_declaration),
        cmocka_unit_test(stacks_are_named_with_their_thread),
        cmocka_unit_test(locks_are_named_as_well_as_can_be),
        cmocka_unit_test(a_name_that_a_thread_inherited_is_not_its_name),
        cmocka_unit_test(advice_fits_the_locks),
        cmocka_unit_test(advice_fits_the_accesses),
        cmocka_unit_test(again_aims_at_the_variable_or_else_at_the_line),
        cmocka_unit_test(sizes_that_differ_are_not_called_the_same),
        cmocka_unit_test(names_cannot_command_the_terminal),
        WITH_DIR(colour_comes_only_when_asked_for),
        cmocka_unit_test(strip_path_prefix_shortens_every_path),
        cmocka_unit_test(a_deep_recursion_is_cut),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
