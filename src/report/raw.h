/*
 * Reading a finding, field by field: what the runtime wrote, or a report in JSON Lines, which has
 * the same fields and the names that the symbols gave.
 *
 * The input comes from a program that is misbehaving by definition. A field of the wrong type
 * counts as missing, so each caller decides only about what is missing.
 */
#ifndef DARN_REPORT_RAW_H
#define DARN_REPORT_RAW_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "report/finding.h"

/* The object in `length` bytes of JSON that begins {"raw":1. Bytes that are no UTF-8, as in the
 * name of a thread or a file, become '?'. NULL with one line in `error`. The caller decrefs it. */
json_t *darn_raw_load(const char *json, size_t length, char *error, size_t error_size);

/* The objects of JSON Lines, as an array; blank lines are passed over. NULL with one line in
 * `error`, which begins with `path`. */
json_t *darn_raw_lines(FILE *file, const char *path, char *error, size_t error_size);

/* A finding that was reported: an object of JSON Lines. It may have no accesses. */
struct darn_finding *darn_finding_reported(const json_t *object);

/* NULL when missing or empty. */
const char *darn_raw_text(struct darn_text_pool *pool, const json_t *object, const char *key);
/* A number, or a text like "0x1f". 0 when missing. */
uint64_t darn_raw_number(const json_t *object, const char *key);
struct darn_value darn_raw_value(const json_t *object, const char *key);
bool darn_raw_flag(const json_t *object, const char *key);
/* Of a line or a column; 0 when missing. */
unsigned darn_raw_line(const json_t *object, const char *key);
struct darn_frame darn_raw_frame(struct darn_text_pool *pool, const json_t *object);
/* The field `stack`; empty when missing. */
struct darn_finding_stack darn_raw_stack(struct darn_text_pool *pool, const json_t *object);

#endif
