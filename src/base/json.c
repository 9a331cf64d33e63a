#include "base/json.h"

static const char digits[] = "0123456789abcdef";

void darn_json_start(struct darn_json *json, char *to, size_t size)
{
    darn_text_start(&json->text, to, size);
    json->comma = false;
}

/* The length of the UTF-8 sequence that begins here; 0 if it is none. */
static int sequence_length(const unsigned char *at)
{
    int length = *at < 0x80   ? 1
                 : *at < 0xc2 ? 0
                 : *at < 0xe0 ? 2
                 : *at < 0xf0 ? 3
                 : *at < 0xf5 ? 4
                              : 0;

    for (int i = 1; i < length; i++) {
        if ((at[i] & 0xc0) != 0x80)
            return 0;
    }
    /* Too long for what it says, a surrogate, or beyond Unicode. */
    if ((at[0] == 0xe0 && at[1] < 0xa0) || (at[0] == 0xed && at[1] > 0x9f) ||
        (at[0] == 0xf0 && at[1] < 0x90) || (at[0] == 0xf4 && at[1] > 0x8f))
        return 0;
    return length;
}

/* JSON is UTF-8; names of files need not be: a byte that fits nowhere is taken for Latin-1. */
static void escaped(struct darn_text *text, const char *value)
{
    darn_text_char(text, '"');
    for (int length; *value; value += length ? length : 1) {
        unsigned char c = (unsigned char)*value;

        length = sequence_length((const unsigned char *)value);
        if (length > 1) {
            darn_text_part(text, value, (size_t)length);
        } else if (c == '"' || c == '\\') {
            darn_text_char(text, '\\');
            darn_text_char(text, (char)c);
        } else if (c < 0x20 || length == 0) {
            darn_text_add(text, "\\u00");
            darn_text_char(text, digits[c >> 4]);
            darn_text_char(text, digits[c & 15]);
        } else {
            darn_text_char(text, (char)c);
        }
    }
    darn_text_char(text, '"');
}

static void begin(struct darn_json *json, const char *key)
{
    if (json->comma)
        darn_text_char(&json->text, ',');
    json->comma = true;
    if (key) {
        escaped(&json->text, key);
        darn_text_char(&json->text, ':');
    }
}

void darn_json_open(struct darn_json *json, const char *key, char bracket)
{
    begin(json, key);
    darn_text_char(&json->text, bracket);
    json->comma = false;
}

void darn_json_close(struct darn_json *json, char bracket)
{
    darn_text_char(&json->text, bracket);
    json->comma = true;
}

void darn_json_string(struct darn_json *json, const char *key, const char *value)
{
    begin(json, key);
    escaped(&json->text, value);
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

void darn_json_bool(struct darn_json *json, const char *key, bool value)
{
    begin(json, key);
    darn_text_add(&json->text, value ? "true" : "false");
}

void darn_json_hex(struct darn_json *json, const char *key, uint64_t value)
{
    char text[19] = "0x";
    int at = 2;

    for (int shift = 60; shift >= 0; shift -= 4) {
        if (value >> shift || shift == 0)
            text[at++] = digits[(value >> shift) & 15];
    }
    text[at] = '\0';
    darn_json_string(json, key, text);
}
