#include "trace/profile.h"

#include <stdbool.h>

#include "base/number.h"

/* A piece of the text. */
struct piece {
    const char *at, *end;
};

static struct piece line_at(const char *text, size_t length, size_t at, size_t *next)
{
    struct piece line = {text + at, text + at};

    while (line.end < text + length && *line.end != '\n')
        line.end++;
    *next = (size_t)(line.end - text) + (line.end < text + length);
    if (line.end > line.at && line.end[-1] == '\r')
        line.end--;
    return line;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static struct piece take_word(struct piece *line)
{
    struct piece word;

    while (line->at < line->end && is_blank(*line->at))
        line->at++;
    word = *line;
    while (line->at < line->end && !is_blank(*line->at))
        line->at++;
    word.end = line->at;
    return word;
}

static bool is_text(struct piece piece, const char *text)
{
    while (piece.at < piece.end && *text && *piece.at == *text) {
        piece.at++;
        text++;
    }
    return piece.at == piece.end && !*text;
}

/* A key is 1 to 16 hexadecimal digits, and not 0. */
static bool take_key(struct piece *line, uint64_t *key)
{
    struct piece word = take_word(line);

    *key = 0;
    if (word.at == word.end || word.end - word.at > 16)
        return false;
    for (; word.at < word.end; word.at++) {
        int digit = darn_digit_value(*word.at);

        if (digit > 15)
            return false;
        *key = *key << 4 | (unsigned)digit;
    }
    return *key != 0;
}

static bool read_fact(struct piece line, struct darn_fact *fact)
{
    struct piece word = take_word(&line);

    fact->writer = 0;
    if (is_text(word, "shared"))
        fact->kind = DARN_FACT_SHARED;
    else if (is_text(word, "spin"))
        fact->kind = DARN_FACT_SPIN;
    else if (is_text(word, "suspect"))
        fact->kind = DARN_FACT_SUSPECT;
    else
        return false;
    return take_key(&line, &fact->site) &&
           (fact->kind == DARN_FACT_SHARED || take_key(&line, &fact->writer));
}

static bool is_skipped(struct piece line)
{
    struct piece word = take_word(&line);

    return word.at == word.end || *word.at == '#';
}

int darn_profile_next(const char *text, size_t length, size_t *at, struct darn_fact *fact)
{
    while (*at < length) {
        size_t next;
        struct piece line = line_at(text, length, *at, &next);

        if (!is_skipped(line) && !is_text(line, DARN_PROFILE_FIRST_LINE)) {
            if (!read_fact(line, fact))
                return -1;
            *at = next;
            return 1;
        }
        *at = next;
    }
    return 0;
}

int darn_profile_is(const char *text, size_t length)
{
    size_t next;

    return is_text(line_at(text, length, 0, &next), DARN_PROFILE_FIRST_LINE);
}
