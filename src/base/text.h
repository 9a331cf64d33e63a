/*
 * Appending to a text of bounded size.
 *
 * Lives in the program under test as well: no allocation, no stdio, no locale. A text that is too
 * long is cut and says so (`cut`); it always ends with a NUL.
 */
#ifndef DARN_BASE_TEXT_H
#define DARN_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct darn_text {
    char *to;
    size_t size; /* of `to`, with the NUL */
    size_t used; /* without the NUL */
    bool cut;
};

static inline void darn_text_start(struct darn_text *text, char *to, size_t size)
{
    *text = (struct darn_text){to, size, 0, false};
    if (size)
        to[0] = '\0';
}

static inline void darn_text_char(struct darn_text *text, char c)
{
    if (text->used + 1 >= text->size) {
        text->cut = true;
        return;
    }
    text->to[text->used++] = c;
    text->to[text->used] = '\0';
}

static inline void darn_text_part(struct darn_text *text, const char *from, size_t length)
{
    for (size_t i = 0; i < length; i++)
        darn_text_char(text, from[i]);
}

static inline void darn_text_add(struct darn_text *text, const char *from)
{
    while (*from)
        darn_text_char(text, *from++);
}

static inline void darn_text_number(struct darn_text *text, uint64_t number)
{
    char digits[20]; /* 2^64 has 20 */
    size_t count = 0;

    do {
        digits[count++] = (char)('0' + number % 10);
        number /= 10;
    } while (number);
    while (count)
        darn_text_char(text, digits[--count]);
}

#endif
