/*
 * Appending to a text of bounded size.
 *
 * Lives in the program under test as well: no allocation, no stdio, no locale. A text that is too
 * long is cut and says so (`cut`); it always ends with a NUL. A tool may say how its text gets more
 * room (`grow`).
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
    /* Makes `size` at least `need`, and more if it likes; NULL: the room is all there is. */
    void (*grow)(struct darn_text *text, size_t need);
};

static inline void darn_text_start(struct darn_text *text, char *to, size_t size)
{
    *text = (struct darn_text){.to = to, .size = size};
    if (size)
        to[0] = '\0';
}

/* Room for `more` bytes, and the NUL behind them. False: the text is cut. */
static inline bool darn_text_reserve(struct darn_text *text, size_t more)
{
    size_t need = text->used + more + 1;

    if (need > text->size && text->grow)
        text->grow(text, need);
    if (need > text->size)
        text->cut = true;
    return need <= text->size;
}

static inline void darn_text_char(struct darn_text *text, char c)
{
    if (!darn_text_reserve(text, 1))
        return;
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

/* Without leading zeros. */
static inline void darn_text_hex(struct darn_text *text, uint64_t number)
{
    int shift = 60;

    while (shift && !(number >> shift))
        shift -= 4;
    for (; shift >= 0; shift -= 4)
        darn_text_char(text, "0123456789abcdef"[number >> shift & 15]);
}

#endif
