/*
 * Writes JSON, everywhere in the tree: commas come by themselves, strings are escaped.
 *
 * Lives in the program under test as well: no allocation, no stdio, no locale. There, a text that
 * did not fit is marked as cut by darn_text, and is no JSON. In tools the text grows (json_file.h).
 */
#ifndef DARN_BASE_JSON_H
#define DARN_BASE_JSON_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

/* JSON is UTF-8; names of files and threads need not be. What becomes of a byte that fits nowhere:
 */
enum darn_json_bytes {
    DARN_JSON_LATIN1, /* it is taken for Latin-1, so that the reader gets it back */
    DARN_JSON_MARK,   /* it becomes '?': people read it */
    DARN_JSON_KEEP,   /* it stays: a file is found again by its exact name */
};

struct darn_json {
    struct darn_text text;
    bool comma;                 /* one is due before the next value */
    bool spaced;                /* blanks after commas and colons: people edit it */
    enum darn_json_bytes bytes; /* that are no UTF-8 */
    unsigned line; /* the next value or bracket begins a line: 1 + its blanks; 0: not */
};

/* Without blanks, and bytes that are no UTF-8 are Latin-1; who wants it otherwise changes that. */
void darn_json_start(struct darn_json *json, char *to, size_t size);

/* The next value, or the bracket that closes, begins a line with so many blanks before it. */
void darn_json_break(struct darn_json *json, unsigned blanks);

/* `key` is NULL inside an array. */
void darn_json_open(struct darn_json *json, const char *key, char bracket);
void darn_json_close(struct darn_json *json, char bracket);

/* After a value of JSON Lines: the next one stands for itself. */
void darn_json_end_line(struct darn_json *json);

void darn_json_string(struct darn_json *json, const char *key, const char *value);
void darn_json_number(struct darn_json *json, const char *key, int64_t value);
void darn_json_bool(struct darn_json *json, const char *key, bool value);

/* What is JSON already: `null`, or a value that was written or read before. */
void darn_json_literal(struct darn_json *json, const char *key, const char *value);

/* A number as a string in hexadecimal: JSON's own numbers lose the low bits of addresses. */
void darn_json_hex(struct darn_json *json, const char *key, uint64_t value);

/* A string of parts: what is added to the text between the two is its value. `start` is what the
 * first returned. */
size_t darn_json_string_open(struct darn_json *json, const char *key);
void darn_json_string_close(struct darn_json *json, size_t start);

#endif
