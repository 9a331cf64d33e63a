#include "report/json_tree.h"

#include <stdlib.h>

#define DIGITS 17 /* that tell one real number from all others */

/* `depth` is how many brackets are around the value, if each begins a line of its own; 0: none
 * does. */
static void put(struct darn_json *json, const char *key, const json_t *value, unsigned depth);

static void put_members(struct darn_json *json, const json_t *value, unsigned depth)
{
    const char *key;
    json_t *item;
    size_t i;

    json_object_foreach((json_t *)value, key, item)
    {
        put(json, key, item, depth);
    }
    json_array_foreach(value, i, item)
    {
        put(json, NULL, item, depth);
    }
}

static void put_container(struct darn_json *json, const char *key, const json_t *value,
                          unsigned depth)
{
    bool is_empty = !json_object_size(value) && !json_array_size(value);

    darn_json_open(json, key, json_is_object(value) ? '{' : '[');
    put_members(json, value, depth ? depth + 1 : 0);
    if (depth && !is_empty)
        darn_json_break(json, depth - 1);
    darn_json_close(json, json_is_object(value) ? '}' : ']');
}

static void put(struct darn_json *json, const char *key, const json_t *value, unsigned depth)
{
    if (depth > 1)
        darn_json_break(json, depth - 1);
    switch (json_typeof(value)) {
    case JSON_OBJECT:
    case JSON_ARRAY:
        put_container(json, key, value, depth);
        break;
    case JSON_STRING:
        darn_json_string(json, key, json_string_value(value));
        break;
    case JSON_INTEGER:
        darn_json_number(json, key, json_integer_value(value));
        break;
    case JSON_REAL:
        darn_json_real(json, key, json_real_value(value), DIGITS);
        break;
    case JSON_TRUE:
    case JSON_FALSE:
        darn_json_bool(json, key, json_is_true(value));
        break;
    case JSON_NULL:
        darn_json_literal(json, key, "null");
        break;
    }
}

void darn_json_tree(struct darn_json *json, const json_t *value)
{
    put(json, NULL, value, 0);
}

void darn_json_tree_member(struct darn_json *json, const char *key, const json_t *value)
{
    put(json, key, value, 0);
}

void darn_json_tree_lines(struct darn_json *json, const json_t *value)
{
    json->spaced = true;
    put(json, NULL, value, 1);
}
