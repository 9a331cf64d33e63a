/* JSON in tools: its text grows as it needs, and goes to a file. */
#ifndef DARN_BASE_JSON_FILE_H
#define DARN_BASE_JSON_FILE_H

#include <stdio.h>

#include "base/json.h"

/* Bytes that are no UTF-8 become '?'. A tool without memory ends. */
void darn_json_start_growing(struct darn_json *json);
void darn_json_release(struct darn_json *json);

/* Writes what there is, and forgets it: there is no need to have all of a large file in memory. */
void darn_json_flush(struct darn_json *json, FILE *to);

/* Flushes and releases it. */
void darn_json_finish(struct darn_json *json, FILE *to);

/* With so many digits, as %g has them. */
void darn_json_real(struct darn_json *json, const char *key, double value, int digits);

#endif
