/* A document that jansson has read, and that was changed since, is written by base/json.h like all
 * the others. */
#ifndef DARN_REPORT_JSON_TREE_H
#define DARN_REPORT_JSON_TREE_H

#include <jansson.h>

#include "base/json_file.h"

void darn_json_tree(struct darn_json *json, const json_t *value);

/* The same as a member of an object. */
void darn_json_tree_member(struct darn_json *json, const char *key, const json_t *value);

/* With a line for each value, indented by a blank for each bracket around it. */
void darn_json_tree_lines(struct darn_json *json, const json_t *value);

#endif
