#include "runtime/thread/cfi.h"

#include <string.h>

/* The pointer encodings of .eh_frame (LSB Core, 10.5): a size, and what it is relative to. */
#define ENCODED_NOTHING 0xff
#define ENCODED_SIZE    0x0f
#define ENCODED_SIGNED  0x08
#define ENCODED_BASE    0x70
#define ENCODED_FROM_PC 0x10

/* Whoever reads beyond `end` gets zeros, and `is_bad` says so. */
struct bytes {
    const uint8_t *at, *end;
    uintptr_t distance; /* from the copy to where the bytes come from */
    bool is_bad;
};

static void take(struct bytes *from, void *to, size_t size)
{
    if ((size_t)(from->end - from->at) < size) {
        from->is_bad = true;
        from->at = from->end;
        memset(to, 0, size);
        return;
    }
    memcpy(to, from->at, size);
    from->at += size;
}

static void skip(struct bytes *from, uint64_t size)
{
    from->is_bad |= size > (uint64_t)(from->end - from->at);
    from->at = from->is_bad ? from->end : from->at + size;
}

static uint64_t take_fixed(struct bytes *from, size_t size, bool is_signed)
{
    uint64_t value = 0;

    take(from, &value, size);
    if (is_signed && size < 8 && value >> (size * 8 - 1))
        value |= ~UINT64_C(0) << (size * 8);
    return value;
}

/* LEB128: seven bits a byte, the lowest first. */
static uint64_t take_packed(struct bytes *from, bool is_signed)
{
    uint64_t value = 0;
    unsigned shift = 0;
    uint8_t byte;

    do {
        byte = (uint8_t)take_fixed(from, 1, false);
        if (shift < 64)
            value |= (uint64_t)(byte & 0x7f) << shift;
        shift += 7;
    } while (byte & 0x80);
    if (is_signed && byte & 0x40 && shift < 64)
        value |= ~UINT64_C(0) << shift;
    return value;
}

static uint64_t take_unsigned(struct bytes *from)
{
    return take_packed(from, false);
}

static int64_t take_signed(struct bytes *from)
{
    return (int64_t)take_packed(from, true);
}

/* `based`: with what it is relative to; the length of a function has the size of a pointer only. */
static uintptr_t take_pointer(struct bytes *from, uint8_t encoding, bool based)
{
    static const uint8_t sizes[] = {8, 0, 2, 4, 8, 0, 0, 0}; /* LEB128 is in no .eh_frame */
    uintptr_t here = (uintptr_t)from->at + from->distance, value;
    size_t size = sizes[encoding & ENCODED_SIZE & ~ENCODED_SIGNED];

    if (!size || (encoding & ENCODED_BASE & ~ENCODED_FROM_PC)) {
        from->is_bad = true;
        return 0;
    }
    value = take_fixed(from, size, based && encoding & ENCODED_SIGNED);
    return value + (based && encoding & ENCODED_FROM_PC ? here : 0);
}

size_t darn_cfi_size(uint32_t length)
{
    return length && length < UINT32_C(0x100000) ? length + sizeof(length) : 0;
}

/* What all functions of a CIE have in common. */
struct common {
    uint64_t code_factor;
    int64_t data_factor;
    uint8_t encoding; /* of the pointers in an FDE */
    bool has_augmentation, is_signal;
    struct bytes initial; /* instructions */
};

static bool read_augmentation(struct common *common, struct bytes *from, const char *text)
{
    uint8_t encoding;
    uint64_t size;

    common->encoding = 0;
    if (*text != 'z')
        return !*text;
    common->has_augmentation = true;
    size = take_unsigned(from);
    common->initial = *from;
    skip(&common->initial, size);
    for (text++; *text && !from->is_bad; text++) {
        encoding = *text == 'R' || *text == 'P' || *text == 'L'
                       ? (uint8_t)take_fixed(from, 1, false)
                       : ENCODED_NOTHING;
        if (*text == 'R')
            common->encoding = encoding;
        else if (*text == 'P')
            take_pointer(from, encoding, false);
        else if (*text == 'S')
            common->is_signal = true;
        else if (*text != 'L')
            return false; /* from here on nobody knows what the bytes mean */
    }
    return true;
}

static bool read_common(struct common *common, const struct darn_cfi_entry *cie)
{
    struct bytes from = {cie->bytes, cie->bytes + cie->size, cie->address - (uintptr_t)cie->bytes,
                         false};
    const char *text;
    uint8_t version;

    *common = (struct common){0};
    skip(&from, 8); /* its length, and that it is a CIE */
    version = (uint8_t)take_fixed(&from, 1, false);
    text = (const char *)from.at;
    if (version != 1 && version != 3)
        return false;
    while (take_fixed(&from, 1, false)) {
    }
    common->code_factor = take_unsigned(&from);
    common->data_factor = take_signed(&from);
    if ((version == 1 ? take_fixed(&from, 1, false) : take_unsigned(&from)) != DARN_CFI_RIP ||
        from.is_bad)
        return false;
    common->initial = from;
    return read_augmentation(common, &from, text) && !common->initial.is_bad;
}

/* ---- the instructions: a table of rows, packed as the differences between them ---- */

#define MOST_KEPT 4 /* by DW_CFA_remember_state */

struct machine {
    struct darn_cfi_row row, initial, kept[MOST_KEPT];
    unsigned kept_count;
    const struct common *common;
    uintptr_t at, until; /* the first byte that the row is about, and the one that is asked for */
    bool is_done;
};

static void advance(struct machine *machine, uint64_t by)
{
    machine->at += by * machine->common->code_factor;
    machine->is_done = machine->at > machine->until;
}

static void set_rule(struct machine *machine, uint64_t reg, enum darn_cfi_kind kind, int64_t offset)
{
    struct darn_cfi_rule rule = {kind, offset};

    if (reg == DARN_CFI_RBP)
        machine->row.rbp = rule;
    else if (reg == DARN_CFI_RIP)
        machine->row.rip = rule;
}

static void set_saved(struct machine *machine, uint64_t reg, int64_t factored)
{
    set_rule(machine, reg, DARN_CFI_AT, factored * machine->common->data_factor);
}

static void restore(struct machine *machine, uint64_t reg)
{
    if (reg == DARN_CFI_RBP)
        machine->row.rbp = machine->initial.rbp;
    else if (reg == DARN_CFI_RIP)
        machine->row.rip = machine->initial.rip;
}

static void set_cfa(struct machine *machine, uint64_t reg, int64_t offset)
{
    machine->row.cfa_register = (unsigned)reg;
    machine->row.cfa_offset = offset;
    machine->row.expression = NULL;
}

static void set_expression(struct machine *machine, struct bytes *from)
{
    uint64_t size = take_unsigned(from);

    machine->row.expression = from->at;
    machine->row.expression_size = size;
    skip(from, size);
}

static bool keep(struct machine *machine, bool back)
{
    if (back ? !machine->kept_count : machine->kept_count == MOST_KEPT)
        return false;
    if (back)
        machine->row = machine->kept[--machine->kept_count];
    else
        machine->kept[machine->kept_count++] = machine->row;
    return true;
}

/* Those about the CFA and about where the rows begin. False: it is none of them. */
static bool run_frame(struct machine *machine, struct bytes *from, uint8_t code)
{
    uint64_t reg;

    switch (code) {
    case 0x01: /* DW_CFA_set_loc */
        machine->at = take_pointer(from, machine->common->encoding, true);
        machine->is_done = machine->at > machine->until;
        return true;
    case 0x02: /* DW_CFA_advance_loc1, 2, 4 */
    case 0x03:
    case 0x04:
        advance(machine, take_fixed(from, (size_t)1 << (code - 2), false));
        return true;
    case 0x0c: /* DW_CFA_def_cfa */
        reg = take_unsigned(from);
        set_cfa(machine, reg, (int64_t)take_unsigned(from));
        return true;
    case 0x0d: /* DW_CFA_def_cfa_register */
        set_cfa(machine, take_unsigned(from), machine->row.cfa_offset);
        return true;
    case 0x0e: /* DW_CFA_def_cfa_offset */
        set_cfa(machine, machine->row.cfa_register, (int64_t)take_unsigned(from));
        return true;
    case 0x0f: /* DW_CFA_def_cfa_expression */
        set_expression(machine, from);
        return true;
    case 0x12: /* DW_CFA_def_cfa_sf */
        reg = take_unsigned(from);
        set_cfa(machine, reg, take_signed(from) * machine->common->data_factor);
        return true;
    case 0x13: /* DW_CFA_def_cfa_offset_sf */
        set_cfa(machine, machine->row.cfa_register,
                take_signed(from) * machine->common->data_factor);
        return true;
    default:
        return false;
    }
}

/* Those about registers. False: it is not known. */
static bool run_register(struct machine *machine, struct bytes *from, uint8_t code)
{
    uint64_t reg;

    switch (code) {
    case 0x00: /* DW_CFA_nop */
        return true;
    case 0x0a: /* DW_CFA_remember_state, DW_CFA_restore_state */
    case 0x0b:
        return keep(machine, code == 0x0b);
    case 0x2e: /* DW_CFA_GNU_args_size */
        take_unsigned(from);
        return true;
    default:
        break;
    }
    reg = take_unsigned(from);
    switch (code) {
    case 0x05: /* DW_CFA_offset_extended */
        set_saved(machine, reg, (int64_t)take_unsigned(from));
        return true;
    case 0x06: /* DW_CFA_restore_extended */
        restore(machine, reg);
        return true;
    case 0x07: /* DW_CFA_undefined */
        set_rule(machine, reg, DARN_CFI_UNDEFINED, 0);
        return true;
    case 0x08: /* DW_CFA_same_value */
        set_rule(machine, reg, DARN_CFI_SAME, 0);
        return true;
    case 0x11: /* DW_CFA_offset_extended_sf */
        set_saved(machine, reg, take_signed(from));
        return true;
    case 0x09: /* DW_CFA_register, DW_CFA_val_offset: it is said, but not where in memory */
    case 0x14:
    case 0x15:
        take_unsigned(from);
        set_rule(machine, reg, DARN_CFI_OTHER, 0);
        return true;
    case 0x10: /* DW_CFA_expression, DW_CFA_val_expression */
    case 0x16:
        skip(from, take_unsigned(from));
        set_rule(machine, reg, DARN_CFI_OTHER, 0);
        return true;
    default:
        return false;
    }
}

static bool run(struct machine *machine, struct bytes from)
{
    while (from.at < from.end && !machine->is_done && !from.is_bad) {
        uint8_t code = (uint8_t)take_fixed(&from, 1, false), low = code & 0x3f;

        switch (code >> 6) {
        case 1: /* DW_CFA_advance_loc */
            advance(machine, low);
            break;
        case 2: /* DW_CFA_offset */
            set_saved(machine, low, (int64_t)take_unsigned(&from));
            break;
        case 3: /* DW_CFA_restore */
            restore(machine, low);
            break;
        default:
            if (!run_frame(machine, &from, code) && !run_register(machine, &from, code))
                return false;
        }
    }
    return !from.is_bad;
}

bool darn_cfi_row(struct darn_cfi_row *row, const struct darn_cfi_entry *cie,
                  const struct darn_cfi_entry *fde, uintptr_t pc)
{
    struct bytes from = {fde->bytes, fde->bytes + fde->size, fde->address - (uintptr_t)fde->bytes,
                         false};
    struct common common;
    struct machine machine = {.common = &common, .until = pc};
    uintptr_t size;

    if (!read_common(&common, cie))
        return false;
    skip(&from, 8); /* its length, and which CIE is its */
    machine.at = take_pointer(&from, common.encoding, true);
    size = take_pointer(&from, common.encoding, false);
    if (common.has_augmentation)
        skip(&from, take_unsigned(&from));
    if (from.is_bad || pc < machine.at || pc - machine.at >= size || !run(&machine, common.initial))
        return false;
    machine.initial = machine.row;
    if (!run(&machine, from))
        return false;
    *row = machine.row;
    row->is_signal = common.is_signal;
    return true;
}

/* ---- expressions ---- */

#define MOST_WORDS 8

struct evaluation {
    uintptr_t words[MOST_WORDS];
    unsigned count;
};

static bool push(struct evaluation *on, uintptr_t word)
{
    if (on->count == MOST_WORDS)
        return false;
    on->words[on->count++] = word;
    return true;
}

static bool push_register(struct evaluation *on, const struct darn_cfi_registers *registers,
                          unsigned reg, int64_t offset)
{
    switch (reg) {
    case DARN_CFI_RBP:
        return push(on, registers->rbp + (uintptr_t)offset);
    case DARN_CFI_RSP:
        return push(on, registers->rsp + (uintptr_t)offset);
    case DARN_CFI_RIP:
        return push(on, registers->rip + (uintptr_t)offset);
    default:
        return false;
    }
}

/* Two words become one. */
static bool combine(struct evaluation *on, uint8_t code)
{
    uintptr_t *a, b;

    if (on->count < 2)
        return false;
    b = on->words[--on->count];
    a = &on->words[on->count - 1];
    switch (code) {
    case 0x1a: /* DW_OP_and */
        *a &= b;
        return true;
    case 0x1c: /* DW_OP_minus */
        *a -= b;
        return true;
    case 0x22: /* DW_OP_plus */
        *a += b;
        return true;
    case 0x24: /* DW_OP_shl */
        *a = b < 64 ? *a << b : 0;
        return true;
    case 0x2a: /* DW_OP_ge */
        *a = (intptr_t)*a >= (intptr_t)b;
        return true;
    default:
        return false;
    }
}

bool darn_cfi_evaluate(const uint8_t *expression, size_t size,
                       const struct darn_cfi_registers *registers,
                       bool (*read)(const void *reader, uintptr_t at, uintptr_t *word),
                       const void *reader, uintptr_t *result)
{
    struct bytes from = {expression, expression + size, 0, false};
    struct evaluation on = {.count = 0};
    bool is_good = true;

    while (from.at < from.end && is_good) {
        uint8_t code = (uint8_t)take_fixed(&from, 1, false);

        if (code >= 0x30 && code < 0x50) /* DW_OP_lit0 to 31 */
            is_good = push(&on, code - 0x30);
        else if (code >= 0x70 && code < 0x90) /* DW_OP_breg0 to 31 */
            is_good = push_register(&on, registers, code - 0x70, take_signed(&from));
        else if (code == 0x06) /* DW_OP_deref */
            is_good = on.count && read(reader, on.words[on.count - 1], &on.words[on.count - 1]);
        else if (code == 0x23 && on.count) /* DW_OP_plus_uconst */
            on.words[on.count - 1] += take_unsigned(&from);
        else
            is_good = combine(&on, code);
    }
    if (!is_good || from.is_bad || on.count != 1)
        return false;
    *result = on.words[0];
    return true;
}
