/*
 * Reading numbers from a piece of text, without libc: it lives in the program under test as well.
 */
#ifndef DARN_BASE_NUMBER_H
#define DARN_BASE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline int darn_digit_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return 16;
}

/* Decimal, or hexadecimal after 0x. False when the text is not such a number from first to last
 * character, or when it does not fit. */
static inline bool darn_number_parse(const char *text, size_t length, uint64_t *number)
{
    unsigned base = 10;
    uint64_t sum = 0;

    if (length > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
        base = 16;
        text += 2;
        length -= 2;
    }
    if (!length)
        return false;
    for (size_t i = 0; i < length; i++) {
        unsigned digit = (unsigned)darn_digit_value(text[i]);

        if (digit >= base || __builtin_mul_overflow(sum, base, &sum) ||
            __builtin_add_overflow(sum, digit, &sum))
            return false;
    }
    *number = sum;
    return true;
}

#endif
