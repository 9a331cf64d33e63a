#include "base/json.h"

#include <string.h>

void darn_json_start(struct darn_json *json, char *to, size_t size)
{
    *json = (struct darn_json){.bytes = DARN_JSON_LATIN1};
    darn_text_start(&json->text, to, size);
}

/* The length of the UTF-8 sequence that begins here; 0 if it is none. */
static size_t sequence_length(const unsigned char *at)
{
    size_t length = *at < 0x80   ? 1
                    : *at < 0xc2 ? 0
                    : *at < 0xe0 ? 2
                    : *at < 0xf0 ? 3
                    : *at < 0xf5 ? 4
                                 : 0;

    for (size_t i = 1; i < length; i++) {
        if ((at[i] & 0xc0) != 0x80)
            return 0;
    }
    /* Too long for what it says, a surrogate, or beyond Unicode. */
    if ((at[0] == 0xe0 && at[1] < 0xa0) || (at[0] == 0xed && at[1] > 0x9f) ||
        (at[0] == 0xf0 && at[1] < 0x90) || (at[0] == 0xf4 && at[1] > 0x8f))
        return 0;
    return length;
}

/* The letter after the backslash; 0: the character has no such name. */
static char short_name(char c)
{
    switch (c) {
    case '"':
    case '\\':
        return c;
    case '\b':
        return 'b';
    case '\f':
        return 'f';
    case '\n':
        return 'n';
    case '\r':
        return 'r';
    case '\t':
        return 't';
    default:
        return 0;
    }
}

#define MOST 6 /* bytes that one character becomes */

/* Writes what stands for the character at `at` in a string, and returns its length; `taken` is that
 * of the character. */
static size_t escape(enum darn_json_bytes bytes, const char *at, char to[MOST], size_t *taken)
{
    static const char digits[] = "0123456789ABCDEF";
    unsigned char c = (unsigned char)*at;
    size_t length = sequence_length((const unsigned char *)at);

    *taken = length ? length : 1;
    if (short_name(*at)) {
        to[0] = '\\';
        to[1] = short_name(*at);
        return 2;
    }
    if (c < 0x20 || (!length && bytes == DARN_JSON_LATIN1)) {
        memcpy(to, "\\u00", 4);
        to[4] = digits[c >> 4];
        to[5] = digits[c & 15];
        return 6;
    }
    memcpy(to, at, *taken);
    if (!length && bytes == DARN_JSON_MARK)
        to[0] = '?';
    return *taken;
}

static void put_quoted(struct darn_json *json, const char *value)
{
    char one[MOST];
    size_t taken;

    darn_text_char(&json->text, '"');
    for (; *value; value += taken)
        darn_text_part(&json->text, one, escape(json->bytes, value, one, &taken));
    darn_text_char(&json->text, '"');
}

static void begin_line(struct darn_json *json)
{
    darn_text_char(&json->text, '\n');
    for (; json->line > 1; json->line--)
        darn_text_char(&json->text, ' ');
    json->line = 0;
}

static void begin(struct darn_json *json, const char *key)
{
    if (json->comma)
        darn_text_char(&json->text, ',');
    if (json->line)
        begin_line(json);
    else if (json->comma && json->spaced)
        darn_text_char(&json->text, ' ');
    json->comma = true;
    if (key) {
        put_quoted(json, key);
        darn_text_add(&json->text, json->spaced ? ": " : ":");
    }
}

void darn_json_break(struct darn_json *json, unsigned blanks)
{
    json->line = 1 + blanks;
}

void darn_json_open(struct darn_json *json, const char *key, char bracket)
{
    begin(json, key);
    darn_text_char(&json->text, bracket);
    json->comma = false;
}

void darn_json_close(struct darn_json *json, char bracket)
{
    if (json->line)
        begin_line(json);
    darn_text_char(&json->text, bracket);
    json->comma = true;
}

void darn_json_end_line(struct darn_json *json)
{
    darn_text_char(&json->text, '\n');
    json->comma = false;
}

void darn_json_string(struct darn_json *json, const char *key, const char *value)
{
    begin(json, key);
    put_quoted(json, value);
}

void darn_json_number(struct darn_json *json, const char *key, int64_t value)
{
    begin(json, key);
    if (value < 0) {
        darn_text_char(&json->text, '-');
        darn_text_number(&json->text, (uint64_t)0 - (uint64_t)value);
    } else {
        darn_text_number(&json->text, (uint64_t)value);
    }
}

void darn_json_literal(struct darn_json *json, const char *key, const char *value)
{
    begin(json, key);
    darn_text_add(&json->text, value);
}

void darn_json_bool(struct darn_json *json, const char *key, bool value)
{
    darn_json_literal(json, key, value ? "true" : "false");
}

void darn_json_hex(struct darn_json *json, const char *key, uint64_t value)
{
    begin(json, key);
    darn_text_add(&json->text, "\"0x");
    darn_text_hex(&json->text, value);
    darn_text_char(&json->text, '"');
}

size_t darn_json_string_open(struct darn_json *json, const char *key)
{
    begin(json, key);
    darn_text_char(&json->text, '"');
    return json->text.used;
}

/* The value is moved to where its end will be, and from there, escaped, to its beginning: what is
 * written never overtakes what is read. */
static void escape_since(struct darn_json *json, size_t start)
{
    struct darn_text *text = &json->text;
    size_t length = text->used - start, more = 0, taken;
    char one[MOST], *to;

    for (size_t at = start; at < text->used; at += taken)
        more += escape(json->bytes, text->to + at, one, &taken) - taken;
    if (!darn_text_reserve(text, more))
        return;
    to = text->to + start;
    memmove(to + more, to, length + 1);
    text->used += more;
    for (const char *from = to + more; *from; from += taken) {
        size_t size = escape(json->bytes, from, one, &taken);

        memcpy(to, one, size);
        to += size;
    }
}

void darn_json_string_close(struct darn_json *json, size_t start)
{
    if (!json->text.cut)
        escape_since(json, start);
    darn_text_char(&json->text, '"');
}
