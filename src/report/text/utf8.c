#include "report/text/utf8.h"

/* How many bytes a character has that begins with `first`, and the bits of its code in there. 0 for
 * a byte that begins none. */
static size_t begin(unsigned char first, uint32_t *bits)
{
    if (first < 0x80) {
        *bits = first;
        return 1;
    }
    if (first >= 0xc2 && first < 0xe0) {
        *bits = first & 0x1fu;
        return 2;
    }
    if (first >= 0xe0 && first < 0xf0) {
        *bits = first & 0x0fu;
        return 3;
    }
    if (first >= 0xf0 && first < 0xf5) {
        *bits = first & 0x07u;
        return 4;
    }
    return 0;
}

/* Longer than need be, a surrogate, or beyond the last one. */
static bool is_wrong(uint32_t code, size_t length)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};

    return code < least[length] || (code >= 0xd800 && code <= 0xdfff) || code > 0x10ffff;
}

size_t darn_utf8_next(const char *text, const char *end, uint32_t *code)
{
    uint32_t sum = 0;
    size_t length = begin((unsigned char)*text, &sum);

    *code = DARN_UTF8_WRONG;
    if (!length || length > (size_t)(end - text))
        return 1;
    for (size_t i = 1; i < length; i++) {
        unsigned char byte = (unsigned char)text[i];

        if ((byte & 0xc0) != 0x80)
            return 1;
        sum = sum << 6 | (byte & 0x3fu);
    }
    if (is_wrong(sum, length))
        return 1;
    *code = sum;
    return length;
}

bool darn_utf8_is_control(uint32_t code)
{
    return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x200e || code == 0x200f ||
           code == 0x061c || (code >= 0x2028 && code <= 0x202e) ||
           (code >= 0x2066 && code <= 0x2069);
}

void darn_utf8_repair(char *text, size_t length)
{
    const char *end = text + length;

    while (text < end) {
        uint32_t code;
        size_t bytes = darn_utf8_next(text, end, &code);

        if (code == DARN_UTF8_WRONG)
            *text = '?';
        text += bytes;
    }
}
