/* Call frame information: rows from bytes that were made up, and ways in packed form. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "runtime/thread/cfi.h"
#include "runtime/thread/unwind.h"

#define START 0x401000u

/* Version 1, "zR", factors 1 and -8, rip is 16; pointers of 8 bytes; CFA = rsp + 8, rip at CFA - 8.
 */
static const uint8_t cie_bytes[] = {19, 0,    0,  0, 0,    0,    0, 0, 1,    'z', 'R', 0,
                                    1,  0x78, 16, 1, 0x00, 0x0c, 7, 8, 0x90, 1,   0};

/* push %rbp; mov %rsp, %rbp; ...; pop %rbp; ret: each instruction has a row. */
static const uint8_t fde_bytes[] = {
    32,   0,    0,    0,    0, 0, 0, 0, /* length, CIE */
    0x00, 0x10, 0x40, 0,    0, 0, 0, 0, /* 0x401000 */
    0x20, 0,    0,    0,    0, 0, 0, 0, /* 32 bytes of code */
    0,                                  /* augmentation */
    0x41, 0x0e, 16,   0x86, 2,          /* 1: CFA = rsp + 16, rbp at CFA - 16 */
    0x43, 0x0d, 6,                      /* 4: CFA = rbp + 16 */
    0x5a, 0x0c, 7,    8,                /* 30: CFA = rsp + 8 */
};

static bool find_row(struct darn_cfi_row *row, size_t cie_size, size_t fde_size, uintptr_t pc)
{
    struct darn_cfi_entry cie = {cie_bytes, cie_size, (uintptr_t)cie_bytes};
    struct darn_cfi_entry fde = {fde_bytes, fde_size, (uintptr_t)fde_bytes};

    return darn_cfi_row(row, &cie, &fde, pc);
}

static void expect_row(uintptr_t pc, unsigned reg, int64_t offset, enum darn_cfi_kind rbp)
{
    struct darn_cfi_row row;

    assert_true(find_row(&row, sizeof(cie_bytes), sizeof(fde_bytes), pc));
    assert_int_equal(row.cfa_register, reg);
    assert_int_equal(row.cfa_offset, offset);
    assert_null(row.expression);
    assert_int_equal(row.rbp.kind, rbp);
    assert_int_equal(row.rip.kind, DARN_CFI_AT);
    assert_int_equal(row.rip.offset, -8);
    assert_false(row.is_signal);
}

static void each_instruction_has_the_row_that_holds_before_it(void **state)
{
    (void)state;
    expect_row(START, DARN_CFI_RSP, 8, DARN_CFI_SAME);
    expect_row(START + 1, DARN_CFI_RSP, 16, DARN_CFI_AT);
    expect_row(START + 3, DARN_CFI_RSP, 16, DARN_CFI_AT);
    expect_row(START + 4, DARN_CFI_RBP, 16, DARN_CFI_AT);
    expect_row(START + 29, DARN_CFI_RBP, 16, DARN_CFI_AT);
    expect_row(START + 30, DARN_CFI_RSP, 8, DARN_CFI_AT);
}

static void code_of_another_function_has_no_row(void **state)
{
    struct darn_cfi_row row;

    (void)state;
    assert_false(find_row(&row, sizeof(cie_bytes), sizeof(fde_bytes), START - 1));
    assert_false(find_row(&row, sizeof(cie_bytes), sizeof(fde_bytes), START + 32));
}

/* In blocks of exactly that size, so that a sanitizer sees who reads beyond. */
static void entries_that_are_cut_short_are_not_read_beyond(void **state)
{
    struct darn_cfi_row row;

    (void)state;
    for (size_t i = 0; i <= sizeof(cie_bytes); i++) {
        for (size_t j = 0; j <= sizeof(fde_bytes); j++) {
            uint8_t *cie = malloc(i + 1), *fde = malloc(j + 1);
            struct darn_cfi_entry first = {cie, i, START}, second = {fde, j, START};

            memcpy(cie, cie_bytes, i);
            memcpy(fde, fde_bytes, j);
            darn_cfi_row(&row, &first, &second, START + 31);
            free(cie);
            free(fde);
        }
    }
    assert_false(find_row(&row, 12, sizeof(fde_bytes), START));
    assert_false(find_row(&row, sizeof(cie_bytes), 20, START));
}

static bool read_none(const void *reader, uintptr_t at, uintptr_t *word)
{
    (void)reader;
    *word = at == 0x7000 ? 0x7100 : 0;
    return at == 0x7000;
}

/* A linkage table pushes a word from the twelfth byte of an entry on (binutils writes this). */
static void the_expressions_of_linkers_and_compilers_are_understood(void **state)
{
    static const uint8_t linkage[] = {0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22};
    static const uint8_t aligned[] = {0x76, 0x78, 0x06}; /* the word below rbp */
    static const uint8_t unknown[] = {0x03};
    struct darn_cfi_registers registers = {0x401020, 0x7000, 0x7008};
    uintptr_t cfa;

    (void)state;
    assert_true(darn_cfi_evaluate(linkage, sizeof(linkage), &registers, read_none, NULL, &cfa));
    assert_int_equal(cfa, 0x7008);
    registers.rip += 11;
    assert_true(darn_cfi_evaluate(linkage, sizeof(linkage), &registers, read_none, NULL, &cfa));
    assert_int_equal(cfa, 0x7010);
    assert_true(darn_cfi_evaluate(aligned, sizeof(aligned), &registers, read_none, NULL, &cfa));
    assert_int_equal(cfa, 0x7100);
    registers.rbp += 8;
    assert_false(darn_cfi_evaluate(aligned, sizeof(aligned), &registers, read_none, NULL, &cfa));
    assert_false(darn_cfi_evaluate(unknown, sizeof(unknown), &registers, read_none, NULL, &cfa));
    assert_false(darn_cfi_evaluate(linkage, 5, &registers, read_none, NULL, &cfa));
}

static void a_way_is_the_same_after_it_was_packed(void **state)
{
    static const struct darn_way ways[] = {{DARN_WAY_WORDS, true, 2, 2},
                                           {DARN_WAY_WORDS, false, (1 << 18) - 1, 255},
                                           {DARN_WAY_WORDS, false, 1, 0},
                                           {.kind = DARN_WAY_FRAME},
                                           {.kind = DARN_WAY_END}};

    (void)state;
    for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
        struct darn_way way = darn_way_unpack(darn_way_pack(&ways[i]));

        assert_int_equal(way.kind, ways[i].kind);
        assert_int_equal(way.by_rbp, ways[i].by_rbp);
        assert_int_equal(way.words, ways[i].words);
        assert_int_equal(way.rbp_at, ways[i].rbp_at);
    }
}

static void what_does_not_fit_is_looked_up_again(void **state)
{
    struct darn_cfi_row row = {.cfa_register = DARN_CFI_RSP,
                               .cfa_offset = 64,
                               .rbp = {DARN_CFI_AT, -16},
                               .rip = {DARN_CFI_AT, -8}};
    struct darn_way way = darn_way_of(&row);

    (void)state;
    assert_int_equal(way.kind, DARN_WAY_WORDS);
    assert_int_equal(way.words, 8);
    assert_int_equal(way.rbp_at, 2);
    row.rbp.offset = -72; /* below the stack pointer */
    assert_int_equal(darn_way_of(&row).kind, DARN_WAY_LOOKUP);
    row.rbp.offset = -16;
    row.cfa_register = 10;
    assert_int_equal(darn_way_of(&row).kind, DARN_WAY_LOOKUP);
    row.cfa_register = DARN_CFI_RSP;
    row.is_signal = true;
    assert_int_equal(darn_way_of(&row).kind, DARN_WAY_LOOKUP);
    row.rip.kind = DARN_CFI_UNDEFINED; /* the first function of a thread */
    assert_int_equal(darn_way_of(&row).kind, DARN_WAY_END);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_instruction_has_the_row_that_holds_before_it),
        cmocka_unit_test(code_of_another_function_has_no_row),
        cmocka_unit_test(entries_that_are_cut_short_are_not_read_beyond),
        cmocka_unit_test(the_expressions_of_linkers_and_compilers_are_understood),
        cmocka_unit_test(a_way_is_the_same_after_it_was_packed),
        cmocka_unit_test(what_does_not_fit_is_looked_up_again),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
