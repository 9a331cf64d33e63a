/*
 * Theorems 3 and 4 of Wang & Stoller against the definition of atomicity, on random transactions:
 * the engine `blocks` is given one run, one transaction after the other, and must say "not atomic"
 * if and only if some other interleaving is not serializable.
 *
 * What the theorems take for granted, and the programs here have: locks are nested, no trace ends
 * in a deadlock, and each thread has one transaction, concurrent with all others. (With two in a
 * thread, or an order by fork and join, a later write can hide which write was the final one: see
 * a_later_write_of_the_thread_hides_the_final_write.)
 */
#include "engine_fixture.h"

#include "atomicity_bruteforce.h"

#define VAR(i)  (UINT64_C(0x10000) + 8 * (i))
#define LOCK(i) (UINT64_C(0x900000) + 8 * (i))

static struct search search;

/* What the definition says: 0 atomic, 1 not, 2 there is a deadlock. */
static int by_definition(const struct program *program)
{
    static uint8_t visited[(MOST_STEPS + 1) * (MOST_STEPS + 1) * (MOST_STEPS + 1) / 8 + 1];

    memset(&search, 0, sizeof(search));
    memset(visited, 0, sizeof(visited));
    search.program = program;
    if (gets_stuck(&search, visited))
        return 2;
    memset(&search, 0, sizeof(search));
    search.program = program;
    serialize(&search, 0);
    memset(&search.now, 0, sizeof(search.now));
    search.length = 0;
    explore(&search);
    return search.is_broken;
}

static void give_unit(struct trial *trial, const struct unit *unit, uint32_t number)
{
    uint32_t site = 100 * (number + 1);

    give(trial,
         (struct darn_event){.thread = unit->thread, .kind = DARN_EVENT_BEGIN, .site = site});
    for (uint32_t i = 0; i < unit->count; i++) {
        const struct step *step = &unit->steps[i];
        bool is_lock = step->what == 'a' || step->what == 'l';
        struct darn_event event = {
            .thread = unit->thread,
            .site = site + 1 + i,
            .target = is_lock ? LOCK(step->of) : VAR(step->of),
            .size = is_lock ? 0 : 8,
            .kind = step->what == 'r'   ? DARN_EVENT_READ
                    : step->what == 'w' ? DARN_EVENT_WRITE
                    : step->what == 'a' ? DARN_EVENT_ACQUIRE
                                        : DARN_EVENT_RELEASE,
        };

        give(trial, event);
    }
    give(trial, (struct darn_event){.thread = unit->thread, .kind = DARN_EVENT_END, .site = site});
}

/* Cycles of three and more transactions are theorem 5's. */
static bool by_blocks(const struct program *program, bool *deadlock)
{
    struct trial trial = start(&darn_engine_blocks, NULL);
    bool found = false;

    *deadlock = false;
    for (uint32_t i = 0; i < program->unit_count; i++)
        give_unit(&trial, &program->units[i], i);
    finish(&trial);
    for (size_t i = 0; i < trial.count; i++) {
        *deadlock |= trial.predictions[i].kind == DARN_PREDICTS_DEADLOCK;
        found |= trial.predictions[i].kind == DARN_PREDICTS_ATOMICITY &&
                 trial.predictions[i].step_count <= 4;
    }
    stop(&trial);
    return found;
}

struct tally {
    uint32_t atomic, broken, stuck;
};

static void compare(const struct program *program, struct tally *tally)
{
    int truth = by_definition(program);
    bool deadlock, found;
    char text[1024];

    if (truth == 2) {
        tally->stuck++;
        return;
    }
    found = by_blocks(program, &deadlock);
    tally->atomic += !truth;
    tally->broken += truth;
    if (found == (truth == 1))
        return;
    program_print(program, text, sizeof(text));
    fail_msg("%s: %s", found ? "false alarm" : "missed", text);
}

static struct program make_program(uint64_t seed, uint32_t units, uint32_t vars, uint32_t accesses)
{
    struct program program = {.unit_count = units,
                              .var_count = vars,
                              .lock_count = 2,
                              .seed = (seed + 1) * UINT64_C(0x9e3779b97f4a7c15)};

    for (uint32_t i = 0; i < units; i++) {
        program.units[i].thread = i;
        make_unit(&program, &program.units[i], 1 + program_draw(&program, accesses));
    }
    return program;
}

static void theorem_3_is_exact_for_two_transactions(void **state)
{
    struct tally tally = {0, 0, 0};

    (void)state;
    for (uint64_t seed = 0; seed < 20000; seed++) {
        struct program program = make_program(seed, 2, 1, 5);

        compare(&program, &tally);
    }
    assert_true(tally.atomic > 2000 && tally.broken > 2000);
}

/* Whether two of the transactions are not atomic by themselves. */
static bool a_pair_is_broken(const struct program *program)
{
    for (uint32_t i = 0; i < program->unit_count; i++) {
        for (uint32_t j = i + 1; j < program->unit_count; j++) {
            struct program pair = *program;

            pair.units[0] = program->units[i];
            pair.units[1] = program->units[j];
            pair.unit_count = 2;
            if (by_definition(&pair) == 1)
                return true;
        }
    }
    return false;
}

/* Of three transactions none that writes does so blindly, without having read the variable. */
static bool writes_blindly(const struct program *program)
{
    for (uint32_t i = 0; i < program->unit_count; i++) {
        const struct unit *unit = &program->units[i];
        bool has_read = false;

        for (uint32_t j = 0; j < unit->count; j++) {
            has_read |= unit->steps[j].what == 'r';
            if (unit->steps[j].what == 'w' && !has_read)
                return true;
        }
    }
    return false;
}

/*
 * With more than two transactions the fourth pattern (a final write between a read and a write) is
 * unserializable for its two transactions, but a blind write of a third one may let the whole be
 * serializable: r1 w0 w1 after a write of T2 is T0 T2 T1. So the theorem says exactly whether two
 * of the transactions are not atomic. It misses nothing, and without blind writes it is exact for
 * all.
 */
static void theorem_3_misses_nothing_in_three_transactions(void **state)
{
    struct tally tally = {0, 0, 0};
    uint32_t hidden = 0;

    (void)state;
    for (uint64_t seed = 0; seed < 10000; seed++) {
        struct program program = make_program(seed, 3, 1, 3);
        int truth = by_definition(&program);
        bool deadlock, found;
        char text[1024];

        if (truth == 2)
            continue;
        found = by_blocks(&program, &deadlock);
        tally.atomic += !truth;
        tally.broken += truth;
        hidden += found && !truth;
        program_print(&program, text, sizeof(text));
        if (found != a_pair_is_broken(&program) || (truth && !found))
            fail_msg("%s: %s", found ? "false alarm" : "missed", text);
        if (found && !truth && !writes_blindly(&program))
            fail_msg("no blind write: %s", text);
    }
    assert_true(tally.atomic > 500 && tally.broken > 500 && hidden > 10);
}

static void theorem_4_is_exact_for_two_variables(void **state)
{
    struct tally tally = {0, 0, 0};

    (void)state;
    for (uint64_t seed = 0; seed < 20000; seed++) {
        struct program program = make_program(seed, 2, 2, 5);

        compare(&program, &tally);
    }
    assert_true(tally.atomic > 2000 && tally.broken > 2000);
}

static void theorem_4_is_exact_for_three_variables(void **state)
{
    struct tally tally = {0, 0, 0};

    (void)state;
    for (uint64_t seed = 0; seed < 10000; seed++) {
        struct program program = make_program(seed, 2, 3, 5);

        compare(&program, &tally);
    }
    assert_true(tally.atomic > 500 && tally.broken > 500);
}

/* The predictions that are looked for among the traces, and which of them were there. */
static const struct trial *looked_for;
static bool was_there[256];

/* Whether the steps of a prediction come in their order. A site names unit and step. */
static bool has_steps(const struct search *one, const struct darn_prediction *prediction)
{
    uint32_t at = 0;

    for (uint32_t i = 0; i < prediction->step_count; i++) {
        uint32_t site = prediction->steps[i].event.site;
        uint32_t step = (site / 100 - 1) * MOST_STEPS + site % 100 - 1;

        while (at < one->length && one->order[at] != step)
            at++;
        if (at++ >= one->length)
            return false;
    }
    return true;
}

static void on_witness(struct search *one)
{
    for (size_t i = 0; i < looked_for->count; i++)
        was_there[i] = was_there[i] || has_steps(one, &looked_for->predictions[i]);
}

/* Not only is something wrong: each order of accesses that is reported can happen, in a trace that
 * is not serializable. */
static void every_report_names_an_order_that_can_happen(void **state)
{
    uint32_t checked = 0;

    (void)state;
    for (uint64_t seed = 0; seed < 6000; seed++) {
        struct program program = make_program(seed + 7777777, 2, 1 + seed % 3, 4);
        struct trial trial;
        char text[1024];

        if (by_definition(&program) != 1)
            continue;
        trial = start(&darn_engine_blocks, NULL);
        for (uint32_t i = 0; i < 2; i++)
            give_unit(&trial, &program.units[i], i);
        finish(&trial);
        assert_true(trial.count <= sizeof(was_there));
        looked_for = &trial;
        memset(was_there, 0, sizeof(was_there));
        memset(&search, 0, sizeof(search));
        search.program = &program;
        serialize(&search, 0);
        memset(&search.now, 0, sizeof(search.now));
        search.length = 0;
        search.witness = on_witness;
        explore(&search);
        program_print(&program, text, sizeof(text));
        for (size_t i = 0; i < trial.count; i++, checked++) {
            if (trial.predictions[i].kind == DARN_PREDICTS_ATOMICITY && !was_there[i])
                fail_msg("prediction %zu (sites %u %u %u) cannot happen: %s", i,
                         trial.predictions[i].steps[0].event.site,
                         trial.predictions[i].steps[1].event.site,
                         trial.predictions[i].steps[2].event.site, text);
        }
        stop(&trial);
    }
    assert_true(checked > 5000);
}

/* Three transactions over three variables of which no two alone show anything: a cycle that is
 * reported is one, and few are missed (those that need two transactions to be interrupted, and some
 * with locks). */
static void cycles_are_never_false_and_hardly_missed(void **state)
{
    uint32_t found = 0, missed = 0;

    (void)state;
    for (uint64_t seed = 0; seed < 20000; seed++) {
        struct program program = make_program(seed + 31337, 3, 3, 2);
        int truth = by_definition(&program);
        struct trial trial;
        bool pair = false;
        char text[1024];

        if (truth == 2)
            continue;
        trial = start(&darn_engine_blocks, NULL);
        for (uint32_t i = 0; i < 3; i++)
            give_unit(&trial, &program.units[i], i);
        finish(&trial);
        for (size_t i = 0; i < trial.count; i++)
            pair |= trial.predictions[i].kind == DARN_PREDICTS_ATOMICITY &&
                    trial.predictions[i].step_count <= 4;
        program_print(&program, text, sizeof(text));
        if (!pair && trial.count && !truth)
            fail_msg("no cycle: %s", text);
        found += !pair && trial.count;
        missed += !trial.count && truth;
        stop(&trial);
    }
    assert_true(found > 100 && missed * 20 < found);
}

static struct unit unit_of(uint32_t thread, const char *text)
{
    struct unit unit = {.thread = thread};

    for (; *text; text += 2)
        unit.steps[unit.count++] = (struct step){text[0], (uint8_t)(text[1] - '0')};
    return unit;
}

/* Where the theorem is not exact: T0 reads and writes x, and then writes it once more in another
 * transaction. The write of T1 between the first two is no harm, since the last one hides which of
 * the two came later: R0 W1 W0 W0' is T0 T1 T0'. The paper's proof leaves this to "details related
 * to final writes". */
static void a_later_write_of_the_thread_hides_the_final_write(void **state)
{
    struct program program = {.unit_count = 3,
                              .var_count = 1,
                              .lock_count = 1,
                              .units = {unit_of(0, "r0w0"), unit_of(0, "w0"), unit_of(1, "w0")}};
    bool deadlock;

    (void)state;
    assert_int_equal(by_definition(&program), 0);
    assert_true(by_blocks(&program, &deadlock));
}

/* Several transactions of one thread: nothing that two of different threads can do is missed. */
static void several_transactions_of_a_thread_are_each_compared(void **state)
{
    uint32_t found = 0, count = 0;

    (void)state;
    for (uint64_t seed = 0; seed < 5000; seed++) {
        struct program program = make_program(seed + 999, 3, 2, 3), pair = program;
        bool expected = false, deadlock, is;
        char text[1024];

        program.units[1].thread = 0;
        for (uint32_t i = 0; i < 2; i++) {
            int truth;

            pair.units[0] = program.units[i];
            pair.units[1] = program.units[2];
            pair.unit_count = 2;
            truth = by_definition(&pair);
            if (truth == 2)
                break;
            expected |= truth;
            count += i;
        }
        if (by_definition(&program) == 2)
            continue;
        is = by_blocks(&program, &deadlock);
        program_print(&program, text, sizeof(text));
        if (is != expected)
            fail_msg("%s: %s", is ? "false alarm" : "missed", text);
        found += is;
    }
    assert_true(found > 500 && count > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(theorem_3_is_exact_for_two_transactions),
        cmocka_unit_test(theorem_3_misses_nothing_in_three_transactions),
        cmocka_unit_test(theorem_4_is_exact_for_two_variables),
        cmocka_unit_test(theorem_4_is_exact_for_three_variables),
        cmocka_unit_test(every_report_names_an_order_that_can_happen),
        cmocka_unit_test(cycles_are_never_false_and_hardly_missed),
        cmocka_unit_test(a_later_write_of_the_thread_hides_the_final_write),
        cmocka_unit_test(several_transactions_of_a_thread_are_each_compared),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
