/*
 * Call frame information (.eh_frame), as far as it takes to go from a function to its caller on
 * x86-64: where the caller's frame, its rbp and the return address are. Pure: bytes come in, a row
 * goes out. Other registers are not followed. Code that is called from elsewhere finds its frame by
 * rsp or rbp, except for hand-written assembly, and there the walk goes on by frame pointers.
 */
#ifndef DARN_RUNTIME_CFI_H
#define DARN_RUNTIME_CFI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* DWARF's numbers of registers (System V ABI, AMD64 supplement, figure 3.36). */
enum { DARN_CFI_RBP = 6, DARN_CFI_RSP = 7, DARN_CFI_RIP = 16 };

/* One entry of the section. The bytes may be a copy, `address` is where they come from. */
struct darn_cfi_entry {
    const uint8_t *bytes;
    size_t size;
    uintptr_t address;
};

enum darn_cfi_kind {
    DARN_CFI_SAME,      /* the register has the caller's value */
    DARN_CFI_UNDEFINED, /* nobody knows; of a return address: there is no caller */
    DARN_CFI_AT,        /* it is saved at CFA + offset */
    DARN_CFI_OTHER,     /* an expression, another register */
};

struct darn_cfi_rule {
    enum darn_cfi_kind kind;
    int64_t offset;
};

/* How to find the caller of one place in the code. The CFA (canonical frame address) is the stack
 * pointer of the caller after the return. */
struct darn_cfi_row {
    unsigned cfa_register;
    int64_t cfa_offset;
    const uint8_t *expression; /* of the CFA, instead of the two; NULL: there is none */
    size_t expression_size;
    struct darn_cfi_rule rbp, rip;
    bool is_signal; /* the kernel has called it: everything is in a ucontext_t at rsp */
};

/* How many bytes an entry has in all, from its first four bytes; 0: it is none that we know. */
size_t darn_cfi_size(uint32_t length);

/* The row of `pc` in the function that `fde` is about. False when it is about another one, or says
 * something that is not known here. */
bool darn_cfi_row(struct darn_cfi_row *row, const struct darn_cfi_entry *cie,
                  const struct darn_cfi_entry *fde, uintptr_t pc);

/* What an expression of the CFA comes to: that of a linkage table, and that of functions that align
 * their stack. `read` fetches a word of the stack. */
struct darn_cfi_registers {
    uintptr_t rip, rsp, rbp;
};
bool darn_cfi_evaluate(const uint8_t *expression, size_t size,
                       const struct darn_cfi_registers *registers,
                       bool (*read)(const void *reader, uintptr_t at, uintptr_t *word),
                       const void *reader, uintptr_t *result);

#endif
