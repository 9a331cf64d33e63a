/*
 * Writes JSON into a text of bounded size: commas come by themselves, strings are escaped.
 *
 * Lives in the program under test as well: no allocation, no stdio, no locale. A text that did not
 * fit is marked as cut by darn_text, and is no JSON.
 */
#ifndef DARN_BASE_JSON_H
#define DARN_BASE_JSON_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

struct darn_json {
    struct darn_text text;
    bool comma; /* a comma is due before the next value */
};

void darn_json_start(struct darn_json *json, char *to, size_t size);

/* `key` is NULL inside an array. */
void darn_json_open(struct darn_json *json, const char *key, char bracket);
void darn_json_close(struct darn_json *json, char bracket);
void darn_json_string(struct darn_json *json, const char *key, const char *value);
void darn_json_number(struct darn_json *json, const char *key, int64_t value);
void darn_json_bool(struct darn_json *json, const char *key, bool value);

/* A number as a string in hexadecimal: JSON's own numbers lose the low bits of addresses. */
void darn_json_hex(struct darn_json *json, const char *key, uint64_t value);

#endif
